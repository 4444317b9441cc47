import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Song {
  var name = ""

  required init() {}

  init(_ name: String) { self.name = name }
}

@KeyValueObservable
private final class Cassette {
  var titles: [String]?
  var tags: Set<String>?
  var tracks: [Song]?
  @NotifiesManually var notes: [String]?
  var bonus: Cassette?

  required init() {}

  /// The numbers of elements; nil for what is nil.
  var counts: [Int?] { [titles?.count, tags?.count, tracks?.count, notes?.count] }
}

@Suite("G. The first change of a nil collection")
struct NilCollectionTests {
  private let cassette = Cassette()
  private let filled = [1, 2, 2, 1]
  private let none = [Int?](repeating: nil, count: 4)

  /// Fills each collection, which is nil, through a proxy or a manual pair.
  private func fill() throws {
    try cassette.mutableArrayValue(forKey: "titles").append("Ubik")
    try cassette.mutableSetValue(forKey: "tags").formUnion(["new", "long"])
    try cassette.mutableArrayValue(forKey: "tracks").append(contentsOf: [Song("a"), Song("b")])
    cassette.willChange(.insertion, valuesAt: RangeSet([0..<1]), forKey: "notes")
    cassette.notes = ["n"]
    cassette.didChange(.insertion, valuesAt: RangeSet([0..<1]), forKey: "notes")
  }

  @Test("G3 a nil collection's first change is recorded as a setting; observers hear an insertion")
  func recorded() throws {
    let log = try KeyValueChangeLog(of: cassette)
    let records = RecordLog(log)
    records.name(log.id(of: cassette), "cassette")
    let changes = ChangeLog()
    let token = cassette.observe(
      \.titles, options: [.old, .new, .prior], changeHandler: changes.handler("titles"))
    let titles = try cassette.mutableArrayValue(forKey: "titles")
    titles.append("Ubik")
    titles.append("Dune")
    try cassette.mutableSetValue(forKey: "tags").insert("new")
    cassette.willChange(.insertion, valuesAt: RangeSet([0..<1]), forKey: "notes")
    cassette.notes = ["n"]
    cassette.didChange(.insertion, valuesAt: RangeSet([0..<1]), forKey: "notes")
    #expect(
      records.take() == [
        #"change: set cassette.titles: nil -> ["Ubik"]"#,
        #"change: insert cassette.titles at 1: ["Dune"]"#,
        #"change: set cassette.tags: nil -> ["new"]"#,
        #"change: set cassette.notes: nil -> ["n"]"#,
      ])
    #expect(
      changes.take() == [
        "titles: insertion, indexes: 0, prior",
        #"titles: insertion, indexes: 0, new: ["Ubik"]"#,
        "titles: insertion, indexes: 1, prior",
        #"titles: insertion, indexes: 1, new: ["Dune"]"#,
      ])
    token.invalidate()
  }

  @Test("G3 G5 another graph applies it", arguments: [false, true])
  func applied(inTransaction: Bool) throws {
    let log = try KeyValueChangeLog(of: cassette)
    let history = try KeyValueHistory(log)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: Cassette.self)
    let token = log.observe { record in try! copy.apply(record) }
    if inTransaction { try KeyValueTransaction.perform(fill) } else { try fill() }
    #expect(copy.root.counts == filled && copy.root.tracks?.map(\.name) == ["a", "b"])
    #expect(history.root.counts == filled)
    try history.go(to: 0)
    #expect(history.root.counts == none)
    token.invalidate()
  }

  /// What is recorded.
  enum Recorded: CaseIterable {
    case graph, keys, paths
  }

  @Test("X3 undoing makes it nil again", arguments: Recorded.allCases, [false, true])
  func undone(_ recorded: Recorded, inTransaction: Bool) throws {
    let recorder = KeyValueChangeRecorder()
    let owner = Cassette()
    owner.bonus = cassette
    let keys = ["titles", "tags", "tracks", "notes"]
    switch recorded {
    case .graph: try recorder.record(graph: owner)
    case .keys: try recorder.record(cassette, keys)
    case .paths: try recorder.record(owner, keys.map { "bonus.\($0)" })
    }
    cassette.titles = ["earlier"]
    cassette.titles = nil
    if inTransaction { try KeyValueTransaction.perform(fill) } else { try fill() }
    for _ in 1...2 {
      for _ in 1...(inTransaction ? 1 : 4) { #expect(try recorder.undo()) }
      #expect(cassette.counts == none)
      #expect(try recorder.undo() && cassette.titles == ["earlier"])
      #expect(try recorder.undo() && cassette.titles == nil && !recorder.canUndo)
      while recorder.canRedo { try recorder.redo() }
      #expect(cassette.counts == filled)
    }
  }

  @Test("G3 what an observer of the prior fills has its elements inserted")
  func filledInPrior() throws {
    let log = try KeyValueChangeLog(of: cassette)
    let history = try KeyValueHistory(log)
    let token = cassette.observe(\.titles, options: .prior) { cassette, change in
      if change.isPrior, change.kind == .insertion { cassette.titles = ["first"] }
    }
    try cassette.mutableArrayValue(forKey: "titles").append("Ubik")
    #expect(history.root.titles == cassette.titles)
    token.invalidate()
  }

  @Test("P3 an operator over plain values follows a collection that's nil")
  func operators() throws {
    try ViolationLog.record { violations in
      let changes = ChangeLog()
      let count = try cassette.observe(
        "titles.@count", options: [.old, .new], changeHandler: changes.handler("count"))
      let last = try cassette.observe(
        "titles.@max.self", options: [.old, .new], changeHandler: changes.handler("max"))
      cassette.titles = ["a", "b"]
      cassette.titles = nil
      #expect(
        changes.take() == [
          "count: setting, old: nil, new: 2", #"max: setting, old: nil, new: "b""#,
          "count: setting, old: 2, new: nil", #"max: setting, old: "b", new: nil"#,
        ])
      #expect(throws: KeyValueCodingError.self) {
        try cassette.observe("titles.@sum.length") { _, _ in }
      }
      count.invalidate()
      last.invalidate()
      #expect(violations.take() == [])
    }
  }
}
