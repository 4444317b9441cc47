// Where a path continues behind a property: an object, the elements of a collection, a value in a
// dictionary, a member of a value, or nowhere.
extension HopTree {
  /// Attaches the rest of a hop's path to what its property refers to now.
  func attachRest(behind hop: Hop, of object: AnyObject) throws -> Hop.Behind {
    guard hop.leadsOn else { return .nothing }
    if hop.followsDeath { return attachToDeath(behind: hop, of: object) }
    let next = hop.index + 1
    if let observed = hop.property.observedObject(of: object) {
      guard let observed else { return .nothing }
      if let member = member(at: next, behind: hop) {
        return try attach(member, of: observed, at: next, behind: hop, isElement: false)
      }
      return try attach(next: observed, at: next, behind: hop)
    }
    guard let value = hop.property.anyValue(of: object) else {
      // An observable value may replace nil later, unless the type rules that out.
      let hasMembers = !path.members.isEmpty && !hop.isInDependency
      if !hop.isLenient, isPlainValue(hop.property.valueType), !hasMembers,
        !leadsToOperatorOverValues(of: hop.property.valueType, at: next, behind: hop)
      {
        throw cannotLead(unwrapped(hop.property.valueType), to: next, behind: hop)
      }
      return .nothing
    }
    return try attach(to: value, from: next, behind: hop)
  }

  /// Whether the rest of the path, from a component on, is an operator over values that reads no key of theirs.
  ///
  /// The values are of this type or, if it's a collection's, the collection's elements.
  private func leadsToOperatorOverValues(
    of type: Any.Type, at index: Int, behind hop: Hop, isElement: Bool = false
  ) -> Bool {
    let rest = hop.path[index...]
    return rest.first?.isOperator == true
      && rest.dropFirst().allSatisfy(\.isIdentity)
      && (unwrapped(type) is any ToMany.Type
        || joinsElements(at: index, behind: hop, isElement: isElement))
  }

  /// Whether an operator at a component applies to what several elements lead to: on the way there, not every
  /// collection has an operator of its own.
  ///
  /// `isElement` is as for `attach(to:from:behind:isElement:)`.
  private func joinsElements(at index: Int, behind hop: Hop, isElement: Bool) -> Bool {
    var collections = isElement ? 1 : 0
    var current: Hop? = hop
    while let hop = current {
      if hop.isElement { collections += 1 }
      current = hop.isSource ? nil : hop.parent
    }
    return collections > hop.path[..<index].count(where: \.isOperator)
  }

  /// Attaches the path, from a component on, to a value that the property leads to.
  ///
  /// `isElement` means that the value is an element of a collection, so the path's last value isn't the
  /// observed value.
  func attach(
    to value: Any?, from index: Int, behind hop: Hop, isElement: Bool = false
  ) throws -> Hop.Behind {
    guard index < hop.path.count, let value else { return .nothing }
    if let member = member(at: index, behind: hop) {
      return try attach(member, of: value, at: index, behind: hop, isElement: isElement)
    }
    switch value {
    case let next as any KeyValueObservable:
      return try attach(next: next, at: index, behind: hop, isElement: isElement)
    case let collection as any ToMany:
      return try attachElements(of: collection, from: index, behind: hop)
    default:
      let component = hop.path[index]
      if component.isIdentity { return .nothing }
      if component.isOperator, joinsElements(at: index, behind: hop, isElement: isElement) {
        return try attach(to: value, from: index + 1, behind: hop, isElement: isElement)
      }
      if let dictionary = stringKeyed(value), !component.isOperator {
        // A dictionary has no changes of its own, only those of the property that holds it.
        let valueType = type(of: dictionary).valueType
        if index + 1 < hop.path.count, !hop.isLenient, isPlainValue(valueType),
          !leadsToOperatorOverValues(
            of: valueType, at: index + 1, behind: hop, isElement: isElement)
        {
          throw KeyValueCodingError.notKeyValueObservable(
            .init(
              type: name(of: type(of: dictionary)), key: component.name,
              keyPath: hop.path.string, position: index + 1,
              reason: "its value is of type \(unwrapped(valueType)), which is not "
                + "@KeyValueObservable"))
        }
        return try attach(
          to: dictionary.anyValue(under: component.name), from: index + 1, behind: hop,
          isElement: isElement)
      }
      if hop.isLenient {
        if type(of: value) is AnyClass { reportUnheardObject(value, at: index, behind: hop) }
        return .nothing
      }
      if stringKeyed(value) != nil { throw notACollection(type(of: value), at: index, behind: hop) }
      throw cannotLead(type(of: value), to: index, behind: hop)
    }
  }

