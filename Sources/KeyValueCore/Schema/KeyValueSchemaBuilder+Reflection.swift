extension KeyValueSchemaBuilder {
  /// Leaves a key, added before, out of the object's mirror, as it is for a lazy property.
  public func unreflected(_ key: String) {
    guard let index = indexByKey[key] else { return }
    properties[index].isReflected = false
  }
}
