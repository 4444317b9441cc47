/// The open transaction of a thread: what observances are to be told at its end.
///
/// Only the calls wait. What observances are attached to, and the values of operators, follow each
/// change at once.
// Checked by hand: a transaction is used only by its own thread; another can hold one, in a manual pair
// that outlived it, and finds it closed.
final class Transaction: OpenTransaction, @unchecked Sendable {
  // None of the accesses overlap: what runs other code works on a copy.
  @exclusivity(unchecked) private var entries = TransactionEntries()
  @exclusivity(unchecked) private var levels: [Level] = []
  /// How many levels are rolled back if they fail.
  @exclusivity(unchecked) private var rollbackCount = 0
  /// The last registration before the transaction.
  private let lastNumber = Observance.lastNumber
  @exclusivity(unchecked) private(set) var isOpen = true
  /// Whether values are being restored, of which observers aren't told.
  @exclusivity(unchecked) private(set) var isRestoring = false
  private var endActions: [(_ isRolledBack: Bool) -> Void] = []

  /// One call of `performChanges`, of which the inner ones may fail alone.
  private struct Level {
    /// What there was to tell when the level began.
    let entries: TransactionEntries
    /// Nil where the level is not to be rolled back.
    var rollback: RollbackLog?
  }

  /// The transaction that is open on this thread.
  static var current: Transaction? { ThreadContext.current?.transaction as? Transaction }

  // MARK: Levels

  /// Runs changes as one.
  ///
  /// `rollback` is what is restored when the body throws; nil if nothing is.
  static func perform<Result>(
    _ rollback: RollbackLog?, _ body: () throws -> Result
  ) rethrows -> Result {
    let transaction = current ?? open()
    transaction.levels.append(Level(entries: transaction.entries, rollback: rollback))
    if rollback != nil { transaction.rollbackCount += 1 }
    do {
      let result = try body()
      transaction.endLevel(hasFailed: false)
      return result
    } catch {
      transaction.endLevel(hasFailed: true)
      throw error
    }
  }

  private static func open() -> Transaction {
    let transaction = Transaction()
    ThreadContext.ofThisThread.open(transaction)
    return transaction
  }

  private func endLevel(hasFailed: Bool) {
    let rollback = levels.last?.rollback
    let isRolledBack = hasFailed && rollback != nil
    if isRolledBack {
      isRestoring = true
      rollback?.restore()
      isRestoring = false
    }
    rollback?.end()
    let level = levels.removeLast()
    if rollback != nil { rollbackCount -= 1 }
    let abandoned = entries
    if isRolledBack {
      entries = level.entries
      traceRollback(of: abandoned)
    }
    // What was kept is let go of only here, since a deinit may make changes.
    withExtendedLifetime(abandoned) {}
    guard levels.isEmpty else { return }
    close()
    tellAll()
    let actions = endActions
    endActions = []
    for action in actions { action(isRolledBack) }
  }

  private func close() {
    isOpen = false
    ThreadContext.ofThisThread.closeTransaction()
  }

  /// Runs an action when the observances have been told.
  func atEnd(_ action: @escaping (_ isRolledBack: Bool) -> Void) {
    endActions.append(action)
  }

  /// Tells every observance once, in registration order; all values are read before the first callback
  /// can change them.
  private func tellAll() {
    let all = entries.all
    entries.removeAll()
    // In the order of registration.
    let changed = all.filter(\.hasChanged)
      .sorted { $0.observance.number < $1.observance.number }
    let told = changed.map { entry in
      (entry.observance, entry.observance.object.map(entry.changes) ?? [], entry.deferral)
    }
    // Entries hold old values; what dies with them dies after all observers have been called.
    withExtendedLifetime((all, told)) {
      for (observance, changes, deferral) in told {
        for change in changes {
          guard let root = observance.object else { break }
          if deferral != nil { Tracer.thread?.next.deferral = deferral }
          change.deliver(to: observance, of: root, isDeferred: true)
        }
      }
    }
  }

  // MARK: Changes

  /// Notes, before it happens, a change that an observance will hear of.
  func begin(_ watch: Watch, _ object: AnyObject, root: AnyObject, _ edit: Edit) {
    guard let place = entries.place(of: watch.observance) else {
      let entry = TransactionEntry(
        watch, object, root: root, edit, mayMissChanges: watch.observance.number > lastNumber)
      // Reading a value may have run code that changes another, which this observance hears of as well.
      guard entries.place(of: watch.observance) == nil else { return }
      entries.append(entry)
      if watch.needs.contains(.prior) {
        KeyValueObservedChange(kind: .setting, oldValue: entry.old, isPrior: true)
          .deliver(to: watch.observance, of: root)
      }
      return
    }
    if entries.read(at: place, { $0.takesUnchanged(watch, object, edit) }) { return }
    let missingOld = entries[place].missingOld(watch, object, edit)
    entries.update(at: place) { $0.begin(watch, object, edit, missingOld: missingOld) }
  }

  /// Takes note that a change has happened; false where its beginning was rolled back.
  func complete(_ watch: Watch, _ edit: Edit) -> Bool {
    guard let place = entries.place(of: watch.observance) else { return false }
    entries.update(at: place) { $0.complete(edit) }
    return true
  }

  /// Defers an unannounced change to the end; false if the observance doesn't wait.
  func defers(unannounced observance: Observance) -> Bool {
    if observance.participation == .immediate { return false }
    if isRestoring { return true }
    let place =
      entries.place(of: observance) ?? entries.append(TransactionEntry(unannounced: observance))
    entries.update(at: place) { $0.noteUnannounced() }
    if let thread = Tracer.thread {
      let deferral = observance.trace(.deferred, of: observance.object, thread)
      noteDeferral(deferral, of: observance)
    }
    return true
  }

  /// Notes by which event a trace has told that an observance's call waits.
  func noteDeferral(_ event: UInt64, of observance: Observance) {
    guard let place = entries.place(of: observance) else { return }
    entries.update(at: place) { $0.deferral = event }
  }

  /// Tells which calls a part that was rolled back leaves out.
  private func traceRollback(of abandoned: TransactionEntries) {
    guard let thread = Tracer.thread else { return }
    let skipped = abandoned.all.filter { entry in
      let kept = entries.place(of: entry.observance).flatMap { entries[$0].deferral }
      return entry.deferral != nil && entry.deferral != kept
    }
    for entry in skipped.sorted(by: { $0.observance.number < $1.observance.number }) {
      entry.observance.trace(
        .skipped, .rolledBack, of: entry.observance.object, deferral: entry.deferral, thread)
    }
  }

  /// Notes a property's value for levels that may be rolled back, before it changes.
  func noteOldValue(of object: AnyObject, _ watches: WatchList) {
    guard rollbackCount > 0, !isRestoring else { return }
    var property: Property?
    watches.forEach { property = property ?? $0.property }
    guard let property, let object = object as? any KeyValueObservable else { return }
    let wanting = levels.compactMap(\.rollback).filter { !$0.holds(object, property) }
    if wanting.isEmpty { return }
    let value = property.capture(from: object)
    for rollback in wanting { rollback.note(object, property, value) }
  }
}
