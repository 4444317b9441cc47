extension KeyValueSchemaBuilder {
  /// Hides a previously added key from the object's mirror, such as a lazy property's.
  public func unreflected(_ key: String) {
    property(key)?.isReflected = false
  }
}
