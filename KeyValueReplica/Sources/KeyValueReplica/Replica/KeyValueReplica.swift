import Foundation
@_spi(Replication) import KeyValueCore
import KeyValueObserving

/// One of several living copies of a model, in several processes and machines.
///
/// A document is a graph of observable objects. Each process that opens it has the whole graph as ordinary
/// objects. What one changes, the others' observers are told as if it had been changed there: kinds, indexes, old
/// and new values, once for each transaction.
///
/// ```swift
/// let replica = try await KeyValueReplica.open(
///   Company.self, document: "acme", in: .sqlite(path: "acme.kvo"))
/// let company = replica.root
/// company.employees.append(Employee("Ada"))        // visible at once, and sent as one transaction
/// try await replica.flush()                        // acknowledged: it survives a crash
/// ```
///
/// Own changes are made at once, and sent in order. When others' came first, the own ones that aren't
/// acknowledged are taken back, theirs are applied, and the own ones are made again; observers are notified of
/// the difference. Where both have changed the same, `options.conflictRule` decides.
///
/// Threading: a replica and its objects are used on the actor on which the replica was opened. A replica that has been
/// closed is released there, too, while its objects are in use.
///
/// Cost: an own change costs what a ``KeyValueChangeLog`` costs, and some hundred nanoseconds. It's encoded and
/// sent on other threads.
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
@KeyValueObservable
public final class KeyValueReplica<Root: KeyValueObservable> {
  /// How the replica stands to the document.
  public private(set) var status: KeyValueReplicaStatus = .current
  /// The document's revision that the graph has: the number of transactions since the document was made.
  public private(set) var revision: Int64 = 0

  /// The last conflicts that own transactions met, at most 100, the oldest first.
  ///
  /// `status` is `conflict` only for a moment; this stays for those that look later.
  public private(set) var conflicts: [KeyValueReplicaConflict] = []
  /// What was met last; `onConflict` observes it.
  private var met: [KeyValueReplicaConflict] = []

  @KeyValueIgnored private let core: ReplicaCore<Root>
  @KeyValueIgnored private let actor: any Actor

  private init(_ core: ReplicaCore<Root>, _ actor: any Actor) {
    self.core = core
    self.actor = actor
    revision = core.position.revision
    conflicts = core.conflicts
    core.conflictsFound = { [weak self] conflicts, all in
      self?.conflicts = all
      self?.met = conflicts
    }
    core.statusChanged = { [weak self] in self?.status = $0 }
    core.revisionChanged = { [weak self] in self?.revision = $0 }
  }

  deinit { core.letGo() }

  /// The object that leads to all others.
  public var root: Root { core.log.root }

  // MARK: Opening

  /// Opens a document, or makes it.
  ///
  /// A document that doesn't exist begins with one root, made by `init()` or by the function in `classes`.
  ///
  /// - Parameters:
  ///   - type: The root's class.
  ///   - document: The document's name in the store.
  ///   - store: Where the document is kept.
  ///   - options: How the replica takes part.
  ///   - classes: Classes whose objects take more than `init()` to make, or that were renamed, and those that
  ///     can't be found. The replica finds the classes that stored keys' types mention, and subclasses of these that
  ///     are neither private nor local nor generic.
  ///   - isolation: The actor on which the replica and its objects are used.
  /// - Returns: The replica, current as of the call.
  /// - Throws: ``KeyValueReplicaError``, or `KeyValueLogError` if the document doesn't fit the classes.
  public static func open(
    _ type: Root.Type, document: String, in store: some LogStore,
    options: KeyValueReplicaOptions = KeyValueReplicaOptions(), classes: [KeyValueLogClass] = [],
    isolation: isolated any Actor = #isolation
  ) async throws -> KeyValueReplica<Root> {
    do {
      let opening = Opening(type, document, store, options, classes)
      let (core, isSnapshotDue) = try await opening.core(isolation: isolation)
      let replica = KeyValueReplica(core, isolation)
      core.start(isolation: isolation)
      core.settleStatus()
      if isSnapshotDue { await core.keepDueSnapshot(isolation: isolation) }
      return replica
    } catch let error as LogError {
      throw KeyValueReplicaError(error)
    }
  }

  // MARK: Sending

  /// Waits until everything that was changed before the call is acknowledged.
  ///
  /// While the store can't be reached it waits on; cancel the task to give up. The changes stay in the queue. A call
  /// that an observer makes waits for the change, too, of which the observer is told.
  ///
  /// - Throws: ``KeyValueReplicaError`` if one of the changes was taken back, or can't be sent.
  public func flush(isolation: isolated (any Actor)? = #isolation) async throws {
    // The log has the record of a change when the observers have been told of it.
    if core.log.isChanging { await Task.yield() }
    switch core.status {
    case .ended(let error), .refused(let error): throw error
    default: break
    }
    try await wait(isClosing: false)
  }

