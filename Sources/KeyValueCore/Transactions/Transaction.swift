/// Keeps changes of its own of a transaction, such as those that a log will record.
protocol TransactionParticipant: AnyObject {
  /// Entered while the transaction's observers are called; nil if it needn't know that.
  var scope: ChangeScope? { get }
  /// How many changes it has kept.
  var position: Int { get }
  /// Forgets the changes after a position, which have been rolled back.
  func takeBack(to position: Int)
  /// The changes are complete; observers haven't been called yet.
  func transactionEnds()
  /// Observers have been called.
  func transactionEnded()
}

/// The open transaction of a thread, which notifies observances at its end.
///
/// Only the calls wait, and the comparison of collections that paths lead through. The other attachments of
/// observances, and the values of operators, follow each change at once.
// Checked by hand: only its own thread uses a transaction. Another thread can hold one, in a manual
// pair that outlived it, but finds it closed.
final class Transaction: OpenTransaction, @unchecked Sendable {
  // Accesses don't overlap: code that runs other code works on a copy.
  @exclusivity(unchecked) private var entries = TransactionEntries()
  @exclusivity(unchecked) private var levels: [Level] = []
  /// How many entries the innermost part that may be rolled back has found, which it keeps before they change.
  @exclusivity(unchecked) private var protectedCount = 0
  /// The last registration before the transaction.
  private let lastNumber = Observance.lastNumber
  @exclusivity(unchecked) private(set) var isOpen = true
  /// Whether values are being restored, without notifying observers.
  @exclusivity(unchecked) private(set) var isRestoring = false
  private var participants: [any TransactionParticipant] = []
  /// What follows the changes of collections, by the hop of the collection's property.
  @exclusivity(unchecked) private var postponed = IdentityTable<() -> Void>()

  /// One call of `performChanges`; a nested call can fail alone.
  private struct Level {
    /// What taking the level back needs; nil if it isn't rolled back, or has ended.
    var rollback: RollbackLog?
    /// The positions of the participants when the level began, or when they began to take part.
    var positions: [Int]
  }

  /// The transaction that is open on this thread.
  static var current: Transaction? { ThreadContext.current?.transaction as? Transaction }

  // MARK: Levels

