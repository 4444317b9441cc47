import Foundation
@_spi(Replication) import KeyValueCore

/// Opens a document: reads it, or makes it.
struct Opening<Root: KeyValueObservable> {
  private let type: Root.Type
  private let document: String
  private let store: any LogStore
  private let options: KeyValueReplicaOptions
  private let classes: [KeyValueLogClass]
  private let telemetry: Telemetry

  init(
    _ type: Root.Type, _ document: String, _ store: any LogStore,
    _ options: KeyValueReplicaOptions, _ classes: [KeyValueLogClass]
  ) {
    self.type = type
    self.document = document
    self.store = store
    self.options = options
    self.classes = classes
    telemetry = Telemetry(document, options)
  }

  /// Makes the replica's core, and says whether a snapshot is due.
  func core(
    isolation: isolated any Actor
  ) async throws -> (core: ReplicaCore<Root>, isSnapshotDue: Bool) {
    let found: LogDocument
    if let present = try await store.document(document) {
      found = present
    } else {
      found = try await make(isolation: isolation)
    }
    // A program that can't open the document leaves it to older ones.
    let queueFile = try options.queueFolder.map {
      try QueueFile(in: $0, for: document, epoch: found.position.epoch, schema: options.schema) {
        _ = try KeyValueTransactionRecord(json: $0)
      }
    }
    if found.schema < options.schema {
      var state = try await ReplicaLoading.load(document, from: store) { _, _ in }.state
      state.assume(found.schema)
      var misfits: [Place: KeyValueLogValue] = [:]
      _ = try log(of: state, isNewer: false, &misfits)
      try await store.upgrade(document, to: options.schema)
    }
    for (path, error) in queueFile?.unread ?? [] {
      telemetry.error("the queue's file \(path) can't be read by this program, and stays", error)
    }
    let telemetry = telemetry
    // Another program may write what is lacking first, or something else.
    for _ in 0..<10 {
      var (state, position, schema, unreadable, count) = try await ReplicaLoading.load(
        document, from: store
      ) {
        telemetry.error("record \($0) can't be applied, and is left out", $1)
      }
      state.assume(found.schema)
      let isNewer = schema > options.schema
      var misfits: [Place: KeyValueLogValue] = [:]
      let (log, fitted) = try self.log(of: state, isNewer: isNewer, &misfits)
      if !isNewer, let records = try lacking(state, fitted, log) {
        try await ReplicaLoading.write(
          records, to: document, after: position, in: store, author: options.author,
          schema: options.schema)
        continue
      }
      // What waits in the folder is a newer program's, or waits for one.
      let core = try ReplicaCore(
        log, store, document, at: position, keepingQueueIn: isNewer ? nil : queueFile, options)
      core.unreadable = unreadable
      core.innerObjects.note(fitted ?? state)
      if isNewer {
        core.newerSchema = schema
        core.mirror = state
        core.misfits = misfits
      }
      // What an earlier process has left is merged with records that a snapshot may take away.
      try await core.takeLeftQueue(isolation: isolation)
      // Programs that end right after a change may never keep one: the change is acknowledged before it's encoded.
      return (core, count / 2 >= max(1, Int64(options.snapshotInterval)))
    }
    throw LogError.lackingKeys(in: document)
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

  /// Makes the graph of a state.
  ///
  /// - Returns: The graph, and what of the state it was made of; nil if that's all that the program knows.
  private func log(
    of state: KeyValueSnapshot, isNewer: Bool, _ misfits: inout [Place: KeyValueLogValue]
  ) throws -> (log: KeyValueChangeLog<Root>, fitted: KeyValueSnapshot?) {
    do {
      return try graph(of: state, isNewer: isNewer, &misfits)
    } catch {
      throw KeyValueLogError.explained(error, schema: options.schema)
    }
  }

  private func graph(
    of state: KeyValueSnapshot, isNewer: Bool, _ misfits: inout [Place: KeyValueLogValue]
  ) throws -> (log: KeyValueChangeLog<Root>, fitted: KeyValueSnapshot?) {
    guard let root = state.objects[state.root] else {
      throw KeyValueReplicaError.unfit("its snapshot has no root")
    }
    let bare = KeyValueSnapshot(
      root: state.root, objects: [state.root: .init(class: root.class, values: [:])])
    if !isNewer {
      do {
        return (try KeyValueChangeLog(restoring: state, as: type, classes: classes), nil)
      } catch let error as KeyValueLogError {
        var gone: KeyValueLogError?
        switch error {
        // Transactions that crossed can leave what nothing leads to any more, and a value with an object inside that
        // has left.
        case .invalidEdit, .unknownObject: break
        case .unknownKey, .unknownClass:
          guard state.isOlder(than: options.schema) else { throw error }
          gone = error
        default: throw error
        }
        let model = try KeyValueChangeLog(restoring: bare, as: type, classes: classes)
        let rest = state.upgraded(to: options.schema, Model(model))
        var fitted = rest
        let log = try fitted.fit(
          without: &misfits,
          mayLack: { rest.objects[$0]?.values[$1] != state.objects[$0]?.values[$1] },
          reads: { model.canHold($0, forKey: $1, in: $2) }
        ) { try KeyValueChangeLog(restoring: $0, as: type, classes: classes) }
        if let gone { telemetry.leavesOut(gone) }
        return (log, fitted)
      }
    }
    let log = try KeyValueChangeLog(restoring: bare, as: type, classes: classes)
    var known = state.known(to: Model(log)) { log.knows($0) }
    // What a newer program gives a key that can't have it here is left out.
    try known.fit(without: &misfits, reads: { log.canHold($0, forKey: $1, in: $2) }) {
      try log.apply($0, from: "snapshot")
    }
    return (log, nil)
  }

  /// The records that give the document what the graph has and it lacks: what new keys begin with, where their objects
  /// are from before the keys, and what stands for values that can't be read.
  ///
  /// A record says what it changes, not what was there: without them it would fit only the programs that know what the
  /// key begins with, and objects that the key leads to would be in no record.
  ///
  /// - Returns: The records; nil if the document has all.
  private func lacking(
    _ state: KeyValueSnapshot, _ fitted: KeyValueSnapshot?, _ log: KeyValueChangeLog<Root>
  ) throws -> [KeyValueTransactionRecord]? {
    var counts: [String: Int] = [:]
    let hasAllKeys = state.objects.values.allSatisfy { object in
      let count =
        counts[object.class] ?? log.keys(ofClass: object.class)?.count ?? object.values.count
      counts[object.class] = count
      return object.values.count >= count
    }
    if hasAllKeys, fitted == nil { return nil }
    let records = state.completion(from: try log.snapshot(), fitted: fitted)
    return records.isEmpty ? nil : records
  }
}

extension ReplicaCore {
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
    var made = try left.transactions.map {
      renamed(try KeyValueTransactionRecord(json: $0.payload))
    }
    let between = try await recordsSince(left.base)
    // The graph is without those that can't be read.
    var records = await Payload.decode(between ?? []).compactMap { try? $0.get() }.map(renamed)
    if left.isOlder(than: options.schema) {
      leaveOutWhatIsGone(of: &made, &records, areAllThere: between != nil)
    }
    let sentCount = made.prefix(left.sentCount).filter { !$0.edits.isEmpty }.count
    var transactions = made.filter { !$0.edits.isEmpty }.map { PendingTransaction($0) }
    if let between {
      do {
        transactions = try replay(transactions, over: records)
      } catch {
        // The graph is also without those that don't fit it.
        let known = Set(between.map(\.transaction.id))
        transactions.removeAll { known.contains(Payload.uuid(of: $0.record.id)) }
      }
    } else {
      // What has happened since was compacted, and with it whether these were committed.
      for _ in transactions.prefix(sentCount) {
        giveUp(.outcomeForgotten)
      }
      transactions.removeFirst(min(sentCount, transactions.count))
      let others = try changes(expectedOtherwiseBy: transactions)
      transactions = try replay(transactions, over: [others])
    }
    for transaction in transactions {
      do {
        try takeOver(transaction.record.fitting { try log.values(of: $0) })
      } catch {
        giveUp(transaction.record, error)
      }
    }
  }

