import LedgerFields
import LedgerModel
import LedgerStorage
import TerminalSupport

/// Runs commands on a document, one line after the other.
package final class LedgerSession {
  package private(set) var document: LedgerDocument {
    didSet { opened(document) }
  }
  /// The form being edited; its fields follow the model until another form replaces it.
  var form: EditForm?
  private var report: ChangeReport?
  /// The commands that it understands.
  let commands: [Command]
  private let format: LedgerFormat
  private let opened: (LedgerDocument) -> Void
  private let write: (String) -> Void
  /// The previous command, if it was refused because it would have dropped unsaved changes.
  private var refusedLine: String?
  private var currentLine = ""

  /// Whether a command failed.
  package private(set) var hasFailed = false
  /// Whether the command `quit` has ended the session.
  package private(set) var hasEnded = false

  /// Begins with an empty ledger.
  ///
  /// - Parameters:
  ///   - format: How its ledgers are kept.
  ///   - opened: Called with each ledger, the first one, too.
  ///   - write: Called with each line of output.
  package init(
    format: LedgerFormat = .records, opened: @escaping (LedgerDocument) -> Void = { _ in },
    write: @escaping (String) -> Void
  ) {
    self.format = format
    self.opened = opened
    self.write = write
    commands = Command.all
    document = LedgerDocument(format: format)
    opened(document)
    report = ChangeReport(on: document.account) { [unowned self] in print($0) }
  }

  /// Begins with a shared ledger, and says how it stands.
  init(sharing ledger: SharedLedger, write: @escaping (String) -> Void) {
    format = .records
    opened = { _ in }
    self.write = write
    commands = Command.shared
    document = LedgerDocument(sharing: ledger)
    printSummary()
    report = ChangeReport(on: document.account) { [unowned self] in print($0) }
    // After the changes that have led to it.
    ledger.report { [unowned self] in print($0) }
  }

  /// Runs one line.
  ///
  /// Errors are printed, and change nothing.
  package func run(_ line: String) {
    currentLine = line
    do {
      let words = try words(of: line)
      guard let name = words.first, !name.hasPrefix("#") else { return }
      guard let command = commands.first(where: { $0.name == name }) else {
        throw CommandError.unknownCommand(name)
      }
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
      fail(error)
    }
    do { try document.commandEnded() } catch { fail(error) }
  }

  private func fail(_ error: any Error) {
    hasFailed = true
    print("error: \(error)")
  }

  /// Prints the unsaved changes that are lost if the input ends here.
  package func finish() {
    if !hasEnded, let changes = document.unsaved { print("not saved: \(changes)") }
  }

  /// Prints a line without terminal control characters, whatever was typed or read.
  func print(_ line: String) {
    var line = line.harmless
    while line.last == " " { line.removeLast() }
    write(line)
  }

  /// Replaces the document by a file's.
  package func open(_ path: String) throws {
    let opened = try LedgerDocument(path: path, format: format)
    // The old document's end isn't reported.
    report = nil
    form = nil
    document = opened
    report = ChangeReport(on: opened.account) { [unowned self] in print($0) }
    if opened.isTorn {
      print("\(path): a crash has torn the last command's changes, and they are dropped")
    }
    printSummary()
  }

  private func printSummary() {
    let account = document.account
    let state =
      document.isInFile
      ? "\(account.transactions.count) transactions, total \(Amount.text(account.total))" : "new"
    print("\(document.path ?? ""): \(state)")
  }

  func end() { hasEnded = true }

  /// Checks that no change would be lost.
  ///
  /// - Throws: `CommandError.unsaved` if one would be, unless the same line was refused just
  ///   before.
  func checkSaved() throws {
    if let changes = document.unsaved, refusedLine != currentLine {
      throw CommandError.unsaved(changes)
    }
  }
}
