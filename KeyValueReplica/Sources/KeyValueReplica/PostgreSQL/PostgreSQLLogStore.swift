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

  enum Role: Hashable { case writing, reading }

  struct Stream {
    var channel: String
    /// The session that listens.
    var session: ObjectIdentifier
    var continuation: AsyncStream<Int64?>.Continuation
  }

  struct State {
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
  let state = Mutex(State())

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
  func session(_ role: Role) throws(LogError) -> PostgreSQLSession {
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
  func ownSession() throws(LogError) -> PostgreSQLSession {
    let library = try LibPQ.shared.get()
    if state.withLock({ $0.isClosed }) { throw PostgreSQLError.closed.logError(changes: false) }
    return begin(library)
  }

  func query(
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
  func query(
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
  func isSetUp() async throws(LogError) -> Bool {
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
  var isMissingTable: Bool {
    guard case .refused(let code, _) = self else { return false }
    return code == "42P01" || code == "3F000"
  }
}
