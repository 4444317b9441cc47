@_spi(Replication) import KeyValueCore

/// A transaction of this replica that isn't committed yet.
struct PendingTransaction {
  let record: KeyValueTransactionRecord
  private let found: Found

  init(_ record: KeyValueTransactionRecord) {
    self.record = record
    found = Found(record)
  }

  /// What the transaction has to do with.
  var mentions: Set<Mention> { found.mentions }
  /// The objects that its values refer to, and those that it makes or deletes.
  var referred: Set<KeyValueObjectID> { found.referred }
  /// The objects that it takes a reference to away, and that it doesn't delete.
  var released: Set<KeyValueObjectID> { found.released }

  /// Found when another writer's record arrives; most transactions are acknowledged before one does.
  private final class Found {
    private let record: KeyValueTransactionRecord
    private(set) lazy var referred = record.referred
    private(set) lazy var mentions = record.mentions
    private(set) lazy var released = record.released

    init(_ record: KeyValueTransactionRecord) { self.record = record }
  }
}

/// Another writer's record as it changes a graph that has this replica's pending transactions already.
///
/// What it computes is what taking the pending transactions back, applying the record and making them again
/// leaves; the graph changes only by the difference.
struct Merge {
  /// What changes the graph.
  let net: KeyValueTransactionRecord
  /// The pending transactions as they were.
  let pending: [PendingTransaction]
  /// What becomes of pending transactions that have to do with the record, by their index.
  private(set) var outcomes: [Int: Rebase.Outcome] = [:]
  /// How many transactions were made again.
  let effort: Int
  /// What pending transactions have taken out and is there all the same.
  let remains: Remains

  init(
    _ remote: KeyValueTransactionRecord, over pending: [PendingTransaction], in graph: GraphReader,
    _ rule: KeyValueConflictRule, takingBack: KeyValueRecordID? = nil
  ) throws {
    self.pending = pending
    var involvement = try Involvement(of: pending, in: remote, graph)
    if involvement.indexes.isEmpty {
      (net, effort, remains) = (remote, 0, Remains(remote))
      return
    }
    var effort = 0
    let attempt = try Self.attempt(remote, &involvement, pending, graph) {
      records, present, isWhole in
      var base = present
      // As one record, so that a long list isn't copied for each.
      try base.apply(
        KeyValueTransactionRecord(records.reversed().flatMap(\.inverse.edits)),
        fittedBy: graph.model)
      var rebase = try Rebase(
        on: base, over: remote, isWhole: isWhole, graph.model, rule, takingBack: takingBack)
      effort += records.count
      return (rebase.redo(records), rebase.state, rebase.remains)
    }
    remains = attempt.remains.withoutRejected
    var settings = remote.settings
    for (index, outcome) in zip(involvement.indexes, attempt.outcomes) {
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
    self.effort = effort
  }

  /// What a pending transaction is now; nil if nothing of it is left.
  func record(at index: Int) -> KeyValueTransactionRecord? {
    switch outcomes[index] {
    case nil: pending[index].record
    case .kept(let record, _): record
    case .emptied, .rejected: nil
    }
  }

  /// How the merge changes the graph that has only the first of the pending transactions.
  ///
  /// - Parameters:
  ///   - count: How many of them it has.
  ///   - graph: The graph before the merge, which has all of them.
  /// - Returns: The change, and the graph with the first ones.
  /// - Throws: `KeyValueLogError` if the others can't be taken out of the graph.
  func change(
    ofFirst count: Int, in graph: GraphReader
  ) throws -> (KeyValueTransactionRecord, GraphReader) {
    func inverse(of records: [KeyValueTransactionRecord]) -> KeyValueTransactionRecord {
      KeyValueTransactionRecord(records.reversed().flatMap(\.inverse.edits))
    }
    let rest = count..<pending.count
    let before = inverse(of: rest.map { pending[$0].record })
    let after = inverse(of: rest.compactMap { record(at: $0) })
    var old = try Self.part(of: graph, [net, before, after])
    var new = old
    try old.apply(before, fittedBy: graph.model)
    try new.apply(net, fittedBy: graph.model)
    try new.apply(after, fittedBy: graph.model)
    var change = net
    change.edits =
      SnapshotDifference(from: old, to: new, settings: net.settings, graph.model).edits
    change.isTransaction = net.isTransaction || change.edits.count != 1
    return (change, GraphReader(graph, after: before, part: old))
  }

  /// Transactions that aren't in the graph yet, as they are once another's record is.
  ///
  /// - Parameters:
  ///   - transactions: The transactions.
  ///   - remote: The record.
  ///   - remains: What pending transactions have taken out and is there all the same.
  ///   - graph: The graph without the record.
  ///   - rule: What becomes of conflicts.
  /// - Returns: What becomes of those that have to do with the record, by their index.
  /// - Throws: `KeyValueLogError` if the record doesn't fit the graph.
  static func translate(
    _ transactions: [PendingTransaction], over remote: KeyValueTransactionRecord,
    _ remains: Remains, in graph: GraphReader, _ rule: KeyValueConflictRule
  ) throws -> [Int: Rebase.Outcome] {
    if transactions.isEmpty { return [:] }
    var involvement = try Involvement(of: transactions, in: remote, graph)
    if involvement.indexes.isEmpty { return [:] }
    let attempt = try attempt(remote, &involvement, transactions, graph) {
      records, base, isWhole in
      var rebase = try Rebase(
        on: base, over: remote, isWhole: isWhole, graph.model, rule, remains: remains)
      return (rebase.redo(records), rebase.state, rebase.remains)
    }
    return Dictionary(uniqueKeysWithValues: zip(involvement.indexes, attempt.outcomes))
  }

  private struct Attempt {
    let present: KeyValueSnapshot
    let outcomes: [Rebase.Outcome]
    let state: KeyValueSnapshot
    let remains: Remains
  }

  /// Rebases on the part of the graph that the records mention, or on the whole graph where it takes that to see
  /// which objects leave: where both sides change what leads to an object, or where something isn't made again.
  ///
  /// An object that leaves because of both takes others with it, so it's looked for further transactions then.
  private static func attempt(
    _ remote: KeyValueTransactionRecord, _ involvement: inout Involvement,
    _ transactions: [PendingTransaction], _ graph: GraphReader,
    _ rebase: ([KeyValueTransactionRecord], KeyValueSnapshot, Bool) throws -> (
      [Rebase.Outcome], KeyValueSnapshot, Remains
    )
  ) throws -> Attempt {
    let referred = remote.referred
    if !involvement.cutsOff,
      involvement.indexes.allSatisfy({ transactions[$0].referred.isDisjoint(with: referred) })
    {
      let records = involvement.indexes.map { transactions[$0].record }
      let present = try part(of: graph, [remote] + records)
      let (outcomes, state, remains) = try rebase(records, present, false)
      if outcomes.allSatisfy(\.isComplete) {
        return Attempt(present: present, outcomes: outcomes, state: state, remains: remains)
      }
    }
    let present = try graph.snapshot()
    while true {
      let records = involvement.indexes.map { transactions[$0].record }
      let (outcomes, state, remains) = try rebase(records, present, true)
      var lives: Set<Mention> = []
      for case .kept(let record, _) in outcomes {
        for edit in record.edits where edit.key == nil { lives.insert(.life(edit.id)) }
      }
      for id in present.objects.keys where state.objects[id] == nil { lives.insert(.life(id)) }
      if !involvement.extend(by: lives) {
        return Attempt(present: present, outcomes: outcomes, state: state, remains: remains)
      }
    }
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
