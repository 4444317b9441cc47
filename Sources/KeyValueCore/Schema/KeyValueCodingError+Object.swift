extension KeyValueCodingError {
  /// The default error of the undefined-key hooks, with the nearest existing keys.
  public static func undefinedKey(_ key: String, of object: any KeyValueObservable)
    -> KeyValueCodingError
  {
    undefinedKey(key, in: object.schema)
  }

  static func undefinedKey(_ key: String, in schema: KeyValueSchema) -> KeyValueCodingError {
    let reason =
      schema.property(key)?.restrictedAccess.map { "the property is \($0)" }
      ?? schema.classWithoutKeys(declaring: key).map {
        "\(KeyValueCore.name(of: $0)), which declares it, lacks @KeyValueObservable"
      }
    return .undefinedKey(
      Details(
        type: schema.name, key: key,
        suggestions: reason == nil ? nearest(to: key, among: schema.openKeysListed) : [],
        reason: reason))
  }

  /// The default error of the nil hook.
  public static func nilValue(_ key: String, of object: any KeyValueObservable)
    -> KeyValueCodingError
  {
    .nilValue(
      Details(
        type: object.schema.name, key: key,
        reason: object.schema.property(key).map { "it holds \($0.valueType)" }))
  }

  /// The error of a key that can be read but not set.
  public static func readOnly(_ key: String, of object: any KeyValueObservable)
    -> KeyValueCodingError
  {
    let schema = object.schema
    return .readOnly(
      Details(
        type: schema.name, key: key,
        reason: schema.restrictedSetter(key).map { "its setter is \($0)" }))
  }
}
