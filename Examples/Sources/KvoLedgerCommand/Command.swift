/// One word that a session understands.
struct Command: Sendable {
  /// The command with its arguments, as help shows it; the first word is the name.
  let usage: String
  let summary: String
  let argumentCounts: ClosedRange<Int>
  /// Whether its changes form one undo step.
  let isUndoable: Bool
  let run: @Sendable (LedgerSession, [String]) throws -> Void

  init(
    _ usage: String, _ summary: String, arguments: ClosedRange<Int>, isUndoable: Bool = false,
    run: @escaping @Sendable (LedgerSession, [String]) throws -> Void
  ) {
    self.usage = usage
    self.summary = summary
    argumentCounts = arguments
    self.isUndoable = isUndoable
    self.run = run
  }

  var name: Substring { usage.prefix { $0 != " " } }

  static let all: [Command] = [
    .add, .edit, .remove, .category, .form, .list, .totals, .undo, .redo, .open, .save, .help,
    .quit,
  ]

  /// The commands of a ledger that's shared: each change is sent, so there is nothing to save.
  static let shared: [Command] = [
    .add, .edit, .remove, .category, .form, .list, .totals, .undo, .redo, .offline, .online, .help,
    .quit,
  ]
}
