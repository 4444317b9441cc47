extension KeyValuePath where Root: KeyValueObservable {
  /// Creates the path that a string spells, starting at an object.
  ///
  /// - Throws: The errors of registering the path, and `typeMismatch` if the end of the path is
  ///   known to have another type.
  init(_ string: String, of object: Root, as type: Value.Type) throws {
    let schema = object.schema
    let key = RememberedStrings.Key(string, Root.self, Value.self)
    if let content = schema.strings[key] {
      self.init(unsafeDowncast(content, to: Content.self))
      try observed.check(on: object)
      return
    }
    let parsed = try ParsedKeyPath(string)
    let end = KnownEnd(of: parsed, from: schema)
    let className = schema.name
    let convert = { (value: Any?) -> Value in typed(value, at: string, of: className) }
    let path = ObservedPath(
      parsed, leafType: end.property?.valueType, boxAggregate: AggregateBox(convert),
      boxLeaf: end.property != nil
        ? nil
        : { property, address in
          property.valueType == Value.self ? nil : ValueBox(convert(property.anyValue(at: address)))
        })
    try path.check(on: object)
    try end.check(type, string, of: object)
    var load: ((UnsafeRawPointer) -> Value)?
    if let property = end.property, property.valueType != Value.self {
      load = { convert(property.anyValue(at: $0)) }
    }
    self.init(
      observed: path, access: .value(read: { convert(path.value(of: $0)) }, load: load))
    schema.strings[key] = content
  }
}

/// A value read along a string path, in the requested type.
private func typed<Value>(_ value: Any?, at keyPath: String, of className: String) -> Value {
  if Value.self == Any?.self, let value = value as? Value { return value }
  guard let value else {
    if let none = nilValue(of: Value.self) { return none }
    KeyValueViolation.fatal(
      .unobservablePath,
      "'\(keyPath)' of \(className) is nil, and its values were asked for as \(Value.self). Ask for "
        + "\(Value.self)?.")
  }
  if let value = value as? Value { return value }
  if let value = ValueConversion.converted(value, to: Value.self) { return value }
  KeyValueViolation.fatal(
    .unobservablePath,
    "'\(keyPath)' of \(className) is \(plainDescription(value)), and its values were asked for as "
      + "\(Value.self).")
}

/// The declared type of a string path's end, if each step on the way leads to one object.
private struct KnownEnd {
  private(set) var property: Property?
  /// Whether an object on the way, or the value, can be nil.
  private var mayBeNil = false
  private var isCount = false

  init(of path: ParsedKeyPath, from schema: KeyValueSchema) {
    var schema = schema
    for (index, component) in path.components.enumerated() {
      let isLast = index == path.components.count - 1
      if isLast, component.operation == .count {
        isCount = true
        return
      }
      guard let property = schema.property(component.name) else { return }
      if isOptional(property.valueType) || property.ownership == .weak { mayBeNil = true }
      if isLast {
        self.property = property
        return
      }
      if let type = unwrapped(property.valueType) as? any KeyValueObservable.Type {
        schema = KeyValueSchema.schema(of: type)
      } else if index < path.components.count - 2 || path.components.last?.operation != .count {
        return
      }
    }
  }

  func check<Value>(
    _ type: Value.Type, _ keyPath: String, of object: any KeyValueObservable
  ) throws {
    guard Value.self != Any?.self, let end = isCount ? Int.self : property?.valueType else {
      return
    }
    let known = unwrapped(end)
    let fits = known == unwrapped(type) || isRelated(known, unwrapped(type))
    if fits, isOptional(type) || !mayBeNil || Value.self == Any.self { return }
    var details = KeyValueCodingError.Details(
      type: object.schema.name, key: keyPath,
      reason: "its values are \(known)\(mayBeNil ? "?" : ""), not \(Value.self)")
    details.attempt = .typed
    throw KeyValueCodingError.typeMismatch(details)
  }

  /// Whether a value of the first type may be one of the second: a subclass, a superclass or an
  /// existential.
  ///
  /// Only the value itself can decide those.
  private func isRelated(_ known: Any.Type, _ wanted: Any.Type) -> Bool {
    if isExistential(wanted) || isExistential(known) { return true }
    func isSubtype<Known, Wanted>(_ known: Known.Type, _ wanted: Wanted.Type) -> Bool {
      known is Wanted.Type || wanted is Known.Type
    }
    func open<Known>(_ known: Known.Type) -> Bool {
      func open<Wanted>(_ wanted: Wanted.Type) -> Bool { isSubtype(known, wanted) }
      return _openExistential(wanted, do: open)
    }
    return _openExistential(known, do: open)
  }
}
