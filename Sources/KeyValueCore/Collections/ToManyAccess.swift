/// How a proxy reaches a to-many key: through the class's accessor methods if it has them, otherwise
/// through the property, in Cocoa's order (Parity C4, C5).
struct ToManyAccess {
  let object: any KeyValueObservable
  let property: Property
  private let accessors: CollectionAccessors

  enum Kind {
    case ordered
    /// Ordered, with each element once.
    case distinct
    case unordered

    /// The methods that the class must have for a key without a setter.
    func mutators(of key: String) -> String {
      let name = capitalized(key)
      return switch self {
      case .ordered, .distinct: "insertObject(_:in\(name)At:) and removeObject(from\(name)At:)"
      case .unordered: "add\(name)Object(_:) and remove\(name)Object(_:)"
      }
    }
  }

  private let kind: Kind
  /// Whether the property's type is ordered and holds each element once.
  private let holdsEachOnce: Bool
  /// Whether an element can occur only once among ordered ones.
  private var isDistinct: Bool { kind == .distinct || holdsEachOnce }

  /// `privately` means that private keys are meant too.
  ///
  /// - Throws: `undefinedKey`, `notACollection` or `readOnly`.
  init(
    _ object: any KeyValueObservable, _ key: String, _ kind: Kind, privately: Bool = false
  ) throws {
    let schema = object.schema
    self.object = object
    self.kind = kind
    property = try schema.property(key, ofCollectionIn: object, privately: privately)
    accessors = schema.accessors(key) ?? CollectionAccessors()
    let type = unwrapped(property.valueType)
    holdsEachOnce = (type as? any OrderedToMany.Type)?.isDistinct == true
    let isCollection =
      switch kind {
      case .ordered, .distinct: type is any OrderedToMany.Type || accessors.isCounted
      case .unordered: type is any UnorderedToMany.Type || accessors.mutatesSet
      }
    guard isCollection else {
      throw KeyValueCodingError.notACollection(
        .init(
          type: schema.name, key: key,
          reason: "it holds \(property.valueType), and the class has no "
            + (kind == .unordered ? "add and remove" : "countOf and objectIn") + " methods for it"))
    }
    guard hasMutationAccessors || property.isSettable else {
      let setter = schema.restrictedSetter(key).map { "its setter is \($0)" } ?? "it has no setter"
      throw KeyValueCodingError.readOnly(
        .init(
          type: schema.name, key: key,
          reason: "\(setter), and the class has no \(kind.mutators(of: key)) to change it through"))
    }
  }

  /// The collection of a key without a setter that others may call, and with methods that change it; nil for other keys.
  static func onlyByMethods(
    _ object: any KeyValueObservable, _ key: String
  ) throws -> ToManyAccess? {
    let schema = object.schema
    guard schema.property(key, privately: true)?.isSettable == false else { return nil }
    // What the methods change may be an ordered set.
    if schema.mutatesArray(key) {
      return try ToManyAccess(object, key, .distinct, privately: true)
    }
    return schema.mutatesSet(key)
      ? try ToManyAccess(object, key, .unordered, privately: true) : nil
  }

  private var hasMutationAccessors: Bool {
    kind == .unordered ? accessors.mutatesSet : accessors.mutatesArray
  }

  /// Whether the class has a method with which it replaces this number of elements.
  private func canReplace(_ count: Int) -> Bool {
    if accessors.replaceAtIndexes != nil { return true }
    // One by one, a new element might meet an equal one that isn't replaced yet.
    return accessors.replaceAt != nil && (count == 1 || !isDistinct)
  }

  // MARK: Reading

  /// Whether the class's accessor methods are what is read.
  var isCounted: Bool { accessors.isCounted }

  var count: Int {
    if let count = accessors.count, accessors.isCounted { return count(object) }
    return (property.anyValue(of: object) as? any ToMany)?.anyCount ?? 0
  }

  func element(at index: Int) -> Any? {
    if accessors.isCounted { return accessors.element(of: object, at: index) }
    return (property.anyValue(of: object) as? any OrderedToMany)?.anyElement(at: index)
  }

  /// Whether the collection finds an element without comparing it with each one.
  var findsElements: Bool { holdsEachOnce && !accessors.isCounted }

  func index(of element: AnyHashable) -> Int? {
    (property.anyValue(of: object) as? any OrderedToMany)?.index(ofElement: element)
  }

  /// The members of a set that equal an element, at most one; nil if the set isn't one in which they are found.
  func members(equalTo element: AnyHashable) -> [Any?]? {
    guard let set = property.anyValue(of: object) as? any UnorderedToMany,
      !isOptional(type(of: set).elementType)
    else { return nil }
    return set.elements(in: [element]).anyElements
  }

  var elements: [Any?] {
    (property.anyValue(of: object) as? any ToMany)?.anyElements ?? []
  }

  /// Whether an element is present, if the collection's type holds each once; nil for other types.
  var isPresent: ((Any) -> Bool)? {
    guard holdsEachOnce else { return nil }
    return { asHashable($0).flatMap { index(of: $0) } != nil }
  }

  // MARK: Changing

