import Foundation
@_spi(Replication) import KeyValueCore

// The loop: what is done at the store, and how it goes on after an error.
extension ReplicaCore {
  /// The most transactions in one append, and about the most bytes.
  private static var batchLimit: (count: Int, bytes: Int) { (256, 4 << 20) }
  private static var pageSize: Int { 1_000 }
  /// The most own transactions that are made again for each of several records.
  private static var singlyMerged: Int { 100 }

  func run(isolation: isolated any Actor) async {
    var failures = 0
    while !Task.isCancelled {
      do {
        try await work(isolation: isolation) { failures = 0 }
        return
      } catch {
        if Task.isCancelled { return }
        guard await goOn(after: error, &failures, isolation: isolation) else { return }
      }
    }
  }

  /// Works until an error comes; returns when the replica has been stopped.
  private func work(
    isolation: isolated any Actor, _ succeeded: () -> Void
  ) async throws {
    let hints = try await store.hints(of: document)
    let bell = bell
    let news = News()
    let listening = Task {
      for await revision in hints {
        news.note(revision)
        bell.ring()
      }
      news.end()
      bell.ring()
    }
    defer { listening.cancel() }
    // What was committed before the hints began isn't hinted at.
    news.note(nil)
    while !Task.isCancelled {
      if needsRestore {
        try await restore(isolation: isolation)
      } else if news.take() {
        while try await receive(isolation: isolation) {}
        succeeded()
      } else if !queue.isEmpty, newerSchema == nil {
        try await send(isolation: isolation)
        succeeded()
      } else if news.hasEnded {
        throw LogError.unreachable("the connection ended")
      } else {
        settleStatus()
        finishWaiters()
        if let unsendable { failWaiters(unsendable) }
        guard await bell.wait() else { return }
      }
    }
  }

  /// Decides what an error means.
  ///
  /// - Returns: Whether the loop goes on.
  private func goOn(
    after error: any Error, _ failures: inout Int, isolation: isolated any Actor
  ) async -> Bool {
    failures += 1
    let error = error as? LogError ?? .refused(code: "", message: "\(error)")
    telemetry.failed(error)
    switch error {
    case .unreachable, .outcomeUnknown:
      if case .offline = status {} else { setStatus(.offline(since: Date())) }
      // An answer that was lost is known after the next try.
      if failures > 2 { failClosingWaiters() }
    case .refused:
      setStatus(.refused(KeyValueReplicaError(error)))
      failWaiters(KeyValueReplicaError(error))
    case .schema(_, let found):
      // Others' changes still arrive.
      enterReadOnly(found)
      return true
    case .noDocument:
      end(KeyValueReplicaError(error))
      return false
    }
    // 10 ms, doubling to 5 s, of which a random half.
    let most = min(5_000, 10 << min(failures - 1, 9))
    let end = ContinuousClock.now + .milliseconds(Int.random(in: most / 2...most))
    await keepQueue(isolation: isolation)
    do {
      try await Task.sleep(until: end)
    } catch {
      return false
    }
    return true
  }

  func enterReadOnly(_ schema: Int) {
    newerSchema = schema
    setStatus(.readOnly(schema: schema))
    failWaiters(.readOnly(expected: options.schema, found: schema, waiting: queue.count))
    bell.ring()
  }

  // MARK: Sending

  private func send(isolation: isolated any Actor) async throws {
    let batch = try await nextBatch(isolation: isolation)
    guard !batch.isEmpty else { return }
    await keepQueue(isolation: isolation)
    try? queueFile?.send(batch.count)
    let started = ContinuousClock.now
    let outcome: LogAppend
    do throws(LogError) {
      outcome = try await store.append(
        batch, to: document, after: position, schema: options.schema)
    } catch {
      switch error {
      // The same batch is sent again, to the same base.
      case .outcomeUnknown: unacknowledged = batch
      case .schema, .noDocument: unacknowledged = nil
      case .unreachable, .refused: break
      }
      throw error
    }
    unacknowledged = nil
    switch outcome {
    case .committed(let revision):
      telemetry.committed(batch.count, after: ContinuousClock.now - started)
      queue.removeFirst(batch.count)
      position.revision = revision
      position.transaction = batch[batch.count - 1].id
      head = max(head, revision)
      queueFile?.acknowledge(batch.count, at: position)
      settleStatus()
      finishWaiters()
      try await keepSnapshot(after: batch.count, isolation: isolation)
    case .behind(let records): try await apply(records, isolation: isolation)
    case .restore: try await restore(isolation: isolation)
    }
  }

