extension LogCore {
  /// Whether records that were made one after the other have left the graph as it was.
  func cancelOut(_ records: [KeyValueTransactionRecord]) -> Bool {
    let edits = records.flatMap(\.edits).filter { !$0.changesNothing }
    guard let first = edits.first else { return true }
    // Most transactions are answered by their first edit, which no other one can take back.
    func isAlone(_ edit: KeyValueEdit) -> Bool {
      edits.count { $0.id == edit.id && $0.key == edit.key } == 1
    }
    if isAlone(first) { return false }
    do {
      let present = try graph.present(of: edits)
      var application = SnapshotApplication(to: present)
      for edit in edits.reversed() { try application.apply(edit.inverse) }
      return Set(edits.map(\.id)).allSatisfy { id in
        guard let before = application.object(id), let now = present.objects[id] else {
          return application.object(id) == present.objects[id]
        }
        return before.class == now.class
          && KeyValueLogValue.dictionary(before.values).isIdentical(to: .dictionary(now.values))
      }
    } catch {
      // Something else has changed the same.
      return false
    }
  }
}