  private func attach(
    next: any KeyValueObservable, at index: Int, _ property: Property? = nil, behind hop: Hop,
    isElement: Bool = false
  ) throws -> Hop.Behind {
    var index = index
    if hop.path[index].isOperator {
      // Behind a collection, the operator applies to everything that the elements lead to, including this
      // object.
      guard isElement || hop.isBehindCollection || hop.isLenient else {
        throw notACollection(type(of: next), at: index, behind: hop)
      }
      index += 1
      guard index < hop.path.count else { return .nothing }
    }
    let next = try attach(
      hop.path, at: index, to: next, property, parent: hop,
      isLenient: hop.isLenient, isElement: isElement,
      endsObservedPath: hop.endsObservedPath && !isElement)
    return next.map { .object($0) } ?? .nothing
  }

  // MARK: Members of values

  /// Attaches what follows a member of a value; the value changes only with the property that holds it.
  ///
  /// An object has changes of its own. If its class is observable, and reading the member reads exactly
  /// one key, that key is observed.
  private func attach(
    _ member: (Any) -> Any?, of value: Any, at index: Int, behind hop: Hop, isElement: Bool
  ) throws -> Hop.Behind {
    guard let object = value as? any KeyValueObservable else {
      if type(of: value) is AnyClass { reportUnheardObject(value, at: index, behind: hop) }
      return try attach(to: member(value), from: index + 1, behind: hop, isElement: isElement)
    }
    let probe = AccessProbe(object, member)
    if !path.plainMembers.contains(index), let property = probe.property {
      path.note(property, at: index)
      return try attach(
        next: object, at: index, property, behind: hop, isElement: isElement)
    }
    reportUnknownMember(of: object, probe, behind: hop)
    return try attach(to: member(value), from: index + 1, behind: hop, isElement: isElement)
  }

  /// Reads the member that a component of a typed path stands for; nil if the component isn't a member.
  func member(at index: Int, behind hop: Hop) -> ((Any) -> Any?)? {
    path.members.isEmpty || hop.isInDependency ? nil : path.members[index]
  }

  /// The collection that a property leads to now, through dictionaries and members of values, and the
  /// index of the component where it is found.
  func collection(behind hop: Hop, of object: AnyObject) -> (any ToMany, Int)? {
    var value = hop.property.anyValue(of: object)
    var index = hop.index + 1
    while index < hop.path.count, let present = value {
      if let member = member(at: index, behind: hop) {
        value = member(present)
      } else if let collection = present as? any ToMany {
        return (collection, index)
      } else {
        value = stringKeyed(present)?.anyValue(under: hop.path[index].name)
      }
      index += 1
    }
    return nil
  }

  // MARK: Deaths

  /// Watches the object that a weak property refers to, only for its death.
  private func attachToDeath(behind hop: Hop, of object: AnyObject) -> Hop.Behind {
    guard let value = hop.property.anyValue(of: object) else { return .nothing }
    guard let next = value as? any KeyValueObservable else {
      reportUnheardDeath(of: value, at: hop)
      return .nothing
    }
    return .object(attachToDeath(of: next, behind: hop, at: hop.index))
  }

  /// Watches an object only for its death.
  func attachToDeath(
    of object: any KeyValueObservable, behind hop: Hop, at index: Int, isElement: Bool = false
  ) -> Hop {
    let schema = object.schema
    return insertHop(
      schema.identity, of: object, schema, parent: hop, hop.path, at: index, isLenient: true,
      isElement: isElement, endsObservedPath: false, schema.traits(of: schema.identity))
  }

  /// Reports an object without a registrar, because it dies unannounced.
  private func reportUnheardDeath(of value: Any, at hop: Hop) {
    let type = type(of: value)
    guard type is AnyClass else { return }
    let owner = hop.schema.name
    let key = hop.property.key
    ReportOnce.tolerated("death", of: hop.schema.type, key) {
      "\(owner).\(key) refers weakly to an object of \(name(of: type)), which is not "
        + "@KeyValueObservable, so its death is not announced and observers keep what they were told "
        + "last. Annotate \(name(of: type)) with @KeyValueObservable, or set \(key) to nil before the "
        + "object dies."
    }
  }

  // MARK: Reports

  /// Reports an object on a typed path that announces nothing.
  private func reportUnheardObject(_ value: Any, at index: Int, behind hop: Hop) {
    let schema = hop.schema
    let key = hop.property.key
    ReportOnce.tolerated("object", of: schema.type, key) {
      let type = name(of: type(of: value))
      return
        "\(schema.name).\(key) leads to an object of \(type), which is not @KeyValueObservable, so "
        + "'\(hop.path.string)' is observed as far as '\(key)', and what changes in that "
        + "object is not announced. Annotate \(type) with @KeyValueObservable."
    }
  }

