@_spi(Replication) import KeyValueCore

/// The transactions that have to do with another writer's record.
struct Involvement {
  /// Their indexes, in order.
  private(set) var indexes: [Int]
  /// Whether some of them may cut off objects together with the record, which only the whole graph shows.
  let cutsOff: Bool
  private var index: MentionIndex

  init(
    of transactions: [PendingTransaction], in remote: KeyValueTransactionRecord,
    _ graph: GraphReader
  ) throws {
    index = MentionIndex(transactions)
    _ = index.involved(in: remote.mentions)
    let cuttingOff = try Self.cuttingOff(remote, transactions, graph)
    indexes = index.involved(also: cuttingOff)
    cutsOff = !cuttingOff.isEmpty
  }

  /// Adds those that have to do with more.
  ///
  /// - Returns: Whether there are any.
  mutating func extend(by mentions: Set<Mention>) -> Bool {
    let count = indexes.count
    indexes = index.involved(in: mentions)
    return indexes.count != count
  }

  /// Finds the transactions that may cut off objects together with a record, though neither deletes them and they
  /// don't mention the same: the record takes away what leads to one object, a transaction what leads to another, and
  /// now only the two lead to each other.
  private static func cuttingOff(
    _ remote: KeyValueTransactionRecord, _ transactions: [PendingTransaction], _ graph: GraphReader
  ) throws -> [Int] {
    let theirs = graph.mayBeInCycle(remote.released)
    if theirs.isEmpty { return [] }
    var ours: Set<KeyValueObjectID> = []
    let found = transactions.indices.filter { index in
      let released = graph.mayBeInCycle(transactions[index].released)
      ours.formUnion(released)
      return !released.isEmpty
    }
    if found.isEmpty { return [] }
    var added: [KeyValueObjectID: Set<KeyValueObjectID>] = [:]
    for record in [remote] + found.map({ transactions[$0].record }) {
      for edit in record.edits {
        edit.forEachWrittenReference { added[edit.id, default: []].insert($0) }
      }
    }
    let lead =
      try graph.leads(from: theirs, toAnyOf: ours, adding: added)
      && graph.leads(from: ours, toAnyOf: theirs, adding: added)
    return lead ? found : []
  }
}
