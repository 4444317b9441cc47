// A bound path as the target of a binding.
extension KeyValueBoundPath {
  /// How to read and set the path's value; reports and returns nil if it can't be set.
  func writableEnd(
    _ validates: Bool, isTwoWay: Bool = false, at place: SourcePlace = .unknown,
    _ onError: ((any Error) -> Void)?
  ) -> BindingEnd<Root, Value>? {
    // The report of an invalid path is the same as when observing it.
    if let problem = _path.observed.obstacle(on: _object) {
      KeyValueViolation.report(.unobservablePath, problem, at: place)
      return nil
    }
    if let error = errorOfReadOnly(isTwoWay) {
      if let onError {
        onError(error)
      } else {
        // A constant is declared as such: nothing else in the program depends on the binding.
        KeyValueViolation.report(
          hasConstantEnd ? .tolerated : .unobservablePath, "\(error)", at: place)
      }
      return nil
    }
    #if (DEBUG || KVO_AUDIT) && os(Linux)
      // A key without a validator isn't validated at all, so nothing later would report one in an extension.
      if validates, let (owner, key) = try? _path.observed.lastKey(from: _object) {
        MisplacedHooks.check(.validator, of: key, in: owner.schema)
      }
    #endif
    let path = _path.observed
    if path.hasTail || path.endsInMember {
      // The key that leads to an object behind it keeps its value, which nothing has to validate.
      return endBehindKey(validates && !_path.isSetBehindLastKey)
    }
    let validate: ((Root, Value) throws -> Value)? =
      validates ? validation(of: path, on: _object) : nil
    guard let validate else {
      return BindingEnd(read: _path.reading.read, set: setter, hasPlace: hasPlace)
    }
    return BindingEnd(
      read: _path.reading.read, set: setter, hasPlace: hasPlace, validate: validate)
  }

  /// Tells whether there's an object, a dictionary or a collection in which the value is set; nil if there always is.
  private var hasPlace: ((Root) -> Bool)? {
    let path = _path.observed
    let mayBeMissing =
      path.isString
      ? path.keys.count > 1
      : _path.steps.dropLast().contains(where: { isOptional($0.valueType) })
    guard mayBeMissing else { return nil }
    return { path.hasOwner(on: $0) || path.isOfElements(on: $0) }
  }

  private var setter: (Root, Value) throws -> Void {
    let path = _path.observed
    if path.isNamedByKeys {
      if path.keys.count == 1, let property = _object.schema.property(path.keys[0].name),
        case .stored = property.origin, let writer = property.writer(of: Value.self)
      {
        return writer
      }
      let keyPath = path.string
      let privately = path.reachesPrivateKeys
      return { object, value in
        try ParsedKeyPath.parsed(keyPath).reachingPrivateKeys(privately)
          .set(flattened(value), of: object)
      }
    }
    return { object, value in
      guard let (owner, key) = try path.lastKey(from: object) else { return }
      try owner.setValue(flattened(value), forKey: key, privately: path.reachesPrivateKeys)
    }
  }

  /// The end of a path with members behind the last key: setting it sets the last key's whole value, or the
  /// object that has the members.
  private func endBehindKey(_ validates: Bool) -> BindingEnd<Root, Value> {
    let path = _path.observed
    let tail = _path.writableTail
    let changed = validates ? _path.valueWithMember : nil
    let keyPath = path.string
    let set: (Root, Value) throws -> Void = { object, value in
      guard let (owner, key) = try path.lastKey(from: object) else { return }
      guard try tail?(owner, flattened(value)) == true else {
        throw KeyValueCodingError.nilValue(keyPath == key ? key : keyPath, of: object)
      }
    }
    guard let changed else {
      return BindingEnd(read: _path.reading.read, set: set, hasPlace: hasPlace)
    }
    return BindingEnd(
      read: _path.reading.read, set: set, hasPlace: hasPlace,
      setValidated: { object, value in
        guard let (owner, key) = try path.lastKey(from: object), owner.schema.validator(key) != nil,
          let whole = try owner.value(forKey: key, privately: path.reachesPrivateKeys)
            .flatMap({ changed($0, flattened(value)) })
        else {
          try set(object, value)
          return false
        }
        var answer: Any? = whole
        try owner.validateValue(&answer, forKey: key, privately: path.reachesPrivateKeys)
        try owner.setValue(answer, forKey: key, privately: path.reachesPrivateKeys)
        // The validator may have replaced another member only, which the other side doesn't have.
        let member = answer.flatMap { path.tail?($0) }
        return isReplaced(value, by: member as Any)
      })
  }

