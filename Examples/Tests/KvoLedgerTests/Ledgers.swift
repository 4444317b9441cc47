import Foundation
import KvoLedgerCommand
import LedgerModel
import LedgerStorage

/// A session and what it has printed.
final class Ledger {
  let session: LedgerSession
  private final class Output { var lines: [String] = [] }
  private let output = Output()

  init(format: LedgerFormat = .records) {
    let output = output
    session = LedgerSession(format: format) { output.lines.append($0) }
  }

  var account: Account { session.document.account }

  /// Runs commands, one per line, and returns their output.
  @discardableResult
  func run(_ commands: String) -> String {
    output.lines = []
    for line in commands.split(separator: "\n") { session.run(String(line)) }
    return output.lines.joined(separator: "\n")
  }

  /// Ends the input, and returns the output.
  func finish() -> String {
    output.lines = []
    session.finish()
    return output.lines.joined(separator: "\n")
  }
}

/// A file that doesn't exist yet, in a folder that this object deletes.
final class TemporaryFile {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("kvo-ledger-\(UUID().uuidString)")
  var path: String { folder.appendingPathComponent("test.ledger").path }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}

extension Account {
  /// Everything that a file stores.
  var contents: Contents {
    Contents(categories: categories.map(\.values), transactions: transactions.map(\.values))
  }

  struct Contents: Equatable {
    let categories: [CategoryValues]
    let transactions: [TransactionValues]
  }
}