  /// Makes one elementary change and announces it once, with exactly its effect; a replacement twice if the
  /// class's accessors can only remove and insert.
  ///
  /// `isSingle` is whether the proxy was asked to add or remove an element, not a set of them.
  func apply(_ edit: Edit, isSingle: Bool = false) {
    let isSilent = isSilent
    check(edit, isSilent: isSilent)
    if case .replacement(let indexes, let elements) = edit, hasMutationAccessors,
      !canReplace(indexes.count)
    {
      together {
        apply(.removal(indexes))
        insertAgain(elements, at: indexes)
      }
      return
    }
    let adjustment = adjustment
    func mutation(_ edit: Edit) -> ManualMutation {
      ManualMutation(object, property, edit, isChecked: true, adjustment: adjustment)
    }
    let started = mutation(edit).start(isSilent: isSilent)
    func perform(_ edit: Edit) {
      let leaving = removed(by: edit, started)
      if let started, !isDirect {
        mutation(edit).muting(started) { change(edit, isSingle) }
      } else {
        change(edit, isSingle)
      }
      if started != nil || !isSilent { mutation(edit).finish(started) }
      withExtendedLifetime((leaving, started)) {}
    }
    if started?.mayHaveCalledOut != true { return perform(edit) }
    let left = fitting(edit)
    if left.isOfNothing, !edit.isOfNothing { return mutation(left).finish(started) }
    perform(left)
  }

  /// Replaces all elements; an ordered collection's leave first.
  func replaceAll(with elements: [Any]) {
    if kind == .unordered {
      return apply(.algebra(.set, Set(elements.compactMap { asHashable($0) })))
    }
    let left = count
    if left > 0 { apply(.removal(IndexRanges(0..<left))) }
    if !elements.isEmpty { apply(.insertion(IndexRanges(0..<elements.count), elements)) }
  }

  /// What may store something other than an edit says.
  var adjustment: ManualMutation.Adjustment {
    if hasMutationAccessors { return .methods }
    guard property.valueStorage?.hasPropertyObservers != true else { return .property }
    return isDirect || object.schema.storesWhatIsSet(property) ? .nothing : .property
  }

  /// The elements that an edit removes; nil if the bracket keeps them, nothing is told, or only methods could read
  /// them.
  ///
  /// They are released when observers have been told: an element's `deinit` may change the same collection, which is
  /// told behind the removal then, or what others compute from it.
  private func removed(
    by edit: Edit, _ started: BoxedBracket?
  ) -> (any CapturedValue)? {
    guard edit.kind != .insertion, isDirect || started != nil, started?.beforeStoring == nil
    else { return nil }
    // Observers that have been called may have put others in their place.
    if started?.old != nil, started?.mayHaveCalledOut == false { return nil }
    if case .accessors = property.origin { return nil }
    if let indexes = edit.ranges { return property.capture(from: object, at: indexes) }
    return edit.leaving(property.capture(from: object))
  }

  /// Inserts what a removal has made room for, although the removal's observers may have changed the collection.
  private func insertAgain(_ elements: [Any], at indexes: IndexRanges) {
    let edit = fitting(.insertion(indexes, elements))
    if !edit.isOfNothing { apply(edit) }
  }

  /// The part of an edit that the collection can take, which observers may have changed since the edit was made.
  ///
  /// An index past the end becomes the end, what isn't there isn't removed, and an ordered set doesn't get an element
  /// that it has again. A replacement is made whole or not at all: its elements may be the replaced ones in another
  /// order.
  private func fitting(_ edit: Edit) -> Edit {
    if edit.ranges == nil { return edit }
    let count = accessors.isCounted ? count : property.elementCount(of: object) ?? 0
    switch (edit, isPresent) {
    case (.insertion(let indexes, let elements), let isPresent?):
      let entering = zip(indexes.indices, elements).filter { !isPresent($0.1) }
      var places = RangeSet<Int>()
      for (index, _) in entering { places.insert(contentsOf: index..<index + 1) }
      return Edit.insertion(IndexRanges(places), entering.map { $0.1 }).fitting(count)
    case (.replacement(let indexes, let elements), let isPresent):
      let isElsewhere =
        isPresent != nil
        && elements.contains { element in
          guard let place = asHashable(element).flatMap(index) else { return false }
          return !indexes.set.contains(place)
        }
      return isElsewhere || !indexes.isWithin(count) ? .replacement(.none) : edit
    default: return edit.fitting(count)
    }
  }

  /// Whether the key notifies manually, so that the proxy announces nothing.
  var isSilent: Bool { !object.schema.traits(of: property).isAutomatic }

  /// Traps if the collection can't hold an edit's elements.
  func check(_ edit: Edit, isSilent: Bool) {
    #if OrderedCollections
      checkForRepeated(in: edit)
    #endif
    if !isSilent { property.check(edit, of: object) }
    // A key that only methods implement has no type of its own.
    if !isSilent, hasMutationAccessors, !property.isCollection {
      accessors.check(edit, of: property.key, in: object)
    }
  }

