extension KeyValueCodingError {
  /// The error of an empty list of key paths, which would announce nothing.
  static func noKeyPaths(of object: any KeyValueObservable) -> KeyValueCodingError {
    .malformedKeyPath(
      Details(
        type: object.schema.name, key: "[]", keyPath: "[]",
        reason: "the list of key paths of \(object.schema.name) is empty; name at least one, "
          + "or record everything with record(graph:)"))
  }

  /// The error of recording a key whose changes can't be undone.
  static func notRecordable(
    _ key: String, of object: any KeyValueObservable
  ) -> KeyValueCodingError {
    let error = readOnly(key, of: object)
    let schema = object.schema
    guard error.details.reason == nil, let property = schema.property(key) else { return error }
    let reason: String
    switch property.origin {
    case .constant: reason = "it is declared with let, so there is nothing to undo"
    case .computed:
      let sources = RecordableSources(of: property, in: schema)?.paths ?? []
      let named = sources.map { "'\($0)'" }.joined(separator: ", ")
      reason =
        "it is computed. Record what it depends on"
        + (sources.isEmpty ? ", its stored keys" : ": \(named)")
        + ", or everything with record(graph:)"
    default: return error
    }
    return .readOnly(Details(type: schema.name, key: key, reason: reason))
  }
}
