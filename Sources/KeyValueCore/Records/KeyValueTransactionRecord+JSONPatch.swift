extension KeyValueTransactionRecord {
  /// The record as a JSON Patch of the snapshot's JSON, for tools that don't know records.
  ///
  /// ```swift
  /// let record = KeyValueTransactionRecord([
  ///   .insert(id, key: "names", indexes: RangeSet(1..<2), elements: ["Ada"])
  /// ])
  /// print(try record.jsonPatch(in: snapshot))
  /// // add /objects/7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12/values/names/1: "Ada"
  /// ```
  ///
  /// The patch, applied to the JSON that the snapshot is encoded as, gives the JSON of the snapshot after
  /// `apply(_:)`. What it replaces or removes, it tests first.
  ///
  /// JSON Patch can't say everything that a record says:
  ///
  /// - The record's id and origin, and whether it's a transaction, aren't in the patch.
  /// - Neither is how observers are notified: an insertion into an array, one into a set, and an array
  ///   that's set and written as what differs are the same operations.
  /// - Elements of sets, and of dictionaries whose keys aren't strings, are written by position, so the
  ///   patch is for this snapshot's JSON only.
  /// - There's no test that something is absent: `add` replaces a field that exists.
  ///
  /// - Parameter snapshot: The graph before the record.
  /// - Returns: The patch.
  /// - Throws: `KeyValueLogError` if the record can't be applied to the snapshot.
  /// - Complexity: As `KeyValueSnapshot.apply(_:)`.
  public func jsonPatch(in snapshot: KeyValueSnapshot) throws -> KeyValueJSONPatch {
    var application = SnapshotApplication(to: snapshot)
    var patch = PatchBuilder()
    for edit in edits {
      let before = edit.isUnordered ? edit.key.flatMap { application.value(edit.id, $0) } : nil
      try application.apply(edit)
      let after = edit.isUnordered ? edit.key.flatMap { application.value(edit.id, $0) } : nil
      patch.add(edit, before, after)
    }
    try application.checkReferences()
    return KeyValueJSONPatch(patch.operations)
  }
}

extension KeyValueEdit {
  /// Whether the edit doesn't say where in the collection its elements are.
  fileprivate var isUnordered: Bool {
    switch self {
    case .union, .subtract, .exchange, .setEntry: true
    default: false
    }
  }
}

/// The operations of a patch, as they're collected from edits that have been checked.
private struct PatchBuilder {
  typealias Value = KeyValueLogValue
  private(set) var operations: [KeyValueJSONPatch.Operation] = []

  /// Adds the operations of an edit, with the values before and after it if it's unordered.
  mutating func add(_ edit: KeyValueEdit, _ before: Value?, _ after: Value?) {
    let object = "/objects/\(edit.id)"
    let path = object + JSONPointer.to("values", LogValueWriter.escaped(edit.key ?? ""))
    switch edit {
    case .create(_, let name, let values):
      operations.append(.init(.add, object, value: Self.object(name, values)))
    case .delete(_, let name, let values):
      remove(object, Self.object(name, values))
    case .set(_, _, let old, let new): replace(path, old, new)
    case .insert(_, _, let indexes, let elements):
      insert(path, .init(indexes: indexes, elements: elements))
    case .remove(_, _, let indexes, let elements):
      remove(path, .init(indexes: indexes, elements: elements))
    case .replace(_, _, let indexes, let old, let new):
      for (index, (old, new)) in zip(indexes.ranges.joined(), zip(old, new)) {
        replace("\(path)/\(index)", old, new)
      }
    case .amend(_, _, let removed, let inserted):
      remove(path, removed)
      insert(path, inserted)
    case .union, .subtract, .exchange, .setEntry:
      guard let before, let after else { return }
      switch (edit, before, after) {
      case (.setEntry(_, _, let entry, let old, let new), .dictionary, _):
        let path = path + JSONPointer.to(LogValueWriter.escaped(entry.entryName ?? ""))
        switch (old, new) {
        case (nil, nil): break
        case (nil, let new?): operations.append(.init(.add, path, value: new))
        case (let old?, nil): remove(path, old)
        case (let old?, let new?): replace(path, old, new)
        }
      case (_, .array(let old), .array(let new)): exchange(path, old, new)
      default: break
      }
    }
  }

  private mutating func insert(_ path: String, _ part: KeyValueEdit.Elements) {
    for (index, element) in zip(part.indexes.ranges.joined(), part.elements) {
      operations.append(.init(.add, "\(path)/\(index)", value: element))
    }
  }

  /// Removes the elements, the last first, so that the others keep their indexes.
  private mutating func remove(_ path: String, _ part: KeyValueEdit.Elements) {
    for (index, element) in zip(part.indexes.ranges.joined(), part.elements).reversed() {
      remove("\(path)/\(index)", element)
    }
  }

  private mutating func remove(_ path: String, _ old: Value) {
    operations.append(.init(.test, path, value: old))
    operations.append(.init(.remove, path))
  }

  private mutating func replace(_ path: String, _ old: Value, _ new: Value) {
    operations.append(.init(.test, path, value: old))
    operations.append(.init(.replace, path, value: new))
  }

  /// Makes an array another one, where both are ascending; else replaces it.
  private mutating func exchange(_ path: String, _ old: [Value], _ new: [Value]) {
    guard Value.isAscending(old), Value.isAscending(new) else {
      replace(path, .array(old), .array(new))
      return
    }
    var (removed, inserted): ([Int], [Int]) = ([], [])
    var (left, right) = (0, 0)
    while left < old.count || right < new.count {
      if right == new.count || left < old.count && Value.precedes(old[left], new[right]) {
        removed.append(left)
        left += 1
      } else if left == old.count || Value.precedes(new[right], old[left]) {
        inserted.append(right)
        right += 1
      } else {
        left += 1
        right += 1
      }
    }
    for index in removed.reversed() { remove("\(path)/\(index)", old[index]) }
    for index in inserted {
      operations.append(.init(.add, "\(path)/\(index)", value: new[index]))
    }
  }

  /// An object as a snapshot's JSON has it.
  private static func object(_ name: String, _ values: [String: Value]) -> Value {
    .dictionary(["class": .string(name), "values": .dictionary(values)])
  }
}
