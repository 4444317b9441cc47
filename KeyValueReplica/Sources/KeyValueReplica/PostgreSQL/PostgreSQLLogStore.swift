import Foundation
import Synchronization

/// Documents in a PostgreSQL database, which several machines share.
///
/// ```swift
/// let store = PostgreSQLLogStore("host=db.example.com dbname=acme user=kvo")
/// let replica = try await KeyValueReplica.open(Company.self, document: "acme", in: store)
/// ```
///
/// The options are libpq's: a connection string or a URL, with the environment's `PGHOST` and so on, a
/// password file and a service file. Unless they say something else, a connection attempt ends after ten
/// seconds. The client library, libpq, is loaded by the first call; the program builds without it.
///
/// The documents are in the schema `kvo`, which ``migrate()`` makes. A store has at most two sessions: one
/// writes, and one reads and listens. It needs them for as long as it lives, so a pooler has to pool
/// sessions, not transactions. Making the schema and deleting a document take one more, which ends with the call.
///
/// A transaction that was acknowledged is as durable as the database's `synchronous_commit` and `fsync`
/// make it; PostgreSQL's defaults let it survive the crash of the server and a power cut. Replicas notice if
/// a server loses transactions that they had seen.
public final class PostgreSQLLogStore: LogStore {
  /// Makes readers look without a hint, in case one got lost.
  static let interval = Duration.seconds(2)
  /// Between two notifications of a document: each one wakes all listening sessions of the document.
  static let notificationInterval = Duration.milliseconds(5)
  /// How long a pooler may take for a notification.
  static let poolerPatience = Duration.seconds(5)

  private let options: String
  private let timeout: Duration

  private enum Role: Hashable { case writing, reading }

  private struct Stream {
    var channel: String
    /// The session that listens.
    var session: ObjectIdentifier
    var continuation: AsyncStream<Int64?>.Continuation
  }

  private struct State {
    var sessions: [Role: PostgreSQLSession] = [:]
    var streams: [Int: Stream] = [:]
    var nextStream = 0
    /// The newest revisions of documents that haven't been notified yet.
    var notices: [String: Int64] = [:]
    /// Documents that a task notifies of.
    var notifying: Set<String> = []
    /// Whether the database's format was seen to be this one.
    var isFormatKnown = false
    var isClosed = false
  }
  private let state = Mutex(State())

  /// Creates a store; the first call connects.
  ///
  /// - Parameters:
  ///   - options: A connection string of libpq's, as in `"host=localhost dbname=acme"`, or a URL, as
  ///     in `"postgresql://localhost/acme"`.
  ///   - timeout: How long the server may take to answer a call.
  public init(_ options: String, timeout: Duration = .seconds(60)) {
    self.options = options
    self.timeout = timeout
  }

  deinit {
    close()
  }

  /// Ends the sessions, without waiting for the server.
  ///
  /// Calls under way end as they do when a connection is lost; later ones are refused.
  public func close() {
    let sessions = state.withLock { state in
      state.isClosed = true
      defer { state.sessions = [:] }
      return Array(state.sessions.values)
    }
    for session in sessions { session.close() }
    endHints { _ in true }
  }

  // MARK: Sessions

  /// The session of a role, begun if there's none.
  private func session(_ role: Role) throws(LogError) -> PostgreSQLSession {
    let library = try LibPQ.shared.get()
    let session = state.withLock { state -> PostgreSQLSession? in
      if state.isClosed { return nil }
      if let session = state.sessions[role], !session.isEnded { return session }
      let session = begin(library)
      state.sessions[role] = session
      return session
    }
    guard let session else { throw PostgreSQLError.closed.logError(changes: false) }
    return session
  }

  private func begin(_ library: LibPQ) -> PostgreSQLSession {
    let session = PostgreSQLSession(
      library, options: options, timeout: timeout
    ) { [weak self] session, event in
      switch event {
      case .notification(let notification):
        self?.hint(notification, from: ObjectIdentifier(session))
      case .ended: self?.endHints { $0.session == ObjectIdentifier(session) }
      }
    }
    // A database's or a role's default may be repeatable read, in which a conflict is an error. The
    // search path keeps functions of other schemas from taking the place of PostgreSQL's own.
    session.enqueue(
      PostgreSQLStatement(
        sql: """
          SELECT set_config('default_transaction_isolation', 'read committed', false),
            set_config('search_path', 'pg_catalog', false)
          """, values: [], isPrepared: false)
    ) { _ in }
    return session
  }

