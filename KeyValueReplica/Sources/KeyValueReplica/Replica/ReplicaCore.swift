import Foundation
@_spi(Replication) import KeyValueCore
import Synchronization

/// What a replica does; confined to the replica's actor.
///
/// It sends and receives in one loop, the pump, one step at a time: either own transactions go to the store, or
/// others' records come from it. Only the loop changes the position; own changes are added behind it at any time
/// between its steps.
final class ReplicaCore<Root: KeyValueObservable>: @unchecked Sendable {
  let log: KeyValueChangeLog<Root>
  let rootID: KeyValueObjectID
  let store: any LogStore
  let document: String
  let options: KeyValueReplicaOptions
  let model: Model
  let telemetry: Telemetry

  /// What has been applied: everything up to here.
  var position: LogPosition {
    didSet { if position.revision != oldValue.revision { revisionChanged(position.revision) } }
  }
  /// The newest revision that is known.
  var head: Int64
  /// The first revision that the graph lacks because this program can't read it.
  var unreadable: Int64?
  /// Own transactions that aren't acknowledged, in order; the graph has them already.
  var queue = PendingQueue()
  /// The document's state with what the program doesn't know, while the document is of a newer schema.
  var mirror: KeyValueSnapshot?
  var newerSchema: Int?
  /// The newer program's values that keys can't have here.
  var misfits: [Place: KeyValueLogValue] = [:]
  var undoing: UndoStacks
  /// The objects that values have inside, so that these can't leave.
  var innerObjects: InnerObjects
  /// This program's names of classes, by the names that records have.
  private var classNames: [String: String] = [:]
  /// The own records of the change in progress, which become one level of `undo()`.
  private var levelInProgress: [KeyValueTransactionRecord] = []
  /// The own records of the change in progress that can't be sent, and are taken back when it's over.
  private var refused: [KeyValueTransactionRecord] = []
  let queueFile: QueueFile?

  private(set) var status = KeyValueReplicaStatus.current
  var statusChanged: (KeyValueReplicaStatus) -> Void = { _ in }
  var revisionChanged: (Int64) -> Void = { _ in }
  /// Called with the conflicts that were met and the last ones of all.
  var conflictsFound: ([KeyValueReplicaConflict], [KeyValueReplicaConflict]) -> Void = { _, _ in }
  private(set) var conflicts: [KeyValueReplicaConflict] = []
  /// Why own changes were taken back; the next `flush` throws the first one.
  private(set) var failures: [(number: UInt64, error: KeyValueReplicaError)] = []
  var waiters: [FlushWaiter] = []
  let bell = Bell()
  /// Rings when the queue's file isn't what the queue is.
  let fileBell = Bell()
  /// The writing of the queue's file that is under way.
  var keeping: Task<Bool, Never>?
  /// What was sent and neither acknowledged nor refused.
  var unacknowledged: [LogTransaction]?
  /// The records that the replica applies itself, until the log delivers them.
  var expected: [KeyValueRecordID: Activity] = [:]
  /// The own changes that an `undo` or a `redo` in progress has made: its own and observers' answers.
  var performed: [KeyValueTransactionRecord]?
  /// The graph has changes that are neither confirmed nor in the queue.
  var needsRestore = false
  /// How often restoring has written values of new keys since it last came to an end.
  var completions = 0
  /// Whether the loop's last step was to send.
  var isSending = false
  /// Whether `close` was called: what is changed from then on isn't sent.
  var isClosing = false
  /// When it's tried again to send, if that has failed.
  var sendingIsDue: ContinuousClock.Instant?
  /// Such changes are being taken back.
  var isTakingBack = false
  /// How many changes have been taken back without one being taken in between.
  private var takenBackInRow = 0
  private var observation: KeyValueObservation?
  private var pump: Task<Void, Never>?
  /// The replica is gone; the objects are ordinary ones, whatever the loop's step still does.
  private let isLetGo = Atomic(false)

  /// Why an own change is made.
  enum Activity {
    case recording
    /// A change is taken back because it can't be sent.
    case takingBack
    case undoing
    case redoing
  }

  init(
    _ log: KeyValueChangeLog<Root>, _ store: any LogStore, _ document: String,
    at position: LogPosition, keepingQueueIn queueFile: QueueFile?,
    _ options: KeyValueReplicaOptions
  ) throws {
    guard let id = log.id(of: log.root) else {
      throw KeyValueReplicaError.unfit("its root doesn't belong to it")
    }
    self.log = log
    rootID = id
    self.store = store
    self.document = document
    self.position = position
    head = position.revision
    self.options = options
    model = Model(log)
    innerObjects = InnerObjects(model)
    telemetry = Telemetry(document, options)
    undoing = UndoStacks(limit: options.levelsOfUndo)
    self.queueFile = queueFile
  }

  var reader: GraphReader { GraphReader(log, root: rootID) }