  /// Leaves out of an older program's transactions, and of the records since, the keys that this program's classes
  /// don't have any more, and the objects that only these led to.
  ///
  /// - Parameters:
  ///   - left: The transactions.
  ///   - records: The records that came after what the transactions were made on.
  ///   - areAllThere: Whether these are all such records.
  private func leaveOutWhatIsGone(
    of left: inout [KeyValueTransactionRecord], _ records: inout [KeyValueTransactionRecord],
    areAllThere: Bool
  ) {
    // The classes of objects that the graph doesn't have, or doesn't have yet.
    var names: [KeyValueObjectID: String] = [:]
    for case .create(let id, let name, _) in left.flatMap(\.edits) { names[id] = name }
    for case .delete(let id, let name, _) in records.flatMap(\.edits) { names[id] = name }
    func known(_ record: KeyValueTransactionRecord) -> KeyValueTransactionRecord {
      var rest = record
      rest.edits = record.edits.compactMap { edit -> KeyValueEdit? in
        guard let name = log.className(of: edit.id) ?? names[edit.id] else {
          // Neither is it there nor was it deleted, so only such a key led to it.
          return areAllThere ? nil : edit
        }
        return edit.known { model.shape($0, name) != nil }
      }
      return rest
    }
    left = left.map { known($0) }
    records = records.map { known($0) }
  }

