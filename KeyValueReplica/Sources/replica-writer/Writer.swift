import Foundation
import KeyValueReplica

/// Appends transactions to a document until it's killed, or as many as it's told to, and prints the
/// revision and the id of each one that was acknowledged.
///
///     replica-writer STORE DOCUMENT AUTHOR [COUNT]
///
/// STORE is a file's path, or `postgresql:` and libpq's options. An error that stays is printed, and ends
/// the program.
@main struct Writer {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4 else { fatalError("replica-writer STORE DOCUMENT AUTHOR [COUNT]") }
    let (name, document, author) = (arguments[1], arguments[2], arguments[3])
    let prefix = "postgresql:"
    let store: any LogStore =
      name.hasPrefix(prefix)
      ? .postgreSQL(String(name.dropFirst(prefix.count))) : .sqlite(path: name)
    var left = arguments.count > 4 ? Int(arguments[4])! : Int.max
    do throws(LogError) {
      let start = try await store.create(document, schema: 1, snapshot: Data())
      var position = start.position
      while left > 0 {
        // One to three at once.
        let batch = (0..<Int.random(in: 1...3)).map {
          LogTransaction(author: author, payload: Data("\(author) \($0)".utf8))
        }
        position = try await append(batch, to: document, of: store, after: position)
        for (index, transaction) in batch.enumerated() {
          let revision = position.revision - Int64(batch.count - 1 - index)
          say("\(revision) \(transaction.id)")
        }
        left -= 1
      }
    } catch {
      say("error \(error)")
      exit(1)
    }
  }

  /// Appends, rebases and repeats until the transactions are committed.
  private static func append(
    _ batch: [LogTransaction], to document: String, of store: any LogStore,
    after base: LogPosition
  ) async throws(LogError) -> LogPosition {
    var base = base
    while true {
      do throws(LogError) {
        let outcome = try await store.append(batch, to: document, after: base, schema: 1)
        switch outcome {
        case .committed(let revision):
          return LogPosition(
            epoch: base.epoch, revision: revision, transaction: batch[batch.count - 1].id)
        case .behind(let records):
          base.revision = records[records.count - 1].revision
          base.transaction = records[records.count - 1].transaction.id
        case .restore:
          throw .refused(code: "restore", message: "The writer had to restore.")
        }
      } catch {
        switch error {
        // The same again.
        case .unreachable, .outcomeUnknown: await Task.yield()
        default: throw error
        }
      }
    }
  }

  /// At once: what was printed was acknowledged, whatever happens next.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
