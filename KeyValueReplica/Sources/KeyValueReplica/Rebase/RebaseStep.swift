@_spi(Replication) import KeyValueCore

/// A transaction of this replica while it's made again: what has become of its edits so far.
struct RebaseStep {
  /// The transaction as it was.
  let record: KeyValueTransactionRecord
  /// What it does now.
  var edits: [KeyValueEdit] = []
  var conflicts: [KeyValueReplicaConflict] = []
  var isRejected = false
  /// Why one of the edits doesn't fit what those before it leave.
  var misfit: (any Error)?
  /// The objects that the transaction as it was deletes, and that stay.
  var surviving: Set<KeyValueObjectID> = []
  /// The objects that the transaction doesn't put in because the other writer has put them elsewhere.
  var keptOut: [Place: Set<KeyValueLogValue>] = [:]
  /// Where the other writer has put objects that the transaction puts elsewhere.
  var takenAway: [(Place, KeyValueObjectID)] = []

  /// The names of the classes of the objects that the transaction as it was makes.
  private let made: [KeyValueObjectID: String]

  init(_ record: KeyValueTransactionRecord) {
    self.record = record
    made = record.edits.reduce(into: [:]) { made, edit in
      if case .create(let id, let name, _) = edit { made[id] = name }
    }
  }

  /// The objects that the transaction as it was deletes.
  var leaving: Set<KeyValueObjectID> {
    Set(record.edits.compactMap { if case .delete(let id, _, _) = $0 { id } else { nil } })
  }

  /// Whether the transaction as it was makes an object.
  func makes(_ id: KeyValueObjectID) -> Bool { className(ofMade: id) != nil }

  /// The name of an object's class, if the transaction as it was makes the object.
  func className(ofMade id: KeyValueObjectID) -> String? { made[id] }

  /// Leaves out the objects that come and go in the transaction, and that nothing else refers to.
  mutating func leaveOutPassing() {
    var created: Set<KeyValueObjectID> = []
    var passing: Set<KeyValueObjectID> = []
    for edit in edits {
      switch edit {
      case .create(let id, _, _): created.insert(id)
      case .delete(let id, _, _): if created.contains(id) { passing.insert(id) }
      default: break
      }
    }
    var count = 0
    while count != passing.count {
      count = passing.count
      for edit in edits where !passing.contains(edit.id) {
        edit.forEachReferencedObject { passing.remove($0) }
      }
    }
    edits.removeAll { passing.contains($0.id) }
  }

  /// The first reference to an object that isn't there, even if another edit takes it away again: where the
  /// edits are made, each of them finds its objects.
  ///
  /// - Parameter before: The state before the transaction.
  /// - Returns: The edit and the object; nil if all are there.
  func unknownReference(_ before: KeyValueSnapshot) -> UnknownReference? {
    let created = Set(
      edits.compactMap { if case .create(let id, _, _) = $0 { id } else { nil } })
    for edit in edits {
      var missing: KeyValueObjectID?
      edit.forEachWrittenReference { id in
        if before.objects[id] == nil, !created.contains(id) { missing = id }
      }
      if let missing { return UnknownReference(edit, missing) }
    }
    return nil
  }
}

/// An edit that writes a reference to an object that isn't there.
struct UnknownReference {
  let edit: KeyValueEdit
  let target: KeyValueObjectID

  init(_ edit: KeyValueEdit, _ target: KeyValueObjectID) {
    self.edit = edit
    self.target = target
  }

  /// The key that would have the reference.
  var key: String? {
    guard case .create(_, _, let values) = edit else { return edit.key }
    return values.sorted { $0.key < $1.key }.first { _, value in
      var isFound = false
      value.forEachReferencedObject { if $0 == target { isFound = true } }
      return isFound
    }?.key
  }
}
