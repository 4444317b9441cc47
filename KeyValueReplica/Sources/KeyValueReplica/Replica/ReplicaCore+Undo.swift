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
    if level.transaction.record.edits.isEmpty { return }
    let record = KeyValueTransactionRecord(
      level.transaction.record.edits, isTransaction: level.transaction.record.isTransaction)
    expected[record.id] = activity
    do {
      try log.apply(record)
    } catch {
      expected[record.id] = nil
      throw error
    }
  }
}