  /// Applies a transaction of an earlier process, and puts what it has done into the queue.
  ///
  /// The log's record has more: the program's class gives new objects values of keys that an earlier version didn't
  /// have, and further objects come and go with them.
  private func takeOver(_ record: KeyValueTransactionRecord) throws {
    var made: [KeyValueTransactionRecord] = []
    let observation = log.observe { made.append($0) }
    defer { observation.invalidate() }
    try log.apply(record, from: options.author)
    var whole = made.isEmpty ? record : KeyValueTransactionRecord(joining: made)
    (whole.id, whole.origin) = (record.id, record.origin)
    innerObjects.note(whole) { log.className(of: $0) }
    guard let error = unreadability(of: whole) else { return queue.append(whole) }
    do {
      try log.apply(whole.inverse)
      innerObjects.note(whole.inverse) { log.className(of: $0) }
    } catch {
      needsRestore = true
    }
    giveUp(error)
  }

  /// What others have changed of what transactions set, as far as the values that these expect show it.
  private func changes(
    expectedOtherwiseBy transactions: [PendingTransaction]
  ) throws -> KeyValueTransactionRecord {
    let state = try log.snapshot()
    // Places whose values the transactions have changed otherwise than entry by entry, and the entries of others.
    var (changed, entries): (Set<Place>, [Place: Set<String>]) = ([], [:])
    var edits: [KeyValueEdit] = []
    func isKnown(_ value: KeyValueLogValue?) -> Bool {
      var isKnown = true
      value?.forEachReferencedObject { isKnown = isKnown && state.objects[$0] != nil }
      return isKnown
    }
    func entry(_ name: String, _ value: KeyValueLogValue?) -> KeyValueLogValue {
      .dictionary(value.map { [name: $0] } ?? [:])
    }
    for edit in transactions.flatMap(\.record.edits) {
      guard let place = Place(edit), let object = state.objects[place.id],
        let present = object.values[place.key]
      else { continue }
      // What this program reads as the same value wasn't changed: it's only written otherwise.
      switch (edit, present) {
      case (.setEntry(_, _, .string(let name), let old, _), .dictionary(let others)):
        guard !changed.contains(place), entries[place, default: []].insert(name).inserted,
          isKnown(old)
        else { break }
        let expected = fitted(entry(name, old), to: entry(name, others[name]), at: place, object)
        if expected.isIdentical(to: entry(name, others[name])) { break }
        edits.append(
          .setEntry(
            place.id, key: place.key, entry: .string(name), old: old, new: others[name]))
      case (.set(_, _, let old, _), _):
        guard changed.insert(place).inserted, entries[place] == nil, isKnown(old) else { break }
        let expected = fitted(old, to: present, at: place, object)
        if expected.isIdentical(to: present) { break }
        edits.append(.set(place.id, key: place.key, old: expected, new: present))
      default: changed.insert(place)
      }
    }
    return KeyValueTransactionRecord(edits, isTransaction: true)
  }

