import LedgerFields
import LedgerModel
import TerminalSupport

/// Runs commands on a document, one line after the other.
package final class LedgerSession {
  package private(set) var document = LedgerDocument()
  /// The form being edited; its fields follow the model until another form replaces it.
  var form: EditForm?
  private var report: ChangeReport?
  private let write: (String) -> Void
  /// The previous command, if it was refused because it would have dropped unsaved changes.
  private var refusedLine: String?
  private var currentLine = ""

  /// Whether a command failed.
  package private(set) var hasFailed = false
  /// Whether the command `quit` has ended the session.
  package private(set) var hasEnded = false

  /// `write` is called with each line of output.
  package init(write: @escaping (String) -> Void) {
    self.write = write
    report = ChangeReport(on: document.account) { [unowned self] in print($0) }
  }

  /// Runs one line.
  ///
  /// Errors are printed, and change nothing.
  package func run(_ line: String) {
    currentLine = line
    do {
      let words = try words(of: line)
      guard let name = words.first, !name.hasPrefix("#") else { return }
      guard let command = Command.named(name) else { throw CommandError.unknownCommand(name) }
      let arguments = Array(words.dropFirst())
      guard command.argumentCounts.contains(arguments.count) else {
        throw CommandError.usage(command.usage)
      }
      if command.isUndoable {
        try document.history.group { try command.run(self, arguments) }
      } else {
        try command.run(self, arguments)
      }
      refusedLine = nil
    } catch {
      if case CommandError.unsaved = error { refusedLine = line } else { refusedLine = nil }
      hasFailed = true
      print("error: \(error)")
    }
  }

  /// Prints the unsaved changes that are lost if the input ends here.
  package func finish() {
    let changes = document.unsavedChanges
    if !hasEnded, !changes.isEmpty { print("not saved: \(changes)") }
  }

  /// Prints a line without terminal control characters, whatever was typed or read.
  func print(_ line: String) {
    var line = line.harmless
    while line.last == " " { line.removeLast() }
    write(line)
  }

  /// Replaces the document by a file's.
  package func open(_ path: String) throws {
    let opened = try LedgerDocument(path: path)
    // The old document's end isn't reported.
    report = nil
    form = nil
    document = opened
    report = ChangeReport(on: opened.account) { [unowned self] in print($0) }
    let account = opened.account
    print(
      opened.isInFile
        ? "\(path): \(account.transactions.count) transactions, total \(Amount.text(account.total))"
        : "\(path): new")
  }

  func end() { hasEnded = true }

  /// Checks that no change would be lost.
  ///
  /// - Throws: `CommandError.unsaved` if one would be, unless the same line was refused just
  ///   before.
  func checkSaved() throws {
    let changes = document.unsavedChanges
    guard changes.isEmpty || refusedLine == currentLine else {
      throw CommandError.unsaved(changes)
    }
  }
}
