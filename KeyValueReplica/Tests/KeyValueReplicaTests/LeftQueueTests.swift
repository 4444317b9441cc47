import Foundation
import KeyValueObserving
import KeyValueReplica
import Testing

/// What becomes of the changes that programs of another schema have left in the queue's file.
@Suite("Schemas: left queues", .timeLimit(.minutes(10)))
@MainActor
struct LeftQueueTests {
  private let temporary = TestFolder()
  private var folder: String { temporary.path }

  @Test("S3 a newer program that a damaged queue's file keeps out raises no schema")
  func damagedQueueOfNewer() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    let found = try await store.document("acme")
    let position = try #require(found).position
    let path = "\(folder)/acme-0.queue"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try (JSONEncoder().encode(["base": position]) + Data("\n{}\n".utf8))
      .write(to: URL(filePath: path))
    let refused = KeyValueReplicaError.refused(
      code: "queue",
      message: "Line 2 of the queue's file \(path) is damaged. The file can have changes that "
        + "weren't sent: move it to another folder to open the document without them.")
    await #expect(throws: refused) { _ = try await openNewer(store, folder: folder) }
    #expect(try await store.document("acme")?.schema == 1)
    a.root.name = "Analytical"
    try await a.flush()
    #expect(a.status == .current)
  }

  @Test("S3 what waits when a newer schema appears stays, and a newer program sends it")
  func newerSchemaWhileWaiting() async throws {
    let store = MemoryLogStore()
    weak var root: Company?
    let newer: KeyValueReplica<NewCompany>
    do {
      let a = try await open(store, "a") { $0.queueFolder = folder }
      root = a.root
      a.root.employees = [Person("Grace"), Person("Joan")]
      try await a.flush()
      let (gate, opening) = AsyncStream<Never>.makeStream()
      store.fail(.held(gate))
      a.root.name = "Analytical"
      a.root.rooms.append("attic")
      a.root.employees.append(Person("Ada", salary: 7))
      a.root.employees[0].salary = 5
      a.root.employees.remove(at: 1)
      try await waitUntil(store.appends >= 2)
      newer = try await openNewer(store)
      newer.root.name = "Difference"
      newer.root.motto = "Onward"
      try await newer.flush()
      opening.finish()
      // Its name is a conflict; the others wait.
      try await waitUntil(!a.conflicts.isEmpty)
      await a.waits { $0 == .readOnly(schema: 2) }
      #expect("\(a.status)" == "read-only: the document's schema is 2")
      #expect(a.root.name == "Difference")
      #expect((a.root.rooms, a.root.names) == (["attic"], ["Grace", "Ada"]))
      #expect(a.conflicts.map(\.key) == ["name"])
      let error = KeyValueReplicaError.readOnly(expected: 1, found: 2, waiting: 4)
      await #expect(throws: error) { try await a.flush() }
      let text = [
        "The document's schema is 2 and this program's 1, so it only reads the document.",
        "Use the newer program to change it. 4 transactions weren't sent before.",
        "They are in the queue's file, if `options.queueFolder` names a folder,",
        "and the newer program sends them from there.",
      ]
      #expect("\(error)" == text.joined(separator: " "))
      store.setDown(true)
      await a.waits(until: \.isOffline)
      await #expect(throws: error) { try await a.flush() }
      store.setDown(false)
      await a.waits { $0 == .readOnly(schema: 2) }
      await #expect(throws: error) { try await a.close() }
    }
    try await death(of: { root })
    newer.root.rooms.append("cellar")
    newer.root.employees.remove(at: 0)
    try await newer.flush()
    let again = try await openNewer(store, folder: folder)
    await #expect {
      try await again.flush()
    } throws: { error in
      guard case .conflict(let conflicts)? = error as? KeyValueReplicaError else { return false }
      return conflicts.map(\.key) == ["salary"]
    }
    #expect(again.conflicts.map(\.key) == ["salary"])
    #expect(again.root.rooms == ["attic", "cellar"] || again.root.rooms == ["cellar", "attic"])
    #expect(again.root.employees.map(\.name) == ["Ada"])
    #expect(again.root.employees.map(\.salary) == [7])
    #expect((again.root.name, again.root.motto) == ("Difference", "Onward"))
    for await revision in newer.kvo.revision.values() where revision == again.revision { break }
    #expect(try newer.snapshot() == again.snapshot())
    let late = try await openNewer(store)
    #expect(try late.snapshot() == again.snapshot())
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/acme-0.queue"))
  }

  @Test("S3 what a newer schema has kept out is sent by a newer program, also after a lost call")
  func refusedAfterLostCall() async throws {
    let store = MemoryLogStore()
    weak var root: Company?
    let newer: KeyValueReplica<NewCompany>
    do {
      let a = try await open(store) { $0.queueFolder = folder }
      root = a.root
      let (retry, retrying) = AsyncStream<Never>.makeStream()
      store.fail(.callLost, .held(retry))
      a.root.rooms.append("attic")
      try await waitUntil(store.appends >= 2)
      newer = try await openNewer(store)
      retrying.finish()
      await a.waits { $0 == .readOnly(schema: 2) }
      let error = KeyValueReplicaError.readOnly(expected: 1, found: 2, waiting: 1)
      await #expect(throws: error) { try await a.close() }
    }
    try await death(of: { root })
    // What the queue's file was made on is compacted.
    try await newer.saveSnapshot()
    _ = try await store.compact("acme", keepingSnapshots: 1, olderThan: .zero)
    #expect(store.records("acme").isEmpty)
    let again = try await openNewer(store, folder: folder)
    try await again.flush()
    #expect(again.root.rooms == ["attic"])
  }

  /// Has an older program employ two people, change the company offline, and leave its changes.
  private func leaveChanges(
    of store: MemoryLogStore, _ change: @MainActor (Company) -> Void
  ) async throws {
    let first = try await open(store)
    first.root.employees = [Person("Ada"), Person("Grace")]
    try await first.close()
    try await leave(
      store, opening: { try await open(store) { $0.queueFolder = folder } }, changing: change)
  }

  private func openSeated(
    _ store: MemoryLogStore, folder: String? = nil
  ) async throws -> KeyValueReplica<SeatedCompany> {
    try await KeyValueReplica.open(
      SeatedCompany.self, document: "acme", in: store,
      options: KeyValueReplicaOptions(schema: 2, author: "newer", queueFolder: folder),
      classes: [
        KeyValueLogClass(SeatedCompany.self, formerly: "KeyValueReplicaTests.Company"),
        KeyValueLogClass(SeatedPerson.self, formerly: "KeyValueReplicaTests.Person") { values in
          let name: String = try values.value("name")
          return MainActor.assumeIsolated { SeatedPerson(name) }
        },
      ])
  }

  @Test("S3 a deletion that an older program has left doesn't contradict what new keys begin with")
  func deletionBeforeNewKeys() async throws {
    let store = MemoryLogStore()
    try await leaveChanges(of: store) { $0.employees.remove(at: 0) }
    let newer = try await openSeated(store, folder: folder)
    try await newer.flush()
    #expect(newer.conflicts == [])
    #expect(newer.root.employees.map(\.name) == ["Grace"])
    // The company, Grace, her desk and its drawer.
    #expect(try newer.snapshot().objects.count == 4)
    #expect(try await openSeated(store).snapshot() == newer.snapshot())
  }

  @Test("S3 a deletion that an older program has left contradicts what others give a new key later")
  func deletionAfterNewKeys() async throws {
    let store = MemoryLogStore()
    try await leaveChanges(of: store) { $0.employees.remove(at: 0) }
    let other = try await openSeated(store)
    other.root.employees[0].desk = Desk()
    try await other.flush()
    let newer = try await openSeated(store, folder: folder)
    await #expect(throws: KeyValueReplicaError.conflict(newer.conflicts)) {
      try await newer.flush()
    }
    #expect(newer.conflicts.map(\.key) == ["desk"])
    #expect(newer.root.employees.map(\.name) == ["Ada", "Grace"])
    #expect(try newer.snapshot() == other.snapshot())
  }

  @Test("S3 what an older program has left comes and goes with the objects of new keys")
  func leftObjectsWithNewKeys() async throws {
    let store = MemoryLogStore()
    try await leaveChanges(of: store) { company in
      company.employees.append(Person("Hedy"))
      company.employees.remove(at: 2)
    }
    let newer = try await openSeated(store, folder: folder)
    try await newer.flush()
    let records = try store.records("acme").suffix(2).map {
      try KeyValueTransactionRecord(json: $0.transaction.payload)
    }
    // A person, a desk and its drawer.
    func lives(_ record: KeyValueTransactionRecord) -> [String] {
      record.edits.compactMap { edit in
        switch edit {
        case .create(_, let name, _): "+\(name.split(separator: ".")[1])"
        case .delete(_, let name, _): "-\(name.split(separator: ".")[1])"
        default: nil
        }
      }.sorted()
    }
    #expect(
      records.map(lives) == [
        ["+Desk", "+Drawer", "+SeatedPerson"], ["-Desk", "-Drawer", "-SeatedPerson"],
      ])
    #expect(records.map(\.origin) == [.local, .local])
    #expect(try await openSeated(store).snapshot() == newer.snapshot())
  }

  private func openParcel(
    _ store: MemoryLogStore, folder: String? = nil
  ) async throws -> KeyValueReplica<Parcel> {
    try await KeyValueReplica.open(
      Parcel.self, document: "parcel", in: store,
      options: KeyValueReplicaOptions(author: "older", queueFolder: folder))
  }

  private func openNewParcel(
    _ store: MemoryLogStore, folder: String? = nil
  ) async throws -> KeyValueReplica<NewParcel> {
    try await KeyValueReplica.open(
      NewParcel.self, document: "parcel", in: store,
      options: KeyValueReplicaOptions(schema: 2, author: "newer", queueFolder: folder),
      classes: [KeyValueLogClass(NewParcel.self, formerly: "KeyValueReplicaTests.Parcel")])
  }

  @Test(
    "S3 what an older program has left of keys that a newer one writes otherwise isn't a conflict",
    arguments: [false, true])
  func writtenOtherwise(isBetween: Bool) async throws {
    let store = MemoryLogStore()
    try await leave(store) {
      try await openParcel(store, folder: folder)
    } changing: { parcel in
      parcel.weight = 7
      parcel.parts.append(3)
    }
    if isBetween {
      // The change that was left is made again on this one.
      let other = try await openParcel(store)
      other.root.kvo.parts.mutableArray().insert(9, at: 0)
      try await other.close()
    }
    let newer = try await openNewParcel(store, folder: folder)
    try await newer.flush()
    #expect(newer.conflicts == [])
    let parts = (isBetween ? [9, 1, 2, 3] : [1, 2, 3]).map { Weight($0) }
    #expect((newer.root.weight, newer.root.parts) == (Weight(7), parts))
    #expect(try await openNewParcel(store).snapshot() == newer.snapshot())
  }

  @Test("S1 what a newer program has left in its queue's file stays there for one")
  func queueFileOfNewer() async throws {
    let store = MemoryLogStore()
    try await leave(store) {
      try await openNewer(store, folder: folder)
    } changing: {
      $0.motto = "Onward"
    }
    let file = "\(folder)/acme-0.queue"
    let left = try Data(contentsOf: URL(filePath: file))
    let a = try await open(store) { $0.queueFolder = folder }
    #expect(a.status == .readOnly(schema: 2))
    try await a.close()
    #expect(try Data(contentsOf: URL(filePath: file)) == left)
    let again = try await openNewer(store, folder: folder)
    try await again.flush()
    #expect(again.root.motto == "Onward")
    #expect(!FileManager.default.fileExists(atPath: file))
  }
}

@KeyValueObservable
private final class Parcel {
  var weight = 5
  var parts = [1, 2]

  init() {}
}

/// The parcel of the next version, whose weights have a unit.
@KeyValueObservable
private final class NewParcel {
  var weight = Weight(5)
  var parts: [Weight] = []

  init() {}
}

private struct Weight: Codable, Hashable {
  var grams: Int

  init(_ grams: Int) { self.grams = grams }

  init(from decoder: any Decoder) throws {
    // The version before wrote a number.
    if let grams = try? decoder.singleValueContainer().decode(Int.self) {
      self.init(grams)
    } else {
      self.init(
        try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .grams))
    }
  }
}