  /// Runs several changes as one.
  ///
  /// With `rollingBack`, what was set is restored if the body throws.
  static func perform<Result>(
    rollingBack: Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    let transaction = current ?? open()
    // What is rolled back forgets its notifications, so nothing postponed before it may depend on it.
    if rollingBack {
      transaction.followCollections()
      ThreadContext.current?.endLastingSettings()
      transaction.protectedCount = transaction.entries.count
    }
    transaction.levels.append(
      Level(
        rollback: rollingBack ? RollbackLog(entryCount: transaction.protectedCount) : nil,
        positions: transaction.participants.map(\.position)))
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

  /// Ends the innermost level, and with the outermost one the transaction.
  ///
  /// The level keeps its place until no other code can run. A `deinit` that runs here, or a getter, may perform
  /// changes, which would otherwise find no level around them, and end the transaction themselves.
  private func endLevel(hasFailed: Bool) {
    releaseLevel(hasFailed: hasFailed)
    if levels.count == 1 {
      followCollections()
      ThreadContext.current?.endLastingSettings()
    }
    levels.removeLast()
    guard levels.isEmpty else { return }
    isOpen = false
    ThreadContext.ofThisThread.closeTransaction()
    let participants = participants
    for participant in participants { participant.transactionEnds() }
    let scopes = participants.compactMap(\.scope)
    ChangeScope.enter(scopes)
    tellAll()
    ChangeScope.leave(scopes)
    for participant in participants { participant.transactionEnded() }
  }

  /// Takes the innermost level back if it has failed, and releases what it kept for that.
  ///
  /// Releasing may run a `deinit`, whose changes belong to the transaction. So it happens here, and not where a
  /// variable's life ends.
  private func releaseLevel(hasFailed: Bool) {
    let place = levels.count - 1
    var rollback = levels[place].rollback
    if rollback == nil { return }
    if hasFailed {
      isRestoring = true
      rollback?.restore()
      isRestoring = false
    }
    levels[place].rollback = nil
    rollback?.end()
    let outer = innermostRollback
    protectedCount = outer?.entryCount ?? 0
    var abandoned: [TransactionEntries.Saved] = []
    if let ended = rollback {
      if hasFailed {
        // The entries are taken back first: code that the participants call may change entries, and the outer part
        // has to keep them as they were before this part.
        abandoned = entries.takeBack(to: ended.entryCount, ended.entries)
        for (index, participant) in participants.enumerated() {
          participant.takeBack(to: levels[place].positions[index])
        }
        traceRollback(of: abandoned)
        ended.notifyObservation()
      } else if let outer {
        for (place, saved) in ended.entries { outer.keep(place, saved) }
      }
    }
    // What was stored is released before the values that were kept for observers, also in an optimised build.
    withExtendedLifetime(abandoned) { rollback = nil }
  }

  /// What takes the innermost part back that may be rolled back.
  private var innermostRollback: RollbackLog? { levels.last { $0.rollback != nil }?.rollback }

  /// Lets the part that may be rolled back keep an entry, before it changes.
  @inline(__always)
  private func protect(_ place: Int) {
    if place < protectedCount { keep(place) }
  }

  @inline(never)
  private func keep(_ place: Int) {
    innermostRollback?.keep(place, entries.saved(place))
  }

  /// Makes the paths through changed collections follow them.
  ///
  /// A collection is compared once, however often it has changed (Parity X4). Attaching to the elements that
  /// entered runs getters, which may change a collection again.
  func followCollections() {
    while !postponed.isEmpty {
      let follow = Array(postponed.values)
      postponed = IdentityTable()
      for follow in follow { follow() }
    }
  }

  /// Lets a participant take part until the end, unless it does already.
  func enlist(_ participant: any TransactionParticipant) {
    if participants.contains(where: { $0 === participant }) { return }
    participants.append(participant)
    // What it has kept until now stays, whatever is rolled back.
    for index in levels.indices { levels[index].positions.append(participant.position) }
  }

  /// Whether all that a participant has kept stays, whatever is rolled back.
  func keepsAll(of participant: any TransactionParticipant) -> Bool {
    guard let index = participants.firstIndex(where: { $0 === participant }),
      let level = levels.first(where: { $0.rollback != nil })
    else { return true }
    return participant.position <= level.positions[index]
  }

  /// Notifies every observance once, in registration order; all values are read before the first
  /// callback can change them.
  private func tellAll() {
    let (all, elements) = (entries.all, entries.elements)
    entries.removeAll()
    if all.count == 1 { return tell(all[0], elements) }
    let changed = all.filter(\.hasChanged)
      .sorted { $0.observance.number < $1.observance.number }
    let told = changed.map { entry in
      (
        entry.observance,
        entry.observance.object.map { changes(of: entry, $0, elements) } ?? [], entry.deferral
      )
    }
    // Entries hold old values, which are released only after all observers have been called.
    withExtendedLifetime((all, told)) {
      #if DEBUG || KVO_AUDIT
        let moment = OutdatedDelivery.moment
      #endif
      for (observance, changes, deferral) in told {
        #if DEBUG || KVO_AUDIT
          if let root = observance.object {
            OutdatedDelivery.check(observance, since: moment, root)
          }
        #endif
        tell(observance, changes, deferral, object: nil)
      }
    }
  }

  /// Notifies the only observance that waits.
  private func tell(_ entry: TransactionEntry, _ elements: [UInt64: ChangedElements]) {
    guard entry.hasChanged, let object = entry.observance.object else { return }
    let changes = changes(of: entry, object, elements)
    // As where several are notified, the values are released after the object.
    defer { withExtendedLifetime(changes) {} }
    tell(entry.observance, changes, entry.deferral, object: consume object)
  }

  /// What an observance is told, with the elements that changed, if it asked for them.
  private func changes(
    of entry: TransactionEntry, _ root: AnyObject, _ elements: [UInt64: ChangedElements]
  ) -> [KeyValueObservedChange<KeptValue>] {
    let changes = entry.changes(root)
    guard !elements.isEmpty, changes.count == 1, changes[0].ranges == nil,
      let lent = elements[entry.observance.number]?.lent(by: entry.observance.tree)
    else { return changes }
    return [changes[0].telling(lent)]
  }

  /// Notifies an observance of its changes, unless a callback ends it or its object dies.
  ///
  /// `object` is the observed object, if nothing was called since it was found.
  private func tell(
    _ observance: Observance, _ changes: [KeyValueObservedChange<KeptValue>], _ deferral: UInt64?,
    object: consuming (any KeyValueObservable)?
  ) {
    defer { for change in changes { change.ranges?.endLending() } }
    for change in changes {
      // Reading a new value may have ended the observance.
      guard observance.isActive, let root = object ?? observance.object else { break }
      object = nil
      if deferral != nil { Tracer.thread?.next.deferral = deferral }
      change.deliver(to: observance, of: root, isDeferred: true)
    }
  }

  // MARK: Changes

  /// Records a change of which an observance will be notified, before it happens.
  func begin(_ watch: Watch, _ object: AnyObject, root: AnyObject, _ edit: Edit) {
    guard let place = entries.place(of: watch.observance) else {
      let entry = TransactionEntry(
        watch, object, root: root, edit, mayMissChanges: watch.observance.number > lastNumber)
      // Reading a value may have run code that made another change for this observance.
      guard entries.place(of: watch.observance) == nil else { return }
      // A dying object is gone at the end, so without an entry its observances are notified of each change.
      if watch.observance.object != nil { entries.append(entry) }
      if watch.needs.contains(.prior) {
        KeyValueObservedChange(kind: .setting, oldValue: entry.old, mark: ChangeMark(isPrior: true))
          .deliver(to: watch.observance, of: root)
      }
      return
    }
    if entries.read(at: place, { $0.pointee.takesUnchanged(watch, object, edit) }) { return }
    let missingOld = entries[place].missingOld(watch, object, edit)
    protect(place)
    entries.update(at: place) { $0.begin(watch, object, edit, missingOld: missingOld) }
  }

  func holds(_ observance: Observance) -> Bool { entries.place(of: observance) != nil }

  func isComplete(for observance: Observance, at hop: Hop?) -> Bool {
    guard let place = entries.place(of: observance) else { return false }
    if let hop, !hasPostponed(hop) { return false }
    return entries.read(at: place) { $0.pointee.isComplete }
  }

  var mayRollBack: Bool { levels.contains { $0.rollback != nil } }

  func hasPostponed(_ hop: Hop) -> Bool {
    !postponed.isEmpty && postponed[ObjectIdentifier(hop)] != nil
  }

  func postpone(_ hop: Hop, _ follow: @escaping () -> Void) {
    // What is postponed retains the hop, so that no other one has the same address.
    postponed[ObjectIdentifier(hop)] = follow
  }

  /// Records that a change has happened; returns false if its beginning was rolled back.
  func complete(_ watch: Watch, _ edit: Edit) -> Bool {
    guard let place = entries.place(of: watch.observance) else { return false }
    // A further change adds nothing to the entry, so nothing has to be kept of it.
    if entries.read(at: place, { $0.pointee.isComplete }) { return true }
    protect(place)
    entries.update(at: place) { $0.complete(edit) }
    return true
  }

  func note(_ elements: ChangedElements, of observance: Observance) {
    guard let place = entries.place(of: observance) else { return }
    protect(place)
    entries.elements[observance.number, default: ChangedElements()].formUnion(elements)
  }

  /// Defers an unannounced change to the end; returns false if the observance doesn't wait.
  func defers(unannounced observance: Observance) -> Bool {
    if observance.isImmediate { return false }
    if isRestoring { return true }
    let place =
      entries.place(of: observance) ?? entries.append(TransactionEntry(unannounced: observance))
    protect(place)
    entries.update(at: place) { $0.noteUnannounced() }
    if observance.options.contains(.elementChanges) {
      entries.elements[observance.number, default: ChangedElements()].becomeUnknown()
    }
    if let thread = Tracer.thread {
      let deferral = observance.trace(.deferred, of: observance.object, thread)
      noteDeferral(deferral, of: observance)
    }
    return true
  }

  /// Records the trace event that reported an observance's deferred call.
  func noteDeferral(_ event: UInt64, of observance: Observance) {
    guard let place = entries.place(of: observance) else { return }
    protect(place)
    entries.update(at: place) { $0.deferral = event }
  }

  /// Traces the calls that a rolled-back part leaves out.
  private func traceRollback(of abandoned: [TransactionEntries.Saved]) {
    guard let thread = Tracer.thread else { return }
    let skipped = abandoned.map(\.entry).filter { entry in
      let kept = entries.place(of: entry.observance).flatMap { entries[$0].deferral }
      return entry.deferral != nil && entry.deferral != kept
    }
    for entry in skipped.sorted(by: { $0.observance.number < $1.observance.number }) {
      entry.observance.trace(
        .skipped, .rolledBack, of: entry.observance.object, deferral: entry.deferral, thread)
    }
  }

  /// Records a property's value, before it changes, for levels that may be rolled back.
  func noteOldValue(of object: any KeyValueObservable, _ property: Property) {
    guard !isRestoring, mayRollBack else { return }
    let wanting = levels.compactMap(\.rollback).filter { !$0.holds(object, property) }
    if wanting.isEmpty { return }
    let value = property.captureStored(from: object)
    for rollback in wanting { rollback.note(object, property, value) }
  }
}
