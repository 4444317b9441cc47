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

  /// The levels of one direction.
  struct Stack {
    /// The last one fits the graph.
    private(set) var levels: [Level] = []
    /// What the levels have to do with, and possibly what earlier ones had.
    private var mentions = Mentions()
    /// How many of the levels, from the first, are among the mentions.
    private var mentionedCount = 0

    mutating func append(_ level: Level) { levels.append(level) }

    mutating func popLast() -> Level? {
      defer { mentionedCount = min(mentionedCount, levels.count) }
      return levels.popLast()
    }

    mutating func keepLast(_ limit: Int) {
      let excess = max(0, levels.count - limit)
      levels.removeFirst(excess)
      mentionedCount = max(0, mentionedCount - excess)
    }

    mutating func removeAll() { self = Stack() }

    /// Follows a record before it's applied to the graph.
    ///
    /// - Complexity: Linear in the size of the record, and of what was noted since the last one, unless levels have
    ///   to do with the record.
    mutating func follow(
      _ record: KeyValueTransactionRecord, _ remains: Remains, in graph: GraphReader,
      _ rule: KeyValueConflictRule
    ) {
      mention(in: graph)
      if !mentions.mayTouch(record, in: graph) { return }
      // The first to be applied is the last of the stack. They aren't in the graph, so nothing is taken back first.
      let order = Array(levels.reversed())
      guard
        let outcomes = try? Merge.translate(
          order.map(\.transaction), over: record, remains, in: graph, rule)
      else { return removeAll() }
      if outcomes.isEmpty { return }
      // An own answer leaves nothing that others have changed.
      let isOwn = if case .local = record.origin { true } else { false }
      var result: [Level] = []
      for (index, level) in order.enumerated() {
        switch outcomes[index] {
        case nil: result.append(level)
        case .kept(let record, let met):
          result.append(Level(record, left: level.left + (isOwn ? [] : met)))
        // Nothing of it is left to take back; it still says so.
        case .emptied(let met), .rejected(let met):
          let left = level.left + (isOwn ? [] : met)
          if left.isEmpty { continue }
          result.append(Level(KeyValueTransactionRecord([]), left: left))
        }
      }
      self = Stack()
      levels = result.reversed()
    }

    fileprivate mutating func mention(in graph: GraphReader) {
      // Levels that have gone are forgotten where they may be the most.
      if mentions.count > 2 * levels.count { (mentions, mentionedCount) = (Mentions(), 0) }
      for level in levels[mentionedCount...] { mentions.add(level.transaction, in: graph) }
      mentionedCount = levels.count
    }
  }

  private(set) var undo = Stack()
  private(set) var redo = Stack()
  let limit: Int

  init(limit: Int) { self.limit = max(0, limit) }

  /// Finds what new levels have to do with, so that a copy shares it.
  mutating func prepareToFollow(in graph: GraphReader) {
    undo.mention(in: graph)
    redo.mention(in: graph)
  }

  /// Notes an own change that has been made.
  mutating func note<Root>(
    _ record: KeyValueTransactionRecord, _ activity: ReplicaCore<Root>.Activity
  ) {
    note(Level(takingBack: record), activity)
  }

  private mutating func note<Root>(_ level: Level, _ activity: ReplicaCore<Root>.Activity) {
    switch activity {
    case .takingBack: break
    case .undoing: redo.append(level)
    case .redoing: undo.append(level)
    case .recording:
      redo.removeAll()
      undo.append(level)
    }
    undo.keepLast(limit)
  }

  /// Notes an undo or a redo that observers have answered with changes, as one level.
  ///
  /// The level leads to the state before all of it, which those above it fit. Those below fit the state without
  /// the answers, so they follow them: what they take back, they still do.
  ///
  /// - Parameters:
  ///   - record: What was undone or redone.
  ///   - records: It and the answers, in order.
  ///   - activity: Which of both it was.
  ///   - after: The state with the answers.
  ///   - model: What is known of the classes.
  /// - Throws: `KeyValueLogError` if the records don't lead to the state.
  mutating func note<Root>(
    _ record: KeyValueTransactionRecord, answeredBy records: [KeyValueTransactionRecord],
    _ activity: ReplicaCore<Root>.Activity, to after: KeyValueSnapshot, _ model: Model
  ) throws {
    var before = after
    for record in records.reversed() { try before.apply(record.inverse, fittedBy: model) }
    var unanswered = before
    try unanswered.apply(record, fittedBy: model)
    let answers = KeyValueTransactionRecord(
      SnapshotDifference(from: unanswered, to: after, model).edits, isTransaction: true)
    let graph = GraphReader(unanswered, model)
    switch activity {
    case .undoing: undo.follow(answers, Remains(answers), in: graph, .lastWriterWins)
    case .redoing: redo.follow(answers, Remains(answers), in: graph, .lastWriterWins)
    case .recording, .takingBack: break
    }
    let settings = records.reduce(into: Set<Place>()) { $0.formUnion($1.settings) }
    let edits = SnapshotDifference(from: after, to: before, settings: settings, model).edits
    if edits.isEmpty { return }
    note(Level(KeyValueTransactionRecord(edits, isTransaction: true), left: []), activity)
  }

  /// Forgets everything.
  mutating func removeAll() { (undo, redo) = (Stack(), Stack()) }

  mutating func takeUndo() -> Level? { undo.popLast() }
  mutating func takeRedo() -> Level? { redo.popLast() }
  mutating func putBack(undo level: Level) { undo.append(level) }
  mutating func putBack(redo level: Level) { redo.append(level) }

  /// Follows a record that others have made, before it's applied to the graph.
  mutating func follow(_ record: KeyValueTransactionRecord, in graph: GraphReader) {
    follow(record, Remains(record), in: graph)
  }

  /// Follows what a merge changes, before it's applied to the graph.
  mutating func follow(_ merge: Merge, in graph: GraphReader) {
    follow(merge.net, merge.remains, in: graph)
  }

  private mutating func follow(
    _ record: KeyValueTransactionRecord, _ remains: Remains, in graph: GraphReader
  ) {
    // What others have written stays.
    undo.follow(record, remains, in: graph, .custom { _ in .theirs })
    redo.follow(record, remains, in: graph, .custom { _ in .theirs })
  }
}

extension KeyValueTransactionRecord {
  /// One transaction of several, one after the other.
  init(joining records: [KeyValueTransactionRecord]) {
    if records.count == 1 {
      self = records[0]
    } else {
      self.init(records.flatMap(\.edits), isTransaction: true)
    }
  }
}
