extension KeyValueSchemaBuilder {
  /// Hides a key, added before, from the object's mirror, like a lazy property.
  public func unreflected(_ key: String) {
    guard let index = indexByKey[key] else { return }
    properties[index].isReflected = false
  }
}
