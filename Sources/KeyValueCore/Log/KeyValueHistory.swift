/// Steps through the records of a log, on a copy of its graph.
///
/// ```swift
/// let history = try KeyValueHistory(log)
/// company.name = "Analytical Engines"
/// company.employees.removeAll()
/// try history.go(to: 1)
/// print(history.root.name, history.root.employees.count)     // Analytical Engines 3
/// try history.go(to: history.records.count)
/// ```
///
/// The copy follows the log until it's moved, and again when it's moved to the end. It's the same instances
/// throughout, as far as they belong to the graph, so observers of the copy are notified of each step. They can't move
/// the copy meanwhile. What they change of the log's graph is recorded, and a copy that moves to the end goes on to it.
///
/// Threading: use it where the log is used.
///
/// Cost: it keeps all records. A step takes what applying one record takes.
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public final class KeyValueHistory<Root: KeyValueObservable> {
  private let copy: KeyValueChangeLog<Root>
  private var observation: KeyValueObservation?

  /// The records since the history's beginning, the first first.
  public private(set) var records: [KeyValueTransactionRecord] = []
  /// The number of records that the copy has.
  public private(set) var position = 0
  /// Whether records are being applied to the copy.
  private var isMoving = false

  /// Begins a history with the graph's present state.
  ///
  /// - Parameters:
  ///   - log: The log; it isn't retained.
  ///   - classes: As for restoring a snapshot.
  /// - Throws: `KeyValueLogError`, as for restoring a snapshot; `incompleteChange` in a transaction that has changed
  ///   the graph.
  public init(_ log: KeyValueChangeLog<Root>, classes: [KeyValueLogClass] = []) throws {
    // The transaction's record has changes that the snapshot has, too, so it wouldn't fit.
    guard log.core.collector.isComplete else {
      throw KeyValueLogError.incompleteChange(
        .init(
          reason: "KeyValueHistory(_:) was called in a transaction that has changed the graph of "
            + "\(name(of: Root.self))"))
    }
    copy = try KeyValueChangeLog(
      restoring: log.snapshot(), as: Root.self,
      knowing: log.core.classes.adding(classes).withoutPropertyObservers)
    observation = log.observe { [unowned self] in append($0) }
  }

  /// The root of the copy.
  public var root: Root { copy.root }

  private func append(_ record: KeyValueTransactionRecord) {
    records.append(record)
    // A move to the end goes on to the record, and another one leaves it out.
    guard !isMoving, position == records.count - 1 else { return }
    do {
      try move(to: records.count)
    } catch {
      report(error)
    }
  }

  private func report(_ error: any Error) {
    KeyValueViolation.report(
      .tolerated,
      "\(error) So the history's copy stays behind: its objects are for reading, and were changed.")
  }

  /// Makes the copy what the graph was after a number of records.
  ///
  /// - Parameter position: The number of records, from 0 to `records.count`.
  /// - Throws: `KeyValueLogError.invalidEdit` if there is no such position, or if the copy was changed by other
  ///   code; `incompleteChange` in an observer of the copy that is told of a step.
  public func go(to position: Int) throws {
    guard (0...records.count).contains(position) else {
      throw KeyValueLogError.invalidEdit(
        .init(
          reason: "KeyValueHistory.go(to:) takes a position from 0 to \(records.count), the number "
            + "of its records, not \(position)"))
    }
    if isMoving {
      throw KeyValueLogError.incompleteChange(
        .init(
          type: "KeyValueHistory",
          reason: "an observer of the history's copy called go(to:) while the copy was moved"))
    }
    try move(to: position)
  }

  /// Moves the copy; to the end, with the records that come meanwhile.
  private func move(to position: Int) throws {
    isMoving = true
    defer { isMoving = false }
    let isToEnd = position == records.count
    try step(to: position)
    var rounds = 0
    // Observers of the copy may have changed the log's graph.
    while isToEnd, self.position < records.count {
      rounds += 1
      if rounds > DeliveryNesting.limit { return reportLoop() }
      try step(to: records.count)
    }
  }

  private func step(to position: Int) throws {
    while self.position < position {
      try copy.apply(records[self.position])
      self.position += 1
    }
    while self.position > position {
      try copy.apply(records[self.position - 1].inverse)
      self.position -= 1
    }
  }

  private func reportLoop() {
    KeyValueViolation.report(
      .runawayRecursion,
      "Moving a history of \(name(of: Root.self)) to its end leads to new records more than "
        + "\(DeliveryNesting.limit) times: an observer of the copy answers each one with a change of the log's "
        + "graph. Answer only the keys that the observer doesn't set itself, or break the loop.")
  }
}