  /// A key's value with a present one's data in place of its own: of all of it, or of the elements and entries, where
  /// this program reads the same.
  private func fitted(
    _ value: KeyValueLogValue, to present: KeyValueLogValue, at place: Place,
    _ object: KeyValueSnapshot.Object
  ) -> KeyValueLogValue {
    func state(_ value: KeyValueLogValue) -> KeyValueSnapshot {
      KeyValueSnapshot(
        root: place.id, objects: [place.id: .init(class: object.class, values: [place.key: value])])
    }
    let fitted = log.fitted(state(value), to: state(present))
    return fitted.objects[place.id]?.values[place.key] ?? value
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
    let records = records.withoutCompletion(of: keysUnknown(to: left))
    var state = try log.snapshot()
    for record in records.reversed() { try apply(record.inverse, to: &state) }
    var pending: [PendingTransaction] = []
    for transaction in left {
      do {
        let record = try apply(transaction.record, to: &state, isInOneForm: true)
        pending.append(PendingTransaction(record))
      } catch {
        giveUp(transaction.record, error)
      }
    }
    var mentions = Mentions()
    for transaction in pending { mentions.add(transaction, in: GraphReader(state, model)) }
    for record in records {
      if let first = pending.first, first.record.id == record.id {
        pending.removeFirst()
        continue
      }
      let fitting = record.fitting { state.objects[$0] }
      if !mentions.mayTouch(fitting, in: GraphReader(state, model)) {
        try apply(fitting, to: &state)
        continue
      }
      let merge = try Merge(
        fitting, over: pending, in: GraphReader(state, model), options.conflictRule)
      try apply(merge.net, to: &state)
      var rest: [PendingTransaction] = []
      for (index, transaction) in pending.enumerated() {
        switch merge.outcomes[index] {
        case nil: rest.append(transaction)
        case .kept(let record, let conflicts):
          let transaction = PendingTransaction(record)
          rest.append(transaction)
          mentions.add(transaction, in: GraphReader(state, model))
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

  /// Applies a record of a program of any schema to a state that this program has written.
  ///
  /// Where the record expects a value written otherwise, it fits if both ways of writing agree, or this program reads
  /// the same from both.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - state: The state.
  ///   - isInOneForm: Whether what the record sets is written as what it expects is, where this program reads the
  ///     same.
  /// - Returns: The record as it was applied.
  /// - Throws: `KeyValueLogError` if the record doesn't fit. The state is then as it was.
  @discardableResult
  private func apply(
    _ record: KeyValueTransactionRecord, to state: inout KeyValueSnapshot,
    isInOneForm: Bool = false
  ) throws -> KeyValueTransactionRecord {
    func attempt(_ record: KeyValueTransactionRecord) throws -> KeyValueTransactionRecord {
      let record = isInOneForm ? inOneForm(record, of: state) : record
      try state.apply(record)
      return record
    }
    let fitting = record.fitting { state.objects[$0] }
    // Most records fit as they are.
    if let applied = try? attempt(fitting) { return applied }
    return try attempt(log.fitted(fitting.agreeing(with: state), to: state))
  }

  /// A record that fits a state, with what it sets written as what it expects is, where this program reads the same:
  /// what it leaves isn't its change.
  private func inOneForm(
    _ record: KeyValueTransactionRecord, of state: KeyValueSnapshot
  ) -> KeyValueTransactionRecord {
    var counts: [Place: Int] = [:]
    for case let place? in record.edits.map({ Place($0) }) { counts[place, default: 0] += 1 }
    var record = record
    record.edits = record.edits.map { edit in
      // Of several edits of a key, each expects what the one before sets.
      guard case .set(let id, let key, let old, let new) = edit, let object = state.objects[id],
        counts[Place(id, key)] == 1
      else { return edit }
      return .set(
        id, key: key, old: old, new: fitted(new, to: old, at: Place(id, key), object))
    }
    return record
  }

  /// The keys that transactions' program doesn't have, of the objects that the transactions delete.
  private func keysUnknown(to transactions: [PendingTransaction]) -> Set<Place> {
    var unknown: Set<Place> = []
    for case .delete(let id, let name, let values) in transactions.flatMap(\.record.edits) {
      for key in log.keys(ofClass: name) ?? [] where values[key] == nil {
        unknown.insert(Place(id, key))
      }
    }
    return unknown
  }

  /// Drops a transaction of an earlier process that doesn't fit: others have changed what it's about.
  private func giveUp(_ record: KeyValueTransactionRecord, _ error: any Error) {
    guard let conflict = conflict(of: record, error) else {
      return giveUp(
        .unfit(
          "a transaction that an earlier process left in the queue's file doesn't fit them, and was dropped. "
            + "\(error) Raise `options.schema` where keys or classes change, so that such transactions stay in their "
            + "file for a program that has them."))
    }
    met([conflict])
    giveUp(.conflict([conflict]))
  }

  /// The conflict that an error says; nil if the record wouldn't fit any document.
  private func conflict(
    of record: KeyValueTransactionRecord, _ error: any Error
  ) -> KeyValueReplicaConflict? {
    let details: KeyValueLogError.Details
    switch error as? KeyValueLogError {
    case .invalidEdit(let found)?, .unknownObject(let found)?: details = found
    default: return nil
    }
    guard let object = details.object else { return nil }
    let edit = details.edit.flatMap { record.edits.dropFirst(max(0, $0 - 1)).first }
    var base: KeyValueLogValue?
    if case .set(_, _, let old, _)? = edit { base = old }
    let theirs = details.key.flatMap { key in (try? log.values(of: object))?.values[key] }
    return KeyValueReplicaConflict(
      object: object, className: details.type ?? log.className(of: object) ?? "",
      key: details.key, base: base, mine: edit?.newValue, theirs: theirs, author: nil,
      transaction: record.id, builtOn: nil)
  }

  /// Drops a transaction of an earlier process; the first `flush` says so.
  private func giveUp(_ error: KeyValueReplicaError) {
    queue.skip()
    noteTakenBack(queue.lastNumber, error)
  }
}
