import KeyValueObserving
import KeyValueReplica
import Testing

/// What replicas do with classes that newer programs have renamed or added.
@Suite("Schemas: renamed and unknown classes", .timeLimit(.minutes(10)))
@MainActor
struct RenamedClassTests {
  private let temporary = TestFolder()
  private var folder: String { temporary.path }

  @Test("S3 a newer program that can't open a document leaves it to older ones")
  func unfitNewer() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.employees = [Person("Ada")]
    try await a.flush()
    // It doesn't name the classes' former names.
    await #expect(throws: KeyValueLogError.self) {
      _ = try await KeyValueReplica.open(
        NewCompany.self, document: "acme", in: store,
        options: KeyValueReplicaOptions(schema: 2, author: "newer"))
    }
    #expect(try await store.document("acme")?.schema == 1)
    a.root.name = "Analytical"
    try await a.flush()
    #expect(a.status == .current)
  }

  private func openKeeper(
    _ store: MemoryLogStore, folder: String? = nil
  ) async throws -> KeyValueReplica<Keeper> {
    try await KeyValueReplica.open(
      Keeper.self, document: "zoo", in: store,
      options: KeyValueReplicaOptions(queueFolder: folder),
      classes: [
        KeyValueLogClass(Keeper.self, formerly: "KeyValueReplicaTests.NewKeeper"),
        KeyValueLogClass(Pet.self, formerly: "KeyValueReplicaTests.NewPet"),
      ])
  }

  private func openNewKeeper(
    _ store: MemoryLogStore, schema: Int, folder: String? = nil
  ) async throws -> KeyValueReplica<NewKeeper> {
    try await KeyValueReplica.open(
      NewKeeper.self, document: "zoo", in: store,
      options: KeyValueReplicaOptions(schema: schema, queueFolder: folder),
      classes: [
        KeyValueLogClass(NewKeeper.self, formerly: "KeyValueReplicaTests.Keeper"),
        KeyValueLogClass(NewPet.self, formerly: "KeyValueReplicaTests.Pet"),
      ])
  }

  @Test("S3 an object that an older program can't have leaves the key that needs one as it was")
  func unknownSubclass() async throws {
    let store = MemoryLogStore()
    let a = try await openKeeper(store)
    a.root.pet.name = "Rex"
    try await a.flush()
    let pet = a.root.pet
    let newer = try await openNewKeeper(store, schema: 2)
    for name in ["Ada", "Grace"] {
      newer.root.performChanges {
        $0.name = name
        $0.pet = NewCat()
      }
      try await newer.flush()
      for await told in a.root.kvo.name.values() where told == name { break }
      #expect(a.root.pet === pet && pet.name == "Rex")
      #expect(try await openKeeper(store).root.name == name)
    }
    #expect(a.status == .readOnly(schema: 2))
  }

  @Test("S3 an object of an unknown class that was left is dropped, and flush() names the class")
  func unknownClassLeft() async throws {
    let store = MemoryLogStore()
    try await openKeeper(store).close()
    // Its program has raised no schema for its further class.
    try await leave(store) {
      try await openNewKeeper(store, schema: 1, folder: folder)
    } changing: { keeper in
      keeper.pet = NewCat()
      keeper.name = "Ada"
    }
    let a = try await openKeeper(store, folder: folder)
    await #expect {
      try await a.flush()
    } throws: { error in
      guard case .unfit(let reason)? = error as? KeyValueReplicaError else { return false }
      let beginning =
        "a transaction that an earlier process left in the queue's file doesn't fit them, and was "
        + "dropped. Class 'KeyValueReplicaTests.NewCat' can't be used here"
      let end =
        "Raise `options.schema` where keys or classes change, so that such transactions stay in "
        + "their file for a program that has them."
      return reason.hasPrefix(beginning) && reason.hasSuffix(end)
    }
    #expect(a.root.name == "Ada")
    #expect(store.records("zoo").count == 1)
  }

  @Test("S1 a document whose old objects a newer program deletes can be opened")
  func deletedByNewer() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.employees = [Person("Ada"), Person("Grace")]
    try await a.flush()
    let newer = try await openNewer(store)
    newer.root.employees.remove(at: 0)
    try await newer.flush()
    for await employees in a.root.kvo.employees.values() where employees.count == 1 { break }
    #expect(a.root.names == ["Grace"])
    let late = try await open(store, "late")
    #expect(late.root.names == ["Grace"])
  }

  @Test("S1 a document whose old objects a newer program changes and deletes at once can be opened")
  func changedAndDeletedByNewer() async throws {
    let store = MemoryLogStore()
    let a = try await open(store)
    a.root.employees = [Person("Ada"), Person("Grace")]
    try await a.flush()
    let newer = try await openNewer(store)
    newer.root.performChanges {
      $0.employees[0].salary = 7
      $0.employees.remove(at: 0)
    }
    try await newer.flush()
    for await employees in a.root.kvo.employees.values() where employees.count == 1 { break }
    #expect(a.root.names == ["Grace"])
    #expect(try await open(store, "late").root.names == ["Grace"])
    let again = try await openNewer(store)
    #expect(again.root.employees.map(\.name) == ["Grace"])
    #expect(try again.snapshot() == newer.snapshot())
  }
}

@KeyValueObservable
private final class Keeper {
  var name = ""
  var pet = Pet()

  init() {}
}

@KeyValueObservable
private final class Pet {
  var name = ""

  init() {}
}

/// The keeper of the next version, which has pets that the one before doesn't know.
@KeyValueObservable
private final class NewKeeper {
  var name = ""
  var pet = NewPet()

  init() {}
}

@KeyValueObservable
private class NewPet {
  var name = ""

  required init() {}
}

@KeyValueObservable
private final class NewCat: NewPet {
  var lives = 9
}
