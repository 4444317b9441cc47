import KeyValueObserving

/// Undoes and redoes the commands that changed a ledger.
protocol LedgerHistory {
  /// Runs a command, whose changes are undone together.
  func group(_ body: () throws -> Void) rethrows
  /// Makes changes that other programs get all at once.
  func transaction(_ body: () throws -> Void) rethrows
  /// Undoes the last command.
  ///
  /// - Returns: Lines that say what stays as others have changed it; nil if there is nothing to undo.
  func undo() throws -> [String]?
  /// Redoes the command that was undone last.
  ///
  /// - Returns: As `undo`.
  func redo() throws -> [String]?
}

/// The history of a ledger that only this program changes.
struct RecordedHistory: LedgerHistory {
  private let recorder = KeyValueChangeRecorder()

  init(of account: some KeyValueObservable) throws { try recorder.record(graph: account) }

  func group(_ body: () throws -> Void) rethrows { try recorder.group(body) }

  // Each change is told as it's made: no other program sees what is between two of them.
  func transaction(_ body: () throws -> Void) rethrows { try body() }

  func undo() throws -> [String]? { try recorder.undo() ? [] : nil }

  func redo() throws -> [String]? { try recorder.redo() ? [] : nil }
}
