import Foundation
@_spi(Replication) import KeyValueCore

// What the loop does with others' records.
extension ReplicaCore {
  /// The most own transactions that are made again for each of several records.
  private static var singlyMerged: Int { 100 }

  /// Reads and applies one page.
  ///
  /// - Returns: Whether there's more.
  func receive(isolation: isolated any Actor) async throws -> Bool {
    switch try await store.records(of: document, after: position, limit: LogLimits.records) {
    case .restore:
      try await restore(isolation: isolation)
      return true
    case .records(let records, let head, let schema):
      self.head = head
      if schema > options.schema, newerSchema == nil { enterReadOnly(schema) }
      if records.isEmpty { return false }
      if position.revision + 1 < head { setStatus(.behind(Int(head - position.revision))) }
      try await apply(records, isolation: isolation)
      return position.revision < head
    }
  }

  /// Applies others' records, each as one transaction.
  func apply(_ records: [LogRecord], isolation: isolated any Actor) async throws {
    var next = position.revision
    for record in records {
      next += 1
      guard record.revision == next else { return try await restore(isolation: isolation) }
    }
    head = max(head, next)
    var rest: ArraySlice<(stored: LogRecord, transaction: KeyValueTransactionRecord)> = []
    var unreadable: (any Error)?
    for (record, transaction) in zip(records, await Payload.decode(records)) {
      do {
        let decoded = try transaction.get()
        // What a newer program writes is kept as it is.
        rest.append((stored: record, transaction: newerSchema == nil ? renamed(decoded) : decoded))
      } catch {
        unreadable = error
        break
      }
    }
    var began = ContinuousClock.now
    var singles = 0
    while let (record, transaction) = rest.first {
      if Task.isCancelled { return }
      var count = 1
      do {
        if singles == 0 {
          switch try applyRun(at: rest) {
          case .applied(let run): count = run
          case .single(let run): singles = run
          }
        }
        if singles > 0 {
          singles -= 1
          try apply(transaction, record)
        }
      } catch {
        // What doesn't fit is applied by difference from a snapshot.
        telemetry.error("record \(record.revision) doesn't fit", error)
        return try await restore(isolation: isolation)
      }
      for (record, _) in rest.prefix(count) { telemetry.applied(record) }
      let last = rest[rest.startIndex + count - 1].stored
      position.revision = last.revision
      position.transaction = last.transaction.id
      rest = rest.dropFirst(count)
      // A long catch-up lets the actor do other work in between.
      if ContinuousClock.now - began > .milliseconds(8) {
        await Task.yield()
        began = .now
      }
    }
    if let unreadable {
      // Loading leaves it out, as it does what doesn't fit.
      telemetry.error("record \(position.revision + 1) can't be read", unreadable)
      return try await restore(isolation: isolation)
    }
    settleStatus()
    finishWaiters()
  }

  /// What becomes of the first records.
  private enum Run {
    /// So many have been applied as one transaction.
    case applied(Int)
    /// So many are to be applied one by one.
    case single(Int)
  }

  /// Applies the first records as one transaction if they're one author's and many own transactions have to do
  /// with them: making those again for each record would take time in proportion to the product.
  private func applyRun(
    at records: ArraySlice<(stored: LogRecord, transaction: KeyValueTransactionRecord)>
  ) throws -> Run {
    guard queue.count > Self.singlyMerged, newerSchema == nil, let first = records.first,
      queue.mayBeTouched(by: first.transaction, in: reader)
    else { return .single(1) }
    var run = records.prefix { $0.transaction.origin == first.transaction.origin }
    if run.count < 2 { return .single(1) }
    let own = Set(queue.items.map { Payload.uuid(of: $0.transaction.record.id) })
    run = run.prefix { !own.contains($0.stored.transaction.id) }
    if run.count < 2 { return .single(1) }
    let whole = KeyValueTransactionRecord(
      run.flatMap(\.transaction.edits), isTransaction: true, origin: first.transaction.origin)
    let merge = try Merge(
      whole, over: queue.items.map(\.transaction), in: reader, options.conflictRule)
    if merge.effort <= Self.singlyMerged {
      telemetry.made(again: merge.effort)
      return .single(run.count)
    }
    try make(merge)
    return .applied(run.count)
  }

