import KeyValueCore

/// What own transactions can be taken back, and made again: records that fit the graph as it is now.
///
/// The last one fits the graph, the one before it fits what applying the last one leaves, and so on. Other
/// writers' records change them as they change pending transactions, except that what others have written stays.
struct UndoStacks {
  /// What takes one own transaction back.
  final class Level {
    /// The transaction, as it's made to take the other one back.
    private(set) lazy var transaction = PendingTransaction(
      KeyValueTransactionRecord(record.edits, isTransaction: record.isTransaction))
    /// What others have changed since, and what therefore stays.
    let left: [KeyValueReplicaConflict]
    private lazy var record = taken?.inverse ?? translated!
    private let taken: KeyValueTransactionRecord?
    private let translated: KeyValueTransactionRecord?

    /// Takes a transaction back that has just been made; most are never asked for it.
    init(takingBack record: KeyValueTransactionRecord) {
      (taken, translated, left) = (record, nil, [])
    }

    init(_ record: KeyValueTransactionRecord, left: [KeyValueReplicaConflict]) {
      (taken, translated, self.left) = (nil, record, left)
    }
  }

  private(set) var undo: [Level] = []
  private(set) var redo: [Level] = []
  let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Notes an own change that has been made.
  mutating func note<Root>(
    _ record: KeyValueTransactionRecord, _ activity: ReplicaCore<Root>.Activity
  ) {
    let level = Level(takingBack: record)
    switch activity {
    case .takingBack: break
    case .undoing: redo.append(level)
    case .redoing: undo.append(level)
    case .recording:
      if !redo.isEmpty { redo = [] }
      undo.append(level)
    }
    if undo.count > limit { undo.removeFirst(undo.count - limit) }
  }

  mutating func takeUndo() -> Level? { undo.popLast() }
  mutating func takeRedo() -> Level? { redo.popLast() }
  mutating func putBack(undo level: Level) { undo.append(level) }
  mutating func putBack(redo level: Level) { redo.append(level) }

  /// Follows a record that others have made, before it's applied to the graph.
  mutating func follow(_ record: KeyValueTransactionRecord, in graph: GraphReader) {
    undo = Self.follow(record, undo, graph)
    redo = Self.follow(record, redo, graph)
  }

  private static func follow(
    _ record: KeyValueTransactionRecord, _ levels: [Level], _ graph: GraphReader
  ) -> [Level] {
    if levels.isEmpty { return levels }
    // The first to be applied is the last of the stack. They aren't in the graph, so nothing is taken back first.
    let order = Array(levels.reversed())
    guard
      let outcomes = try? Merge.translate(
        order.map(\.transaction), over: record, in: graph, .custom { _ in .theirs })
    else { return [] }
    var result: [Level] = []
    for (index, level) in order.enumerated() {
      switch outcomes[index] {
      case nil: result.append(level)
      case .kept(let record, let met): result.append(Level(record, left: level.left + met))
      // Nothing of it is left to take back; it still says so.
      case .emptied(let met), .rejected(let met):
        result.append(Level(KeyValueTransactionRecord([]), left: level.left + met))
      }
    }
    return result.reversed()
  }
}
