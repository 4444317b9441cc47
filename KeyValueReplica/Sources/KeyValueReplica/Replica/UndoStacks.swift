@_spi(Replication) import KeyValueCore

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
    private lazy var record = translated ?? KeyValueTransactionRecord(joining: taken).inverse
    private let taken: [KeyValueTransactionRecord]
    private let translated: KeyValueTransactionRecord?
    private let takenIDs: [KeyValueRecordID]

    /// Takes records back that have just been made; most are never asked for it.
    init(takingBack records: [KeyValueTransactionRecord]) {
      (taken, translated, takenIDs, left) = (records, nil, [], [])
    }

    init(
      _ record: KeyValueTransactionRecord, takingBack records: [KeyValueRecordID] = [],
      left: [KeyValueReplicaConflict]
    ) {
      (taken, translated, takenIDs, self.left) = ([], record, records, left)
    }

    /// The own records, in order, that the level takes back exactly; none once it has followed others' records.
    var records: [KeyValueRecordID] { taken.map(\.id) + takenIDs }

    /// Whether nothing is left to take back.
    var isEmpty: Bool { transaction.record.edits.isEmpty }
  }

  /// The levels of one direction.
  struct Stack {
    /// The last one fits the graph.
    private(set) var levels: [Level] = []
    /// What the levels have to do with, and possibly what earlier ones had.
    private var mentions = Mentions()
    /// How many of the levels, from the first, are among the mentions.
    private var mentionedCount = 0

    init() {}

    /// - Parameter order: The levels, the first to be applied first.
    private init(_ order: [Level]) {
      // Of one that has nothing left to take back, there may be something to say.
      levels = order.reversed().filter { !$0.isEmpty || !$0.left.isEmpty }
    }

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
      // The first to be applied is the last of the stack.
      let order = Array(levels.reversed())
      do {
        guard let followed = try Self.followed(order, by: record, remains, in: graph, rule)
        else { return }
        self = Stack(followed)
      } catch {
        removeAll()
      }
    }

    /// What becomes of levels that follow a record, the first to be applied first.
    ///
    /// - Returns: A level for each; nil if none has to do with the record.
    private static func followed(
      _ levels: [Level], by record: KeyValueTransactionRecord, _ remains: Remains,
      in graph: GraphReader, _ rule: KeyValueConflictRule
    ) throws -> [Level]? {
      // They aren't in the graph, so nothing is taken back first.
      let outcomes = try Merge.translate(
        levels.map(\.transaction), over: record, remains, in: graph, rule)
      if outcomes.isEmpty { return nil }
      // An own answer leaves nothing that others have changed.
      let isOwn = if case .local = record.origin { true } else { false }
      var result: [Level] = []
      for (index, level) in levels.enumerated() {
        switch outcomes[index] {
        case nil: result.append(level)
        case .kept(let record, let met):
          let isSame = met.isEmpty && record.edits == level.transaction.record.edits
          result.append(isSame ? level : Level(record, left: level.left + (isOwn ? [] : met)))
        case .emptied(let met), .rejected(let met):
          result.append(
            Level(KeyValueTransactionRecord([]), left: level.left + (isOwn ? [] : met)))
        }
      }
      return result
    }

    /// Follows a merge before it's applied to the graph.
    ///
    /// The last levels may take back transactions that the merge has made again, on what others have written: they
    /// become what takes these back, also where the graph stays as it was. Those below fit the graph without the
    /// transactions, and follow its change.
    mutating func follow(
      _ merge: Merge, in graph: GraphReader, _ rule: KeyValueConflictRule
    ) {
      let (count, first) = madeAgain(by: merge)
      if count == 0 {
        follow(merge.net, merge.remains, in: graph, rule)
        return detach(from: merge)
      }
      let order = Array(levels.suffix(count).reversed())
      // What of them others have changed is left, as far as they don't take it back.
      let followed =
        (try? Self.followed(order, by: merge.net, merge.remains, in: graph, rule)) ?? order
      var result: [Level] = []
      var end = merge.pending.count
      for (level, other) in zip(order, followed) {
        let indexes = (end - level.records.count)..<end
        end = indexes.lowerBound
        if indexes.contains(where: { merge.outcomes[$0] != nil }) {
          let records = indexes.compactMap { merge.record(at: $0) }
          let inverse = KeyValueTransactionRecord(joining: records).inverse
          let left = other.left.filter { !inverse.concerns($0) }
          result.append(Level(inverse, takingBack: records.map(\.id), left: left))
        } else {
          result.append(level)
        }
      }
      var lower = Stack(levels.dropLast(count).reversed())
      if !lower.levels.isEmpty {
        do {
          let (change, rest) = try merge.change(ofFirst: first, in: graph)
          lower.follow(change, merge.remains, in: rest, rule)
          lower.detach(from: merge)
        } catch {
          lower.removeAll()
        }
      }
      self = Stack(result + lower.levels.reversed())
    }

    /// Forgets which records levels take back that a merge has made again: they may be others now.
    private mutating func detach(from merge: Merge) {
      let changed = Set(merge.outcomes.keys.map { merge.pending[$0].record.id })
      for (index, level) in levels.enumerated()
      where level.records.contains(where: { changed.contains($0) }) {
        levels[index] = Level(level.transaction.record, left: level.left)
      }
    }

    /// The last levels, as far as they take back the last pending transactions and a merge has made these again.
    ///
    /// - Returns: How many levels, and the index of the first of their transactions.
    private func madeAgain(by merge: Merge) -> (count: Int, first: Int) {
      var result = (count: 0, first: merge.pending.count)
      var (count, end) = (0, merge.pending.count)
      for level in levels.reversed() {
        let start = end - level.records.count
        guard start >= 0,
          merge.pending[start..<end].map(\.record.id) == level.records,
          !level.records.isEmpty || level.isEmpty
        else { break }
        count += 1
        if (start..<end).contains(where: { merge.outcomes[$0] != nil }) {
          result = (count: count, first: start)
        }
        end = start
      }
      return result
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

  /// Notes an own change that has been made, with what was changed in answer.
  mutating func note<Root>(
    _ records: [KeyValueTransactionRecord], _ activity: ReplicaCore<Root>.Activity
  ) {
    note(Level(takingBack: records), activity)
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
    let level = Level(
      KeyValueTransactionRecord(edits, isTransaction: true), takingBack: records.map(\.id),
      left: [])
    note(level, activity)
  }

  /// Forgets everything.
  mutating func removeAll() { (undo, redo) = (Stack(), Stack()) }

  mutating func takeUndo() -> Level? { undo.popLast() }
  mutating func takeRedo() -> Level? { redo.popLast() }
  mutating func putBack(undo level: Level) { undo.append(level) }
  mutating func putBack(redo level: Level) { redo.append(level) }

  /// Follows a record that others have made, before it's applied to the graph.
  mutating func follow(_ record: KeyValueTransactionRecord, in graph: GraphReader) {
    undo.follow(record, Remains(record), in: graph, Self.othersStay)
    redo.follow(record, Remains(record), in: graph, Self.othersStay)
  }

  /// Follows a merge before it's applied to the graph.
  mutating func follow(_ merge: Merge, in graph: GraphReader) {
    undo.follow(merge, in: graph, Self.othersStay)
    redo.follow(merge, in: graph, Self.othersStay)
  }

  /// What others have written stays.
  private static let othersStay = KeyValueConflictRule.custom { _ in .theirs }
}

extension KeyValueTransactionRecord {
  /// Whether the record changes what a conflict is about; of a collection that it changes in part, whether it puts the
  /// same object in, because the conflict doesn't say which entry or element it's about.
  fileprivate func concerns(_ conflict: KeyValueReplicaConflict) -> Bool {
    edits.contains { edit in
      guard edit.id == conflict.object else { return false }
      guard let key = edit.key else { return true }
      guard key == conflict.key else { return false }
      guard case .reference(let object)? = conflict.mine else {
        if case .set = edit { return true }
        return false
      }
      var isWritten = false
      edit.forEachWrittenReference { isWritten = isWritten || $0 == object }
      return isWritten
    }
  }

  /// One transaction of several, one after the other.
  init(joining records: [KeyValueTransactionRecord]) {
    if records.count == 1 {
      self = records[0]
    } else {
      self.init(records.flatMap(\.edits), isTransaction: true)
    }
  }
}
