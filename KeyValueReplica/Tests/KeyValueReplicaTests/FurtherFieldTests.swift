import Foundation
import KeyValueObserving
import KeyValueReplica
import Testing

/// What replicas do with structures that have further fields in newer programs.
@Suite("Schemas: structures with further fields", .timeLimit(.minutes(10)))
@MainActor
struct FurtherFieldTests {
  private let temporary = TestFolder()
  private var folder: String { temporary.path }

  private func openLetter(
    _ store: MemoryLogStore, folder: String? = nil
  ) async throws -> KeyValueReplica<Letter> {
    try await KeyValueReplica.open(
      Letter.self, document: "letter", in: store,
      options: KeyValueReplicaOptions(author: "older", queueFolder: folder),
      classes: [KeyValueLogClass(Letter.self, formerly: "KeyValueReplicaTests.NewLetter")])
  }

  private func openNewLetter(
    _ store: MemoryLogStore, schema: Int = 2, folder: String? = nil
  ) async throws -> KeyValueReplica<NewLetter> {
    try await KeyValueReplica.open(
      NewLetter.self, document: "letter", in: store,
      options: KeyValueReplicaOptions(schema: schema, author: "newer", queueFolder: folder),
      classes: [KeyValueLogClass(NewLetter.self, formerly: "KeyValueReplicaTests.Letter")])
  }

  @Test(
    "S1 S2 what a newer program changes of structures with a further field stays",
    arguments: [1, 2])
  func furtherField(schema: Int) async throws {
    let store = MemoryLogStore()
    let older = try await openLetter(store)
    let newer = try await openNewLetter(store, schema: schema)
    newer.root.to.street = "c"
    newer.root.via[0].street = "c"
    newer.root.kvo.past.mutableSet().remove(NewAddress("a"))
    newer.root.marked["first"]?.street = "c"
    try await newer.flush()
    let again = try await openNewLetter(store, schema: schema)
    #expect(again.root.to == NewAddress("c"))
    #expect(again.root.via == [NewAddress("c"), NewAddress("b")])
    #expect(again.root.past == [NewAddress("b")])
    #expect(again.root.marked == ["first": NewAddress("c")])
    #expect(try again.snapshot() == newer.snapshot())
    // Older programs read it.
    for await revision in older.kvo.revision.values() where revision == newer.revision { break }
    let late = try await openLetter(store)
    for root in [older.root, late.root] {
      #expect(root.to == OldAddress(street: "c"))
      #expect(root.via == [OldAddress(street: "c"), OldAddress(street: "b")])
      #expect(root.past == [OldAddress(street: "b")])
      #expect(root.marked == ["first": OldAddress(street: "c")])
    }
  }

  @Test(
    "S3 what an older program has left of structures with fewer fields is sent by a newer one",
    arguments: [false, true])
  func fewerFieldsLeft(isCompacted: Bool) async throws {
    let store = MemoryLogStore()
    try await leave(store) {
      try await openLetter(store, folder: folder)
    } changing: { letter in
      letter.to.street = "c"
      letter.via[0].street = "c"
      letter.kvo.past.mutableSet().remove(OldAddress(street: "a"))
      letter.marked["first"]?.street = "c"
    }
    if isCompacted {
      let other = try await openNewLetter(store)
      other.root.to.street = "b"
      try await other.flush()
      other.root.to.street = "a"
      try await other.flush()
      try await other.saveSnapshot()
      _ = try await store.compact("letter", keepingSnapshots: 1, olderThan: .zero)
      #expect(store.records("letter").isEmpty)
    }
    let newer = try await openNewLetter(store, folder: folder)
    try await newer.flush()
    #expect(newer.conflicts == [])
    let late = try await openNewLetter(store)
    for root in [newer.root, late.root] {
      #expect(root.to == NewAddress("c"))
      #expect(root.via == [NewAddress("c"), NewAddress("b")])
      #expect(root.past == [NewAddress("b")])
      #expect(root.marked == ["first": NewAddress("c")])
    }
  }