  /// A record with this program's names of classes: another program's may differ.
  func renamed(_ record: KeyValueTransactionRecord) -> KeyValueTransactionRecord {
    var record = record
    for (index, edit) in record.edits.enumerated() {
      switch edit {
      case .create(let id, let name, let values) where presentName(name) != name:
        record.edits[index] = .create(id, class: presentName(name), values: values)
      case .delete(let id, let name, let values) where presentName(name) != name:
        record.edits[index] = .delete(id, class: presentName(name), values: values)
      default: break
      }
    }
    return record
  }

  /// A state with this program's names of classes.
  func withPresentNames(_ state: KeyValueSnapshot) -> KeyValueSnapshot {
    var renamed = state
    for (id, object) in state.objects {
      let name = presentName(object.class)
      if name != object.class { renamed.objects[id]!.class = name }
    }
    return renamed
  }

  private func presentName(_ name: String) -> String {
    if let known = classNames[name] { return known }
    let present = log.presentName(ofClass: name) ?? name
    classNames[name] = present
    return present
  }

  // MARK: Life

  func start(isolation: isolated any Actor) {
    observation = log.observe { [unowned self] in recorded($0) }
    log.whenChangesEnd { [unowned self] in
      endLevel()
      takeBackRefused()
    }
    pump = Task {
      // Captured, so that the loop runs on the replica's actor.
      _ = isolation
      await run(isolation: isolation)
    }
    guard let queueFile, let pump else { return }
    Task {
      _ = isolation
      await runKeeping(isolation: isolation)
      // A closed replica may be held on, and others take its file over.
      await pump.value
      queueFile.leave()
    }
  }

  /// Ends the loop; safe to call from everywhere.
  func stop() {
    pump?.cancel()
    bell.end()
    fileBell.end()
  }

  /// Ends the loop because the replica is released; safe to call from everywhere.
  func letGo() {
    isLetGo.store(true, ordering: .relaxed)
    stop()
  }

  func end(_ error: KeyValueReplicaError) {
    setStatus(.ended(error))
    failWaiters(error)
  }

  func setStatus(_ new: KeyValueReplicaStatus) {
    if new == status { return }
    if case .ended = status { return }
    status = new
    telemetry.note(new)
    statusChanged(new)
  }

  /// What the status is when nothing is in the way.
  func settleStatus() {
    if case .ended = status { return }
    if let newerSchema {
      return setStatus(.readOnly(schema: newerSchema))
    }
    if head > position.revision { return setStatus(.behind(Int(head - position.revision))) }
    setStatus(queue.isEmpty ? .current : .sending(queue.count))
  }

  // MARK: Conflicts

  func met(_ new: [KeyValueReplicaConflict]) {
    telemetry.met(new)
    conflicts = Array((conflicts + new).suffix(100))
    setStatus(.conflict(new))
    conflictsFound(new, conflicts)
  }

  // MARK: Waiting

  /// Why the transactions of the queue can't be sent by this program; nil if they can.
  var unsendable: KeyValueReplicaError? {
    guard let newerSchema, !queue.isEmpty else { return nil }
    return .readOnly(expected: options.schema, found: newerSchema, waiting: queue.count)
  }

  var unacknowledgedError: KeyValueReplicaError {
    .unreachable(
      queue.count == 1
        ? "a transaction isn't acknowledged" : "\(queue.count) transactions aren't acknowledged")
  }

  /// Notes that an own transaction was taken back.
  func note(_ error: KeyValueReplicaError, of number: UInt64) {
    for waiter in waiters where waiter.number >= number && waiter.failure == nil {
      waiter.failure = error
    }
    // Without a `flush` nothing asks for them.
    if failures.count >= 100 { failures.removeFirst() }
    failures.append((number, error))
  }

  /// Notes that an own transaction was taken back for another reason than a conflict.
  func noteTakenBack(_ number: UInt64, _ error: KeyValueReplicaError) {
    note(error, of: number)
    telemetry.takenBack(error)
  }

  func finishWaiters() {
    let done = queue.doneNumber
    let finished = waiters.filter { $0.number <= done }
    guard let last = finished.map(\.number).max() else { return }
    waiters.removeAll { $0.number <= done }
    failures.removeAll { $0.number <= last }
    for waiter in finished {
      waiter.finish(waiter.failure.map { .failure($0) } ?? .success(()))
    }
  }

  func failWaiters(_ error: KeyValueReplicaError) {
    for waiter in waiters { waiter.finish(.failure(error)) }
    waiters = []
  }

  /// Ends the waiting of `close`, which doesn't wait for a store that is away.
  func failClosingWaiters() {
    for waiter in waiters where waiter.isClosing { waiter.finish(.failure(unacknowledgedError)) }
    waiters.removeAll { $0.isClosing }
  }

  // MARK: Own changes

