import Foundation
import KeyValueObserving
import KeyValueReplica
import KeyValueReplicaTestSupport

/// What the store's records lead to, by data alone: nothing of a replica's code takes part.
@MainActor
struct Reference {
  /// The states after the revisions since the last call of ``forget()``.
  private var states: [Int64: KeyValueSnapshot]
  private var digests: [Int64: Digest] = [:]
  private var records: [Int64: KeyValueTransactionRecord] = [:]
  private(set) var position: LogPosition
  private var ids: Set<UUID> = []

  init(_ snapshot: LogSnapshot) throws {
    position = snapshot.position
    states = [
      position.revision: try JSONDecoder().decode(KeyValueSnapshot.self, from: snapshot.payload)
    ]
  }

  var revision: Int64 { position.revision }
  var state: KeyValueSnapshot { states[revision]! }
  var count: Int { ids.count }

  /// Applies records.
  mutating func append(_ more: [LogRecord]) throws {
    for stored in more {
      guard stored.revision == revision + 1 else {
        throw Violation("revision \(revision) is followed by \(stored.revision)")
      }
      guard ids.insert(stored.transaction.id).inserted else {
        throw Violation("\(stored.transaction.id) is there twice, at last at \(stored.revision)")
      }
      var record = try JSONDecoder().decode(
        KeyValueTransactionRecord.self, from: stored.transaction.payload)
      record.origin = .remote(stored.transaction.author)
      var next = state
      do {
        try next.apply(record)
      } catch {
        throw Violation("record \(stored.revision) doesn't fit: \(error)\n\(record)")
      }
      position.revision = stored.revision
      position.transaction = stored.transaction.id
      states[revision] = next
      records[revision] = record
    }
  }

  func has(_ id: UUID) -> Bool { ids.contains(id) }

  func record(_ revision: Int64) throws -> KeyValueTransactionRecord {
    guard let record = records[revision] else { throw Violation("there's no record \(revision)") }
    return record
  }

  func state(_ revision: Int64) throws -> KeyValueSnapshot {
    guard let state = states[revision] else { throw Violation("there's no revision \(revision)") }
    return state
  }

  mutating func digest(_ revision: Int64) throws -> Digest {
    if let digest = digests[revision] { return digest }
    let digest = try Digest(state(revision))
    digests[revision] = digest
    return digest
  }

  /// Forgets all states but the last one.
  mutating func forget() {
    states = [revision: state]
    digests = [:]
    records = [:]
  }
}

/// What a reader has to be notified of: what applying the records, in order, to a graph of the state at which it
/// was opened tells the same observers.
@MainActor
struct ExpectedHistory {
  private let log: KeyValueChangeLog<Firm>
  private let history: History
  private(set) var revision: Int64

  init(from revision: Int64, _ reference: Reference) throws {
    self.revision = revision
    log = try KeyValueChangeLog(restoring: reference.state(revision), as: Firm.self)
    history = try History(of: log.root)
  }

  /// Applies the next record, and compares.
  mutating func next(_ revision: Int64, told: [String], _ reference: Reference) throws {
    guard revision == self.revision + 1 else {
      throw Violation("a reader went from revision \(self.revision) to \(revision)")
    }
    let record = try reference.record(revision)
    try log.apply(record)
    self.revision = revision
    let expected = history.take()
    if told == expected { return }
    throw Violation(
      """
      at revision \(revision) a reader was notified of
        \(told.joined(separator: "\n  "))
      and not of
        \(expected.joined(separator: "\n  "))
      by \(record)
      """)
  }
}
