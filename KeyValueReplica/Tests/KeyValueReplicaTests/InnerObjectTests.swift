import Foundation
import KeyValueObserving
import KeyValueReplica
import Testing

/// An object that a value has inside can't leave: no program could read the value.
@Suite("Objects inside values", .timeLimit(.minutes(10)))
@MainActor
struct InnerObjectTests {
  private let store = MemoryLogStore()

  private func openShop(
    _ author: String, _ rule: KeyValueConflictRule = .reject
  ) async throws -> KeyValueReplica<Shop> {
    try await KeyValueReplica.open(
      Shop.self, document: "shop", in: store,
      options: KeyValueReplicaOptions(author: author, conflictRule: rule))
  }

  /// A shop with two clerks, of which the first one is on duty.
  private func openStaffed(_ author: String) async throws -> KeyValueReplica<Shop> {
    let replica = try await openShop(author)
    replica.root.clerks = [Clerk(), Clerk()]
    replica.root.duty = Duty(clerk: replica.root.clerks[0])
    try await replica.flush()
    return replica
  }

  @Test("S3 a change by which an object would leave that a value has inside is taken back")
  func removed() async throws {
    let a = try await openStaffed("a")
    let clerk = a.root.clerks[0]
    let (root, id) = (try #require(a.id(of: a.root)), try #require(a.id(of: clerk)))
    a.root.clerks.remove(at: 0)
    #expect(a.root.clerks.count == 2 && a.root.clerks[0] === clerk)
    let (place, object) = ("\(root)".prefix(8), "\(id)".prefix(8))
    let text = [
      "KeyValueReplicaTests.Shop.duty of \(place) has KeyValueReplicaTests.Clerk \(object) inside,",
      "and no program could read the value if that object left.",
      "The change was taken back: set duty first, or in the same transaction.",
    ]
    await #expect(throws: KeyValueReplicaError.unfit(text.joined(separator: " "))) {
      try await a.flush()
    }
    a.root.performChanges {
      $0.clerks.remove(at: 0)
      $0.duty = Duty(clerk: $0.clerks[0])
    }
    try await a.flush()
    // No value has it inside any more.
    a.root.duty = nil
    a.root.clerks = []
    try await a.flush()
    #expect(try await openShop("late").snapshot() == a.snapshot())
  }

  @Test("S3 a removal of an object that another writer has put inside a value is rejected")
  func putInside() async throws {
    let a = try await openStaffed("a")
    let b = try await openShop("b", .lastWriterWins)
    try await store.holding("b") {
      b.root.clerks.remove(at: 1)
      a.root.duty = Duty(clerk: a.root.clerks[1])
      try await a.flush()
    }
    await #expect(throws: KeyValueReplicaError.self) { try await b.flush() }
    #expect(b.conflicts.map(\.key) == ["duty"])
    #expect(b.root.clerks.count == 2)
    #expect(b.root.duty?.clerk === b.root.clerks.last)
    #expect(try b.snapshot() == a.snapshot())
    #expect(try await openShop("late").snapshot() == a.snapshot())
  }

  @Test("S1 a document whose value has an object inside that left is opened without the value")
  func leftInside() async throws {
    let a = try await openStaffed("a")
    let (root, clerk) = (
      try #require(a.id(of: a.root)), try #require(a.id(of: a.root.clerks[0]))
    )
    try await a.close()
    let removal = KeyValueTransactionRecord(
      [
        .remove(
          root, key: "clerks", indexes: RangeSet(0..<1), elements: [.reference(clerk)]),
        .delete(clerk, class: "KeyValueReplicaTests.Clerk", values: ["name": ""]),
      ], isTransaction: true)
    store.commit([Data(try removal.json())], to: "shop")
    let b = try await openShop("b")
    #expect(b.root.clerks.count == 1 && b.root.duty == nil)
    // What is set instead fits the document.
    b.root.duty = Duty(clerk: b.root.clerks[0])
    try await b.flush()
    let c = try await openShop("c")
    #expect(c.root.duty?.clerk === c.root.clerks[0])
    #expect(try c.snapshot() == b.snapshot())
  }

  private func openTreasury(
    _ author: String, _ rule: KeyValueConflictRule = .reject
  ) async throws -> KeyValueReplica<Treasury> {
    try await KeyValueReplica.open(
      Treasury.self, document: "treasury", in: store,
      options: KeyValueReplicaOptions(author: author, conflictRule: rule))
  }

  /// A treasury with two jewels, of which the first one is the key of a chest.
  private func openFilled(_ author: String) async throws -> KeyValueReplica<Treasury> {
    let replica = try await openTreasury(author)
    replica.root.jewels = [Jewel(), Jewel()]
    replica.root.chests = [replica.root.jewels[0]: Chest()]
    try await replica.flush()
    return replica
  }

  @Test("S3 a change by which a dictionary's key would leave is taken back")
  func keyRemoved() async throws {
    let a = try await openFilled("a")
    let jewel = a.root.jewels[0]
    let (root, id) = (try #require(a.id(of: a.root)), try #require(a.id(of: jewel)))
    a.root.jewels.remove(at: 0)
    #expect(a.root.jewels.count == 2 && a.root.jewels[0] === jewel)
    let (place, object) = ("\(root)".prefix(8), "\(id)".prefix(8))
    let text = [
      "KeyValueReplicaTests.Treasury.chests of \(place) has KeyValueReplicaTests.Jewel \(object) inside,",
      "and no program could read the value if that object left.",
      "The change was taken back: set chests first, or in the same transaction.",
    ]
    await #expect(throws: KeyValueReplicaError.unfit(text.joined(separator: " "))) {
      try await a.flush()
    }
    a.root.performChanges {
      $0.chests = [:]
      $0.jewels.remove(at: 0)
    }
    try await a.flush()
    #expect(a.root.jewels.count == 1)
    #expect(try await openTreasury("late").snapshot() == a.snapshot())
  }

  @Test("S3 a removal of an object that another writer has made a dictionary's key is rejected")
  func madeKey() async throws {
    let a = try await openFilled("a")
    let b = try await openTreasury("b", .lastWriterWins)
    try await store.holding("b") {
      b.root.jewels.remove(at: 1)
      let jewel = a.root.jewels[1]
      a.root.chests[jewel] = Chest()
      try await a.flush()
    }
    await #expect(throws: KeyValueReplicaError.self) { try await b.flush() }
    #expect(b.conflicts.map(\.key) == ["chests"])
    #expect(Set(b.root.jewels) == Set(b.root.chests.keys))
    #expect(try b.snapshot() == a.snapshot())
    #expect(try await openTreasury("late").snapshot() == a.snapshot())
  }
}

@KeyValueObservable
private final class Shop {
  var clerks: [Clerk] = []
  var duty: Duty?

  init() {}
}

@KeyValueObservable
private final class Clerk: Codable {
  var name = ""
}

private struct Duty: Codable {
  var clerk: Clerk
}

@KeyValueObservable
private final class Treasury {
  var jewels: [Jewel] = []
  var chests: [Jewel: Chest] = [:]

  init() {}
}

@KeyValueObservable
private final class Jewel: Codable, Hashable {
  var carats = 1

  static func == (one: Jewel, other: Jewel) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@KeyValueObservable
private final class Chest {
  var coins = 0

  init() {}
}
