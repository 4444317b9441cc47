import Foundation
import KeyValueObserving
import KeyValueReplica
import Testing

/// A sequence of numbers that's the same for the same seed.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

/// Random changes of a company.
@MainActor
struct RandomEdits {
  var numbers: SeededNumbers
  private var made = 0

  init(_ numbers: SeededNumbers) { self.numbers = numbers }

  private mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }

  mutating func change(_ company: Company, _ author: String) {
    if number(5) == 0 {
      let count = number(4) + 1
      company.performChanges { company in
        for _ in 0..<count { edit(company, author) }
      }
    } else {
      edit(company, author)
    }
  }

  private mutating func edit(_ company: Company, _ author: String) {
    made += 1
    let name = "\(author)\(made)"
    let employees = company.kvo.employees.mutableArray()
    let count = company.employees.count
    switch number(22) {
    case 0: company.name = name
    case 1, 2: employees.insert(Person(name, salary: number(100)), at: number(count + 1))
    case 3: company.employees.append(Person(name))
    case 4 where count > 0: employees.remove(at: number(count))
    case 5 where count > 0: company.employees.remove(at: number(count))
    case 6 where count > 0: company.employees[number(count)].salary = number(100)
    case 7 where count > 0: company.employees[number(count)].name = name
    case 8 where count > 1: company.employees.swapAt(number(count), number(count))
    case 9 where count > 0:
      // Moves one to another collection, in one transaction or two.
      let index = number(count)
      let person = company.employees[index]
      company.past.append(person)
      if number(3) > 0 { company.employees.remove(at: index) }
    case 10 where !company.past.isEmpty: company.past.removeFirst()
    case 11 where count > 0: company.chief = company.employees[number(count)]
    case 12: company.chief = nil
    case 13: company.tags.insert("tag\(number(6))")
    case 14: company.tags.remove("tag\(number(6))")
    case 15: company.budget["key\(number(4))"] = number(10)
    case 16: company.budget["key\(number(4))"] = nil
    case 17: company.kvo.rooms.mutableArray().append(name)
    case 18 where !company.rooms.isEmpty:
      company.kvo.rooms.mutableArray().remove(at: number(company.rooms.count))
    case 19 where !company.rooms.isEmpty:
      company.kvo.rooms.mutableArray()[number(company.rooms.count)] = name
    case 20 where count > 2: company.employees.reverse()
    case 21 where count > 0: company.employees[number(count)] = Person(name)
    default: company.name = name
    }
  }
}

@Suite("Random changes of one document")
@MainActor
struct RandomSharingTests {
  private nonisolated static let seeds: [UInt64] = {
    if let seed = ProcessInfo.processInfo.environment["KVO_SEED"].flatMap(UInt64.init) {
      return [seed]
    }
    let count: UInt64 = ProcessInfo.processInfo.environment["KVO_TESTS"] == "full" ? 200 : 20
    return Array(1...count)
  }()

  @Test(
    "S1 S2 replicas are equal when quiet, and the store's records lead there",
    .timeLimit(.minutes(1)),
    arguments: seeds)
  func converge(seed: UInt64) async throws {
    let store = MemoryLogStore()
    var numbers = SeededNumbers(seed)
    var replicas: [KeyValueReplica<Company>] = []
    for author in ["a", "b", "c"] {
      replicas.append(
        try await open(store, author) {
          $0.conflictRule = seed % 2 == 0 ? .reject : .lastWriterWins
          $0.snapshotInterval = 40
        })
    }
    let reader = try await open(store, "reader")
    var edits = RandomEdits(SeededNumbers(seed &+ 1_000))
    for step in 0..<60 {
      let index = Int.random(in: 0..<replicas.count, using: &numbers)
      for _ in 0...Int.random(in: 0..<3, using: &numbers) {
        edits.change(replicas[index].root, ["a", "b", "c"][index])
      }
      switch Int.random(in: 0..<12, using: &numbers) {
      case 0: store.fail(.answerLost)
      case 1: store.fail(.unreachable)
      case 2: _ = try? replicas[index].undo()
      case 3: _ = try? replicas[index].redo()
      case 4: try? await replicas[index].flush()
      case 5..<9: await Task.yield()
      default: break
      }
      if step == 30, seed % 3 == 0 {
        try await replicas[0].saveSnapshot()
        _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
      }
    }
    // What is rejected is taken back; the next round has nothing to reject.
    for _ in 0..<2 { for replica in replicas { try? await replica.flush() } }
    let head = try #require(try await store.document("acme")).position.revision
    for replica in replicas + [reader] { try await replica.reaches(head) }
    let expected = try await state(of: store)
    for (index, replica) in (replicas + [reader]).enumerated() {
      let snapshot = try replica.snapshot()
      let differing = differences(snapshot, expected)
      #expect(differing == [], "replica \(index) of seed \(seed)")
    }
    let ids = store.records("acme").map(\.transaction.id)
    #expect(Set(ids).count == ids.count)
  }

  private func differences(_ one: KeyValueSnapshot, _ other: KeyValueSnapshot) -> [String] {
    Set(one.objects.keys).union(other.objects.keys).flatMap { id -> [String] in
      guard let left = one.objects[id], let right = other.objects[id] else {
        return ["\(id): \(one.objects[id] == nil ? "missing" : "too much")"]
      }
      return left.values.keys.filter { left.values[$0] != right.values[$0] }
        .map { "\(id).\($0): \(left.values[$0]!), not \(right.values[$0] ?? .null)" }
    }
  }

  /// The first snapshot that there is, with all records after it, by data alone.
  private func state(of store: MemoryLogStore) async throws -> KeyValueSnapshot {
    var snapshot: LogSnapshot?
    store.change("acme") { snapshot = $0.snapshots.first }
    var state = try JSONDecoder().decode(KeyValueSnapshot.self, from: snapshot!.payload)
    for record in store.records("acme") where record.revision > snapshot!.position.revision {
      try state.apply(
        JSONDecoder().decode(KeyValueTransactionRecord.self, from: record.transaction.payload))
    }
    return state
  }
}