  /// The next transactions to send, encoded.
  private func nextBatch(isolation: isolated any Actor) async throws -> [LogTransaction] {
    if let unacknowledged { return unacknowledged }
    let records = queue.items.prefix(Self.batchLimit.count).map(\.transaction.record)
    let encoded = try await Payload.encode(
      records, author: options.author, upTo: Self.batchLimit.bytes)
    var bytes = 0
    var batch: [LogTransaction] = []
    for transaction in encoded {
      if transaction.payload.count > options.maximumTransactionSize {
        if !batch.isEmpty { break }
        try giveUpFirst(
          .tooLarge(bytes: transaction.payload.count, limit: options.maximumTransactionSize))
        return []
      }
      bytes += transaction.payload.count
      if !batch.isEmpty, bytes > Self.batchLimit.bytes { break }
      batch.append(transaction)
    }
    return batch
  }

  /// Writes the queue to its file, as far as it isn't there.
  func keepQueue(isolation: isolated any Actor) async {
    guard let queueFile else { return }
    while queueFile.keptCount < queue.count {
      // One at a time, whichever loop asks for it.
      let writing =
        keeping
        ?? Task {
          _ = isolation
          return await writeQueue(to: queueFile, isolation: isolation)
        }
      keeping = writing
      guard await writing.value else { return }
    }
  }

  /// - Returns: Whether the file could be written.
  private func writeQueue(to file: QueueFile, isolation: isolated any Actor) async -> Bool {
    defer { keeping = nil }
    let (version, base) = (file.version, position)
    let records = queue.items.dropFirst(file.keptCount).map(\.transaction.record)
    do {
      let encoded = try await Payload.encode(records, author: options.author)
      // What was acknowledged or merged meanwhile isn't what was encoded.
      if file.version == version { try file.keep(encoded, at: base) }
      return true
    } catch {
      telemetry.error("the queue's file can't be written", error)
      return false
    }
  }

  /// Writes own changes to the queue's file as they're made, whatever the store does meanwhile.
  func runKeeping(isolation: isolated any Actor) async {
    while await fileBell.wait() { await keepQueue(isolation: isolation) }
  }

  /// Takes the first own transaction back, as if another writer had; those after it are made again.
  private func giveUpFirst(_ error: KeyValueReplicaError) throws {
    let first = queue.items[0]
    queue.removeFirst(1)
    makeFileStale()
    var inverse = first.transaction.record.inverse
    inverse.origin = .remote(options.author)
    note(error, of: first.number)
    telemetry.takenBack(error)
    try applyOver(queue: inverse, takingBack: first.transaction.record.id)
  }

  // MARK: Receiving