  /// How many sessions wait for an answer.
  var runningCount: Int { state.withLock { $0.sessions.values.count { $0.isRunning } } }

  /// Whether all notifications are sent, and no session waits for an answer.
  var isIdle: Bool {
    state.withLock { state in
      state.notifying.isEmpty && !state.sessions.values.contains { $0.isRunning }
    }
  }

  /// A session of its own for a transaction of several statements; it ends with the transaction, whatever happens.
  private func ownSession() throws(LogError) -> PostgreSQLSession {
    let library = try LibPQ.shared.get()
    if state.withLock({ $0.isClosed }) { throw PostgreSQLError.closed.logError(changes: false) }
    return begin(library)
  }

  private func query(
    _ role: Role, _ sql: String, _ values: [PostgreSQLValue], changes: Bool = false
  ) async throws(LogError) -> PostgreSQLRows {
    // The protocol's and the server's limit for a message is a gigabyte.
    guard values.reduce(0, { $0 + $1.size }) < 1 << 30 - 1 << 20 else {
      throw .refused(
        code: "too large", message: "PostgreSQL can't take more than a gigabyte at once.")
    }
    let session = try session(role)
    do throws(PostgreSQLError) {
      return try await session.query(PostgreSQLStatement(sql: sql, values: values))
    } catch {
      let told = error.logError(changes: changes)
      // It may be a server that only reads, and the next connection lead to another one.
      if case .server("25006", let message) = error {
        session.close(.lost(wasSent: false, message: message))
      }
      throw told
    }
  }

  /// A query that names a document: where there are no tables there's no document either.
  private func query(
    _ role: Role, _ sql: String, of document: String, _ values: [PostgreSQLValue] = [],
    changes: Bool = false
  ) async throws(LogError) -> PostgreSQLRows {
    do throws(LogError) {
      return try await query(role, sql, [.text(document)] + values, changes: changes)
    } catch {
      throw error.isMissingTable ? .noDocument(document) : error
    }
  }

  // MARK: Setting up

  /// Makes the schema `kvo` with its tables and functions, unless it's there; the functions of a schema that the role
  /// owns become those of this program.
  ///
  /// ``create(_:schema:snapshot:)`` calls it where the schema is missing, so it needs calling only
  /// where the programs' role may not make a schema. Several processes may call it at once. The role
  /// that calls it owns the schema; another one that's to read and write the documents needs:
  ///
  /// ```sql
  /// GRANT USAGE ON SCHEMA kvo TO writer;
  /// GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA kvo TO writer;
  /// ```
  ///
  /// - Throws: `LogError`; `refused` with code 42501 if the role may not.
  public func migrate() async throws(LogError) {
    let session = try ownSession()
    defer { session.close() }
    func run(_ sql: String) async throws(PostgreSQLError) -> PostgreSQLRows {
      try await session.query(PostgreSQLStatement(sql: sql, values: [], isPrepared: false))
    }
    do throws(PostgreSQLError) {
      _ = try await run("BEGIN")
      _ = try await run("SELECT pg_advisory_xact_lock(\(PostgreSQLSchema.lock))")
      if try await run("SELECT to_regclass('kvo.format') IS NULL").bool(0, 0) {
        // Even with IF NOT EXISTS it needs the permission.
        if try await run("SELECT to_regnamespace('kvo') IS NULL").bool(0, 0) {
          _ = try await run("CREATE SCHEMA kvo")
        }
        for statement in PostgreSQLSchema.statements { _ = try await run(statement) }
      } else if try await run(PostgreSQLSchema.mayReplaceFunctions).bool(0, 0) {
        for function in PostgreSQLSchema.functions { _ = try await run(function) }
      }
      _ = try await run("COMMIT")
    } catch {
      let told = error.logError(changes: false)
      guard case .refused("42501", let message) = told else { throw told }
      throw .refused(
        code: "42501",
        message: message + "\nThe schema kvo has to be made once, by a role that may do so: see "
          + "PostgreSQLLogStore.migrate().")
    }
    _ = try await isSetUp()
  }

