@_spi(Replication) import KeyValueCore

/// The graph that a merge reads: the living one, or a snapshot.
struct GraphReader {
  let root: KeyValueObjectID
  let values: (KeyValueObjectID) throws -> KeyValueSnapshot.Object?
  let snapshot: () throws -> KeyValueSnapshot
  let model: Model

  init<Root>(_ log: KeyValueChangeLog<Root>, root: KeyValueObjectID) {
    self.root = root
    values = { try log.values(of: $0) }
    snapshot = { try log.snapshot() }
    model = Model { log.shape(ofKey: $0, in: $1) }
  }

  init(_ snapshot: KeyValueSnapshot, _ model: Model) {
    root = snapshot.root
    values = { snapshot.objects[$0] }
    self.snapshot = { snapshot }
    self.model = model
  }
}

/// A transaction of this replica that isn't committed yet.
struct PendingTransaction {
  let record: KeyValueTransactionRecord
  private let ids: Mentions

  init(_ record: KeyValueTransactionRecord) {
    self.record = record
    ids = Mentions(of: record)
  }

  /// The objects that the transaction is about, and those that its values refer to.
  var mentioned: Set<KeyValueObjectID> { ids.mentioned }
  var referred: Set<KeyValueObjectID> { ids.referred }

  /// Found when another writer's record arrives; most transactions are acknowledged before one does.
  private final class Mentions {
    private let record: KeyValueTransactionRecord
    private(set) lazy var referred = record.referred
    private(set) lazy var mentioned = record.subjects.union(referred)

    init(of record: KeyValueTransactionRecord) { self.record = record }
  }
}

/// Another writer's record as it changes a graph that has this replica's pending transactions already.
///
/// What it computes is what taking the pending transactions back, applying the record and making them again
/// leaves; the graph changes only by the difference.
struct Merge {
  /// What changes the graph.
  let net: KeyValueTransactionRecord
  /// What becomes of pending transactions that have to do with the record, by their index.
  private(set) var outcomes: [Int: Rebase.Outcome] = [:]

  init(
    _ remote: KeyValueTransactionRecord, over pending: [PendingTransaction], in graph: GraphReader,
    _ rule: KeyValueConflictRule, takingBack: KeyValueRecordID? = nil
  ) throws {
    let involved = Self.involved(remote, pending)
    if involved.isEmpty {
      net = remote
      return
    }
    let records = involved.map { pending[$0].record }
    let attempt = try Self.attempt(remote, involved.map { pending[$0] }, graph) {
      present, isWhole in
      var base = present
      for record in records.reversed() { try base.apply(record.inverse) }
      var rebase = try Rebase(
        on: base, over: remote, isWhole: isWhole, graph.model, rule, takingBack: takingBack)
      return (rebase.redo(records), rebase.state)
    }
    var settings = remote.settings
    for (index, outcome) in zip(involved, attempt.outcomes) {
      if case .rejected = outcome { settings.formUnion(pending[index].record.settings) }
      outcomes[index] = outcome
    }
    let edits = SnapshotDifference(
      from: attempt.present, to: attempt.state, settings: settings, graph.model
    ).edits
    var record = remote
    record.edits = edits
    record.isTransaction = remote.isTransaction || edits.count != 1
    net = record
  }

  /// Transactions that aren't in the graph yet, as they are once another's record is.
  ///
  /// - Returns: What becomes of those that have to do with the record, by their index.
  static func translate(
    _ transactions: [PendingTransaction], over remote: KeyValueTransactionRecord,
    in graph: GraphReader, _ rule: KeyValueConflictRule
  ) throws -> [Int: Rebase.Outcome] {
    let involved = involved(remote, transactions)
    if involved.isEmpty { return [:] }
    let records = involved.map { transactions[$0].record }
    let attempt = try attempt(remote, involved.map { transactions[$0] }, graph) { base, isWhole in
      var rebase = try Rebase(on: base, over: remote, isWhole: isWhole, graph.model, rule)
      return (rebase.redo(records), rebase.state)
    }
    return Dictionary(uniqueKeysWithValues: zip(involved, attempt.outcomes))
  }

  /// Rebases on the part of the graph that the records mention, or on the whole graph where it takes that to see
  /// which objects leave: where both sides change what leads to an object, or where something isn't made again.
  private static func attempt(
    _ remote: KeyValueTransactionRecord, _ transactions: [PendingTransaction],
    _ graph: GraphReader,
    _ rebase: (KeyValueSnapshot, Bool) throws -> ([Rebase.Outcome], KeyValueSnapshot)
  ) throws -> (present: KeyValueSnapshot, outcomes: [Rebase.Outcome], state: KeyValueSnapshot) {
    let referred = remote.referred
    if transactions.allSatisfy({ $0.referred.isDisjoint(with: referred) }) {
      let present = try part(of: graph, [remote] + transactions.map(\.record))
      let (outcomes, state) = try rebase(present, false)
      if outcomes.allSatisfy(\.isComplete) { return (present, outcomes, state) }
    }
    let present = try graph.snapshot()
    let (outcomes, state) = try rebase(present, true)
    return (present, outcomes, state)
  }

  /// The pending transactions that share an object with the record, directly or through others.
  private static func involved(
    _ remote: KeyValueTransactionRecord, _ pending: [PendingTransaction]
  ) -> [Int] {
    if pending.isEmpty { return [] }
    var ids = remote.mentioned
    var involved: Set<Int> = []
    var count = -1
    while count != involved.count {
      count = involved.count
      for (index, transaction) in pending.enumerated()
      where !involved.contains(index) && !transaction.mentioned.isDisjoint(with: ids) {
        involved.insert(index)
        ids.formUnion(transaction.mentioned)
      }
    }
    return involved.sorted()
  }

  /// The objects that the records are about, with their values, and the others that they mention, without.
  private static func part(
    of graph: GraphReader, _ records: [KeyValueTransactionRecord]
  ) throws -> KeyValueSnapshot {
    var part = KeyValueSnapshot(root: graph.root)
    for record in records {
      for id in record.subjects { part.objects[id] = try graph.values(id) }
    }
    for record in records {
      for id in record.referred where part.objects[id] == nil {
        if let object = try graph.values(id) {
          part.objects[id] = .init(class: object.class, values: [:])
        }
      }
    }
    return part
  }
}
