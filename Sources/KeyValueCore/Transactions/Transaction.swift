/// The open transaction of a thread: what observances are to be told at its end.
///
/// Only the calls wait. What observances are attached to, and the values of operators, follow each
/// change at once.
// Checked by hand: a transaction is used only by its own thread; another can hold one, in a manual pair
// that outlived it, and finds it closed.
final class Transaction: OpenTransaction, @unchecked Sendable {
  /// By number, which is the order of registration.
  private var entries: [UInt64: TransactionEntry] = [:]
  private var levels: [Level] = []
  /// The last registration before the transaction.
  private let lastNumber = Observance.lastNumber
  private(set) var isOpen = true
  /// Whether values are being restored, of which observers aren't told.
  private(set) var isRestoring = false
  private var endActions: [(_ isRolledBack: Bool) -> Void] = []

  /// One call of `performChanges`, of which the inner ones may fail alone.
  private struct Level {
    /// What there was to tell when the level began.
    let entries: [UInt64: TransactionEntry]
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
    let all = entries
    entries = [:]
    let changed = all.values.filter(\.hasChanged)
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
    let number = watch.observance.number
    // Reading a value may run code that changes another, so the entry is looked up again.
    guard let entry = entries[number] else {
      let entry = TransactionEntry(
        watch, object, root: root, edit, mayMissChanges: number > lastNumber)
      guard entries[number] == nil else { return }
      entries[number] = entry
      if watch.needs.contains(.prior) {
        KeyValueObservedChange(kind: .setting, oldValue: entry.old, isPrior: true)
          .deliver(to: watch.observance, of: root)
      }
      return
    }
    let missingOld = entry.missingOld(watch, object, edit)
    entries[number]?.begin(watch, object, edit, missingOld: missingOld)
  }

  /// Takes note that a change has happened; false where its beginning was rolled back.
  func complete(_ watch: Watch, _ edit: Edit) -> Bool {
    entries[watch.observance.number]?.complete(edit) != nil
  }

  /// Defers an unannounced change to the end; false if the observance doesn't wait.
  func defers(unannounced observance: Observance) -> Bool {
    if observance.participation == .immediate { return false }
    if isRestoring { return true }
    entries[observance.number, default: TransactionEntry(unannounced: observance)]
      .noteUnannounced()
    if let thread = Tracer.thread {
      let deferral = observance.trace(.deferred, of: observance.object, thread)
      noteDeferral(deferral, of: observance)
    }
    return true
  }

  /// Notes by which event a trace has told that an observance's call waits.
  func noteDeferral(_ event: UInt64, of observance: Observance) {
    entries[observance.number]?.deferral = event
  }

  /// Tells which calls a part that was rolled back leaves out.
  private func traceRollback(of abandoned: [UInt64: TransactionEntry]) {
    guard let thread = Tracer.thread else { return }
    let skipped = abandoned.values.filter { entry in
      entry.deferral != nil && entry.deferral != entries[entry.observance.number]?.deferral
    }
    for entry in skipped.sorted(by: { $0.observance.number < $1.observance.number }) {
      entry.observance.trace(
        .skipped, .rolledBack, of: entry.observance.object, deferral: entry.deferral, thread)
    }
  }

  /// Notes a property's value for levels that may be rolled back, before it changes.
  func noteOldValue(of object: AnyObject, _ watches: WatchList) {
    guard !isRestoring, levels.contains(where: { $0.rollback != nil }) else { return }
    var property: Property?
    watches.forEach { property = property ?? $0.property }
    guard let property, let object = object as? any KeyValueObservable else { return }
    let wanting = levels.compactMap(\.rollback).filter { !$0.holds(object, property) }
    if wanting.isEmpty { return }
    let value = property.capture(from: object)
    for rollback in wanting { rollback.note(object, property, value) }
  }
}
