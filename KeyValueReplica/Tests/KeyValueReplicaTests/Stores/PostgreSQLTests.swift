import Foundation
import KeyValueReplicaTestSupport
import Synchronization
import Testing

@testable import KeyValueReplica

/// What holds of the database.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL isn't installed."))
struct PostgreSQLTests {
  private func place() async throws -> PostgreSQLPlace { try await PostgreSQLPlace() }

  private func append(
    _ store: any LogStore, _ transaction: LogTransaction, after base: LogPosition
  ) async throws(LogError) -> LogAppend {
    try await store.append([transaction], to: "d", after: base, schema: 1)
  }

  // MARK: The client library

  @Test("PG1 without libpq the first call says which package to install")
  func noLibrary() throws {
    #expect(
      throws: LogError.refused(
        code: "libpq",
        message: "PostgreSQL's client library, libpq, isn't installed. Install Debian's and "
          + "Ubuntu's package libpq5, Fedora's libpq, or Homebrew's libpq.")
    ) { try LibPQ(files: ["libmissing.so.5"]) }
  }

  @Test("PG1 options that can't be read are an error that doesn't quote them")
  func unreadableOptions() async throws {
    for options in ["host=a password=se cret", "postgresql://ada:se%cret@host/db"] {
      let store = PostgreSQLLogStore(options)
      let thrown = try await error { _ = try await store.document("d") }
      #expect(
        thrown
          == .refused(
            code: "options",
            message: "The options are neither a connection string of libpq's, as in "
              + "\"host=… dbname=…\", nor a URL, as in \"postgresql://host/database\"."))
      store.close()
    }
  }

  @Test("PG1 a process with too many open files goes on, and can't reach the server")
  func tooManyFiles() async {
    await #expect(processExitsWith: .success) {
      // Some systems allow a thousand million, which would take long.
      try limitOpenFiles(to: 256)
      let store = PostgreSQLLogStore("host=/nowhere")
      // The library's files are open from then on.
      await #expect(throws: LogError.self) { _ = try await store.document("d") }
      var ends: [Int32] = [-1, -1]
      #expect(pipe(&ends) == 0)
      var copies: [Int32] = []
      while case let copy = dup(ends[0]), copy >= 0 { copies.append(copy) }
      let error = LogError.unreachable(
        "A session with the server needs a pipe, which can't be made: "
          + "Too many open files. Close files, or raise the limit of open files.")
      await #expect(throws: error) { _ = try await store.document("d") }
      for copy in copies { close(copy) }
    }
  }

  @Test("PG1 a server that isn't there can't be reached")
  func noServer() async throws {
    let store = PostgreSQLLogStore("host=/nowhere dbname=kvo password=secret")
    let thrown = try await error { _ = try await store.document("d") }
    guard case .unreachable(let message) = thrown else { throw Unexpected("\(thrown as Any)") }
    #expect(message.contains("/nowhere/.s.PGSQL.5432"))
    #expect(!message.contains("secret"))
    store.close()
  }

  @Test("PG1 a database or a user that isn't there, and a wrong password, are refusals")
  func refusedConnections() async throws {
    let server = try PostgreSQLServer(rules: "local all secretive scram-sha-256\n")
    let session = try server.session()
    try await session.run("CREATE ROLE secretive LOGIN PASSWORD 'open'")
    try await session.run("CREATE ROLE limited LOGIN CONNECTION LIMIT 0")
    try await session.run("CREATE ROLE idle NOLOGIN")
    session.close()
    for (options, code, text) in [
      (server.options(database: "nowhere"), "3D000", "database \"nowhere\" does not exist"),
      (
        server.options(database: "postgres", user: "nobody"), "28000",
        "role \"nobody\" does not exist"
      ),
      (
        server.options(database: "postgres", user: "idle"), "28000",
        "role \"idle\" is not permitted to log in"
      ),
      (
        server.options(database: "postgres", user: "secretive") + " password=wrong!", "28P01",
        "password authentication failed for user \"secretive\""
      ),
      // Others may end, so that one is to be had.
      (
        server.options(database: "postgres", user: "limited"), nil,
        "too many connections for role \"limited\""
      ),
    ] as [(String, String?, String)] {
      let store = PostgreSQLLogStore(options)
      var thrown = try await error { _ = try await store.document("d") }
      // Where the attempt was slow, the server's code isn't asked for.
      for _ in 1...20 {
        guard code != nil, case .unreachable = thrown else { break }
        thrown = try await error { _ = try await store.document("d") }
      }
      let message =
        "connection to server on socket \"\(server.folder)/.s.PGSQL.5432\" failed: FATAL:  \(text)"
      if let code {
        #expect(thrown == .refused(code: code, message: message))
      } else {
        #expect(thrown == .unreachable(message))
      }
      store.close()
    }
    let right = PostgreSQLLogStore(
      server.options(database: "postgres", user: "secretive") + " password=open")
    #expect(try await right.document("d") == nil)
    right.close()
  }

  @Test(
    "PG2 an error is a refusal only if it stays",
    arguments: [
      ("42501", LogError.refused(code: "42501", message: "m")),
      ("53100", .refused(code: "53100", message: "m")),
      ("42P01", .refused(code: "42P01", message: "m")),
      ("XX001", .refused(code: "XX001", message: "m")),
      ("22021", .refused(code: "22021", message: "m")),
      ("53300", .unreachable("m")), ("53200", .unreachable("m")), ("57P03", .unreachable("m")),
      ("57014", .unreachable("m")), ("40001", .unreachable("m")), ("40P01", .unreachable("m")),
      ("55P03", .unreachable("m")), ("25006", .unreachable("m")), ("08006", .unreachable("m")),
      ("40003", .outcomeUnknown("m")),
    ])
  func errors(state: String, error: LogError) {
    #expect(PostgreSQLError.server(state: state, message: "m").logError(changes: true) == error)
  }

  @Test("PG2 only an append that was sent has an unknown outcome when its session is lost")
  func lostSessions() {
    let sent = PostgreSQLError.lost(wasSent: true, message: "m")
    let unsent = PostgreSQLError.lost(wasSent: false, message: "m")
    #expect(sent.logError(changes: true) == .outcomeUnknown("m"))
    #expect(sent.logError(changes: false) == .unreachable("m"))
    #expect(unsent.logError(changes: true) == .unreachable("m"))
  }

  // MARK: Setting up

  @Test("PG3 several processes may set a database up at once, and again")
  func migration() async throws {
    let place = try await place()
    try await withThrowingTaskGroup { group in
      for _ in 1...6 {
        group.addTask {
          let store = PostgreSQLLogStore(place.options)
          defer { store.close() }
          try await store.migrate()
          try await store.migrate()
        }
      }
      try await group.waitForAll()
    }
    let session = try place.session()
    let rows = try await session.run("SELECT version FROM kvo.format")
    #expect(rows.count == 1)
    #expect(rows.int(0, 0) == PostgreSQLSchema.format)
    // The functions become those of the program.
    _ = try await session.run(
      "CREATE OR REPLACE FUNCTION kvo.compact(p_name text, p_count bigint, p_age interval) "
        + "RETURNS bigint LANGUAGE sql AS 'SELECT 7::bigint'")
    let store = PostgreSQLLogStore(place.options)
    try await store.migrate()
    store.close()
    let compacted = try await session.run("SELECT kvo.compact('none', 1, interval '0') IS NULL")
    #expect(compacted.bool(0, 0))
    session.close()
  }

  @Test("PG3 before a database is set up there's no document in it")
  func noTables() async throws {
    let place = try await place()
    let store = place.store()
    let position = LogPosition(epoch: UUID(), revision: 0)
    #expect(try await store.document("d") == nil)
    #expect(try await store.snapshot(of: "d") == nil)
    #expect(
      try await error { _ = try await append(store, LogTransaction("one"), after: position) }
        == .noDocument("d"))
    #expect(
      try await error { _ = try await store.records(of: "d", after: position, limit: 1) }
        == .noDocument("d"))
    #expect(try await error { _ = try await store.hints(of: "d") } == .noDocument("d"))
    #expect(try await error { try await store.delete("d") } == .noDocument("d"))
    store.close()
  }

  @Test("PG3 a role that may not make the schema is told so, and one that may use it needs no more")
  func roles() async throws {
    let place = try await place()
    let role = "writer_\(place.database)"
    let session = try place.session()
    try await session.run("CREATE ROLE \(role) LOGIN")
    let store = PostgreSQLLogStore(place.server.options(database: place.database, user: role))
    #expect(
      try await error { _ = try await store.create("d", schema: 1, snapshot: Data()) }
        == .refused(
          code: "42501",
          message: "ERROR:  permission denied for database \(place.database)\nThe schema kvo has "
            + "to be made once, by a role that may do so: see PostgreSQLLogStore.migrate()."))
    let owner = PostgreSQLLogStore(place.options)
    try await owner.migrate()
    // As the comment of migrate() has it.
    try await session.run("GRANT USAGE ON SCHEMA kvo TO \(role)")
    try await session.run("GRANT SELECT ON ALL TABLES IN SCHEMA kvo TO \(role)")
    let start = try await owner.make("d")
    try await owner.add("one", to: "d", after: start)
    // A reader.
    #expect(try await store.lines(of: "d") == ["1 Ada: one"])
    _ = try await store.hints(of: "d")
    let head = try #require(try await store.document("d")).position
    let thrown = try await error {
      _ = try await append(store, LogTransaction("two"), after: head)
    }
    #expect(
      thrown
        == .refused(
          code: "42501",
          message: "ERROR:  permission denied for table document"))
    // A writer: with all that there is to do.
    try await session.run(
      "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA kvo TO \(role)")
    let end = try await store.add("two", to: "d", after: head)
    try await store.make("e")
    try await store.save(LogSnapshot(position: end, payload: Data()), of: "d")
    #expect(try await store.compact("d", keepingSnapshots: 1, olderThan: .seconds(-60)) == 2)
    try await store.upgrade("d", to: 2)
    try await store.delete("d")
    #expect(try await store.document("d") == nil)
    for store in [store, owner] { store.close() }
    session.close()
  }

  @Test("PG3 a database of a newer format is refused")
  func newerFormat() async throws {
    let place = try await place()
    let owner = PostgreSQLLogStore(place.options)
    try await owner.migrate()
    let session = try place.session()
    try await session.run("UPDATE kvo.format SET version = 2")
    let store = place.store()
    #expect(
      try await error { _ = try await store.document("d") }
        == .refused(
          code: "format",
          message: "The database's schema kvo has format 2, and this program knows format 1. "
            + "Update the program."))
    for store in [store, owner] { store.close() }
    session.close()
  }

  // MARK: Appending

  @Test("PG4 a database whose default is repeatable read has no conflicts that are errors")
  func isolation() async throws {
    let place = try await place()
    let session = try place.session()
    try await session.run(
      "ALTER DATABASE \(place.database) SET default_transaction_isolation = 'repeatable read'")
    session.close()
    let first = place.store()
    let start = try await first.make("d")
    try await withThrowingTaskGroup { group in
      for author in ["Ada", "Bob", "Cyd", "Dan"] {
        group.addTask {
          let store = place.store()
          defer { store.close() }
          var position = start
          for number in 1...20 {
            // Each error fails the test.
            var outcome = try await store.append(
              [LogTransaction("\(number)", by: author)], to: "d", after: position, schema: 1)
            while case .behind(let records) = outcome {
              position.revision = records.last!.revision
              position.transaction = records.last!.transaction.id
              outcome = try await store.append(
                [LogTransaction("\(number)", by: author)], to: "d", after: position, schema: 1)
            }
            guard case .committed = outcome else { throw Unexpected("\(outcome)") }
            position = try await store.document("d")!.position
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await first.document("d")?.position.revision == 80)
    first.close()
  }

  @Test("PG4 an append that has waited for another one is told what that one wrote")
  func waitedAppend() async throws {
    let place = try await place()
    let store = place.store()
    let start = try await store.make("d")
    let session = try place.session()
    let theirs = LogTransaction("theirs", by: "Bob")
    try await session.run("BEGIN")
    try await session.append(theirs, after: start)
    async let outcome = append(store, LogTransaction("mine"), after: start)
    try await place.waitForLock()
    try await session.run("COMMIT")
    guard case .behind(let records) = try await outcome else { throw Unexpected("not behind") }
    #expect(records.map(\.line) == ["1 Bob: theirs"])
    store.close()
    session.close()
  }

  @Test("PG4 a repeated append that has waited for its first sending finds it")
  func waitedRepetition() async throws {
    let place = try await place()
    let store = place.store()
    let start = try await store.make("d")
    let session = try place.session()
    let one = LogTransaction("one")
    try await session.run("BEGIN")
    try await session.append(one, after: start)
    async let outcome = append(store, one, after: start)
    try await place.waitForLock()
    try await session.run("COMMIT")
    #expect(try await outcome == .committed(1))
    #expect(try await store.lines(of: "d") == ["1 Ada: one"])
    store.close()
    session.close()
  }

  @Test("PG4 a deletion that has waited for an append leaves no record")
  func waitedDeletion() async throws {
    let place = try await place()
    let store = place.store()
    let start = try await store.make("d")
    let session = try place.session()
    try await session.run("BEGIN")
    try await session.append(LogTransaction("theirs", by: "Bob"), after: start)
    async let deletion: Void = store.delete("d")
    try await place.waitForLock(of: "kvo.document")
    try await session.run("COMMIT")
    try await deletion
    #expect(try await session.run("SELECT count(*) FROM kvo.record").int(0, 0) == 0)
    store.close()
    session.close()
  }

  @Test("PG4 a cancelled task's append isn't carried out")
  func cancellation() async throws {
    let place = try await place()
    let store = place.store()
    let start = try await store.make("d")
    let session = try place.session()
    try await session.run("BEGIN")
    try await session.append(LogTransaction("theirs"), after: start)
    let (one, two) = (LogTransaction("one"), LogTransaction("two"))
    let running = Task { try await append(store, one, after: start) }
    try await place.waitForLock()
    // This one waits for its turn.
    let waiting = Task { try await append(store, two, after: start) }
    waiting.cancel()
    #expect(
      try await error { _ = try await waiting.value } == .unreachable("The task was cancelled."))
    running.cancel()
    let thrown = try await error { _ = try await running.value }
    guard case .unreachable(let message) = thrown else { throw Unexpected("\(thrown as Any)") }
    #expect(message.hasPrefix("ERROR:  canceling statement due to user request"))
    try await session.run("ROLLBACK")
    // The session is as good as before.
    #expect(try await append(store, two, after: start) == .committed(1))
    #expect(try await store.lines(of: "d") == ["1 Ada: two"])
    store.close()
    session.close()
  }

  @Test("PG4 what's larger than a message can be is refused")
  func tooLarge() async throws {
    let place = try await place()
    let store = place.store()
    let start = try await store.make("d")
    let part = Data(count: 300 << 20)
    let thrown = try await error {
      _ = try await store.append(
        (1...4).map { _ in LogTransaction(author: "Ada", payload: part) }, to: "d", after: start,
        schema: 1)
    }
    #expect(
      thrown
        == .refused(
          code: "too large", message: "PostgreSQL can't take more than a gigabyte at once."))
    #expect(try await store.document("d")?.position == start)
    store.close()
  }

  // MARK: Hints

  @Test("PG5 notifications are limited, and the last one has the newest revision")
  func limitedNotifications() async throws {
    let place = try await place()
    let store = place.store()
    var position = try await store.make("d")
    let received = Mutex<[String]>([])
    let session = PostgreSQLSession(
      try LibPQ.shared.get(), options: place.options, timeout: .seconds(60)
    ) { _, event in
      if case .notification(let notification) = event {
        received.withLock { $0.append(notification.payload) }
      }
    }
    let channel = try await session.run(
      "SELECT 'kvo_' || to_hex(hashtextextended('d', 0))"
    ).text(0, 0)
    try await session.run("LISTEN \(channel)")
    let start = ContinuousClock.now
    for number in 1...300 {
      position = try await store.add("\(number)", to: "d", after: position)
    }
    try await wait { received.withLock { $0.last == "300" } }
    let count = received.withLock { $0.count }
    let most = (ContinuousClock.now - start) / PostgreSQLLogStore.notificationInterval
    #expect(count >= 2 && Double(count) <= most + 2)
    let revisions = received.withLock { $0.compactMap { Int64($0) } }
    #expect(revisions == revisions.sorted() && revisions.count == count)
    store.close()
    session.close()
  }

  @Test("PG5 a hint has the newest revision")
  func hintedRevision() async throws {
    let place = try await place()
    let (store, other) = (place.store(), place.store())
    let start = try await store.make("d")
    let hints = try await store.hints(of: "d")
    try await other.add("one", to: "d", after: start)
    for await revision in hints {
      // Nil is the look without a hint.
      if let revision {
        #expect(revision == 1)
        break
      }
    }
    store.close()
    other.close()
  }

  @Test("PG5 a commit whose notification got lost is hinted at within the interval of the look")
  func withoutNotification() async throws {
    let place = try await place()
    let store = place.store()
    let start = try await store.make("d")
    let session = try place.session()
    let hints = try await store.hints(of: "d")
    try await session.append(LogTransaction("one"), after: start)
    for await revision in hints {
      #expect(revision == nil)
      if try await store.document("d")?.position.revision == 1 { break }
    }
    store.close()
    session.close()
  }

  @Test("PG5 one session listens, for as long as there are streams")
  func listening() async throws {
    let place = try await place()
    let store = place.store()
    try await store.make("d")
    try await store.make("e")
    let session = try place.session()
    func last() async throws -> [String] {
      let rows = try await session.run(
        """
        SELECT query FROM pg_stat_activity WHERE datname = current_database()
          AND pid <> pg_backend_pid() AND query LIKE '%LISTEN%' ORDER BY query
        """)
      return (0..<rows.count).map { rows.text($0, 0) }
    }
    func channel(_ name: String) async throws -> String {
      try await session.run("SELECT 'kvo_' || to_hex(hashtextextended($1, 0))", .text(name))
        .text(0, 0)
    }
    let (d, e) = (try await channel("d"), try await channel("e"))
    do {
      let first = try await store.hints(of: "d")
      do {
        let second = try await store.hints(of: "d")
        let third = try await store.hints(of: "e")
        #expect(try await last() == ["LISTEN \(e)"])
        withExtendedLifetime((second, third)) {}
      }
      // The first one listens to the same channel as the second.
      try await wait { try await last() == ["UNLISTEN \(e)"] }
      withExtendedLifetime(first) {}
    }
    try await wait { try await last() == ["UNLISTEN \(d)"] }
    store.close()
    session.close()
  }

  @Test("PG5 the hints end with their session, and the next call begins another one")
  func lostReader() async throws {
    let place = try await place()
    let store = place.store()
    let start = try await store.make("d")
    let hints = try await store.hints(of: "d")
    let session = try place.session()
    try await place.terminateSessions(of: session)
    for await _ in hints {}
    // No error: nothing had been sent.
    #expect(try await store.document("d")?.position == start)
    let more = try await store.hints(of: "d")
    try await store.add("one", to: "d", after: start)
    for await revision in more where revision == 1 { break }
    store.close()
    session.close()
  }

  // MARK: Crashes

  @Test("PG6 a session that ends in the midst of an append leaves its outcome unknown")
  func terminatedAppend() async throws {
    let place = try await place()
    let store = place.store()
    let start = try await store.make("d")
    let session = try place.session()
    try await session.run("BEGIN")
    try await session.run("SELECT FROM kvo.document FOR UPDATE")
    let one = LogTransaction("one")
    async let outcome = append(store, one, after: start)
    try await place.waitForLock()
    try await place.terminateSessions(of: session, writers: true)
    do {
      let outcome = try await outcome
      Issue.record("\(outcome)")
    } catch let error as LogError {
      guard case .outcomeUnknown(let message) = error else { throw error }
      #expect(message.contains("terminating connection due to administrator command"))
    }
    try await session.run("COMMIT")
    #expect(try await store.lines(of: "d") == [])
    #expect(try await append(store, one, after: start) == .committed(1))
    #expect(try await append(store, one, after: start) == .committed(1))
    #expect(try await store.lines(of: "d") == ["1 Ada: one"])
    store.close()
    session.close()
  }

  @Test("PG6 an append that was committed without being acknowledged is found")
  func unacknowledgedAppend() async throws {
    // A server that waits for a standby, which it doesn't have, has committed by then.
    let server = try PostgreSQLServer()
    let place = try await PostgreSQLPlace(on: server)
    let store = place.store()
    let start = try await store.make("d")
    let session = try place.session()
    try await session.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try await session.run("SELECT pg_reload_conf()")
    // The names come into force some time later.
    try await wait {
      try await session.run("SHOW synchronous_standby_names").text(0, 0) == "nobody"
    }
    let one = LogTransaction("one")
    async let outcome = append(store, one, after: start)
    try await wait {
      try await session.run(
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')"
      ).bool(0, 0)
    }
    try await place.terminateSessions(of: session, writers: true)
    do {
      let outcome = try await outcome
      Issue.record("\(outcome)")
    } catch let error as LogError {
      guard case .outcomeUnknown = error else { throw error }
    }
    try await session.run("ALTER SYSTEM RESET synchronous_standby_names")
    try await session.run("SELECT pg_reload_conf()")
    #expect(try await append(store, one, after: start) == .committed(1))
    #expect(try await store.lines(of: "d") == ["1 Ada: one"])
    store.close()
    session.close()
  }

  @Test("PG6 closing a store whose server is frozen doesn't wait for it")
  func frozenServer() async throws {
    let server = try PostgreSQLServer()
    let place = try await PostgreSQLPlace(on: server)
    let store = PostgreSQLLogStore(place.options)
    var start = try await store.make("d")
    // So that the session has the statement.
    start = try await store.add("zero", to: "d", after: start)
    let base = start
    let hints = try await store.hints(of: "d")
    let one = LogTransaction("one")
    try await wait { store.isIdle }
    try server.signal(SIGSTOP)
    // More than the socket takes.
    let large = LogTransaction(author: "Ada", payload: Data(count: 20 << 20))
    let running = Task { try await append(store, large, after: base) }
    let reading = Task { try await store.document("d") }
    try await wait { store.runningCount == 2 }
    let waiting = Task { try await append(store, one, after: base) }
    store.close()
    #expect(
      try await error { _ = try await running.value } == .outcomeUnknown("The store was closed."))
    #expect(
      try await error { _ = try await waiting.value }
        == .refused(code: "closed", message: "The store was closed."))
    #expect(
      try await error { _ = try await reading.value } == .unreachable("The store was closed."))
    for await _ in hints {}
    try server.signal(SIGCONT)
    // What was sent of the append wasn't all.
    let other = place.store()
    #expect(try await other.lines(of: "d") == ["1 Ada: zero"])
    #expect(try await append(other, large, after: base) == .committed(2))
    other.close()
  }

  @Test("PG6 what waits in a session that's given up is told that the server can't be reached")
  func givenUpSession() async throws {
    let place = try await place()
    let (holder, session) = (try place.session(), try place.session())
    try await holder.run("SELECT pg_advisory_lock(1)")
    let running = Task { try await session.run("SELECT pg_advisory_lock(1)") }
    try await wait { session.isRunning }
    let waiting = Task { try await session.run("SELECT 1") }
    session.close(.lost(wasSent: false, message: "m"))
    await #expect(throws: PostgreSQLError.lost(wasSent: true, message: "m")) {
      _ = try await running.value
    }
    await #expect(throws: PostgreSQLError.lost(wasSent: false, message: "m")) {
      _ = try await waiting.value
    }
    await #expect(throws: PostgreSQLError.lost(wasSent: false, message: "m")) {
      try await session.run("SELECT 1")
    }
    holder.close()
  }

  @Test("PG6 all documents of a store whose server only reads are told that it can't be reached")
  func readOnlyServer() async throws {
    let place = try await place()
    let names = (0..<20).map { "d\($0)" }
    let store = place.store()
    var positions: [LogPosition] = []
    for name in names { positions.append(try await store.make(name)) }
    store.close()
    let reading = PostgreSQLLogStore(
      place.options + " options='-c default_transaction_read_only=on'")
    let appends = zip(names, positions).map { name, position in
      Task {
        try await reading.append([LogTransaction("one")], to: name, after: position, schema: 1)
      }
    }
    for append in appends {
      switch try await error({ _ = try await append.value }) {
      // The second if the server had it when the session was given up.
      case .unreachable, .outcomeUnknown: break
      case let other: Issue.record("\(other as Any)")
      }
    }
    reading.close()
  }

  @Test("PG6 a server that doesn't answer is given up after the timeout")
  func timeout() async throws {
    let server = try PostgreSQLServer()
    let place = try await PostgreSQLPlace(on: server)
    let store = place.store()
    let start = try await store.make("d")
    let (zero, one) = (LogTransaction("zero"), LogTransaction("one"))
    let base = try await store.add([zero], to: "d", after: start)
    let hasty = PostgreSQLLogStore(place.options, timeout: .seconds(1))
    // Until both sessions have their statements: a busy server may take more than a second, too.
    try await wait {
      let isAppended = (try? await append(hasty, zero, after: start)) != nil
      let isRead = (try? await hasty.document("d")) != nil
      try await wait { hasty.isIdle }
      return isAppended && isRead && hasty.isConnected
    }
    try server.signal(SIGSTOP)
    #expect(
      try await error { _ = try await append(hasty, one, after: base) }
        == .outcomeUnknown("The server hasn't answered for 1 seconds."))
    #expect(
      try await error { _ = try await hasty.document("d") }
        == .unreachable("The server hasn't answered for 1 seconds."))
    try server.signal(SIGCONT)
    var writer = TestWriter(store: hasty, document: "d", position: base)
    try await writer.append([one])
    #expect(writer.position.revision == 2)
    #expect(try await store.lines(of: "d") == ["1 Ada: zero", "2 Ada: one"])
    hasty.close()
    store.close()
  }
}

