import Foundation
import KeyValueObserving
import KeyValueReplica
import KeyValueReplicaTestSupport

/// What a replica costs, beside a program that sends the same JSON by hand and applies it without observing.
@MainActor
struct ReplicaRows {
  let makeStore: () throws -> any LogStore

  /// A local change, in nanoseconds: with an observer alone, and with a replica, too.
  func localSet() async throws -> (alone: Double, replicated: Double) {
    let alone = Sheet()
    let observation = alone.kvo.count.observe(options: .new) { _, _ in }
    let store = try makeStore()
    defer { store.close() }
    let replica = try await open(store)
    let other = replica.root.kvo.count.observe(options: .new) { _, _ in }
    var (least, leastReplicated) = (Double.infinity, Double.infinity)
    for round in 0..<20 {
      least = min(least, nanoseconds(500) { alone.count = round * 500 + $0 })
      leastReplicated = min(
        leastReplicated, nanoseconds(500) { replica.root.count = round * 500 + $0 })
      try await replica.flush()
    }
    withExtendedLifetime((observation, other)) {}
    try await replica.close()
    return (least, leastReplicated)
  }

  /// From a change to the other replica's observer.
  func latencies(count: Int) async throws -> [Duration] {
    let stores = (try makeStore(), try makeStore())
    defer {
      stores.0.close()
      stores.1.close()
    }
    let name = UUID().uuidString
    let (one, other) = (try await open(stores.0, name), try await open(stores.1, name))
    let (told, continuation) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
    let observation = other.root.kvo.count.observe { _, _ in continuation.yield(.now) }
    var iterator = told.makeAsyncIterator()
    var times: [Duration] = []
    for index in 1...count {
      let start = ContinuousClock.now
      one.root.count = index
      times.append(await iterator.next()! - start)
      // The notifications' limit isn't what's measured.
      try await Task.sleep(for: .milliseconds(6))
    }
    withExtendedLifetime(observation) {}
    try await one.close()
    try await other.close()
    return times.sorted()
  }

  /// The same by hand: encode, append, wait for the hint, read, decode, set.
  func latenciesByHand(count: Int) async throws -> [Duration] {
    let stores = (try makeStore(), try makeStore())
    defer {
      stores.0.close()
      stores.1.close()
    }
    let name = UUID().uuidString
    var position = try await stores.0.create(name, schema: 1, snapshot: Data()).position
    var hints = try await stores.1.hints(of: name).makeAsyncIterator()
    let copy = PlainSheet()
    var times: [Duration] = []
    for index in 1...count {
      let start = ContinuousClock.now
      let edit = PlainEdit(key: "count", old: index - 1, new: index)
      let transaction = LogTransaction(author: "hand", payload: try JSONEncoder().encode(edit))
      let base = position
      let writer = stores.0
      async let sent = writer.append([transaction], to: name, after: base, schema: 1)
      while copy.count < index {
        _ = await hints.next()
        let read = try await stores.1.records(of: name, after: base, limit: 10)
        guard case .records(let records, _, _) = read else { throw Unexpected("\(read)") }
        for record in records {
          copy.count = try JSONDecoder().decode(PlainEdit.self, from: record.transaction.payload)
            .new
          position.revision = record.revision
          position.transaction = record.transaction.id
        }
      }
      times.append(.now - start)
      _ = try await sent
      try await Task.sleep(for: .milliseconds(6))
    }
    return times.sorted()
  }

  /// Transactions a second: one change each, all acknowledged.
  func rate(count: Int) async throws -> Double {
    let store = try makeStore()
    defer { store.close() }
    let replica = try await open(store)
    let start = ContinuousClock.now
    for index in 1...count {
      replica.root.count = index
      if index % 5_000 == 0 { try await replica.flush() }
    }
    try await replica.flush()
    let rate = Double(count) / ((.now - start) / .seconds(1))
    try await replica.close()
    return rate
  }

  /// The same by hand, one append for each change.
  func rateByHand(count: Int) async throws -> Double {
    let store = try makeStore()
    defer { store.close() }
    let name = UUID().uuidString
    var position = try await store.create(name, schema: 1, snapshot: Data()).position
    let start = ContinuousClock.now
    for index in 1...count {
      let edit = PlainEdit(key: "count", old: index - 1, new: index)
      let transaction = LogTransaction(author: "hand", payload: try JSONEncoder().encode(edit))
      guard
        case .committed(let revision) = try await store.append(
          [transaction], to: name, after: position, schema: 1)
      else { throw Unexpected("not committed") }
      position.revision = revision
      position.transaction = transaction.id
    }
    return Double(count) / ((.now - start) / .seconds(1))
  }

  /// Opening a document of 10,000 objects with a snapshot, and reading the same JSON into structures by hand.
  func restoring() async throws -> (replica: Duration, byHand: Duration) {
    let store = try makeStore()
    defer { store.close() }
    let name = UUID().uuidString
    let replica = try await open(store, name)
    replica.root.rows = (0..<10_000).map { Row(number: $0) }
    try await replica.flush()
    try await replica.saveSnapshot()
    let json = try JSONEncoder().encode(replica.snapshot())
    try await replica.close()
    var (least, byHand) = (Duration.seconds(1_000), Duration.seconds(1_000))
    for _ in 0..<7 {
      var start = ContinuousClock.now
      let opened = try await open(store, name)
      least = min(least, .now - start)
      precondition(opened.root.rows.count == 10_000)
      try await opened.close()
      start = .now
      _ = try await store.snapshot(of: name)
      let plain = try JSONDecoder().decode(PlainSnapshot.self, from: json)
      byHand = min(byHand, .now - start)
      precondition(plain.objects.count == 10_001)
    }
    return (least, byHand)
  }

  private func open(
    _ store: any LogStore, _ name: String = UUID().uuidString
  ) async throws -> KeyValueReplica<Sheet> {
    func open(_ store: some LogStore) async throws -> KeyValueReplica<Sheet> {
      var options = KeyValueReplicaOptions()
      options.snapshotInterval = 0
      return try await KeyValueReplica.open(Sheet.self, document: name, in: store, options: options)
    }
    return try await open(store)
  }

  private func nanoseconds(_ count: Int, _ body: (Int) -> Void) -> Double {
    let start = ContinuousClock.now
    for index in 0..<count { body(index) }
    return (.now - start) / .nanoseconds(1) / Double(count)
  }
}

@MainActor @KeyValueObservable
private final class Sheet {
  var count = 0
  var rows: [Row] = []

  init() {}
}

@MainActor @KeyValueObservable
private final class Row {
  var number = 0
  var name = ""
  var isDone = false
  var weight = 0.5

  init() {}
  init(number: Int) { (self.number, name) = (number, "row \(number)") }
}

private final class PlainSheet {
  var count = 0
}

private struct PlainEdit: Codable {
  var key: String
  var old: Int
  var new: Int
}

private struct PlainSnapshot: Decodable {
  struct Object: Decodable {
    struct Values: Decodable {
      var number: Int?
      var name: String?
      var isDone: Bool?
      var weight: Double?
    }
    var `class`: String
    var values: Values
  }
  var objects: [String: Object]
}
