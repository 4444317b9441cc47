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
    let found: LogDocument
    if let present = try await store.document(document) {
      found = present
    } else {
      found = try await make(isolation: isolation)
    }
    // A program that can't open the document leaves it to older ones.
    let queueFile = try options.queueFolder.map {
      try QueueFile(in: $0, for: document, epoch: found.position.epoch)
    }
    if found.schema < options.schema {
      let (state, _, _, _) = try await ReplicaLoading.load(document, from: store) { _, _ in }
      _ = try log(of: state, isNewer: false)
      try await store.upgrade(document, to: options.schema)
    }
    let telemetry = Telemetry(document, options)
    let (state, position, schema, unreadable) = try await ReplicaLoading.load(
      document, from: store
    ) {
      telemetry.error("record \($0) can't be applied, and is left out", $1)
    }
    let log = try self.log(of: state, isNewer: schema > options.schema)
    let core = try ReplicaCore(
      log, store, document, at: position, keepingQueueIn: queueFile, options)
    core.unreadable = unreadable
    if schema > options.schema {
      core.newerSchema = schema
      core.mirror = state
    } else {
      try core.fillIn(state)
    }
    try await core.takeLeftQueue(isolation: isolation)
    return core
  }

  /// Makes the document; another process may do so at the same time.
  ///
  /// - Returns: The document that there is now.
  private func make(isolation: isolated any Actor) async throws -> LogDocument {
    let id = KeyValueObjectID()
    let bare = KeyValueSnapshot(
      root: id, objects: [id: .init(class: KeyValueChangeLog<Root>.rootClassName, values: [:])])
    let log = try KeyValueChangeLog(restoring: bare, as: type, classes: classes)
    var first = try log.snapshot()
    first.schema = options.schema
    return try await store.create(
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
          restoring: state.reachableOnly(Model(model)), as: type,
          classes: classes)
      }
    }
    let log = try KeyValueChangeLog(restoring: bare, as: type, classes: classes)
    try log.apply(
      state.known(to: Model(log)) { log.knows($0) }, from: "snapshot")
    return log
  }
}

extension ReplicaCore {
  /// Has the document know the elements that a key of ours begins with, where its objects are from before the key.
  ///
  /// A record says what it inserts and where, not what was there: without them it would fit only the replicas that
  /// know what the key begins with.
  fileprivate func fillIn(_ state: KeyValueSnapshot) throws {
    var counts: [String: Int] = [:]
    var edits: [KeyValueEdit] = []
    for (id, object) in state.objects {
      let count =
        counts[object.class] ?? log.keys(ofClass: object.class)?.count ?? object.values.count
      counts[object.class] = count
      // The values of an object that has all keys needn't be looked at.
      if object.values.count >= count { continue }
      for (key, value) in try log.values(of: id)?.values ?? [:] where object.values[key] == nil {
        switch value {
        case .array(let elements) where !elements.isEmpty: break
        case .dictionary(let entries)
        where !entries.isEmpty && model.kind(key, in: object.class) == .dictionary: break
        default: continue
        }
        edits.append(.set(id, key: key, old: value, new: value))
      }
    }
    if edits.isEmpty { return }
    edits.sort { ("\($0.id)", $0.key ?? "") < ("\($1.id)", $1.key ?? "") }
    queue.append(KeyValueTransactionRecord(edits, isTransaction: edits.count > 1))
    bell.ring()
  }

  /// Takes over what an earlier process has left in the queue's file.
  func takeLeftQueue(isolation: isolated any Actor) async throws {
    guard let queueFile else { return }
    for left in queueFile.takeLeft() { try await takeOver(left, isolation: isolation) }
    if queue.isEmpty {
      queueFile.empty()
    } else {
      await keepQueue(isolation: isolation)
      bell.ring()
    }
  }

