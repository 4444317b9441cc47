import Synchronization

// How readers learn of commits: by notifications.
extension PostgreSQLLogStore {
  /// Notifies the listening sessions: at once, then at most once in an interval.
  func notify(_ document: String, _ revision: Int64) {
    let isFirst = state.withLock { state in
      state.notices[document] = max(revision, state.notices[document] ?? 0)
      return state.notifying.insert(document).inserted
    }
    guard isFirst else { return }
    Task { [weak self] in
      while let self, let revision = self.nextNotice(of: document) {
        await self.tell(document, String(revision))
        try? await Task.sleep(for: Self.notificationInterval)
      }
    }
  }

  private func nextNotice(of document: String) -> Int64? {
    state.withLock { state in
      if let revision = state.notices.removeValue(forKey: document) { return revision }
      state.notifying.remove(document)
      return nil
    }
  }

  /// Notifies the listening sessions.
  ///
  /// A lost notification is made up for by the readers, which look without a hint, too.
  func tell(_ document: String, _ payload: String) async {
    // Not in the transaction of an append: a commit with a notification excludes all others of the
    // database. This one doesn't wait for the disk.
    _ = try? await query(
      .writing,
      """
      SELECT set_config('synchronous_commit', 'off', true),
        pg_notify(\(PostgreSQLSchema.channel), $2)
      """, [.text(document), .text(payload)])
  }

  /// Hints that there may be records.
  public func hints(of document: String) async throws(LogError) -> AsyncStream<Int64?> {
    let rows = try await query(
      .reading,
      "SELECT \(PostgreSQLSchema.channel), pg_backend_pid() FROM kvo.document WHERE name = $1",
      of: document)
    guard rows.count > 0 else { throw .noDocument(document) }
    let channel = rows.text(0, 0)
    let session = try session(.reading)
    let (stream, continuation) = AsyncStream.makeStream(
      of: Int64?.self, bufferingPolicy: .bufferingNewest(1))
    let key = state.withLock { state in
      state.nextStream += 1
      state.streams[state.nextStream] = Stream(
        channel: channel, session: ObjectIdentifier(session), continuation: continuation)
      return state.nextStream
    }
    let ticks = Task {
      while (try? await Task.sleep(for: Self.interval)) != nil { continuation.yield(nil) }
    }
    continuation.onTermination = { [weak self] _ in
      ticks.cancel()
      self?.removeStream(key)
    }
    // Alone in its transaction, which is over when this returns: together with a read it would lose
    // what is committed between the two.
    do throws(PostgreSQLError) {
      _ = try await session.query(
        PostgreSQLStatement(sql: "LISTEN \(channel)", values: [], isPrepared: false))
    } catch {
      continuation.finish()
      throw error.logError(changes: false)
    }
    // Another process of the server answers than was connected to: a pooler is between.
    if let process = session.serverProcess, process != Int(rows.int(0, 1)),
      await !hearsNotifications(of: document, channel, session)
    {
      continuation.finish()
      throw .refused(
        code: "pooler",
        message: "Notifications don't arrive: a pooler between the program and the server pools "
          + "transactions. " + PostgreSQLError.poolSessions)
    }
    return stream
  }

  /// Whether a session hears what another one tells.
  private func hearsNotifications(
    of document: String, _ channel: String, _ session: PostgreSQLSession
  ) async -> Bool {
    let (heard, continuation) = AsyncStream.makeStream(of: Int64?.self)
    let key = state.withLock { state in
      state.nextStream += 1
      state.streams[state.nextStream] = Stream(
        channel: channel, session: ObjectIdentifier(session), continuation: continuation)
      return state.nextStream
    }
    defer { state.withLock { $0.streams[key] = nil } }
    let end = Task {
      try? await Task.sleep(for: Self.poolerPatience)
      continuation.finish()
    }
    defer { end.cancel() }
    await tell(document, "")
    var iterator = heard.makeAsyncIterator()
    // Where the session has ended, the hints have too, and say so.
    return await iterator.next() != nil || session.isEnded || Task.isCancelled
  }

  /// Passes a notification on.
  ///
  /// Only to what listens in the session that has heard it: behind a pooler that pools transactions, the one that
  /// tells hears itself.
  func hint(_ notification: PostgreSQLNotification, from session: ObjectIdentifier) {
    let streams = state.withLock { $0.streams.values.filter { $0.session == session } }
    for stream in streams where stream.channel == notification.channel {
      stream.continuation.yield(Int64(notification.payload))
    }
  }

  private func removeStream(_ key: Int) {
    state.withLock { state in
      guard let stream = state.streams.removeValue(forKey: key) else { return }
      let isUsed = state.streams.values.contains { $0.channel == stream.channel }
      if !isUsed, let session = state.sessions[.reading] {
        session.enqueue(
          PostgreSQLStatement(sql: "UNLISTEN \(stream.channel)", values: [], isPrepared: false)
        ) { _ in }
      }
    }
  }

  func endHints(_ condition: (Stream) -> Bool) {
    let ended = state.withLock { state in
      let ended = state.streams.filter { condition($0.value) }
      for key in ended.keys { state.streams[key] = nil }
      return ended.values
    }
    for stream in ended { stream.continuation.finish() }
  }
}