  /// Whether there are the tables.
  ///
  /// - Throws: `LogError`; `refused` if they're of a newer format.
  private func isSetUp() async throws(LogError) -> Bool {
    if state.withLock({ $0.isFormatKnown }) { return true }
    let format: Int64
    do throws(LogError) {
      format = try await query(.reading, "SELECT max(version) FROM kvo.format", []).int(0, 0)
    } catch {
      if error.isMissingTable { return false }
      throw error
    }
    guard format == PostgreSQLSchema.format else {
      throw .refused(
        code: "format",
        message: "The database's schema kvo has format \(format), and this program knows format "
          + "\(PostgreSQLSchema.format). Update the program.")
    }
    state.withLock { $0.isFormatKnown = true }
    return true
  }

  // MARK: Documents

  /// The document's newest position and schema; nil if there's no such document.
  public func document(_ name: String) async throws(LogError) -> LogDocument? {
    guard try await isSetUp() else { return nil }
    return try await read(name)
  }

  private func read(_ name: String) async throws(LogError) -> LogDocument? {
    let rows: PostgreSQLRows
    do throws(LogError) {
      rows = try await query(
        .reading,
        """
        SELECT epoch, revision, head, schema, oldest FROM kvo.document WHERE name = $1
        """, of: name)
    } catch {
      if case .noDocument = error { return nil }
      throw error
    }
    guard rows.count > 0 else { return nil }
    return LogDocument(
      position: LogPosition(
        epoch: try rows.someID(0, 0), revision: rows.int(0, 1), transaction: rows.id(0, 2)),
      schema: Int(rows.int(0, 3)), oldest: rows.int(0, 4))
  }

  /// Makes a document with its first snapshot, at revision 0, unless there is one.
  public func create(
    _ name: String, schema: Int, snapshot: Data
  ) async throws(LogError) -> LogDocument {
    if try await !isSetUp() { try await migrate() }
    if let document = try await read(name) { return document }
    _ = try await query(
      .writing,
      """
      WITH d AS (
        INSERT INTO kvo.document (name, schema) VALUES ($1, $2)
        ON CONFLICT (name) DO NOTHING RETURNING id)
      INSERT INTO kvo.snapshot (document, revision, state) SELECT id, 0, $3 FROM d
      """, of: name, [.int(Int64(schema)), .bytes(snapshot)])
    guard let document = try await read(name) else {
      throw .unreachable("\(name) was deleted while it was made.")
    }
    return document
  }

  /// Raises the document's schema; never lowers it.
  public func upgrade(_ document: String, to schema: Int) async throws(LogError) {
    let rows = try await query(
      .writing,
      """
      WITH d AS (
        UPDATE kvo.document SET schema = $2 WHERE name = $1 AND schema < $2 RETURNING id)
      SELECT EXISTS (SELECT FROM kvo.document WHERE name = $1), EXISTS (SELECT FROM d)
      """, of: document, [.int(Int64(schema))])
    guard rows.bool(0, 0) else { throw .noDocument(document) }
    if rows.bool(0, 1) { await tell(document, "") }
  }

  /// Deletes a document with all its records and snapshots.
  public func delete(_ document: String) async throws(LogError) {
    let session = try ownSession()
    defer { session.close() }
    func run(
      _ sql: String, _ values: [PostgreSQLValue] = []
    ) async throws(PostgreSQLError) -> PostgreSQLRows {
      try await session.query(PostgreSQLStatement(sql: sql, values: values, isPrepared: false))
    }
    let count: Int
    do throws(PostgreSQLError) {
      _ = try await run("BEGIN")
      let found = try await run(
        "DELETE FROM kvo.document WHERE name = $1 RETURNING id", [.text(document)])
      count = found.count
      // A statement of its own sees the records of an append that the first one has waited for.
      if count > 0 {
        _ = try await run("DELETE FROM kvo.record WHERE document = $1", [.int(found.int(0, 0))])
      }
      _ = try await run("COMMIT")
    } catch {
      let told = error.logError(changes: false)
      throw told.isMissingTable ? .noDocument(document) : told
    }
    guard count > 0 else { throw .noDocument(document) }
    await tell(document, "")
  }

