import Foundation
import KeyValueReplicaTestSupport
import Testing

@testable import KeyValueReplica

/// What is between a program and a server: a network, encryption, a pooler, another server that takes over.
@Suite(
  .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL isn't installed."),
  .timeLimit(.minutes(10)))
struct PostgreSQLNetworkTests {
  /// A port that nothing had when the test began.
  private static func freePort() -> Int {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(socket, $0, length)
        _ = getsockname(socket, $0, &length)
      }
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Appends transactions of several sizes through one store, and reads them through another.
  private func share(_ one: PostgreSQLLogStore, _ other: PostgreSQLLogStore) async throws {
    var position = try await one.make("d")
    let hints = try await other.hints(of: "d")
    var read = position
    for size in [1, 100, 9_000, 17_000, 70_000, 3_000_000] {
      let transaction = LogTransaction(
        author: "a", payload: Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
      let outcome = try await one.append([transaction], to: "d", after: position, schema: 1)
      guard case .committed(let revision) = outcome else { throw Unexpected("\(outcome)") }
      (position.revision, position.transaction) = (revision, transaction.id)
      for await revision in hints where revision == position.revision { break }
      let records = try await other.records(of: "d", after: read, limit: 10)
      guard case .records(let records, _, _) = records else { throw Unexpected("\(records)") }
      #expect(records.map(\.transaction) == [transaction])
      read = position
    }
  }

  @Test("PG7 over TCP with a password, encrypted, and only to the server that was named")
  func encrypted() async throws {
    let server = try PostgreSQLServer(
      rules: "hostssl all kvo 127.0.0.1/32 scram-sha-256\nhostssl all kvo ::1/128 scram-sha-256\n"
        + "host all all all reject\n",
      port: Self.freePort(), certificate: true)
    let session = try server.session()
    try await session.run("ALTER ROLE kvo PASSWORD 'open sesame'")
    session.close()
    let address = "host=localhost port=\(server.port!) dbname=postgres user=kvo"
    let secret = "password='open sesame'"
    let known = "sslmode=verify-full sslrootcert=\(server.folder)/data/server.crt"
    let stores = (0..<2).map { _ in PostgreSQLLogStore("\(address) \(secret) \(known)") }
    try await share(stores[0], stores[1])
    for store in stores { store.close() }
    for (options, expected) in [
      ("\(address) password=wrong \(known)", "password authentication failed for user \"kvo\""),
      ("\(address) \(secret) sslmode=disable", "no encryption"),
      ("\(address) passfile=/nowhere \(known)", "fe_sendauth: no password supplied"),
      (
        "\(address) \(secret) sslmode=verify-full sslrootcert=/nowhere",
        "root certificate file \"/nowhere\" does not exist"
      ),
      (
        "\(address) hostaddr=127.0.0.1 \(secret) \(known)".replacing(
          "host=localhost", with: "host=other.example.com"),
        "server certificate for \"localhost\" does not match host name \"other.example.com\""
      ),
    ] {
      let store = PostgreSQLLogStore(options)
      let thrown = try await error { _ = try await store.document("d") }
      #expect(
        "\(thrown as Any)".replacing("\\\"", with: "\"").contains(expected), "\(thrown as Any)")
      store.close()
    }
  }

  @Test(
    "PG7 through a pooler that pools sessions",
    .enabled(if: PgBouncer.isInstalled, "PgBouncer isn't installed."))
  func pooledSessions() async throws {
    let server = try PostgreSQLServer()
    let pooler = try PgBouncer(before: server, mode: "session")
    let stores = (0..<2).map { _ in PostgreSQLLogStore(pooler.options(database: "postgres")) }
    try await share(stores[0], stores[1])
    for store in stores { store.close() }
    withExtendedLifetime(pooler) {}
  }

  @Test(
    "PG7 a pooler that pools transactions is an error that says so",
    .enabled(if: PgBouncer.isInstalled, "PgBouncer isn't installed."))
  func pooledTransactions() async throws {
    let server = try PostgreSQLServer()
    let pooler = try PgBouncer(before: server, mode: "transaction")
    let stores = (0..<2).map { _ in PostgreSQLLogStore(pooler.options(database: "postgres")) }
    let thrown = try await error {
      try await share(stores[0], stores[1])
    }
    #expect(
      thrown
        == .refused(
          code: "pooler",
          message: "Notifications don't arrive: a pooler between the program and the server pools "
            + "transactions. Have it pool sessions (PgBouncer: pool_mode = session), or connect to the "
            + "server directly."))
    for store in stores { store.close() }
    withExtendedLifetime(pooler) {}
  }
}
