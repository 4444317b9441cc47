import Foundation
import KeyValueCore

/// The own transactions that aren't acknowledged, numbered as they were made.
struct PendingQueue {
  struct Item {
    let number: UInt64
    var transaction: PendingTransaction
  }

  private(set) var items: [Item] = []
  /// What the items up to a number have to do with, and possibly what earlier ones had.
  private var mentions = Mentions()
  private var mentionedNumber: UInt64 = 0
  /// The number of the last transaction that was made, also if it's acknowledged by now.
  private(set) var lastNumber: UInt64 = 0

  var isEmpty: Bool { items.isEmpty }
  var count: Int { items.count }
  /// Every transaction up to this number is acknowledged, or was given up.
  var doneNumber: UInt64 { items.first.map { $0.number - 1 } ?? lastNumber }

  mutating func append(_ record: KeyValueTransactionRecord) {
    lastNumber += 1
    items.append(Item(number: lastNumber, transaction: PendingTransaction(record)))
  }

  /// Counts a transaction that was taken back at once.
  mutating func skip() { lastNumber += 1 }

  mutating func removeFirst(_ count: Int) { items.removeFirst(count) }

  /// Whether transactions of the queue may have to do with a record.
  ///
  /// - Complexity: On average, linear in the size of the record, and of what was made since the last call.
  mutating func mayBeTouched(
    by record: KeyValueTransactionRecord, in graph: GraphReader
  ) -> Bool {
    // What has gone is forgotten where it may be the most.
    if mentions.count > 2 * items.count { (mentions, mentionedNumber) = (Mentions(), 0) }
    let new = items.suffix(Int(min(UInt64(items.count), lastNumber - mentionedNumber)))
    for item in new where item.number > mentionedNumber {
      mentions.add(item.transaction, in: graph)
    }
    mentionedNumber = lastNumber
    return mentions.mayTouch(record, in: graph)
  }

  /// Replaces what a merge has made again, and removes what it hasn't.
  ///
  /// - Returns: The conflicts that were met, and the numbers of the transactions that were taken back.
  mutating func merge(
    _ outcomes: [Int: Rebase.Outcome], in graph: GraphReader
  ) -> (conflicts: [KeyValueReplicaConflict], rejected: [(UInt64, [KeyValueReplicaConflict])]) {
    var conflicts: [KeyValueReplicaConflict] = []
    var rejected: [(UInt64, [KeyValueReplicaConflict])] = []
    var gone: Set<Int> = []
    for (index, outcome) in outcomes.sorted(by: { $0.key < $1.key }) {
      switch outcome {
      case .kept(let record, let met):
        items[index].transaction = PendingTransaction(record)
        mentions.add(items[index].transaction, in: graph)
        conflicts += met
      case .emptied(let met):
        gone.insert(index)
        conflicts += met
      case .rejected(let met):
        gone.insert(index)
        conflicts += met
        rejected.append((items[index].number, met))
      }
    }
    if !gone.isEmpty {
      items = items.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
    }
    return (conflicts, rejected)
  }
}

/// A call of `flush` that waits.
final class FlushWaiter: @unchecked Sendable {
  let number: UInt64
  /// Whether it gives up when the store can't be reached.
  let isClosing: Bool
  /// Why the first of its transactions that was taken back was; used on the replica's actor only.
  var failure: KeyValueReplicaError?
  private let lock = NSLock()
  private var continuation: CheckedContinuation<Void, any Error>?
  private var result: Result<Void, any Error>?

  init(_ number: UInt64, isClosing: Bool = false, failure: KeyValueReplicaError? = nil) {
    self.number = number
    self.isClosing = isClosing
    self.failure = failure
  }

  func wait(isolation: isolated (any Actor)? = #isolation) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        let result: Result<Void, any Error>? = lock.withLock {
          if self.result == nil { self.continuation = continuation }
          return self.result
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      finish(.failure(CancellationError()))
    }
  }

  func finish(_ result: Result<Void, any Error>) {
    let continuation = lock.withLock {
      if self.result == nil { self.result = result }
      defer { self.continuation = nil }
      return self.continuation
    }
    continuation?.resume(with: result)
  }
}