  /// Why an own change would be taken back; nil if it would be sent.
  var obstacle: KeyValueReplicaError? {
    if case .ended(let error) = status { return error }
    if isClosing { return .closed }
    if let newerSchema { return .readOnly(expected: options.schema, found: newerSchema) }
    if queue.count >= options.maximumPending { return .queueFull(limit: options.maximumPending) }
    return nil
  }

  /// Why an own change would keep every program from reading the document.
  ///
  /// - Parameter record: The change's record, which has been noted.
  /// - Returns: The reason; nil if it wouldn't.
  func unreadability(of record: KeyValueTransactionRecord) -> KeyValueReplicaError? {
    if let (id, name, place) = innerObjects.left(by: record) {
      return unreadable(place, "has \(name) \("\(id)".prefix(8)) inside")
    }
    for edit in record.edits {
      switch edit {
      case .set(let id, let key, .reference(let target), .null):
        guard let name = log.className(of: id), innerObjects.isUnowned(key, name) else { break }
        return unreadable(
          Place(id, key), "can't be nil and refers to \("\(target)".prefix(8))")
      case .create(let id, _, let values):
        guard let name = log.className(of: id) else { break }
        let lacking = values.filter { $0.value == .null && innerObjects.isUnowned($0.key, name) }
        guard let key = lacking.keys.min() else { break }
        return .unfit(
          "\(described(Place(id, key))) can't be nil and refers to an object that isn't in the document, and no "
            + "program could read the value. The change was taken back: put that object into the document first, or "
            + "in the same transaction.")
      default: break
      }
    }
    return nil
  }

  private func unreadable(_ place: Place, _ reason: String) -> KeyValueReplicaError {
    .unfit(
      "\(described(place)) \(reason), and no program could read the value if that object left. The change was taken "
        + "back: set \(place.key) first, or in the same transaction.")
  }

  private func described(_ place: Place) -> String {
    "\(log.className(of: place.id) ?? "").\(place.key) of \("\(place.id)".prefix(8))"
  }

  /// Notes an own change for `undo()`; one that leaves everything as it was is no level.
  ///
  /// What property observers and observers change in answer is recorded separately, and belongs to the level.
  func noteLevel(_ records: [KeyValueTransactionRecord], _ activity: Activity) {
    if log.cancelOut(records) { return }
    undoing.note(records, activity)
  }

  /// Whether a change is in progress that `undo()` will take back.
  var isChanging: Bool { !levelInProgress.isEmpty && !log.cancelOut(levelInProgress) }

  /// Makes a level of what has been recorded since the last one.
  func endLevel() {
    if levelInProgress.isEmpty { return }
    let records = levelInProgress
    levelInProgress = []
    noteLevel(records, .recording)
  }

  /// An own change has been made.
  private func recorded(_ record: KeyValueTransactionRecord) {
    innerObjects.note(record) { log.className(of: $0) }
    guard record.origin == .local, !isLetGo.load(ordering: .relaxed) else { return }
    let activity = expected.removeValue(forKey: record.id) ?? .recording
    if case .takingBack = activity { return }
    if let error = obstacle ?? unreadability(of: record) { return refuse(record, error) }
    takenBackInRow = 0
    queue.append(record)
    if performed != nil {
      performed!.append(record)
    } else if case .recording = activity {
      levelInProgress.append(record)
    } else {
      endLevel()
      noteLevel([record], activity)
    }
    switch status {
    case .current, .sending: setStatus(.sending(queue.count))
    default: break
    }
    fileBell.ring()
    bell.ring()
  }

  /// Has the loop make the graph what is confirmed and in the queue.
  private func restoreSoon() {
    takenBackInRow = 0
    needsRestore = true
    bell.ring()
  }

  /// Notes an own change that has to be taken back.
  private func refuse(_ record: KeyValueTransactionRecord, _ error: KeyValueReplicaError) {
    queue.skip()
    noteTakenBack(queue.lastNumber, error)
    refused.append(record)
  }

  /// Takes a change back that is over, with what observers have changed in answer.
  private func takeBackRefused() {
    if refused.isEmpty { return }
    let inverse = KeyValueTransactionRecord(joining: refused).inverse
    refused = []
    takenBackInRow += 1
    // Observers that answer each change with another one would go on until the log reports them, after 64 rounds.
    guard takenBackInRow < 30 else { return restoreSoon() }
    expected[inverse.id] = .takingBack
    do {
      try log.apply(inverse, runsPropertyObservers: options.runsPropertyObservers)
    } catch {
      expected[inverse.id] = nil
      telemetry.error("a change couldn't be taken back", error)
      restoreSoon()
    }
  }
}

/// Rings when there's something to do.
final class Bell: Sendable {
  private let rings: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (rings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func ring() { continuation.yield() }
  func end() { continuation.finish() }

  /// Waits until the bell rings; false once it has ended.
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    var iterator = rings.makeAsyncIterator()
    return await iterator.next(isolation: isolation) != nil
  }
}
