/// What the declared classes tell about the value at a string path's end.
struct KnownEnd {
  /// The last key's property, if each step on the way leads to one object.
  private(set) var property: Property?
  /// The schema of the class that's declared to have the property.
  private(set) var schema: KeyValueSchema?
  private var value = Value.unknown
  /// Whether an object on the way, or the value, can be nil.
  private var mayBeNil = false

  private enum Value {
    case unknown
    case one(Any.Type)
    /// A collection of values of this type, made of one value for each element.
    case many(Any.Type)
  }

  init(of path: ParsedKeyPath, from schema: KeyValueSchema) {
    var type: Any.Type = schema.type
    var operation: CollectionOperator?
    var collections = 0
    var isEachPresent = true
    /// The type of one of the values that the next component applies to.
    func enterCollections() {
      while let collection = type as? any ToMany.Type {
        collections += 1
        isEachPresent = isEachPresent && !isOptional(collection.elementType)
        type = unwrapped(collection.elementType)
      }
    }
    var last: (property: Property, schema: KeyValueSchema)?
    for component in path.components {
      if component.operation == .count {
        value = .one(Int.self)
        return
      }
      if component.isOperator {
        guard operation == nil, collections == 0 else { return }
        operation = component.operation
        enterCollections()
        continue
      }
      enterCollections()
      if component.isIdentity { continue }
      guard let observable = type as? any KeyValueObservable.Type else { return }
      let owner = KeyValueSchema.schema(of: observable)
      guard let property = owner.property(component.name, privately: path.reachesPrivateKeys)
      else { return }
      let isPresent = !isOptional(property.valueType) && property.ownership != .weak
      if collections == 0 {
        mayBeNil = mayBeNil || !isPresent
      } else {
        isEachPresent = isEachPresent && isPresent
      }
      last = (property, owner)
      type = unwrapped(property.valueType)
    }
    if collections == 0, operation == nil {
      property = last?.property
      self.schema = last?.schema
      value = last == nil ? .unknown : .one(type)
    } else if collections == 1 {
      conclude(operation, type, isEachPresent)
    }
  }

  /// The end behind one collection, whose elements lead to values of this type.
  private mutating func conclude(
    _ operation: CollectionOperator?, _ type: Any.Type, _ isEachPresent: Bool
  ) {
    switch operation?.family {
    case .sum:
      if operation == .avg {
        value = .one(Double.self)
      } else if type == Int.self || type == Double.self {
        value = .one(type)
      }
    case .extremum:
      mayBeNil = true
      value = .one(type)
    case .union:
      let isJoined = operation != .unionOfObjects && operation != .distinctUnionOfObjects
      let element = isJoined ? (type as? any ToMany.Type)?.elementType : type
      if isEachPresent, let element { value = .many(element) }
    case nil:
      if isEachPresent { value = .many(type) }
    case .count: break
    }
  }

  /// Throws if values of this type may never arrive, or if others may arrive and the type doesn't include
  /// nil.
  func check<Wanted>(
    _ type: Wanted.Type, _ keyPath: String, of object: any KeyValueObservable
  ) throws {
    guard Wanted.self != Any?.self else { return }
    let wanted = unwrapped(type)
    let includesNil = isOptional(type) || Wanted.self == Any.self
    var reason: String?
    switch value {
    case .one(let known):
      let isCertain = known == wanted || isKind(known, of: wanted)
      if !isCertain && !isRelated(known, wanted) || mayBeNil && !includesNil {
        reason = "its values are \(known)\(mayBeNil ? "?" : ""), not \(Wanted.self)"
      } else if !isCertain, !includesNil {
        reason =
          "its values are \(known), of which not all are \(Wanted.self); ask for \(Wanted.self)?"
      }
    case .many(let element):
      let isCertain = (wanted as? any ToMany.Type).map {
        $0.elementType == element || isKind(element, of: $0.elementType)
      }
      if isCertain != true, !includesNil {
        reason =
          "its values are collections of \(element), of which not all are \(Wanted.self); ask "
          + "for \(Wanted.self)?"
      }
    case .unknown:
      if !includesNil {
        reason = "the declared classes do not tell what its values are; ask for \(Wanted.self)?"
      }
    }
    guard let reason else { return }
    var details = KeyValueCodingError.Details(
      type: object.schema.name, key: keyPath, reason: reason)
    details.attempt = .typed
    throw KeyValueCodingError.typeMismatch(details)
  }

  /// Whether every value of the first type is one of the second.
  private func isKind(_ known: Any.Type, of wanted: Any.Type) -> Bool {
    // Conformance can't be asked for by type; a type that doesn't conform has no values to cast.
    if isExistential(wanted) {
      return !isExistential(known) || known == wanted || wanted == Any.self
    }
    func open<Known>(_ known: Known.Type) -> Bool {
      func open<Wanted>(_ wanted: Wanted.Type) -> Bool { known is Wanted.Type }
      return _openExistential(wanted, do: open)
    }
    return _openExistential(known, do: open)
  }

  /// Whether a value of the first type may be one of the second: a subclass, a superclass or an
  /// existential.
  private func isRelated(_ known: Any.Type, _ wanted: Any.Type) -> Bool {
    isExistential(known) || isKind(known, of: wanted) || isKind(wanted, of: known)
  }
}