  @Test(
    "S2 what an older program has set as a whole is merged member by member and entry by entry",
    arguments: [false, true])
  func wholesWithFewerFieldsLeft(isCompacted: Bool) async throws {
    let store = MemoryLogStore()
    try await leave(store) {
      try await openLetter(store, folder: folder)
    } changing: { letter in
      letter.past = [OldAddress(street: "b"), OldAddress(street: "c")]
      letter.marked = ["first": OldAddress(street: "c"), "third": OldAddress(street: "d")]
    }
    let other = try await openNewLetter(store)
    other.root.performChanges {
      $0.kvo.past.mutableSet().remove(NewAddress("b"))
      $0.kvo.past.mutableSet().insert(NewAddress("z"))
      $0.marked["second"] = NewAddress("z")
    }
    try await other.flush()
    if isCompacted {
      try await other.saveSnapshot()
      _ = try await store.compact("letter", keepingSnapshots: 1, olderThan: .zero)
      #expect(store.records("letter").isEmpty)
    }
    let newer = try await openNewLetter(store, folder: folder)
    try await newer.flush()
    #expect(newer.conflicts == [])
    let late = try await openNewLetter(store)
    for root in [newer.root, late.root] {
      #expect(root.past == [NewAddress("c"), NewAddress("z")])
      #expect(
        root.marked == [
          "first": NewAddress("c"), "second": NewAddress("z"), "third": NewAddress("d"),
        ])
    }
  }

  @Test("S3 what an older program of the same schema has left drops a field without conflict")
  func furtherFieldDropped() async throws {
    let store = MemoryLogStore()
    let first = try await openNewLetter(store, schema: 1)
    first.root.to.country = "FR"
    try await first.close()
    try await leave(store) {
      try await openLetter(store, folder: folder)
    } changing: {
      $0.to.street = "c"
    }
    let newer = try await openNewLetter(store, schema: 1, folder: folder)
    try await newer.flush()
    #expect(newer.conflicts == [])
    #expect(newer.root.to == NewAddress("c"))
    #expect(try await openNewLetter(store, schema: 1).root.to == NewAddress("c"))
  }

  @Test("S3 a field that another program has filled in is a conflict, also behind a compaction")
  func filledField() async throws {
    let store = MemoryLogStore()
    func openMemo(_ folder: String? = nil) async throws -> KeyValueReplica<Memo> {
      try await KeyValueReplica.open(
        Memo.self, document: "memo", in: store,
        options: KeyValueReplicaOptions(author: "memo", queueFolder: folder))
    }
    try await leave(store) {
      try await openMemo(folder)
    } changing: {
      $0.note.text = "b"
    }
    let other = try await openMemo()
    other.root.note.tag = "x"
    try await other.flush()
    try await other.saveSnapshot()
    _ = try await store.compact("memo", keepingSnapshots: 1, olderThan: .zero)
    let next = try await openMemo(folder)
    await #expect(throws: KeyValueReplicaError.self) { try await next.flush() }
    #expect(next.root.note == MemoNote(text: "a", tag: "x"))
    #expect(next.conflicts.count == 1)
  }

  @Test("S3 what an older program has left follows what another one with fewer fields has sent")
  func fewerFieldsBetween() async throws {
    let store = MemoryLogStore()
    try await leave(store) {
      try await openLetter(store, folder: folder)
    } changing: {
      $0.via.append(OldAddress(street: "c"))
    }
    let other = try await openLetter(store)
    other.root.to.street = "x"
    other.root.via.insert(OldAddress(street: "z"), at: 0)
    try await other.flush()
    let newer = try await openNewLetter(store, folder: folder)
    try await newer.flush()
    #expect(newer.conflicts == [])
    let late = try await openNewLetter(store)
    for root in [newer.root, late.root] {
      #expect(root.to == NewAddress("x"))
      #expect(root.via.map(\.street) == ["z", "a", "b", "c"])
    }
  }

  @Test("S3 S5 a change of a structure with a further field stays where a snapshot is without it")
  func restoredWithFewerFields() async throws {
    let store = MemoryLogStore()
    let older = try await openLetter(store)
    try await older.close()
    let newer = try await openNewLetter(store)
    let (gate, opening) = AsyncStream<Never>.makeStream()
    store.fail(.held(gate))
    newer.root.to.street = "c"
    try await waitUntil(store.appends > 0)
    store.change("letter") { document in
      document.epoch = UUID()
      document.records = []
      document.snapshots[0].position = document.head
    }
    opening.finish()
    try await newer.flush()
    #expect(newer.conflicts == [])
    #expect(newer.root.to == NewAddress("c"))
    #expect(try await openNewLetter(store).root.to == NewAddress("c"))
  }

  private func openSign(
    _ store: MemoryLogStore, folder: String? = nil
  ) async throws -> KeyValueReplica<Sign> {
    try await KeyValueReplica.open(
      Sign.self, document: "sign", in: store,
      options: KeyValueReplicaOptions(author: "plain", queueFolder: folder),
      classes: [KeyValueLogClass(Sign.self, formerly: "KeyValueReplicaTests.NormalSign")])
  }

  private func openNormalSign(
    _ store: MemoryLogStore, folder: String? = nil
  ) async throws -> KeyValueReplica<NormalSign> {
    try await KeyValueReplica.open(
      NormalSign.self, document: "sign", in: store,
      options: KeyValueReplicaOptions(author: "normal", queueFolder: folder),
      classes: [KeyValueLogClass(NormalSign.self, formerly: "KeyValueReplicaTests.Sign")])
  }

  @Test("S3 S5 a text that its type normalises isn't another one where a snapshot is read again")
  func normalisedText() async throws {
    let store = MemoryLogStore()
    try await openSign(store).close()
    let normal = try await openNormalSign(store)
    let (gate, opening) = AsyncStream<Never>.makeStream()
    store.fail(.held(gate))
    normal.root.text = Normal("c")
    normal.root.texts[0] = Normal("c")
    try await waitUntil(store.appends > 0)
    var told = 0
    let observation = normal.root.kvo.label.observe { _, _ in told += 1 }
    store.change("sign") { document in
      document.epoch = UUID()
      document.records = []
      document.snapshots[0].position = document.head
    }
    opening.finish()
    try await normal.flush()
    #expect(normal.conflicts == [])
    #expect((normal.root.text, normal.root.texts[0]) == (Normal("c"), Normal("c")))
    #expect(told == 0)
    #expect(try await openNormalSign(store).snapshot() == normal.snapshot())
    withExtendedLifetime(observation) {}
  }

  @Test("S3 a text that its type normalises isn't another one where a program has left a change")
  func normalisedTextLeft() async throws {
    let store = MemoryLogStore()
    try await leave(store) {
      try await openSign(store, folder: folder)
    } changing: {
      $0.text = "c"
    }
    let other = try await openSign(store)
    other.root.number = 1
    try await other.flush()
    try await other.saveSnapshot()
    _ = try await store.compact("sign", keepingSnapshots: 1, olderThan: .zero)
    #expect(store.records("sign").isEmpty)
    let normal = try await openNormalSign(store, folder: folder)
    try await normal.flush()
    #expect(normal.conflicts == [])
    #expect(normal.root.text == Normal("c"))
    #expect(try await openNormalSign(store).snapshot() == normal.snapshot())
  }
}

