import Foundation
import LedgerStorage
import TerminalSupport

/// Runs commands on a shared ledger, and prints what other programs change meanwhile.
@MainActor
struct SharedRun {
  let place: SharedPlace
  let document: String
  let author: String?
  let echoes: Bool
  let opened: (LedgerDocument) -> Void

  /// - Returns: Whether a command failed, or was taken back.
  /// - Throws: `KeyValueReplicaError`, or why the output can't be written.
  func run(on output: OutputFile) async throws -> Bool {
    let prompt = Prompt(on: output)
    let ledger = try await SharedLedger.open(document, at: place, as: author)
    let session = LedgerSession(sharing: ledger) { prompt.write($0) }
    opened(session.document)
    prompt.show()
    for await line in Self.lines() where output.failure == nil {
      prompt.hide(echoing: echoes ? line : nil)
      session.run(line)
      if session.hasEnded { break }
      prompt.show()
    }
    prompt.end()
    if try await !ledger.close() {
      let consequence =
        place.queueFolder == nil ? "is lost" : "is sent when this program opens the ledger again"
      session.print("not sent: what was changed here since the ledger went offline \(consequence)")
    }
    if let failure = output.failure, !failure.meansReaderLeft { throw failure }
    return session.hasFailed || ledger.hasLostCommand
  }

  /// The lines of standard input, which a thread of their own waits for.
  private static func lines() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return lines
  }
}

/// The prompt of a terminal, which moves down when a line comes meanwhile.
private final class Prompt {
  private let output: OutputFile
  private let isInteractive = isatty(STDIN_FILENO) == 1
  private var isShown = false

  init(on output: OutputFile) { self.output = output }

  func show() {
    guard isInteractive else { return }
    output.write("> ")
    isShown = true
  }

  /// Return was typed.
  func hide(echoing line: String?) {
    isShown = false
    if let line { output.writeLines(["> " + line.harmless]) }
  }

  func write(_ line: String) {
    // What has been typed stays in the terminal's buffer, but isn't shown again.
    output.write(isShown ? "\r\u{1B}[K\(line)\n> " : line + "\n")
  }

  func end() {
    if isShown { output.write("\n") }
    isShown = false
  }
}