  /// Reads and applies one page.
  ///
  /// - Returns: Whether there's more.
  private func receive(isolation: isolated any Actor) async throws -> Bool {
    // The outcome of what was sent has to be known first: it may be among what is read.
    if unacknowledged != nil {
      try await send(isolation: isolation)
      return true
    }
    switch try await store.records(of: document, after: position, limit: Self.pageSize) {
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
  private func apply(_ records: [LogRecord], isolation: isolated any Actor) async throws {
    var next = position.revision
    for record in records {
      next += 1
      guard record.revision == next else { return try await restore(isolation: isolation) }
    }
    head = max(head, next)
    let decoded: [KeyValueTransactionRecord]
    do {
      decoded = try await Payload.decode(records)
    } catch {
      throw LogError.refused(code: "payload", message: "a record can't be read: \(error)")
    }
    var began = ContinuousClock.now
    var rest = zip(records, decoded).map { (stored: $0, transaction: $1) }[...]
    while let (record, transaction) = rest.first {
      if Task.isCancelled { return }
      var count = 1
      do {
        if let run = try applyRun(at: rest) {
          count = run
        } else {
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
    settleStatus()
    finishWaiters()
  }

  /// Applies the first records as one transaction if they're one author's and many own transactions have to do
  /// with them: making those again for each record would take time in proportion to the product.
  ///
  /// - Returns: How many records were applied; nil if the first one is to be applied by itself.
  private func applyRun(
    at records: ArraySlice<(stored: LogRecord, transaction: KeyValueTransactionRecord)>
  ) throws -> Int? {
    guard queue.count > Self.singlyMerged, newerSchema == nil, let first = records.first,
      queue.mayBeTouched(by: first.transaction)
    else { return nil }
    let own = Set(queue.items.map { Payload.uuid(of: $0.transaction.record.id) })
    let run = records.prefix {
      $0.transaction.origin == first.transaction.origin && !own.contains($0.stored.transaction.id)
    }
    if run.count < 2 { return nil }
    let whole = KeyValueTransactionRecord(
      run.flatMap(\.transaction.edits), isTransaction: true, origin: first.transaction.origin)
    let merge = try Merge(
      whole, over: queue.items.map(\.transaction), in: reader, options.conflictRule)
    if merge.effort <= Self.singlyMerged { return nil }
    try make(merge)
    return run.count
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
          epoch: position.epoch, revision: stored.revision, transaction: stored.transaction.id))
      return
    }
    if newerSchema == nil { return try applyOver(queue: record) }
    if mirror == nil { mirror = try confirmedState() }
    try mirror!.applyTolerantly(record)
    try settle(on: mirror!.known(to: model) { log.knows($0) }, from: record.origin)
  }

  /// Applies a record to the graph, which has the queue's transactions already.
  private func applyOver(
    queue record: KeyValueTransactionRecord, takingBack: KeyValueRecordID? = nil
  ) throws {
    if takingBack == nil, !queue.mayBeTouched(by: record) {
      undoing.follow(record, in: reader)
      return try log.apply(record, runsPropertyObservers: options.runsPropertyObservers)
    }
    try make(
      Merge(
        record, over: queue.items.map(\.transaction), in: reader, options.conflictRule,
        takingBack: takingBack))
  }

  /// Changes the graph and the queue as a merge does.
  private func make(_ merge: Merge) throws {
    telemetry.made(again: merge.effort)
    undoing.follow(merge.net, in: reader)
    if !merge.net.edits.isEmpty {
      try log.apply(merge.net, runsPropertyObservers: options.runsPropertyObservers)
    }
    finish(merge)
  }

  /// The queue has changed otherwise than at its end.
  private func makeFileStale() {
    if queue.isEmpty {
      queueFile?.empty()
    } else {
      queueFile?.makeStale()
      fileBell.ring()
    }
  }

  private func finish(_ merge: Merge) {
    if merge.outcomes.isEmpty { return }
    let (conflicts, rejected) = queue.merge(merge.outcomes)
    makeFileStale()
    for (number, met) in rejected { note(.conflict(met), of: number) }
    if !conflicts.isEmpty { met(conflicts) }
  }

  // MARK: Restoring

  /// The graph without the queue's transactions.
  func confirmedState() throws -> KeyValueSnapshot {
    var state = try log.snapshot()
    for item in queue.items.reversed() { try state.apply(item.transaction.record.inverse) }
    return state
  }

  /// Goes on from the newest snapshot: the graph is changed by what differs.
  func restore(isolation: isolated any Actor) async throws {
    telemetry.restoring()
    needsRestore = false
    let (state, position, schema) = try await ReplicaLoading.load(document, from: store) {
      telemetry.error("record \($0) doesn't fit, and is left out", $1)
    }
    guard state.root == rootID else {
      throw LogError.noDocument(document)
    }
    unacknowledged = nil
    if schema > options.schema, newerSchema == nil { enterReadOnly(schema) }
    var known = state
    if newerSchema != nil {
      mirror = state
      known = state.known(to: model) { log.knows($0) }
    }
    do {
      try settle(on: known, from: .remote("snapshot"))
    } catch {
      throw LogError.refused(code: "unfit", message: "\(error)")
    }
    self.position = position
    head = position.revision
    settleStatus()
  }

  /// Makes the graph what a state and the queue's transactions on it are.
  private func settle(on state: KeyValueSnapshot, from origin: KeyValueChangeOrigin) throws {
    let difference = KeyValueTransactionRecord(
      SnapshotDifference(from: try confirmedState(), to: state, model).edits,
      isTransaction: true, origin: origin)
    if difference.edits.isEmpty { return }
    let merge = try Merge(
      difference, over: queue.items.map(\.transaction), in: reader, options.conflictRule)
    undoing.follow(merge.net, in: reader)
    if !merge.net.edits.isEmpty {
      var target = try log.snapshot()
      try target.apply(merge.net)
      let author = if case .remote(let name) = origin { name } else { "" }
      try log.apply(target, from: author, runsPropertyObservers: options.runsPropertyObservers)
    }
    finish(merge)
  }

  // MARK: Snapshots

  /// Keeps a snapshot now and then, so that others needn't read all records.
  ///
  /// Of all replicas, the one does whose transactions pass a multiple of the interval.
  private func keepSnapshot(after count: Int, isolation: isolated any Actor) async throws {
    let interval = Int64(options.snapshotInterval)
    guard interval > 0,
      position.revision / interval > (position.revision - Int64(count)) / interval
    else { return }
    try await saveSnapshot(isolation: isolation)
    try await store.compact(document, keepingSnapshots: 2, olderThan: options.keepsRecords)
  }

  func saveSnapshot(isolation: isolated any Actor) async throws {
    let state = try mirror ?? confirmedState()
    let position = position
    let payload = try await Payload.encode(state)
    try await store.save(LogSnapshot(position: position, payload: payload), of: document)
  }
}

/// What has been hinted at since the last reading.
private final class News: @unchecked Sendable {
  private let lock = NSLock()
  private var isThere = false
  private var isOver = false

  func note(_ revision: Int64?) { lock.withLock { isThere = true } }
  func end() { lock.withLock { isOver = true } }
  var hasEnded: Bool { lock.withLock { isOver } }
  func take() -> Bool {
    lock.withLock {
      defer { isThere = false }
      return isThere
    }
  }
}

/// Reads a document's state.
enum ReplicaLoading {
  /// The newest snapshot with the records after it.
  ///
  /// A record that doesn't fit what is before it is left out, so that it doesn't keep the document from everybody.
  ///
  /// - Parameters:
  ///   - document: The document's name.
  ///   - store: Where it is.
  ///   - unfit: Called with the revision of a record that is left out.
  /// - Returns: The state, its position and the document's schema.
  /// - Throws: `LogError`.
  static func load(
    _ document: String, from store: any LogStore, unfit: (Int64, any Error) -> Void
  ) async throws -> (KeyValueSnapshot, LogPosition, schema: Int) {
    // A compaction between the readings takes the records away; then there's a newer snapshot.
    for _ in 0..<10 {
      guard let stored = try await store.snapshot(of: document) else {
        throw LogError.noDocument(document)
      }
      var state = try await Payload.decodeSnapshot(stored.payload)
      var position = stored.position
      reading: while true {
        switch try await store.records(of: document, after: position, limit: 1_000) {
        case .restore: break reading
        case .records(let records, let head, let schema):
          for (record, stored) in zip(try await Payload.decode(records), records) {
            do {
              try state.applyTolerantly(record)
            } catch {
              unfit(stored.revision, error)
            }
            position.revision = stored.revision
            position.transaction = stored.transaction.id
          }
          if position.revision >= head || records.isEmpty { return (state, position, schema) }
        }
      }
    }
    throw LogError.unreachable("the document's snapshot and records don't fit together")
  }
}
