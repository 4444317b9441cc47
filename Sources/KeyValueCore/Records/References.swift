extension KeyValueLogValue {
  /// Whether the value is a reference or may contain one.
  var mayRefer: Bool {
    switch self {
    case .reference, .array, .dictionary: true
    case .null, .bool, .integer, .number, .string: false
    }
  }

  /// Calls the body with each reference in the value.
  func forEachReference(_ body: (KeyValueObjectID) -> Void) {
    switch self {
    case .reference(let id): body(id)
    case .array(let values): for value in values { value.forEachReference(body) }
    case .dictionary(let values): for value in values.values { value.forEachReference(body) }
    case .null, .bool, .integer, .number, .string: break
    }
  }
}

extension KeyValueEdit {
  /// Calls the body with each reference that the edit writes.
  func forEachReference(_ body: (KeyValueObjectID) -> Void) {
    let written: [KeyValueLogValue] =
      switch self {
      case .create(_, _, let values): Array(values.values)
      case .delete, .remove, .subtract: []
      case .set(_, _, _, let new): [new]
      case .insert(_, _, _, let elements), .union(_, _, let elements): elements
      case .replace(_, _, _, _, let new), .exchange(_, _, _, let new): new
      case .amend(_, _, _, let inserted): inserted.elements
      case .setEntry(_, _, _, _, let new): new.map { [$0] } ?? []
      }
    for value in written { value.forEachReference(body) }
  }
}

extension KeyValueSnapshot {
  /// The objects that the root leads to, nearest first.
  var reachable: [KeyValueObjectID] {
    var seen = Set<KeyValueObjectID>(minimumCapacity: objects.count)
    seen.insert(root)
    var order = [root]
    var next = 0
    while next < order.count {
      var relations: [(key: String, value: KeyValueLogValue)] = []
      for (key, value) in objects[order[next]]?.values ?? [:] where value.mayRefer {
        relations.append((key, value))
      }
      if relations.count > 1 { relations.sort { $0.key < $1.key } }
      for (_, value) in relations {
        value.forEachReference { if seen.insert($0).inserted { order.append($0) } }
      }
      next += 1
    }
    return order
  }

  /// The objects that the root leads to, nearest first.
  ///
  /// - Throws: `KeyValueLogError.unknownObject` if the snapshot lacks one.
  func completelyReachable() throws -> [KeyValueObjectID] {
    let reachable = reachable
    if let missing = reachable.first(where: { objects[$0] == nil }) {
      throw KeyValueLogError.unknownObject(.init(object: missing))
    }
    return reachable
  }
}
