import Foundation
@_spi(Replication) import KeyValueCore

// The loop: what is done at the store, and how it goes on after an error.
extension ReplicaCore {
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
    isSending = false
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
    func sendAndKeepSnapshot() async throws {
      isSending = true
      let count = try await send(isolation: isolation)
      isSending = false
      succeeded()
      try await keepSnapshot(after: count, isolation: isolation)
    }
    while !Task.isCancelled {
      if unacknowledged != nil {
        // Its outcome has to be known first: it may be among what is read.
        try await sendAndKeepSnapshot()
      } else if needsRestore {
        try await restore(isolation: isolation)
      } else if news.take() {
        // What is cancelled applies nothing, so there's always more.
        while !Task.isCancelled, try await receive(isolation: isolation) {}
        // Where sending fails, reading doesn't make up for it.
        if queue.isEmpty || newerSchema != nil { succeeded() }
      } else if !queue.isEmpty, newerSchema == nil, maySend {
        try await sendAndKeepSnapshot()
      } else if news.hasEnded {
        throw LogError.unreachable("the connection ended")
      } else if !queue.isEmpty, newerSchema == nil {
        // It's too early to send again.
        guard await bell.wait() else { return }
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
    if isSending, unacknowledged == nil {
      // Others' changes are read meanwhile.
      sendingIsDue = end
      Task { [bell] in
        try? await Task.sleep(until: end)
        bell.ring()
      }
      return true
    }
    do {
      try await Task.sleep(until: end)
    } catch {
      return false
    }
    return true
  }

  /// Whether enough time has passed since sending failed.
  private var maySend: Bool { sendingIsDue.map { $0 <= .now } ?? true }

  func enterReadOnly(_ schema: Int) {
    newerSchema = schema
    setStatus(.readOnly(schema: schema))
    failWaiters(.readOnly(expected: options.schema, found: schema, waiting: queue.count))
    bell.ring()
  }

  // MARK: Sending

  /// Sends the queue's first transactions.
  ///
  /// - Returns: How many have been committed.
  private func send(isolation: isolated any Actor) async throws -> Int {
    var isRepeated = unacknowledged != nil
    let batch = try await nextBatch(isolation: isolation)
    guard !batch.isEmpty else { return 0 }
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
      // No earlier append was committed, either.
      case .schema: (unacknowledged, isRepeated) = (nil, false)
      case .noDocument: unacknowledged = nil
      case .unreachable, .refused: break
      }
      // An earlier append of the batch may have been committed.
      if unacknowledged == nil, !isRepeated { try? queueFile?.send(0) }
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
      queueFile?.acknowledge(batch.count, at: position, isAll: queue.isEmpty)
      settleStatus()
      finishWaiters()
      return batch.count
    case .behind(let records):
      try? queueFile?.send(0)
      try await apply(records, isolation: isolation)
    case .restore:
      if isRepeated { giveUpSent(batch.count) } else { try? queueFile?.send(0) }
      try await restore(isolation: isolation)
    }
    return 0
  }

  /// Gives up transactions that may be in the document: the store doesn't know any more, and sending them again could
  /// make them twice.
  private func giveUpSent(_ count: Int) {
    for item in queue.items.prefix(count) { noteTakenBack(item.number, .outcomeForgotten) }
    queue.removeFirst(count)
    makeFileStale()
    // The graph still has their changes.
    needsRestore = true
  }

  /// The next transactions to send, encoded.
  private func nextBatch(isolation: isolated any Actor) async throws -> [LogTransaction] {
    if let unacknowledged { return unacknowledged }
    let records = queue.items.prefix(LogLimits.append.count).map(\.transaction.record)
    let encoded = try await Payload.encode(
      records, author: options.author, upTo: LogLimits.append.bytes)
    let limit = options.maximumTransactionSize
    if let first = encoded.first, first.payload.count > limit {
      giveUpFirst(.tooLarge(bytes: first.payload.count, limit: limit))
      return []
    }
    return Array(encoded.prefix { $0.payload.count <= limit })
  }

  /// Writes the queue to its file, as far as it isn't there.
  func keepQueue(isolation: isolated any Actor) async {
    guard let queueFile, !queueFile.isLeft else { return }
    while !queueFile.isLeft, queueFile.keptCount < queue.count {
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
  private func giveUpFirst(_ error: KeyValueReplicaError) {
    let first = queue.items[0]
    queue.removeFirst(1)
    makeFileStale()
    var inverse = first.transaction.record.inverse
    inverse.origin = .remote(options.author)
    noteTakenBack(first.number, error)
    do {
      try applyOver(queue: inverse, takingBack: first.transaction.record.id)
    } catch {
      telemetry.error("a change couldn't be taken back", error)
      needsRestore = true
    }
  }

  // MARK: Snapshots

  /// Keeps a snapshot now and then, so that others needn't read all records.
  ///
  /// Of all replicas, the one does whose transactions pass a multiple of the interval.
  private func keepSnapshot(after count: Int, isolation: isolated any Actor) async throws {
    let interval = Int64(options.snapshotInterval)
    // The objects of a released replica have changes that aren't recorded.
    if Task.isCancelled { return }
    guard count > 0, interval > 0, !needsRestore,
      position.revision / interval > (position.revision - Int64(count)) / interval
    else { return }
    do {
      try await keepSnapshot(isolation: isolation)
    } catch {
      switch error as? LogError {
      case .unreachable, .outcomeUnknown, .noDocument: throw error
      // No change is refused; after the next interval it's tried again.
      case .refused, .schema, nil: telemetry.error("a snapshot can't be kept", error)
      }
    }
  }

  /// Keeps a snapshot where opening has read the records of two intervals.
  func keepDueSnapshot(isolation: isolated any Actor) async {
    guard options.snapshotInterval > 0, newerSchema == nil, unreadable == nil, !needsRestore,
      !isTakingBack
    else { return }
    do {
      try await keepSnapshot(isolation: isolation)
    } catch {
      telemetry.error("a snapshot can't be kept", error)
    }
  }

  /// Keeps a snapshot now, and deletes the records that are old enough and before the second newest one.
  private func keepSnapshot(isolation: isolated any Actor) async throws {
    try await saveSnapshot(isolation: isolation)
    try await store.compact(document, keepingSnapshots: 2, olderThan: options.keepsRecords)
  }

  func saveSnapshot(isolation: isolated any Actor) async throws {
    if needsRestore || isTakingBack {
      throw LogError.refused(
        code: "restore",
        message: "The replica of document \(document.debugDescription) has changes that are about "
          + "to be taken back. Keep the snapshot later.")
    }
    if let unreadable {
      // The snapshot would take the record's place, also for programs that can read it.
      throw LogError.refused(
        code: "payload",
        message: "Record \(unreadable) of document \(document.debugDescription) can't be read by "
          + "this program, and a snapshot would lose its changes for all programs. Keep the snapshot "
          + "with the newer program that has written the record.")
    }
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