  /// Makes elementary changes that belong together.
  ///
  /// Each is announced. Logs make one record of them, and recorders one level.
  func together(_ changes: () -> Void) {
    // Accessor methods change other keys of the object.
    if hasMutationAccessors { return ChangeScope.group(scopes, changes) }
    let watches = object._$kvoWithRegistrar { $0.watches(of: property.id).0 }
    if watches.needs.contains(.scope) { ChangeScope.group(watches, changes) } else { changes() }
  }

  /// The scopes of the object's journals, and of the watches of all its keys, each once.
  private var scopes: [ChangeScope] {
    let (journals, watches): ([Journal], [Watch]) = object._$kvoWithRegistrar { registrar in
      registrar.storage()?.read { ($0.journals?.journals ?? [], $0.allWatches()) } ?? ([], [])
    }
    var scopes: [ChangeScope] = journals
    for watch in watches {
      guard let scope = watch.observance.scope, !scopes.contains(where: { $0 === scope }) else {
        continue
      }
      scopes.append(scope)
    }
    return scopes
  }

  /// Makes one elementary change of a stored array without `willSet` and `didSet`, in the elements' own type.
  ///
  /// `change` is passed the range, or the part of it that's still there once the priors have been called; the end,
  /// for an insertion. A replacement is made whole or not at all.
  func apply(
    _ kind: KeyValueChangeKind, at range: Range<Int>, _ change: (Range<Int>) -> Void
  ) {
    let watched = object._$kvoWithRegistrar { registrar in
      registrar.changeElements(kind, range, of: property, object, change)
    }
    guard let (watches, attachment) = watched else { return }
    var (range, isLost) = (range, false)
    var mutation = ManualMutation(
      object, property, Edit(kind, at: IndexRanges(range)), isChecked: true)
    let started = mutation.start(watches, since: attachment, isSplit: false)
    if started.mayHaveCalledOut {
      let count = property.elementCount(of: object) ?? 0
      let growth = kind == .insertion ? range.count : 0
      if range.upperBound > count + growth {
        let start = min(range.lowerBound, count)
        range = start..<(kind == .replacement ? start : count + growth)
        isLost = range.isEmpty
        mutation = ManualMutation(
          object, property, Edit(kind, at: IndexRanges(range)), isChecked: true)
      }
    }
    if !isLost { modifyStorage { change(range) } }
    mutation.finish(started)
  }

  /// Whether changes reach the property's storage without running code that announces them.
  var isDirect: Bool {
    !hasMutationAccessors && property.canMutateStorage(of: object)
  }

  private func change(_ edit: Edit, _ isSingle: Bool) {
    if hasMutationAccessors {
      func call() { accessors.apply(edit, isSingle: isSingle, to: object, current: { elements }) }
      if edit.isOfOneElement { call() } else { together(call) }
    } else if isDirect {
      modifyStorage { property.mutate(object, edit) }
    } else {
      property.mutate(object, edit)
    }
  }

  private func modifyStorage(_ change: () -> Void) {
    // The elements' own code may run meanwhile, and must not see the collection half changed.
    object._$kvoWithRegistrar { registrar in
      registrar.modifyStorage(property.id, of: object, change)
    }
  }
}

extension Edit {
  /// Whether a class's methods are certain to make the change with one call for one element.
  fileprivate var isOfOneElement: Bool {
    switch self {
    case .insertion(let indexes, _), .removal(let indexes), .replacement(let indexes, _):
      indexes.count == 1
    case .algebra(.union, let elements), .algebra(.minus, let elements): elements.count == 1
    case .setting, .exchange, .algebra(.intersect, _), .algebra(.set, _): false
    }
  }
}

extension KeyValueSchema {
  /// The property of a to-many key; the class's own coding or customisation points may provide its
  /// value, or a property of another type may hold a collection.
  ///
  /// As Cocoa's proxies send `set<Key>:`, not `setValue:forKey:`, those of a key that the class declares go
  /// past its own coding, unless only that makes a collection of the key, or can change it.
  fileprivate func property(
    _ key: String, ofCollectionIn object: any KeyValueObservable, privately: Bool
  ) throws -> Property {
    let declared = property(key, privately: privately)
    if let declared {
      let property = holder(declared, in: object)
      if ownCoding == nil || isChangeable(property) { return property }
    }
    return HookedProperty(
      key, declared ?? property(key, answeredBy: object),
      value: try object.value(forKey: key, privately: privately), isCoded: true)
  }

  /// The property, or one that treats what it holds as a collection: what a property of the type `Any` holds is
  /// known only from its value.
  private func holder(_ property: Property, in object: any KeyValueObservable) -> Property {
    guard !property.isCollection, accessors(property.key) == nil,
      let value = property.anyValue(of: object), value is any ToMany
    else { return property }
    return HookedProperty(property.key, property, value: value, isCoded: false)
  }

  /// Whether a proxy can change the property without the class's own coding.
  private func isChangeable(_ property: Property) -> Bool {
    let accessors = accessors(property.key) ?? CollectionAccessors()
    guard
      property.isCollection || property is HookedProperty || accessors.isCounted
        || accessors.mutatesSet
    else { return false }
    return property.isSettable || accessors.mutatesArray || accessors.mutatesSet
  }
}
