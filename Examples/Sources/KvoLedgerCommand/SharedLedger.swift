import KeyValueObserving
import KeyValueReplica
import LedgerModel
import LedgerStorage

/// A ledger that several programs change: a replica, and what it has to say, in words.
package final class SharedLedger: LedgerStore, LedgerHistory {
  let replica: KeyValueReplica<Account>
  private let place: SharedPlace
  private let store: SwitchedStore
  private lazy var observer = KeyValueObserverController(owner: self)
  private var write: (String) -> Void = { _ in }
  private var isOnline = true
  private var shownRefusal: KeyValueReplicaError?
  /// Whether one of this program's commands was taken back.
  private(set) var hasLostCommand = false

  private init(_ replica: KeyValueReplica<Account>, _ place: SharedPlace, _ store: SwitchedStore) {
    self.replica = replica
    self.place = place
    self.store = store
  }

  /// Opens a ledger, or makes it.
  ///
  /// - Parameters:
  ///   - document: Its name at the place.
  ///   - place: Where it's kept.
  ///   - author: The name that the other programs see.
  ///   - isolation: The actor that uses it.
  /// - Returns: The ledger.
  /// - Throws: `KeyValueReplicaError`, or `KeyValueLogError` if it isn't a ledger.
  static func open(
    _ document: String, at place: SharedPlace, as author: String?,
    isolation: isolated any Actor = #isolation
  ) async throws -> SharedLedger {
    var options = KeyValueReplicaOptions()
    options.schema = LedgerLog.schema
    options.queueFolder = place.queueFolder
    if let author { options.author = author }
    let store = SwitchedStore(place.store)
    let replica = try await KeyValueReplica.open(
      Account.self, document: document, in: store, options: options, classes: Account.logClasses)
    return SharedLedger(replica, place, store)
  }

  /// Sends what is left to send, unless the ledger is offline.
  ///
  /// - Returns: Whether all is sent.
  /// - Throws: `KeyValueReplicaError`, except for conflicts, which have been told.
  func close(isolation: isolated any Actor = #isolation) async throws -> Bool {
    let replica = replica
    let closing = Task {
      _ = isolation
      try await replica.close()
    }
    // If the connection is lost meanwhile, it waits until there's another one.
    let ending = replica.kvo.status.observe(options: [.initial, .new]) { _, change in
      if case .offline = change.newValue { closing.cancel() }
    }
    defer { ending.invalidate() }
    do {
      try await closing.value
    } catch is CancellationError {
      return false
    } catch KeyValueReplicaError.unreachable {
      return false
    } catch KeyValueReplicaError.conflict {
      // Its lines are printed, and the rest is sent.
    }
    return true
  }

  // MARK: Status

  /// Writes a line when the status changes in a way that matters to a person.
  func report(to write: @escaping (String) -> Void) {
    self.write = write
    observer.observe(replica.kvo.status, options: [.initial, .new]) { ledger, _, change in
      if let status = change.newValue { ledger.show(status) }
    }
  }

  private func show(_ status: KeyValueReplicaStatus) {
    if case .offline = status {
      if isOnline { write("* offline: changes are sent later") }
      isOnline = false
      return
    }
    if status == .ended(.closed) { return }
    if !isOnline { write("* online again") }
    isOnline = true
    switch status {
    case .conflict(let conflicts):
      hasLostCommand = true
      for conflict in conflicts { write("* conflict: \(text(conflict)); yours is taken back") }
    case .readOnly(let schema):
      write(
        "* read-only: a newer version of this program has changed the ledger (schema \(schema))")
    case .refused(let error):
      // The replica tries again and again.
      if error != shownRefusal { write("* \(error)") }
      shownRefusal = error
    case .ended(let error): write("* \(error)")
    case .current: shownRefusal = nil
    case .sending, .behind, .offline: break
    }
  }

  /// Whether the ledger is cut off.
  var isOffline: Bool {
    get { store.isOffline }
    set { store.isOffline = newValue }
  }

  // MARK: Undoing

  func group(_ body: () throws -> Void) rethrows { try body() }

  func transaction(_ body: () throws -> Void) rethrows { try KeyValueTransaction.perform(body) }

  func undo() throws -> [String]? {
    replica.canUndo ? try replica.undo().map(lineOfWhatStays) : nil
  }

  func redo() throws -> [String]? {
    replica.canRedo ? try replica.redo().map(lineOfWhatStays) : nil
  }

  private func lineOfWhatStays(_ conflict: KeyValueReplicaConflict) -> String {
    let author = conflict.author ?? "another program"
    return "* \(subject(conflict)) stays \(text(conflict.theirs)), from \(author)"
  }

  // MARK: Conflicts in words

  private func text(_ conflict: KeyValueReplicaConflict) -> String {
    let author = conflict.author ?? "another program"
    return
      "\(subject(conflict)): \(text(conflict.mine)) here, \(text(conflict.theirs)) from \(author)"
  }

  private func subject(_ conflict: KeyValueReplicaConflict) -> String {
    let object =
      switch replica.object(conflict.object) {
      case let transaction as Transaction: "transaction \(transaction.number)"
      case let category as Category: "category \(category.name)"
      default: conflict.className.hasSuffix("Transaction") ? "a transaction" : "a category"
      }
    return conflict.key.map { "\(object) \($0)" } ?? object
  }

  private func text(_ value: KeyValueLogValue?) -> String {
    switch value {
    case nil: "deleted"
    case .null: "none"
    // The model's only numbers that change are amounts.
    case .integer(let cents): Amount.text(cents)
    case .reference(let id): (replica.object(id) as? Category)?.name ?? "another one"
    case .some(let value): "\(value)"
    }
  }

  // MARK: Keeping

  package var path: String? { place.title }

  package var isInFile: Bool { true }

  package var unsaved: String? { nil }

  package func commandEnded() {}

  package func save(to newPath: String?) -> String? { nil }
}