  /// Why the path's end can't be set, as far as the objects that are on the path now tell.
  private func errorOfReadOnly(_ isTwoWay: Bool) -> KeyValueCodingError? {
    let path = _path.observed
    func error(_ reason: String) -> KeyValueCodingError {
      .readOnly(.init(type: _object.schema.name, key: path.string, reason: reason))
    }
    if path.hasOperator { return error("it is the value of an operator") }
    if path.keys.last?.isIdentity == true { return error("it is the object itself") }
    if _path.isOfElements { return error("it is the values of several elements") }
    if isTwoWay, path.isOfElements(on: _object) {
      return error("it is the values of several elements, which only a one-way binding sets")
    }
    guard let (property, schema) = lastProperty else { return nil }
    if path.hasTail || path.endsInMember {
      let isOpen = property.isSettable || _path.isSetBehindLastKey
      if isOpen && _path.writableTail != nil { return nil }
      return error(
        _path.goesThroughOptionalValue
          ? "it is a member of an optional value; set the whole value"
          : "a member on the way to it cannot be set")
    }
    // A string sets a key as the class's own coding does.
    if property.isSettable || path.isString && schema.ownCoding?.setValue != nil { return nil }
    let reason =
      schema.restrictedSetter(property.key).map { "its setter is \($0)" }
      ?? (hasConstantEnd ? "it is declared with let" : "it has no setter")
    let whole = path.whole(on: _object)
    guard let parsed = path.parsed, whole !== path else { return error(reason) }
    return .readOnly(
      .init(
        type: schema.name, key: property.key, keyPath: path.string,
        position: parsed.position(of: whole.keys.count - 1), reason: reason))
  }

  /// Whether the path's last key is a constant.
  private var hasConstantEnd: Bool {
    if case .constant = lastProperty?.0.origin { true } else { false }
  }

  /// The property that the path's last key names, or that has the dictionary whose entry it names, and its
  /// class's schema; nil if they depend on an object that isn't on the path yet.
  private var lastProperty: (Property, KeyValueSchema)? {
    let path = _path.observed.whole(on: _object)
    // The object's own class may know more than the class that the key path names.
    if let (owner, key) = try? path.lastKey(from: _object), let own = owner.schema.property(key) {
      return (own, owner.schema)
    }
    if let parsed = path.parsed {
      let end = KnownEnd(of: parsed, from: _object.schema)
      guard let property = end.property, let schema = end.schema else { return nil }
      return (property, schema)
    }
    guard let step = _path.steps.last(where: \.isKey), case .key(let property) = step.kind,
      let type = unwrapped(step.rootType) as? any KeyValueObservable.Type
    else { return nil }
    return (property, KeyValueSchema.schema(of: type))
  }

  /// The class and the path, as traces name a binding's end.
  var tracedName: String { "\(_object.schema.name).\(_path.observed.string)" }

  /// The object that the target's key belongs to; nil if that's the root.
  func makeOwner() -> BindingOwner<Root>? {
    _path.pathOfOwner(on: _object).map { BindingOwner(at: $0, of: _path.observed, on: _object) }
  }

  /// Calls a closure when the target's key belongs to another object than before.
  func observeOwner(
    _ owner: BindingOwner<Root>, for source: AnyObject, at origin: SourcePlace,
    _ changed: @escaping (Root) -> Void
  ) -> KeyValueObservation {
    let sink = Delivery.signalSink({ (_: Root) in () }) { (target: Root, _) in
      if owner.isNew(of: target) { changed(target) }
    }
    let policy = ObservancePolicy(owner: source, role: .bindingOwner, tracedName: tracedName)
    return _object._register(
      Observance(owner.path, options: [], policy: policy, at: origin, sink: sink))
  }
}