  // MARK: Records

  /// Appends transactions, all or none.
  public func append(
    _ transactions: [LogTransaction], to document: String, after base: LogPosition, schema: Int
  ) async throws(LogError) -> LogAppend {
    precondition(!transactions.isEmpty, "There are no transactions to append.")
    let rows = try await query(
      .writing, "SELECT * FROM kvo.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", of: document,
      [
        .id(base.epoch), .int(base.revision), .id(base.transaction), .int(Int64(schema)),
        .ids(transactions.map(\.id)), .texts(transactions.map(\.author)),
        .byteStrings(transactions.map(\.payload)), .int(Int64(LogLimits.records)),
        .int(Int64(LogLimits.bytes)),
      ], changes: true)
    switch rows.count > 0 ? rows.int(0, 0) : PostgreSQLSchema.Outcome.restore {
    case PostgreSQLSchema.Outcome.noDocument: throw .noDocument(document)
    case PostgreSQLSchema.Outcome.committed:
      let revision = rows.int(0, 1)
      notify(document, revision)
      return .committed(revision)
    case PostgreSQLSchema.Outcome.behind:
      // A compaction may have come between the function's statements.
      let records = try Self.records(rows, after: base, from: 1)
      return records.map { .behind($0) } ?? .restore
    case PostgreSQLSchema.Outcome.schema:
      throw .schema(expected: schema, found: Int(rows.int(0, 1)))
    case PostgreSQLSchema.Outcome.partlyAppended: throw .partlyAppended(to: document)
    default: return .restore
    }
  }

  /// The records after a position, in order and without a gap.
  public func records(
    of document: String, after position: LogPosition, limit: Int
  ) async throws(LogError) -> LogRead {
    let rows = try await query(
      .reading,
      """
      SELECT d.epoch = $4 AND \(PostgreSQLSchema.isKnown), d.revision, d.schema,
        r.revision, r.id, r.author, r.edits, r.at
      FROM kvo.document d LEFT JOIN LATERAL (
        SELECT s.* FROM (
          SELECT t.*, sum(octet_length(t.edits)) OVER (ORDER BY t.revision) AS bytes FROM (
            SELECT * FROM kvo.record WHERE document = d.id AND revision > $2
            ORDER BY revision LIMIT $5) t) s
        WHERE s.bytes <= $6 OR s.revision = $2 + 1) r ON true
      WHERE d.name = $1 ORDER BY r.revision
      """, of: document,
      [
        .int(position.revision), .id(position.transaction), .id(position.epoch),
        .int(Int64(min(max(limit, 0), 10 * LogLimits.records))), .int(Int64(LogLimits.bytes)),
      ])
    guard rows.count > 0 else { throw .noDocument(document) }
    guard rows.bool(0, 0) else { return .restore }
    let (head, schema) = (rows.int(0, 1), Int(rows.int(0, 2)))
    if rows.isNull(0, 3) { return .records([], head: head, schema: schema) }
    guard let records = try Self.records(rows, after: position, from: 3) else {
      // One statement sees one state, in which there is no gap.
      throw .refused(
        code: "XX001", message: "A revision of \(document) after \(position.revision) is missing.")
    }
    return .records(records, head: head, schema: schema)
  }