  /// Reports a member whose keys are unknown, because a protocol requires it or an extension declares it.
  private func reportUnknownMember(
    of object: any KeyValueObservable, _ probe: AccessProbe, behind hop: Hop
  ) {
    let schema = hop.schema
    let key = hop.property.key
    ReportOnce.tolerated("member", of: schema.type, key) {
      "\(schema.name).\(key) leads to an object of \(object.schema.name) of which the path reads a member "
        + "that is not one of its keys, or not known to be, so it is observed as far as '\(key)'. "
        + "Observe the member by its name, as the string \"\(key).<name>\", or declare \(key) with "
        + "the class instead of a protocol." + probe.sentence
    }
  }

  // MARK: Errors

  /// The error for a value read at a component behind a hop, or at the hop's own.
  func notObservable(
    _ type: Any.Type, at index: Int, behind hop: Hop
  ) -> KeyValueCodingError {
    let owner =
      index == hop.index ? hop.schema.name : "A value in '\(hop.property.key)'"
    return .notKeyValueObservable(
      .init(
        type: owner, key: hop.path[index].name, keyPath: hop.path.string, position: index + 1,
        reason: "its value is of type \(unwrapped(type))"
          + (unreachableElements(of: unwrapped(type)).map { "; " + $0 }
            ?? ", which is not @KeyValueObservable")))
  }

  /// The error for a value, neither an object nor a collection, that a component can't follow.
  private func cannotLead(
    _ type: Any.Type, to index: Int, behind hop: Hop
  ) -> KeyValueCodingError {
    // Behind a collection, the operator applies to what all elements lead to.
    let isOperatorOfOne =
      hop.path[index].isOperator && !hop.isBehindCollection && !(type is any ToMany.Type)
    if isOperatorOfOne { return notACollection(type, at: index, behind: hop) }
    let key = hop.path[..<index].lastIndex { !$0.isOperator } ?? hop.index
    return notObservable(type, at: key, behind: hop)
  }

  /// The error for an operator on anything but a collection, the same as when reading.
  private func notACollection(
    _ type: Any.Type, at index: Int, behind hop: Hop
  ) -> KeyValueCodingError {
    .notACollection(
      .init(
        type: name(of: type), key: hop.path[index].name, keyPath: hop.path.string,
        position: index + 1, reason: unreachableElements(of: type)))
  }
}

// What is wrong with a path: proved by the declared classes when it's registered, or found later on an
// object.
extension HopTree {
  /// Checks the rest of a string's path against the declared classes, where there is no object yet.
  ///
  /// A class that may have subclasses proves nothing: the key may be a subclass's. Debug builds report it.
  ///
  /// - Throws: `undefinedKey` for a key that a final class doesn't have, `notKeyValueObservable` for a type
  ///   whose values have no keys.
  func checkDeclarations(behind hop: Hop) throws {
    guard !hop.isLenient, hop.isInDependency || path.isString else { return }
    var type = unwrapped(hop.property.valueType)
    var owner = hop.schema
    var last = hop.index
    var index = hop.index + 1
    while index < hop.path.count {
      let component = hop.path[index]
      if let collection = type as? any ToMany.Type {
        type = unwrapped(collection.elementType)
        if component.isOperator { index += 1 }
      } else if component.isIdentity || component.isOperator {
        index += 1
      } else if let dictionary = type as? any StringKeyed.Type {
        type = unwrapped(dictionary.valueType)
        last = index
        index += 1
      } else if let observable = type as? any KeyValueObservable.Type {
        owner = KeyValueSchema.schema(of: observable)
        guard let property = owner.property(component.name),
          hop.isInDependency || path.mayReach(property)
        else {
          return try refuse(component, at: index, of: owner, behind: hop)
        }
        type = unwrapped(property.valueType)
        last = index
        index += 1
      } else {
        guard isPlainValue(type), owner.property(hop.path[last].name) != nil else { return }
        throw KeyValueCodingError.notKeyValueObservable(
          .init(
            type: owner.name, key: hop.path[last].name, keyPath: hop.path.string,
            position: last + 1,
            reason: "its value is of type \(type), which is not @KeyValueObservable"))
      }
    }
  }

  /// Refuses a key that a declared class doesn't have, if the class proves it.
  private func refuse(
    _ component: PathComponent, at index: Int, of schema: KeyValueSchema, behind hop: Hop
  ) throws {
    // Only an object can tell.
    if schema.mayAnswerUndefinedKeys { return }
    let error = KeyValueCodingError.undefinedKey(component.name, in: schema)
      .at(index + 1, of: hop.path.string)
    if schema.isFinal { throw error }
    #if DEBUG || KVO_AUDIT
      // A dependency may be meant for one subclass, so only what looks misspelt is worth a report.
      if isTrial || hop.isInDependency && error.details.suggestions.isEmpty { return }
      ReportOnce.tolerated("declared", of: schema.type, hop.path.string) {
        "\(respelled(error, at: hop)) It is accepted, because an object of a subclass of \(schema.name) may "
          + "have the key.\(place)"
      }
    #endif
  }