@KeyValueObservable
private final class Sign {
  var text = "e\u{301}"
  var texts = ["e\u{301}", "b"]
  var label = "e\u{301}"
  var number = 0

  init() {}
}

/// The sign of a program whose texts are normalised.
@KeyValueObservable
private final class NormalSign {
  var text = Normal("")
  var texts: [Normal] = []
  var label = Normal("")
  var number = 0

  init() {}
}

/// A text with "é" as one Unicode scalar.
private struct Normal: Codable, Hashable {
  let text: String

  init(_ text: String) { self.text = text == "\u{E9}" ? "\u{E9}" : text }

  init(from decoder: any Decoder) throws { self.init(try String(from: decoder)) }

  func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

@KeyValueObservable
private final class Memo {
  var note = MemoNote(text: "a")

  init() {}
}

/// Its coding leaves the tag out while it's nil.
private struct MemoNote: Codable, Equatable {
  var text: String
  var tag: String?
}

@KeyValueObservable
private final class Letter {
  var to = OldAddress(street: "a")
  var via: [OldAddress] = [OldAddress(street: "a"), OldAddress(street: "b")]
  var past: Set<OldAddress> = [OldAddress(street: "a"), OldAddress(street: "b")]
  var marked: [String: OldAddress] = ["first": OldAddress(street: "a")]

  init() {}
}

private struct OldAddress: Codable, Hashable {
  var street: String
}

/// The letter of the next version, whose addresses have a country.
@KeyValueObservable
private final class NewLetter {
  var to = NewAddress("a")
  var via: [NewAddress] = []
  var past: Set<NewAddress> = []
  var marked: [String: NewAddress] = [:]

  init() {}
}

private struct NewAddress: Codable, Hashable {
  var street: String
  var country = "DE"

  init(_ street: String) { self.street = street }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    street = try values.decode(String.self, forKey: .street)
    country = try values.decodeIfPresent(String.self, forKey: .country) ?? "DE"
  }
}