  /// The records of rows; nil if there's a gap.
  private static func records(
    _ rows: PostgreSQLRows, after position: LogPosition, from column: Int
  ) throws(LogError) -> [LogRecord]? {
    var records: [LogRecord] = []
    records.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      let revision = rows.int(row, column)
      guard revision == position.revision + Int64(row) + 1 else { return nil }
      records.append(
        LogRecord(
          revision: revision,
          transaction: LogTransaction(
            id: try rows.someID(row, column + 1), author: rows.text(row, column + 2),
            payload: rows.data(row, column + 3)),
          date: rows.date(row, column + 4)))
    }
    return records
  }

  // MARK: Snapshots

  /// The newest snapshot; nil if there's no such document.
  public func snapshot(of document: String) async throws(LogError) -> LogSnapshot? {
    let rows: PostgreSQLRows
    do throws(LogError) {
      rows = try await query(
        .reading,
        """
        SELECT d.epoch, s.revision, s.id, s.state
        FROM kvo.document d JOIN kvo.snapshot s ON s.document = d.id
        WHERE d.name = $1 ORDER BY s.revision DESC LIMIT 1
        """, of: document)
    } catch {
      if case .noDocument = error { return nil }
      throw error
    }
    guard rows.count > 0 else { return nil }
    return LogSnapshot(
      position: LogPosition(
        epoch: try rows.someID(0, 0), revision: rows.int(0, 1), transaction: rows.id(0, 2)),
      payload: rows.data(0, 3))
  }

  /// Keeps a snapshot, unless there's one of its revision.
  public func save(_ snapshot: LogSnapshot, of document: String) async throws(LogError) {
    let rows = try await query(
      .writing,
      """
      WITH d AS (SELECT * FROM kvo.document WHERE name = $1),
        s AS (
          INSERT INTO kvo.snapshot (document, revision, id, state)
          SELECT d.id, $2, $3, $5 FROM d WHERE d.epoch = $4 AND \(PostgreSQLSchema.isKnown)
          ON CONFLICT DO NOTHING)
      SELECT FROM d
      """, of: document,
      [
        .int(snapshot.position.revision), .id(snapshot.position.transaction),
        .id(snapshot.position.epoch), .bytes(snapshot.payload),
      ])
    guard rows.count > 0 else { throw .noDocument(document) }
  }

  /// Deletes the records up to the oldest of the `count` newest snapshots, and the snapshots
  /// before it.
  @discardableResult
  public func compact(
    _ document: String, keepingSnapshots count: Int, olderThan age: Duration
  ) async throws(LogError) -> Int {
    // A thousand years are for ever, and the server can take them from a date.
    let most = 1_000 * 366 * 86_400.0
    let microseconds = Int64(min(max(age / .seconds(1), -most), most) * 1_000_000)
    let rows = try await query(
      .writing, "SELECT kvo.compact($1, $2, $3 * interval '1 microsecond')", of: document,
      [.int(Int64(count)), .int(microseconds)])
    guard !rows.isNull(0, 0) else { throw .noDocument(document) }
    return Int(rows.int(0, 0))
  }

  // MARK: Hints

  /// Notifies the listening sessions: at once, then at most once in an interval.
  private func notify(_ document: String, _ revision: Int64) {
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
  /// What goes wrong is left to the readers' look without a hint.
  private func tell(_ document: String, _ payload: String) async {
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
    // Something is between that has sessions of its own.
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
  private func hint(_ notification: PostgreSQLNotification, from session: ObjectIdentifier) {
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

  private func endHints(_ condition: (Stream) -> Bool) {
    let ended = state.withLock { state in
      let ended = state.streams.filter { condition($0.value) }
      for key in ended.keys { state.streams[key] = nil }
      return ended.values
    }
    for stream in ended { stream.continuation.finish() }
  }
}

extension LogStore where Self == PostgreSQLLogStore {
  /// Documents in a PostgreSQL database, which several machines share.
  ///
  /// - Parameter options: A connection string of libpq's, as in `"host=localhost dbname=acme"`, or a
  ///   URL, as in `"postgresql://localhost/acme"`.
  /// - Returns: A store, which connects when it's first used.
  public static func postgreSQL(_ options: String) -> PostgreSQLLogStore {
    PostgreSQLLogStore(options)
  }
}

extension LogError {
  /// Whether the database has no schema `kvo`, or it has no tables.
  fileprivate var isMissingTable: Bool {
    guard case .refused(let code, _) = self else { return false }
    return code == "42P01" || code == "3F000"
  }
}

extension PostgreSQLRows {
  fileprivate func someID(_ row: Int, _ column: Int) throws(LogError) -> UUID {
    guard let id = id(row, column) else {
      throw .refused(code: "XX001", message: "An id in the schema kvo isn't a UUID.")
    }
    return id
  }
}