  private func takeOver(_ left: QueueFile.Left, isolation: isolated any Actor) async throws {
    var transactions: [PendingTransaction] = []
    for transaction in left.transactions {
      do {
        transactions.append(
          PendingTransaction(renamed(try KeyValueTransactionRecord(json: transaction.payload))))
      } catch {
        giveUp(.unfit("\(error)"))
      }
    }
    if let between = try await recordsSince(left.base) {
      // The graph is without those that can't be read.
      let records = await Payload.decode(between).compactMap { try? $0.get() }.map(renamed)
      do {
        transactions = try replay(transactions, over: records)
      } catch {
        // The graph is also without those that don't fit it.
        let known = Set(between.map(\.transaction.id))
        transactions.removeAll { known.contains(Payload.uuid(of: $0.record.id)) }
      }
    } else {
      // What has happened since was compacted, and with it whether these were committed.
      for _ in transactions.prefix(left.sentCount) {
        giveUp(.outcomeForgotten)
      }
      transactions.removeFirst(min(left.sentCount, transactions.count))
    }
    for transaction in transactions {
      do {
        let record = try transaction.record.fitting { try log.values(of: $0) }
        try log.apply(record, from: options.author)
        queue.append(try completed(record))
      } catch {
        giveUp(.unfit("\(error)"))
      }
    }
  }

  /// A record of an earlier version of the program, with the present names of its classes.
  private func renamed(_ record: KeyValueTransactionRecord) -> KeyValueTransactionRecord {
    var record = record
    record.edits = record.edits.map { edit in
      switch edit {
      case .create(let id, let name, let values):
        .create(id, class: log.presentName(ofClass: name) ?? name, values: values)
      case .delete(let id, let name, let values):
        .delete(id, class: log.presentName(ofClass: name) ?? name, values: values)
      default: edit
      }
    }
    return record
  }

  /// A record that was just applied, with the values that the program's class gives the keys of new objects which
  /// an earlier version didn't have.
  private func completed(_ record: KeyValueTransactionRecord) throws -> KeyValueTransactionRecord {
    var record = record
    record.edits = try record.edits.map { edit in
      guard case .create(let id, let name, let values) = edit,
        let object = try log.values(of: id)
      else { return edit }
      return .create(id, class: name, values: object.values.merging(values) { $1 })
    }
    return record
  }

  /// All records after a position; nil if they aren't there any more.
  private func recordsSince(_ base: LogPosition) async throws -> [LogRecord]? {
    var (records, position) = ([LogRecord](), base)
    while position.revision < self.position.revision || position.epoch != self.position.epoch {
      guard
        case .records(let page, _, _) = try await store.records(
          of: document, after: position, limit: LogLimits.records), let last = page.last
      else { return nil }
      records += page
      position.revision = last.revision
      position.transaction = last.transaction.id
    }
    // Those after the graph's position come later, as others' records do.
    return records.filter { $0.revision <= self.position.revision }
  }

  /// What transactions have become after records, as if the process hadn't ended.
  ///
  /// - Returns: Those that aren't committed, as they fit the graph now.
  private func replay(
    _ left: [PendingTransaction], over records: [KeyValueTransactionRecord]
  ) throws -> [PendingTransaction] {
    var state = try log.snapshot()
    for record in records.reversed() {
      try state.apply(record.inverse.fitting { state.objects[$0] })
    }
    var pending: [PendingTransaction] = []
    for transaction in left {
      do {
        let record = transaction.record.fitting { state.objects[$0] }
        try state.apply(record)
        pending.append(PendingTransaction(record))
      } catch {
        giveUp(.unfit("\(error)"))
      }
    }
    for record in records {
      if let first = pending.first, first.record.id == record.id {
        pending.removeFirst()
        continue
      }
      let merge = try Merge(
        record.fitting { state.objects[$0] }, over: pending, in: GraphReader(state, model),
        options.conflictRule)
      try state.apply(merge.net)
      var rest: [PendingTransaction] = []
      for (index, transaction) in pending.enumerated() {
        switch merge.outcomes[index] {
        case nil: rest.append(transaction)
        case .kept(let record, let conflicts):
          rest.append(PendingTransaction(record))
          if !conflicts.isEmpty { met(conflicts) }
        case .emptied(let conflicts): if !conflicts.isEmpty { met(conflicts) }
        case .rejected(let conflicts):
          met(conflicts)
          giveUp(.conflict(conflicts))
        }
      }
      pending = rest
    }
    return pending
  }

  /// Drops a transaction of an earlier process; the first `flush` says so.
  private func giveUp(_ error: KeyValueReplicaError) {
    queue.skip()
    noteTakenBack(queue.lastNumber, error)
  }
}