/// Lowers this process's limit of open files.
private func limitOpenFiles(to count: rlim_t) throws {
  #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    let resource = RLIMIT_NOFILE
  #endif
  var limit = rlimit()
  guard getrlimit(resource, &limit) == 0 else { throw Unexpected("getrlimit") }
  limit.rlim_cur = min(count, limit.rlim_max)
  guard setrlimit(resource, &limit) == 0 else { throw Unexpected("setrlimit") }
}

extension PostgreSQLLogStore {
  /// Whether both of its sessions go on.
  fileprivate var isConnected: Bool {
    state.withLock { state in
      state.sessions.count == 2 && !state.sessions.values.contains { $0.isEnded }
    }
  }
}

extension PostgreSQLSession {
  /// Appends a transaction to the document "d" without telling anybody.
  func append(_ transaction: LogTransaction, after base: LogPosition) async throws {
    let rows = try await run(
      "SELECT * FROM kvo.append('d', $1, $2, $3, 1, $4, $5, $6, 1000, 1000000)",
      .id(base.epoch), .int(base.revision), .id(base.transaction), .ids([transaction.id]),
      .texts([transaction.author]), .byteStrings([transaction.payload]))
    guard rows.int(0, 0) == PostgreSQLSchema.Outcome.committed else { throw Unexpected("append") }
  }
}

extension PostgreSQLPlace {
  /// Waits until a statement waits for another one's lock.
  func waitForLock(of query: String = "kvo.append") async throws {
    let session = try session()
    defer { session.close() }
    try await wait {
      try await session.run(
        """
        SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
          AND wait_event_type = 'Lock' AND query LIKE '%\(query)%' AND pid <> pg_backend_pid())
        """
      ).bool(0, 0)
    }
  }

  /// Ends the sessions of the stores.
  func terminateSessions(of session: PostgreSQLSession, writers: Bool = false) async throws {
    try await session.run(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND query LIKE '\(writers ? "%kvo.append%" : "%")'
      """)
  }
}
