import Foundation
@_spi(Replication) import KeyValueCore

/// Opens a document: reads it, or makes it.
struct Opening<Root: KeyValueObservable> {
  private let type: Root.Type
  private let document: String
  private let store: any LogStore
  private let options: KeyValueReplicaOptions
  private let classes: [KeyValueLogClass]

  init(
    _ type: Root.Type, _ document: String, _ store: any LogStore,
    _ options: KeyValueReplicaOptions, _ classes: [KeyValueLogClass]
  ) {
    self.type = type
    self.document = document
    self.store = store
    self.options = options
    self.classes = classes
  }

  func core(isolation: isolated any Actor) async throws -> ReplicaCore<Root> {
    if let found = try await store.document(document) {
      if found.schema < options.schema { try await store.upgrade(document, to: options.schema) }
    } else {
      try await make(isolation: isolation)
    }
    let (state, position, schema) = try await ReplicaLoading.load(document, from: store)
    let log = try self.log(of: state, isNewer: schema > options.schema)
    let core = try ReplicaCore(log, store, document, at: position, options)
    if schema > options.schema {
      core.newerSchema = schema
      core.mirror = state
    }
    try await core.takeLeftQueue(isolation: isolation)
    return core
  }

  /// Makes the document; another process may do so at the same time.
  private func make(isolation: isolated any Actor) async throws {
    let id = KeyValueObjectID()
    let bare = KeyValueSnapshot(
      root: id, objects: [id: .init(class: KeyValueChangeLog<Root>.rootClassName, values: [:])])
    let log = try KeyValueChangeLog(restoring: bare, as: type, classes: classes)
    var first = try log.snapshot()
    first.schema = options.schema
    _ = try await store.create(
      document, schema: options.schema, snapshot: try await Payload.encode(first))
  }

  private func log(of state: KeyValueSnapshot, isNewer: Bool) throws -> KeyValueChangeLog<Root> {
    guard let root = state.objects[state.root] else {
      throw KeyValueReplicaError.unfit("its snapshot has no root")
    }
    let bare = KeyValueSnapshot(
      root: state.root, objects: [state.root: .init(class: root.class, values: [:])])
    if !isNewer {
      do {
        return try KeyValueChangeLog(restoring: state, as: type, classes: classes)
      } catch KeyValueLogError.invalidEdit {
        // What nothing leads to any more can be left by transactions that crossed.
        let model = try KeyValueChangeLog(restoring: bare, as: type, classes: classes)
        return try KeyValueChangeLog(
          restoring: state.reachableOnly(Model { model.shape(ofKey: $0, in: $1) }), as: type,
          classes: classes)
      }
    }
    let log = try KeyValueChangeLog(restoring: bare, as: type, classes: classes)
    try log.apply(
      state.known(to: Model { log.shape(ofKey: $0, in: $1) }) { log.knows($0) }, from: "snapshot")
    return log
  }
}

extension ReplicaCore {
  /// Takes over what an earlier process has left in the queue's file.
  func takeLeftQueue(isolation: isolated any Actor) async throws {
    guard let queueFile, let (base, transactions) = queueFile.takeLeft() else { return }
    var known = Set<UUID>()
    var between: [LogRecord] = []
    var reading = base
    // What was committed since is among the records, if they're still there.
    loop: while reading.epoch == position.epoch {
      switch try await store.records(of: document, after: reading, limit: 1_000) {
      case .restore: break loop
      case .records(let records, let head, _):
        between += records
        if let last = records.last {
          reading.revision = last.revision
          reading.transaction = last.transaction.id
        }
        if records.isEmpty || reading.revision >= head { break loop }
      }
    }
    known.formUnion(between.map(\.transaction.id))
    let decoder = JSONDecoder()
    for transaction in transactions where !known.contains(transaction.id) {
      let record = try decoder.decode(KeyValueTransactionRecord.self, from: transaction.payload)
      do {
        try adopt(record, over: between)
      } catch {
        giveUp(.unfit("\(error)"))
      }
    }
  }

  /// Makes a transaction of an earlier process again, if it fits.
  private func adopt(_ record: KeyValueTransactionRecord, over others: [LogRecord]) throws {
    var state = try log.snapshot()
    var translated = record
    let foreign = try others.map {
      try JSONDecoder().decode(KeyValueTransactionRecord.self, from: $0.transaction.payload)
    }
    if foreign.isEmpty {
      do {
        try state.apply(record)
      } catch {
        // What has happened since isn't known any more, so neither is what was changed by both.
        return giveUp(.unfit("\(error)"))
      }
    } else {
      // The state that it was made on, and what has happened since, as one record.
      var base = try log.snapshot()
      for item in queue.items.reversed() { try base.apply(item.transaction.record.inverse) }
      for other in foreign.reversed() { try base.apply(other.inverse) }
      let since = KeyValueTransactionRecord(
        foreign.flatMap(\.edits), origin: .remote(others.last?.transaction.author ?? ""))
      var rebase = try Rebase(on: base, over: since, isWhole: true, model, options.conflictRule)
      for item in queue.items { _ = rebase.redo(item.transaction.record) }
      switch rebase.redo(record) {
      case .kept(let kept, _): translated = kept
      case .emptied: return
      case .rejected(let conflicts):
        telemetry.met(conflicts)
        return giveUp(.conflict(conflicts))
      }
    }
    try log.apply(translated, from: options.author)
    queue.append(translated)
    bell.ring()
  }

  /// Drops a transaction of an earlier process; the first `flush` says so.
  private func giveUp(_ error: KeyValueReplicaError) {
    queue.skip()
    note(error, of: queue.lastNumber)
    telemetry.takenBack(error)
  }
}
