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