  private func apply(_ record: KeyValueTransactionRecord, _ stored: LogRecord) throws {
    if let first = queue.items.first,
      Payload.uuid(of: first.transaction.record.id) == stored.transaction.id
    {
      // An own transaction whose outcome was unknown to an earlier process.
      queue.removeFirst(1)
      queueFile?.acknowledge(
        1,
        at: LogPosition(
          epoch: position.epoch, revision: stored.revision, transaction: stored.transaction.id),
        isAll: queue.isEmpty)
      return
    }
    if newerSchema == nil { return try applyOver(queue: record) }
    var state = try mirror ?? confirmedState()
    try state.applyTolerantly(record)
    var known = withPresentNames(state.known(to: model) { log.knows($0) })
    try fit(&known) { try settle(on: $0, from: record.origin) }
    // A snapshot has the mirror's state at the position of what has been applied.
    mirror = state
  }

  /// Has a state used; what a newer program gives a key that can't have it here stays as it was.
  private func fit(
    _ state: inout KeyValueSnapshot, _ use: (KeyValueSnapshot) throws -> Void
  ) throws {
    let isNewer = newerSchema != nil
    var misfits = misfits
    defer { self.misfits = misfits }
    try state.fit(
      without: &misfits, mayLack: { _, _ in isNewer },
      reads: { log.canHold($0, forKey: $1, in: $2) }, use)
  }

  /// Applies a record to the graph, which has the queue's transactions already.
  func applyOver(
    queue record: KeyValueTransactionRecord, takingBack: KeyValueRecordID? = nil
  ) throws {
    if takingBack == nil, !queue.mayBeTouched(by: record, in: reader) {
      return try change { undoing in
        undoing.follow(record, in: reader)
      } by: {
        try log.apply(record, runsPropertyObservers: options.runsPropertyObservers)
      }
    }
    try merge(record, takingBack: takingBack) { try make($0) }
  }

  /// Merges a record, and again as long as a class can't hold what the rule answers for a key: such an answer takes
  /// the transaction back.
  private func merge(
    _ record: KeyValueTransactionRecord, takingBack: KeyValueRecordID? = nil,
    _ make: (Merge) throws -> Void
  ) throws {
    func attempt(_ rule: KeyValueConflictRule) throws {
      try make(
        Merge(
          record, over: queue.items.map(\.transaction), in: reader, rule, takingBack: takingBack))
    }
    guard case .custom = options.conflictRule else { return try attempt(options.conflictRule) }
    undoing.prepareToFollow(in: reader)
    let levels = undoing
    var unfit: Set<Place> = []
    while true {
      do {
        return try attempt(options.conflictRule.rejectingValues(at: unfit))
      } catch KeyValueLogError.typeMismatch(let details) {
        guard let object = details.object, let key = details.key,
          unfit.insert(Place(object, key)).inserted
        else { throw KeyValueLogError.typeMismatch(details) }
        telemetry.error("a value doesn't fit", KeyValueLogError.typeMismatch(details))
        undoing = levels
      }
    }
  }

  /// Changes the graph and the queue as a merge does.
  private func make(_ merge: Merge) throws {
    telemetry.made(again: merge.effort)
    try change { undoing in
      undoing.follow(merge, in: reader)
    } by: {
      if !merge.net.edits.isEmpty {
        try log.apply(merge.net, runsPropertyObservers: options.runsPropertyObservers)
      }
    }
    finish(merge)
  }

  /// Changes the graph as others have, after the undo history has followed; throws and changes neither.
  ///
  /// Observers of the change add levels to the history that has followed.
  private func change(
    following follow: (inout UndoStacks) -> Void, by change: () throws -> Void
  ) throws {
    undoing.prepareToFollow(in: reader)
    let before = undoing
    follow(&undoing)
    do {
      try change()
    } catch {
      undoing = before
      throw error
    }
  }

  /// The queue has changed otherwise than at its end.
  func makeFileStale() {
    if queue.isEmpty {
      queueFile?.empty()
    } else {
      queueFile?.makeStale()
      fileBell.ring()
    }
  }

  private func finish(_ merge: Merge) {
    if merge.outcomes.isEmpty { return }
    let (conflicts, rejected) = queue.merge(merge.outcomes, in: reader)
    makeFileStale()
    for (number, met) in rejected { note(.conflict(met), of: number) }
    if !conflicts.isEmpty { met(conflicts) }
  }

  // MARK: Restoring

  /// The graph without the queue's transactions.
  func confirmedState() throws -> KeyValueSnapshot {
    var state = try log.snapshot()
    state.schema = options.schema
    // As one record, so that a long list isn't copied for each.
    try state.apply(
      KeyValueTransactionRecord(queue.items.reversed().flatMap(\.transaction.record.inverse.edits)),
      fittedBy: model)
    return state
  }

