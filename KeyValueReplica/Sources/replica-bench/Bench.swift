import Foundation
import KeyValueReplica
import KeyValueReplicaTestSupport

/// Measures replicas, and the stores alone: appends per second with one writer, and the time from an append to a reader's
/// having its record.
///
///     replica-bench [FOLDER [SECONDS [opening]]]
///
/// With `opening` it measures only the opening of a document, for a profiler.
///
/// The file and the server's cluster are in FOLDER, so that they're on a disk.
@main struct Bench {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let root = arguments.count > 1 ? arguments[1] : "."
    let seconds = arguments.count > 2 ? Double(arguments[2])! : 3
    let folder = root + "/bench-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // The server runs as another user where this runs as root.
    chmod(folder, 0o1777)
    var stores: [(String, () throws -> any LogStore)] = [
      ("SQLite, full", { .sqlite(path: folder + "/full.kvo") }),
      ("SQLite, process", { .sqlite(path: folder + "/process.kvo", durability: .process) }),
    ]
    let server = PostgreSQLServer.isInstalled ? try PostgreSQLServer(in: folder) : nil
    if let server {
      let database = try server.makeDatabase()
      stores.append(("PostgreSQL", { .postgreSQL(server.options(database: database)) }))
    }
    if arguments.count > 3, arguments[3] == "opening" {
      for (name, store) in stores { try await printOpening(name, store) }
      try server?.stop()
      return
    }
    print("store                    batch  transactions/s")
    for (name, store) in stores {
      for batch in [1, 100] {
        let rate = try await rate(try store(), batch, seconds)
        print(name.padding(25), "\(batch)".padding(6), Int(rate))
      }
    }
    print("\nsend to reader           p50 ms  p99 ms")
    for (name, store) in stores {
      let times = try await latencies(writer: try store(), reader: try store(), count: 1000)
      let milliseconds = [times[times.count / 2], times[times.count * 99 / 100]].map {
        String(format: "%.2f", $0 / .milliseconds(1)).padding(7)
      }
      print(name.padding(25) + milliseconds.joined(separator: " "))
    }
    for (name, store) in stores { try await printReplicas(name, store) }
    try server?.stop()
  }

  @MainActor
  private static func printReplicas(
    _ name: String, _ store: @escaping () throws -> any LogStore
  ) async throws {
    let rows = ReplicaRows(makeStore: store)
    print("\nreplicas, \(name)")
    let set = try await rows.localSet()
    print(
      "a local set, observed", Int(set.alone), "ns; with a replica", Int(set.replicated), "ns")
    func text(_ times: [Duration]) -> String {
      [times[times.count / 2], times[times.count * 99 / 100]].map {
        String(format: "%.2f", $0 / .milliseconds(1))
      }.joined(separator: "/")
    }
    print("change to a remote observer, p50/p99 ms", text(try await rows.latencies(count: 500)))
    print("  by hand", text(try await rows.latenciesByHand(count: 500)))
    print("transactions a second", Int(try await rows.rate(count: 20_000)))
    print("  by hand, one append each", Int(try await rows.rateByHand(count: 3_000)))
    try await printOpening("", store)
  }

  @MainActor
  private static func printOpening(
    _ name: String, _ store: @escaping () throws -> any LogStore
  ) async throws {
    let (replica, byHand) = try await ReplicaRows(makeStore: store).restoring()
    print(
      (name.isEmpty ? "" : name + ": ")
        + String(
          format: "opening 10,000 objects, ms %.1f; by hand into structures %.1f",
          replica / .milliseconds(1), byHand / .milliseconds(1)))
  }

  private static func transaction() -> LogTransaction {
    LogTransaction(author: "bench", payload: Data(repeating: 120, count: 120))
  }

  private static func rate(
    _ store: any LogStore, _ batch: Int, _ seconds: Double
  ) async throws -> Double {
    defer { store.close() }
    let document = UUID().uuidString
    var position = try await store.create(document, schema: 1, snapshot: Data()).position
    let start = ContinuousClock.now
    while ContinuousClock.now - start < .seconds(seconds) {
      let transactions = (0..<batch).map { _ in transaction() }
      let outcome = try await store.append(transactions, to: document, after: position, schema: 1)
      guard case .committed(let revision) = outcome else { throw Unexpected("\(outcome)") }
      position.revision = revision
      position.transaction = transactions.last!.id
    }
    return Double(position.revision) / ((ContinuousClock.now - start) / .seconds(1))
  }

  /// Each transaction is sent when the reader has had the one before.
  private static func latencies(
    writer: any LogStore, reader: any LogStore, count: Int
  ) async throws -> [Duration] {
    defer {
      writer.close()
      reader.close()
    }
    let document = UUID().uuidString
    var position = try await writer.create(document, schema: 1, snapshot: Data()).position
    var hints = try await reader.hints(of: document).makeAsyncIterator()
    var times: [Duration] = []
    for _ in 0..<count {
      let transaction = transaction()
      let base = position
      let start = ContinuousClock.now
      async let sent = writer.append([transaction], to: document, after: base, schema: 1)
      while position.revision == base.revision {
        _ = await hints.next()
        let read = try await reader.records(of: document, after: base, limit: 10)
        guard case .records(let records, _, _) = read else { throw Unexpected("\(read)") }
        if let last = records.last {
          times.append(ContinuousClock.now - start)
          position.revision = last.revision
          position.transaction = last.transaction.id
        }
      }
      _ = try await sent
      // The notifications' limit isn't what's measured.
      try await Task.sleep(for: .milliseconds(6))
    }
    return times.sorted()
  }
}

extension String {
  fileprivate func padding(_ width: Int) -> String {
    padding(toLength: width, withPad: " ", startingAt: 0)
  }
}