extension KeyValuePath {
  /// Whether a value behind the last key, of which the path goes on to a member, is optional.
  fileprivate var goesThroughOptionalValue: Bool {
    guard let last = lastKey else { return false }
    return steps[last...].dropLast().contains { isOptional($0.valueType) }
  }

  /// The path of the object that is set; nil if that's the root.
  fileprivate func pathOfOwner(on root: any KeyValueObservable) -> ObservedPath? {
    if steps.isEmpty { return observed.owner(on: root) }
    guard let last = steps.lastIndex(where: \.isSetInObject), last > 0 else { return nil }
    return ObservedPath(Array(steps[..<last]))
  }

  /// Whether the object that is set is behind the last key, whose own value stays the same.
  fileprivate var isSetBehindLastKey: Bool {
    steps.lastIndex(where: \.isSetInObject) != lastKey
  }

  /// The index of the last component that's a key, or has to be one for the path to be observable.
  private var lastKey: Int? { steps.lastIndex(where: \.isOfObservable) }

  /// The steps from an index on as one key path; nil if there are none, or they can't be joined.
  private func keyPath(from index: Int) -> AnyKeyPath? {
    guard index < steps.endIndex else { return nil }
    var joined: AnyKeyPath? = steps[index].keyPath
    for step in steps[(index + 1)...] { joined = joined?.appending(path: step.keyPath) }
    return joined
  }

  /// Returns the last key's value with another value of the tail; nil if the tail can't have that value.
  fileprivate var valueWithMember: ((_ whole: Any, _ member: Any?) -> Any?)? {
    guard let last = lastKey, let tail = keyPath(from: last + 1) else { return nil }
    func changing<Whole>(_ type: Whole.Type) -> ((Any, Any?) -> Any?)? {
      func changing<Member>(_ type: Member.Type) -> ((Any, Any?) -> Any?)? {
        guard let path = tail as? WritableKeyPath<Whole, Member> else { return nil }
        return { whole, member in
          guard var whole = whole as? Whole, let member = (member as Any) as? Member else {
            return nil
          }
          whole[keyPath: path] = member
          return whole
        }
      }
      return _openExistential(Swift.type(of: tail).valueType, do: changing)
    }
    return _openExistential(Swift.type(of: tail).rootType, do: changing)
  }

  /// Sets the tail's value in the object that has the last key.
  ///
  /// It returns false if the value is nil and can't be set. Nil if a member on the way is a
  /// constant.
  fileprivate var writableTail: ((AnyObject, Any?) throws -> Bool)? {
    guard let last = lastKey, let whole = keyPath(from: last) else { return nil }
    func setter<Owner>(_ type: Owner.Type) -> ((AnyObject, Any?) throws -> Bool)? {
      func setter<Leaf>(_ type: Leaf.Type) -> ((AnyObject, Any?) throws -> Bool)? {
        guard let path = whole as? ReferenceWritableKeyPath<Owner, Leaf> else { return nil }
        return { owner, value in
          guard let owner = owner as? Owner, let value = (value as Any) as? Leaf else {
            return false
          }
          owner[keyPath: path] = value
          return true
        }
      }
      return _openExistential(Swift.type(of: whole).valueType, do: setter)
    }
    return _openExistential(Swift.type(of: whole).rootType, do: setter)
  }
}

/// Calls the validator of the class that has the path's last key; nil if it has none.
private func validation<Object: KeyValueObservable, Value>(
  of path: ObservedPath, on object: Object
) -> ((Object, Value) throws -> Value)? {
  if path.keys.count == 1, path.isNamedByKeys, object.schema.validator(path.keys[0].name) == nil {
    return nil
  }
  return { object, value in
    guard let (owner, key) = try path.lastKey(from: object) else { return value }
    var answer = flattened(value)
    try owner.validateValue(&answer, forKey: key, privately: path.reachesPrivateKeys)
    guard let answer else {
      guard let none = nilValue(of: Value.self) else {
        throw KeyValueCodingError.nilValue(key, of: owner)
      }
      return none
    }
    guard let converted = ValueConversion.converted(answer, to: Value.self) else {
      throw KeyValueCodingError.typeMismatch(
        .init(type: owner.schema.name, key: key, expected: Value.self, value: answer))
    }
    return converted
  }
}
