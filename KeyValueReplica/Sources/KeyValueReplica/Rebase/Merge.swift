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
    _ rule: KeyValueConflictRule
  ) throws {
    let involved = Self.involved(remote, pending)
    if involved.isEmpty {
      net = remote
      return
    }
    // Whether both change what leads to an object: then it takes the whole graph to see what leaves.
    let referred = remote.referred
    let isWhole = involved.contains { !pending[$0].referred.isDisjoint(with: referred) }
    let present =
      isWhole
      ? try graph.snapshot()
      : try Self.part(of: graph, [remote] + involved.map { pending[$0].record })
    var base = present
    for index in involved.reversed() { try base.apply(pending[index].record.inverse) }
    var rebase = try Rebase(on: base, over: remote, isWhole: isWhole, graph.model, rule)
    var settings = Self.settings(remote)
    for index in involved {
      let outcome = rebase.redo(pending[index].record)
      if case .rejected = outcome { settings.formUnion(Self.settings(pending[index].record)) }
      outcomes[index] = outcome
    }
    let edits = SnapshotDifference(
      from: present, to: rebase.state, settings: settings, graph.model
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
    let referred = remote.referred
    let isWhole = involved.contains { !transactions[$0].referred.isDisjoint(with: referred) }
    let base =
      isWhole
      ? try graph.snapshot()
      : try part(of: graph, [remote] + involved.map { transactions[$0].record })
    var rebase = try Rebase(on: base, over: remote, isWhole: isWhole, graph.model, rule)
    var outcomes: [Int: Rebase.Outcome] = [:]
    for index in involved { outcomes[index] = rebase.redo(transactions[index].record) }
    return outcomes
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
        if let object = try graph.values(id) { part.objects[id] = .init(class: object.class, values: [:]) }
      }
    }
    return part
  }

  /// The collections that a record sets as a whole.
  private static func settings(_ record: KeyValueTransactionRecord) -> Set<Place> {
    var places: Set<Place> = []
    for edit in record.edits {
      switch edit {
      case .set, .amend: if let place = Place(edit) { places.insert(place) }
      default: break
      }
    }
    return places
  }
}
