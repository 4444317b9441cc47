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

/// A value read along a string path, in the requested type; nil if the type includes nil but not the value.
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
  let problem =
    "'\(keyPath)' of \(className) is \(plainDescription(value)), and its values were asked for as "
    + "\(Value.self)."
  guard let none = nilValue(of: Value.self) else {
    KeyValueViolation.fatal(.unobservablePath, problem)
  }
  KeyValueViolation.report(.unobservableValue, problem + " It reads as nil.")
  return none
}
