/// A record of a graph that is recorded as a whole.
final class GraphStep: UndoLevel.Step {
  /// Retains the objects that left, so that they come back as the same instances.
  private(set) var collected: ChangeCollector.Collected
  let graph: RecordedGraph
  private let countOfOthers: Int

  init(_ collected: ChangeCollector.Collected, of graph: RecordedGraph) {
    self.collected = collected
    self.graph = graph
    countOfOthers = graph.countOfOthers
  }

  // What answers undoing the levels above may have taken back all of it.
  override var isEffective: Bool { graph.core != nil && !collected.record.edits.isEmpty }

  /// Replaces what the record left.
  func expect(_ record: KeyValueTransactionRecord) {
    collected = ChangeCollector.Collected(record: record, left: collected.left)
  }

  override func undo() throws {
    do {
      try graph.core?.apply(collected.record.inverse, from: nil, runsPropertyObservers: false)
    } catch let error as KeyValueLogError {
      throw graph.countOfOthers != countOfOthers
        ? error.afterOthersChanges : error.afterUnrecordedChanges
    }
  }
}

extension KeyValueLogError {
  /// The error of a level that another program's changes contradict.
  fileprivate var afterOthersChanges: KeyValueLogError {
    adding(
      "another program has changed the graph since. A recorder undoes a level whole or not at all; a replica's "
        + "undo() leaves what others have changed, and undoes the rest. To forget all levels, \(UndoLevel.wayOut)"
    )
  }

  /// The error of a level that changes contradict which the graph's recording hasn't seen.
  fileprivate var afterUnrecordedChanges: KeyValueLogError {
    adding(
      "something changed it without being recorded, as while the object was outside of the graph. Set it back, "
        + "or \(UndoLevel.wayOut)")
  }

  private func adding(_ more: String) -> KeyValueLogError {
    completed { $0.reason = ($0.reason.map { "\($0); " } ?? "") + more }
  }
}
