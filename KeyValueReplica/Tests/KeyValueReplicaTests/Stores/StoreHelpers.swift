import Foundation
import KeyValueReplicaTestSupport
import Synchronization
import Testing

@testable import KeyValueReplica

extension LogTransaction {
  /// A transaction whose payload is a text.
  init(_ text: String, by author: String = "Ada", id: UUID = UUID()) {
    self.init(id: id, author: author, payload: Data(text.utf8))
  }

  var text: String { String(decoding: payload, as: UTF8.self) }
}

extension LogRecord {
  /// "3 Ada: text".
  var line: String { "\(revision) \(transaction.author): \(transaction.text)" }
}

extension LogStore {
  /// Makes a document of schema 1 with an empty snapshot.
  @discardableResult
  func make(_ document: String, schema: Int = 1) async throws -> LogPosition {
    try await create(document, schema: schema, snapshot: Data()).position
  }

  /// Appends transactions, which have to be committed.
  ///
  /// - Returns: The position after them.
  @discardableResult
  func add(
    _ transactions: [LogTransaction], to document: String, after base: LogPosition
  ) async throws -> LogPosition {
    let outcome = try await append(transactions, to: document, after: base, schema: 1)
    let expected = base.revision + Int64(transactions.count)
    #expect(outcome == .committed(expected))
    return LogPosition(epoch: base.epoch, revision: expected, transaction: transactions.last!.id)
  }

  /// Appends a transaction for each text.
  @discardableResult
  func add(
    _ texts: String..., to document: String, after base: LogPosition
  ) async throws -> LogPosition {
    var position = base
    for text in texts {
      position = try await add([LogTransaction(text)], to: document, after: position)
    }
    return position
  }

  /// All records after a position, read in pieces.
  func all(
    of document: String, after position: LogPosition, limit: Int = 1000
  ) async throws -> [LogRecord] {
    var records: [LogRecord] = []
    var position = position
    while true {
      let read = try await self.records(of: document, after: position, limit: limit)
      guard case .records(let more, let head, _) = read else { throw Unexpected("\(read)") }
      records += more
      guard let last = more.last else {
        #expect(head == position.revision)
        return records
      }
      position.revision = last.revision
      position.transaction = last.transaction.id
    }
  }

  /// The lines of all records.
  func lines(of document: String) async throws -> [String] {
    let epoch = try #require(try await self.document(document)).position.epoch
    return try await all(of: document, after: LogPosition(epoch: epoch, revision: 0)).map(\.line)
  }
}

/// A writer as a replica is one: it keeps ids and base until it knows what became of them.
struct TestWriter {
  let store: any LogStore
  let document: String
  var position: LogPosition
  /// How often an append found other records.
  var rebases = 0

  /// Appends transactions, rebased as often as it takes.
  mutating func append(_ transactions: [LogTransaction]) async throws {
    let deadline = ContinuousClock.now + .seconds(600)
    while true {
      let outcome: LogAppend
      do {
        outcome = try await store.append(transactions, to: document, after: position, schema: 1)
      } catch {
        switch error {
        case .unreachable, .outcomeUnknown:
          // The same again.
          guard ContinuousClock.now < deadline else { throw error }
          continue
        default: throw error
        }
      }
      switch outcome {
      case .committed(let revision):
        position.revision = revision
        position.transaction = transactions.last!.id
        return
      case .behind(let records):
        rebases += 1
        #expect(
          records.map(\.revision)
            == Array(position.revision + 1...position.revision + Int64(records.count)))
        position.revision = records.last!.revision
        position.transaction = records.last!.transaction.id
      case .restore: throw Unexpected("restore")
      }
    }
  }
}

/// Waits until a condition holds, at most ten minutes.
func wait(
  until condition: () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let deadline = ContinuousClock.now + .seconds(600)
  while try await !condition() {
    guard ContinuousClock.now < deadline else {
      Issue.record("The condition didn't come to hold.", sourceLocation: sourceLocation)
      throw Unexpected("too late")
    }
    // So that what it waits for has the processor.
    try await Task.sleep(for: .milliseconds(1))
  }
}

/// What a call throws; nil if it throws nothing.
func error(_ body: () async throws -> Void) async throws -> LogError? {
  do {
    try await body()
    return nil
  } catch let error as LogError {
    return error
  }
}

/// A number that several tasks add to.
final class Counted: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .acquiring) }
  func add() { count.add(1, ordering: .acquiringAndReleasing) }
}
