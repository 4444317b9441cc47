import Foundation
import KeyValueObserving
import KeyValueReplica
import Testing

/// What becomes of stored keys that a newer program's classes don't have any more.
@Suite("Schemas: removed keys", .timeLimit(.minutes(10)))
@MainActor
struct RemovedKeyTests {
  private let temporary = TestFolder()
  private var folder: String { temporary.path }

  private func openKiosk(
    _ store: MemoryLogStore, folder: String? = nil
  ) async throws -> KeyValueReplica<Kiosk> {
    try await KeyValueReplica.open(
      Kiosk.self, document: "kiosk", in: store,
      options: KeyValueReplicaOptions(author: "older", queueFolder: folder),
      classes: [
        KeyValueLogClass(Kiosk.self, formerly: "KeyValueReplicaTests.NewKiosk"),
        KeyValueLogClass(Stand.self, formerly: "KeyValueReplicaTests.NewStand"),
      ])
  }

  private func openNewKiosk(
    _ store: MemoryLogStore, schema: Int = 2, folder: String? = nil
  ) async throws -> KeyValueReplica<NewKiosk> {
    try await KeyValueReplica.open(
      NewKiosk.self, document: "kiosk", in: store,
      options: KeyValueReplicaOptions(schema: schema, author: "newer", queueFolder: folder),
      classes: [
        KeyValueLogClass(NewKiosk.self, formerly: "KeyValueReplicaTests.Kiosk"),
        KeyValueLogClass(NewStand.self, formerly: "KeyValueReplicaTests.Stand"),
      ])
  }

  private func stand(_ label: String) -> Stand {
    let stand = Stand()
    (stand.label, stand.number) = (label, 7)
    return stand
  }

  /// Has an older program equip the kiosk, in one transaction.
  private func equip(_ kiosk: Kiosk) {
    kiosk.performChanges {
      $0.name = "Corner"
      $0.fax = "123"
      $0.stands = [stand("a"), stand("b")]
      $0.lines.append(FaxLine())
    }
  }

  @Test("S3 a newer program leaves out keys that are gone, and older ones go on reading")
  func removed() async throws {
    let store = MemoryLogStore()
    let old = try await openKiosk(store)
    equip(old.root)
    try await old.flush()
    let newer = try await openNewKiosk(store)
    #expect((newer.root.name, newer.root.phone) == ("Corner", "none"))
    #expect(newer.root.stands.map(\.label) == ["a", "b"])
    // The kiosk and its stands; only a key that is gone led to the line.
    #expect(try newer.snapshot().objects.count == 3)
    newer.root.performChanges {
      $0.name = "Square"
      $0.phone = "456"
      $0.stands.append(NewStand())
    }
    newer.root.stands.remove(at: 0)
    try await newer.flush()
    for await revision in old.kvo.revision.values() where revision == newer.revision { break }
    // The status follows what has been read.
    try await waitUntil(old.status == .readOnly(schema: 2))
    #expect((old.root.name, old.root.fax) == ("Square", "123"))
    #expect(old.root.stands.map(\.number) == [7, 0])
    #expect(old.root.lines.count == 1)
    let second = try await openNewKiosk(store)
    #expect(try second.snapshot() == newer.snapshot())
    // The document doesn't have them from a newer program's snapshot on.
    try await newer.saveSnapshot()
    let third = try await openNewKiosk(store)
    #expect(try third.snapshot() == newer.snapshot())
    let late = try await openKiosk(store)
    #expect((late.root.name, late.root.fax) == ("Square", ""))
    #expect(late.root.lines.isEmpty)
  }

  @Test("S3 a program that lacks a key of its own schema isn't let in, and is told what to do")
  func sameSchema() async throws {
    let store = MemoryLogStore()
    let old = try await openKiosk(store)
    old.root.fax = "123"
    try await old.flush()
    for keepsSnapshot in [false, true] {
      if keepsSnapshot { try await old.saveSnapshot() }
      await #expect {
        _ = try await openNewKiosk(store, schema: 1)
      } throws: { error in
        guard case .unknownKey(let details)? = error as? KeyValueLogError else { return false }
        return details.reason
          == "a program of the same schema, 1, has written it. If the key is gone, raise "
          + "`options.schema`: what older programs have written of it is left out then. If it's "
          + "new, raise it in the program that has the key"
      }
    }
    #expect(store.snapshots("kiosk").map(\.position.revision) == [0, 1])
  }

  @Test(
    "S3 what an older program has left is sent without keys that are gone",
    arguments: [false, true])
  func left(isBetween: Bool) async throws {
    let store = MemoryLogStore()
    let first = try await openKiosk(store)
    equip(first.root)
    try await first.close()
    try await leave(store) {
      try await openKiosk(store, folder: folder)
    } changing: { kiosk in
      kiosk.performChanges {
        $0.name = "Square"
        $0.fax = "5"
        $0.stands.remove(at: 1)
        $0.stands.append(stand("c"))
      }
      kiosk.fax = "6"
    }
    if isBetween {
      // What was left is made again on this.
      let other = try await openKiosk(store)
      other.root.performChanges {
        $0.fax = "9"
        $0.lines.append(FaxLine())
        $0.stands.insert(stand("x"), at: 0)
      }
      try await other.close()
    }
    let newer = try await openNewKiosk(store, folder: folder)
    try await newer.flush()
    #expect(newer.conflicts == [])
    #expect(newer.root.name == "Square")
    #expect(newer.root.stands.map(\.label) == (isBetween ? ["x", "a", "c"] : ["a", "c"]))
    // Besides those of the older programs, what the new key begins with, and the first one that was left.
    #expect(store.records("kiosk").count == (isBetween ? 4 : 3))
    #expect(try await openNewKiosk(store).snapshot() == newer.snapshot())
  }

  @Test("S5 a replica goes on from a backup with keys that its classes don't have any more")
  func backup() async throws {
    let store = MemoryLogStore()
    let old = try await openKiosk(store)
    equip(old.root)
    try await old.close()
    let newer = try await openNewKiosk(store)
    newer.root.name = "Square"
    try await newer.flush()
    store.change("kiosk") { document in
      document.epoch = UUID()
      document.schema = 1
      document.records = Array(document.records.prefix(1))
      document.snapshots[0].position = LogPosition(epoch: document.epoch, revision: 0)
    }
    for await name in newer.root.kvo.name.values() where name == "Corner" { break }
    newer.root.name = "Circle"
    try await newer.flush()
    #expect(newer.status == .current)
    #expect(newer.root.phone == "none")
    #expect(try await openNewKiosk(store).snapshot() == newer.snapshot())
  }
}

@KeyValueObservable
private final class Kiosk {
  var name = ""
  var fax = ""
  var stands: [Stand] = []
  var lines: [FaxLine] = []

  init() {}
}

@KeyValueObservable
private final class Stand {
  var label = ""
  var number = 0

  init() {}
}

@KeyValueObservable
private final class FaxLine {
  var number = ""

  init() {}
}

/// The kiosk of the next version, which has a telephone.
@KeyValueObservable
private final class NewKiosk {
  var name = ""
  var phone = "none"
  var stands: [NewStand] = []

  init() {}
}

@KeyValueObservable
private final class NewStand {
  var label = ""

  init() {}
}