  private func wait(
    isClosing: Bool, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    if let error = core.unsendable { throw error }
    if core.queue.isEmpty, core.failures.isEmpty { return }
    // All that was noted is of transactions before the call, unless it has waited for a change.
    let waiter = FlushWaiter(
      core.queue.lastNumber, isClosing: isClosing, failure: core.failures.first?.error)
    core.waiters.append(waiter)
    defer { core.waiters.removeAll { $0 === waiter } }
    // What is done already is known without the store.
    core.finishWaiters()
    core.bell.ring()
    try await waiter.wait()
  }

  /// Sends what can be sent, and takes no part any more: what is changed from the call on is taken back.
  ///
  /// It doesn't wait for a store that can't be reached, or goes away meanwhile: what isn't acknowledged stays in the
  /// queue's file, if there's one. A call that an observer makes begins when the actor is free, so it sends the
  /// change, too, of which the observer is told.
  ///
  /// - Throws: As `flush()`, or `unreachable`; the replica is closed all the same.
  public func close(isolation: isolated (any Actor)? = #isolation) async throws {
    defer {
      core.end(.closed)
      core.stop()
    }
    // As in `flush()`.
    if core.log.isChanging { await Task.yield() }
    if case .ended = core.status { return }
    core.isClosing = true
    do {
      switch core.status {
      case .offline where !core.queue.isEmpty: throw core.unacknowledgedError
      case .refused(let error) where !core.queue.isEmpty: throw error
      default: try await wait(isClosing: true)
      }
    } catch {
      await core.keepQueue(isolation: actor)
      throw error
    }
  }

  /// Keeps a snapshot of the document now, so that a replica that is opened reads less.
  ///
  /// Snapshots are also kept by themselves, each after `options.snapshotInterval` transactions. A call that an
  /// observer makes waits until the change is over of which the observer is told.
  ///
  /// - Throws: ``KeyValueReplicaError``; `refused` also while the graph lacks a record that this program can't read,
  ///   or has changes that may have to be taken back.
  public func saveSnapshot(isolation: isolated (any Actor)? = #isolation) async throws {
    // While observers are told of a change, the graph has it, and the queue doesn't; while those of the revision are
    // told of others' changes, the position has the transaction before.
    await Task.yield()
    do {
      try await core.saveSnapshot(isolation: actor)
    } catch let error as LogError {
      throw KeyValueReplicaError(error)
    }
  }

  // MARK: Conflicts

  /// Calls a handler with the conflicts that own transactions meet, however they're resolved.
  ///
  /// ```swift
  /// let observation = replica.onConflict { conflicts in print(conflicts) }
  /// ```
  ///
  /// - Parameter handler: Called on the replica's actor, after the graph has changed.
  /// - Returns: The token; the handler is called as long as it's kept. There can be several.
  public func onConflict(
    _ handler: @escaping ([KeyValueReplicaConflict]) -> Void
  ) -> KeyValueObservation {
    kvo.met.observe(options: .new) { _, change in
      if let conflicts = change.newValue { handler(conflicts) }
    }
  }

  // MARK: Undo

  /// Whether there's an own transaction to take back.
  public var canUndo: Bool { core.isChanging || !core.undoing.undo.levels.isEmpty }
  /// Whether there's a transaction that was taken back.
  public var canRedo: Bool { !core.isChanging && !core.undoing.redo.levels.isEmpty }

  /// Takes the last own transaction back, in a new one.
  ///
  /// Others' changes stay: what another writer has changed since isn't taken back. What observers change in answer
  /// is taken back and made again with the transaction.
  ///
  /// - Returns: What stays because others have changed it since.
  /// - Throws: ``KeyValueReplicaError`` if no change is taken at present, such as `readOnly` and `queueFull`;
  ///   `KeyValueLogError.incompleteChange` inside a transaction, and another `KeyValueLogError` if the transaction
  ///   can't be taken back. Nothing has changed then, and `undo()` can be called again.
  @discardableResult
  public func undo() throws -> [KeyValueReplicaConflict] { try core.undo() }

  /// Makes the transaction again that was taken back last.
  ///
  /// - Returns: What isn't made again because others have changed it since.
  /// - Throws: As `undo()`; nothing has changed then.
  @discardableResult
  public func redo() throws -> [KeyValueReplicaConflict] { try core.redo() }

  // MARK: Objects

  /// An object's id, which is the same in all replicas; nil if it doesn't belong to the document.
  public func id(of object: some KeyValueObservable) -> KeyValueObjectID? {
    core.log.id(of: object)
  }

  /// The object with an id; nil if it doesn't belong to the document.
  public func object(_ id: KeyValueObjectID) -> (any KeyValueObservable)? { core.log.object(id) }

  /// A snapshot of the graph, with the own changes that aren't acknowledged.
  ///
  /// - Throws: `KeyValueLogError.notLoggable` if a value can't be written.
  /// - Complexity: O(*n*), where *n* is the number of values.
  public func snapshot() throws -> KeyValueSnapshot { try core.log.snapshot() }
}
