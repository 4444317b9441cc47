import KeyValueCore

extension ReplicaCore {
  func undo() throws -> [KeyValueReplicaConflict] {
    guard let level = undoing.takeUndo() else { return [] }
    do {
      try perform(level, .undoing)
    } catch {
      undoing.putBack(undo: level)
      throw error
    }
    return level.left
  }

  func redo() throws -> [KeyValueReplicaConflict] {
    guard let level = undoing.takeRedo() else { return [] }
    do {
      try perform(level, .redoing)
    } catch {
      undoing.putBack(redo: level)
      throw error
    }
    return level.left
  }

  private func perform(_ level: UndoStacks.Level, _ activity: Activity) throws {
    let outer = self.activity
    self.activity = activity
    defer { self.activity = outer }
    try log.apply(
      KeyValueTransactionRecord(
        level.transaction.record.edits, isTransaction: level.transaction.record.isTransaction))
  }
}
