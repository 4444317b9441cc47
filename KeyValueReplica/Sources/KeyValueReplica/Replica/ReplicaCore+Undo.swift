@_spi(Replication) import KeyValueCore

extension ReplicaCore {
  func undo() throws -> [KeyValueReplicaConflict] {
    try checkIsOutsideOfTransaction()
    // An observer may undo the change that it's told of.
    endLevel()
    guard let level = undoing.undo.levels.last else { return [] }
    try checkWritable(level)
    _ = undoing.takeUndo()
    do {
      try perform(level, .undoing)
    } catch {
      undoing.putBack(undo: level)
      throw error
    }
    return level.left
  }

  func redo() throws -> [KeyValueReplicaConflict] {
    try checkIsOutsideOfTransaction()
    endLevel()
    guard let level = undoing.redo.levels.last else { return [] }
    try checkWritable(level)
    _ = undoing.takeRedo()
    do {
      try perform(level, .redoing)
    } catch {
      undoing.putBack(redo: level)
      throw error
    }
    return level.left
  }

  /// Throws inside a transaction: what it changes is one level, and a rollback would take back what was undone.
  private func checkIsOutsideOfTransaction() throws {
    guard log.isInTransaction else { return }
    throw KeyValueLogError.incompleteChange(
      .init(reason: "undo() or redo() of a replica was called inside a transaction"))
  }

  /// Throws if what the level does would be taken back at once.
  private func checkWritable(_ level: UndoStacks.Level) throws {
    if level.transaction.record.edits.isEmpty { return }
    if let obstacle { throw obstacle }
  }

  private func perform(_ level: UndoStacks.Level, _ activity: Activity) throws {
    if level.transaction.record.edits.isEmpty { return }
    let record = KeyValueTransactionRecord(
      level.transaction.record.edits, isTransaction: level.transaction.record.isTransaction)
    let outer = performed
    performed = []
    defer { performed = outer }
    expected[record.id] = activity
    do {
      try log.apply(record, runsPropertyObservers: options.runsPropertyObservers)
    } catch {
      expected[record.id] = nil
      throw error
    }
    let records = performed ?? []
    guard records.count > 1 else {
      // None while an observer's change has still to deliver it.
      if let first = records.first { noteLevel([first], activity) }
      return
    }
    do {
      try undoing.note(record, answeredBy: records, activity, to: log.snapshot(), model)
    } catch {
      telemetry.error("what was undone can't be made again", error)
      undoing.removeAll()
    }
  }
}