  /// Goes on from the newest snapshot: the graph is changed by what differs.
  func restore(isolation: isolated any Actor) async throws {
    telemetry.restoring()
    isTakingBack = needsRestore
    defer { isTakingBack = false }
    // Observers may change the graph meanwhile so that it has to be restored again.
    needsRestore = false
    var isRestored = false
    defer { if !isRestored { needsRestore = true } }
    var (state, position, schema, unreadable, _) = try await ReplicaLoading.load(
      document, from: store
    ) {
      telemetry.error("record \($0) can't be applied, and is left out", $1)
    }
    state.assume(schema)
    if Task.isCancelled { return }
    guard state.root == rootID else {
      throw LogError.noDocument(document)
    }
    unacknowledged = nil
    if schema > options.schema, newerSchema == nil { enterReadOnly(schema) }
    let isNewer = newerSchema != nil
    var known = withPresentNames(
      isNewer
        ? state.known(to: model) { log.knows($0) } : state.upgraded(to: options.schema, model))
    if !isNewer, schema < options.schema {
      // Before it has keys that older programs don't know. Nothing may wait once the graph is what was read.
      try await store.upgrade(document, to: options.schema)
    }
    if !isNewer, let records = try? known.completion(from: confirmedState()), !records.isEmpty {
      // It's a backup from before keys that this program has. Once it has their values, it's read again.
      completions += 1
      if completions > 10 {
        // The next ten follow when the loop has paused.
        completions = 0
        throw LogError.lackingKeys(in: document)
      }
      return try await ReplicaLoading.write(
        records, to: document, after: position, in: store, author: options.author,
        schema: options.schema)
    }
    let origin = KeyValueChangeOrigin.remote("snapshot")
    do {
      try fit(&known) { try settle(on: $0, from: origin) }
    } catch {
      let explained = KeyValueLogError.explained(error, schema: options.schema)
      throw LogError.refused(code: "unfit", message: "\(explained)")
    }
    isRestored = true
    completions = 0
    if isNewer { mirror = state }
    self.position = position
    self.unreadable = unreadable
    head = position.revision
    settleStatus()
  }

  /// Makes the graph what a state and the queue's transactions on it are.
  private func settle(on state: KeyValueSnapshot, from origin: KeyValueChangeOrigin) throws {
    guard let confirmed = try? confirmedState() else { return try rebuild(on: state, from: origin) }
    var state = state
    // A key that the state doesn't have keeps its value, and this its objects.
    for record in state.completion(from: confirmed) { try state.applyTolerantly(record) }
    // What is only written otherwise doesn't differ, so it's no conflict either.
    state = log.fitted(state, to: confirmed)
    let difference = KeyValueTransactionRecord(
      SnapshotDifference(from: confirmed, to: state, model).edits,
      isTransaction: true, origin: origin)
    if difference.edits.isEmpty { return }
    try merge(difference) { try settle($0, from: origin) }
  }

  private func settle(_ merge: Merge, from origin: KeyValueChangeOrigin) throws {
    try change { undoing in
      undoing.follow(merge, in: reader)
    } by: {
      if !merge.net.edits.isEmpty {
        var target = try log.snapshot()
        try target.apply(merge.net)
        try apply(target, from: origin)
      }
    }
    finish(merge)
  }

  private func apply(_ target: KeyValueSnapshot, from origin: KeyValueChangeOrigin) throws {
    let author = if case .remote(let name) = origin { name } else { "" }
    try log.apply(target, from: author, runsPropertyObservers: options.runsPropertyObservers)
  }

  /// Makes the graph a state and those of the queue's transactions that fit it.
  ///
  /// The graph has changes that are neither confirmed nor in the queue, and the queue's can't be taken out of it.
  ///
  /// - Throws: `KeyValueLogError` if the graph can't have the state. Nothing has changed then.
  private func rebuild(on state: KeyValueSnapshot, from origin: KeyValueChangeOrigin) throws {
    var target = state
    var failures: [Int: any Error] = [:]
    for (index, item) in queue.items.enumerated() {
      do {
        try target.apply(item.transaction.record, fittedBy: model)
      } catch {
        failures[index] = error
      }
    }
    try change { undoing in
      undoing.removeAll()
    } by: {
      try apply(target, from: origin)
    }
    for (index, error) in failures.sorted(by: { $0.key < $1.key }) {
      noteTakenBack(queue.items[index].number, .unfit("\(error)"))
    }
    _ = queue.merge(failures.mapValues { _ in Rebase.Outcome.rejected([]) }, in: reader)
    makeFileStale()
  }
}
