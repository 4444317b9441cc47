/// Finds the ids of objects, and the objects of ids.
protocol LogIdentities: AnyObject {
  /// The id of an object in the graph; nil outside.
  func identity(of object: AnyObject) -> KeyValueObjectID?
  /// - Throws: `KeyValueLogError.unknownObject`.
  func instance(_ id: KeyValueObjectID) throws -> any KeyValueObservable
}

extension LogIdentities {
  var encoder: LogValueEncoder {
    LogValueEncoder { [unowned self] object in
      if let id = identity(of: object) { return id }
      guard object is any KeyValueObservable else { return nil }
      throw KeyValueLogError.inside(object)
    }
  }

  var decoder: LogValueDecoder {
    LogValueDecoder { [unowned self] in try instance($0) }
  }
}

extension KeyValueLogError {
  /// A value has an object inside that isn't in the graph.
  static func inside(_ object: AnyObject) -> Self {
    .notLoggable(
      .init(
        reason:
          "its value has an object of \(name(of: type(of: object))) inside, whose changes are not seen. Let a "
          + "key of its own refer to the object"))
  }
}
