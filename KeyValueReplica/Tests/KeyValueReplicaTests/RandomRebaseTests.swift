import Foundation
@_spi(Replication) import KeyValueCore
import KeyValueObserving
import KeyValueReplicaTestSupport
import Testing

@testable import KeyValueReplica

/// Two writers change a firm, and the second one's transactions are merged into the first one's graph.
@Suite("Random rebases")
@MainActor
struct RandomRebaseTests {
  private nonisolated static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["KVO_SEED"].flatMap(UInt64.init) { return [seed] }
    return Array(1...(environment["KVO_TESTS"] == "full" ? 20_000 : 200))
  }()

  @Test(
    "S2 S4 pending and undone transactions fit the graph after each of another writer's",
    arguments: seeds)
  func merge(seed: UInt64) throws {
    var numbers = SeededNumbers(seed)
    let rule = [
      KeyValueConflictRule.reject, .lastWriterWins,
      .custom { [.mine, .theirs, .reject][($0.key ?? "").count % 3] },
    ][numbers.number(3)]
    // Few changes, so that a failure is a small one.
    let (mine, others) = (1 + numbers.number(1 + numbers.number(12)), 1 + numbers.number(6))

    let start = try KeyValueChangeLog(of: Firm())
    var edits = RandomEdits(SeededNumbers(numbers.next()))
    for _ in 0..<numbers.number(25) { edits.change(start.root, "s") }
    let base = try start.snapshot()

    let log = try KeyValueChangeLog(restoring: base, as: Firm.self)
    var pending: [PendingTransaction] = []
    var undoing = UndoStacks(limit: 100)
    // A level has what property observers and observers change, too.
    var level: [KeyValueTransactionRecord] = []
    let token = log.observe { record in
      guard record.origin == .local else { return }
      pending.append(PendingTransaction(record))
      level.append(record)
    }
    func endLevel() {
      if level.isEmpty { return }
      undoing.note(level, ReplicaCore<Firm>.Activity.recording)
      level = []
    }
    for _ in 0..<mine {
      if numbers.number(4) == 0, let last = pending.last?.record {
        // As undo does.
        try log.apply(
          KeyValueTransactionRecord(last.inverse.edits, isTransaction: last.isTransaction))
      } else {
        edits.change(log.root, "a")
      }
      if numbers.number(3) == 0 { continue }
      endLevel()
    }
    endLevel()

    let other = try KeyValueChangeLog(restoring: base, as: Firm.self)
    var records: [KeyValueTransactionRecord] = []
    let otherToken = other.observe { record in
      var remote = record
      remote.origin = .remote("b")
      records.append(remote)
    }
    for _ in 0..<others { edits.change(other.root, "b") }

    var confirmed = base
    for record in records {
      let story = Comment(
        rawValue:
          "\(base)\nmine: \(pending.map(\.record))\ntheirs: \(record)\nin \(try log.snapshot())")
      let reader = GraphReader(log, root: base.root)
      let merge = try Merge(record, over: pending, in: reader, rule)
      var mentions = Mentions()
      for transaction in pending { mentions.add(transaction, in: reader) }
      #expect(mentions.mayTouch(record, in: reader) || merge.outcomes.isEmpty, story)
      undoing.follow(merge, in: reader)
      if !merge.net.edits.isEmpty { try log.apply(merge.net) }
      var kept: [PendingTransaction] = []
      for (index, transaction) in pending.enumerated() {
        switch merge.outcomes[index] {
        case nil: kept.append(transaction)
        case .kept(let record, _): kept.append(PendingTransaction(record))
        case .emptied, .rejected: break
        }
      }
      pending = kept
      try confirmed.apply(record)
      var expected = confirmed
      #expect(throws: Never.self, story) {
        for transaction in pending { try expected.apply(transaction.record) }
      }
      let actual = try log.snapshot()
      try #require(expected == actual, story)
      // Undoing everything, the last transaction first.
      var undone = expected
      #expect(throws: Never.self, story) {
        for level in undoing.undo.levels.reversed() { try undone.apply(level.transaction.record) }
      }
      // Each level takes back pending transactions alone, so what others have written is left, and nothing else.
      #expect(undone == confirmed, story)
    }
    withExtendedLifetime((token, otherToken)) {}
  }
}