  /// Reports a value that a path or a dependency can't be followed on.
  ///
  /// A dependency's is reported once for each class that is found there, because the declaration is
  /// right for other objects.
  func report(_ error: any Error, at hop: Hop) {
    if isTrial { return }
    let error = respelled(error, at: hop)
    guard let source = hop.dependency, let dependent = source.parent else {
      let owner = root.map { name(of: type(of: $0)) } ?? "a dead object"
      return KeyValueViolation.report(
        .unobservableValue,
        "\(error) '\(path.string)' of \(owner) reads as nil from there until the value is replaced."
          + place)
    }
    let (schema, key) = (dependent.schema, dependent.property.key)
    guard ReportOnce.isFirst("unresolved: \(error)", of: schema.type, key) else { return }
    KeyValueViolation.report(
      .unobservableValue,
      "\(error) \(schema.name).\(key), which depends on '\(source.path.string)', does not change with "
        + "that object.\(place)")
  }

  /// The error with its position counted in the path as written.
  private func respelled(_ error: any Error, at hop: Hop) -> any Error {
    guard !hop.isInDependency, let error = error as? KeyValueCodingError else { return error }
    return path.respelled(error)
  }

  /// Where the observer was registered, as a sentence; empty if that isn't known.
  private var place: String {
    KeyValueTrace.Place(observance.origin).map { " It was registered at \($0)." } ?? ""
  }
}

/// Finds the keys that an object's member reads, if its key path doesn't identify a key: a protocol
/// requirement, or an override in a class without the macro.
///
/// The probe marks the object as being modified, under an id that no property has, and reads the
/// member once. The mark sends the accessors down their slow path, which records each read.
/// Accessors pay nothing for this otherwise.
struct AccessProbe {
  /// The id under which the object is marked.
  private static let mark = Int(Int32.max)

  private let object: any KeyValueObservable
  /// The properties that the member reads, each once.
  private let read: [Property]
  private let value: Any?

  init(_ object: any KeyValueObservable, _ reader: (Any) -> Any?) {
    self.object = object
    let registrar = object._$kvoWithRegistrar { $0.address() }
    let thread = ThreadContext.ofThisThread
    // Also sends reads of this object to `note`.
    ThreadActivity.begin()
    thread.probes.append((registrar, []))
    object._$kvoWithRegistrar { registrar in
      // Several threads may probe one object; each removes one mark.
      registrar.update(of: object) { _, state in state.beginModifying(AccessProbe.mark) }
    }
    value = reader(object)
    object._$kvoWithRegistrar { $0.endAccess(AccessProbe.mark) }
    var seen: Set<Int> = []
    ThreadActivity.end()
    read = thread.probes.removeLast().ids.filter { seen.insert($0).inserted }
      .compactMap { object.schema.property(id: $0) }
  }

  /// The property that the member stands for: the only one it reads, or the only computed or overridden one
  /// that reads the same properties.
  ///
  /// Its value is the member's value.
  var property: Property? {
    if read.count == 1, isSame(value, read[0].anyValue(of: object)) { return read[0] }
    if read.isEmpty { return nil }
    let same = object.schema.properties.filter { property in
      // A property that an override narrows has the override's key, and reads the same.
      guard object.schema.property(property.key) === property,
        property.origin == .computed || object.schema.isOverridden(property)
      else { return false }
      let probe = AccessProbe(object) { _ in property.anyValue(of: object) }
      return probe.read.map(\.id) == read.map(\.id) && isSame(value, probe.value)
    }
    return same.count == 1 ? same[0] : nil
  }

  /// Names the properties that the member reads, for a message; empty if it reads no key.
  var sentence: String {
    let keys = read.map { "'\($0.key)'" }
    return keys.isEmpty ? "" : " Reading it reads " + keys.joined(separator: " and ") + "."
  }

  private func isSame(_ value: Any?, _ other: Any?) -> Bool {
    guard let value, let other else { return value == nil && other == nil }
    if type(of: value) != type(of: other) { return false }
    if type(of: value) is AnyClass { return value as AnyObject === other as AnyObject }
    return isEqualOrCopy(value, other) ?? true
  }

  /// Records a read of a property, if this thread is probing the object.
  static func note(_ id: Int, of registrar: UnsafePointer<KeyValueRegistrar>) {
    guard let thread = ThreadContext.current, let last = thread.probes.indices.last,
      thread.probes[last].registrar == registrar
    else { return }
    thread.probes[last].ids.append(id)
  }
}
