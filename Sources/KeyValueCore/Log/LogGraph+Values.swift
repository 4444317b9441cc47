extension LogGraph {
  /// Writes values that refer to objects of the graph.
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

  /// The values of all stored keys; weak ones don't refer to what is outside before or after the record.
  func values(
    of entry: Entry, hiding outside: (LoggedKey) -> Outside = { _ in .nothing }
  ) throws -> [String: KeyValueLogValue] {
    try naming(entry) {
      try entry.type.values { try data(of: entry, $0, hiding: outside) }
    }
  }

  private func data(
    of entry: Entry, _ key: LoggedKey, hiding outside: (LoggedKey) -> Outside = { _ in .nothing }
  ) throws -> KeyValueLogValue {
    guard key.isWeak else { return try key.data(of: entry.instance, self) }
    return try hiding(outside(key)) { try key.data(of: entry.instance, self) }
  }

  /// The present values of what the edits change, of the objects that belong to the graph.
  func present(
    of edits: [KeyValueEdit], except returning: Set<KeyValueObjectID> = []
  ) throws -> KeyValueSnapshot {
    var present = KeyValueSnapshot(root: rootID)
    for edit in edits where !returning.contains(edit.id) {
      guard let entry = entry(edit.id) else { continue }
      if let key = edit.key, let logged = entry.type[key] {
        if present.objects[edit.id]?.values[key] != nil { continue }
        let value = try naming(entry) { try data(of: entry, logged) }
        present.objects[edit.id, default: .init(class: entry.type.name, values: [:])]
          .values[key] = value
      } else {
        // A deletion compares all values, and an unknown key is reported with the known ones.
        present.objects[edit.id] = .init(class: entry.type.name, values: try values(of: entry))
      }
    }
    return present
  }
}

/// Completes an error with the object that it's about.
func naming<Result>(_ entry: LogGraph.Entry, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as KeyValueLogError {
    throw error.completed { details in
      details.object = details.object ?? entry.id
      details.type = details.type ?? entry.type.schema.name
    }
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
