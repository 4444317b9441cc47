import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private class Shelf {
  var label = 0
  var books: [String] = []
  var tags: Set<Int> = []
  @NotifiesManually var count = 0
  var other: [String] = []

  required init() {}
}

/// Its getter returns something else than what's stored.
@KeyValueObservable
private final class OpenShelf: Shelf {
  override var label: Int {
    get { super.label * 2 }
    set { super.label = newValue }
  }
}

@Suite("G. Changes whose priors change the same key")
struct LogPriorTests {
  /// Makes a change whose prior's handler makes another one, and follows both with a log and a recorder.
  private func check<S: Shelf>(
    _ shelf: S, _ key: String, inPrior: @escaping (S) -> Void, change: (S) -> Void,
    edits: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for recorded in Recorded.allCases {
      try check(
        S(), key, recorded, inPrior: inPrior, change: change, edits: edits,
        sourceLocation: sourceLocation)
    }
  }

  /// What a recorder records, and whether it hears of a prior before the handler.
  private enum Recorded: CaseIterable {
    case graph, keysFirst, keysLast

    func begin(_ recorder: KeyValueChangeRecorder, _ shelf: Shelf, isFirst: Bool) throws {
      switch self {
      case .graph: if isFirst { try recorder.record(graph: shelf) }
      case .keysFirst, .keysLast:
        guard isFirst == (self == .keysFirst) else { return }
        try recorder.record(shelf, "label", "books", "tags", "count", "other")
      }
    }
  }

  private func check<S: Shelf>(
    _ shelf: S, _ key: String, _ recorded: Recorded, inPrior: @escaping (S) -> Void,
    change: (S) -> Void, edits: [String], sourceLocation: SourceLocation
  ) throws {
    shelf.books = ["a", "b"]
    shelf.tags = [1]
    let log = try KeyValueChangeLog(of: shelf)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: S.self)
    let start = try log.snapshot()
    let recorder = KeyValueChangeRecorder()
    try recorded.begin(recorder, shelf, isFirst: true)
    let records = RecordLog(log)
    records.name(log.id(of: shelf), "shelf")
    let link = log.observe { record in
      do { try copy.apply(record) } catch {
        Issue.record(error, sourceLocation: sourceLocation)
      }
    }
    var isNested = false
    let observer = try shelf.observe(key, options: [.prior]) { shelf, change in
      guard change.isPrior, !isNested else { return }
      isNested = true
      inPrior(shelf)
    }
    try recorded.begin(recorder, shelf, isFirst: false)
    change(shelf)
    observer.invalidate()
    #expect(records.take() == edits, sourceLocation: sourceLocation)
    let end = try log.snapshot()
    #expect(try copy.snapshot() == end, sourceLocation: sourceLocation)
    #expect(
      recorder.description.hasSuffix(" 1 level to undo, 0 to redo)"), sourceLocation: sourceLocation
    )
    while recorder.canUndo { try recorder.undo() }
    #expect(try log.snapshot() == start, sourceLocation: sourceLocation)
    while recorder.canRedo { try recorder.redo() }
    #expect(try log.snapshot() == end, sourceLocation: sourceLocation)
    withExtendedLifetime((link, records)) {}
  }

  @Test("X3 The change is undone before all that its prior's handler has changed")
  func otherKeysInOrder() throws {
    let (shelf, recorder) = (Shelf(), KeyValueChangeRecorder())
    // It hears of the prior before the handler does.
    try recorder.record(shelf, "label", "other")
    var isNested = false
    let observer = shelf.observe(\.label, options: .prior) { shelf, change in
      guard change.isPrior, !isNested else { return }
      isNested = true
      shelf.label = 1
      shelf.other = ["x"]
    }
    shelf.label = 2
    observer.invalidate()
    var keys: [String] = []
    let tokens = try ["label", "other"].map { key in
      try shelf.observe(key, options: .prior) { _, change in if change.isPrior { keys.append(key) }
      }
    }
    #expect(try recorder.undo() && shelf.label == 0 && shelf.other == [])
    #expect(keys == ["label", "other"])
    withExtendedLifetime(tokens) {}
  }

  @Test("G1 a setting's old value is what the prior's handler has set") func settings() throws {
    try check(
      Shelf(), "label", inPrior: { $0.label = 4 }, change: { $0.label = 3 },
      edits: ["change: set shelf.label: 0 -> 4", "change: set shelf.label: 4 -> 3"])
    try check(
      OpenShelf(), "label", inPrior: { $0.label = 4 }, change: { $0.label = 3 },
      edits: ["change: set shelf.label: 0 -> 4", "change: set shelf.label: 4 -> 3"])
    try check(
      Shelf(), "label", inPrior: { $0.label = 4 }, change: { $0.label += 3 },
      edits: ["change: set shelf.label: 0 -> 4", "change: set shelf.label: 4 -> 7"])
  }

  @Test("G1 so is a manual pair's") func pairs() throws {
    try check(
      Shelf(), "count",
      inPrior: { shelf in shelf.withChange(of: "count") { shelf.count = 4 } },
      change: { shelf in shelf.withChange(of: "count") { shelf.count = 3 } },
      edits: ["change: set shelf.count: 0 -> 4", "change: set shelf.count: 4 -> 3"])
  }

  @Test("G1 a proxy's change is recorded as what it does to the collection") func collections()
    throws
  {
    try check(
      Shelf(), "books", inPrior: { $0.books[0] = "c" },
      change: { $0.mutableArrayValue(for: \.books).remove(at: 0) },
      edits: [
        #"change: amend shelf.books: removed at 0 ["a"], inserted at 0 ["c"]"#,
        #"change: amend shelf.books: removed at 0 ["c"]"#,
      ])
    try check(
      Shelf(), "tags", inPrior: { $0.tags = [1, 2] },
      change: { $0.mutableSetValue(for: \.tags).formUnion([2, 3]) },
      edits: [
        "change: set shelf.tags: [1] -> [1, 2]", "change: set shelf.tags: [1, 2] -> [1, 2, 3]",
      ])
  }

  @Test("G1 indexes are those of the collection that the prior's handler has left") func indexes()
    throws
  {
    try check(
      Shelf(), "books", inPrior: { $0.mutableArrayValue(for: \.books).insert("x", at: 0) },
      change: { $0.mutableArrayValue(for: \.books).remove(at: 1) },
      edits: [
        #"change: insert shelf.books at 0: ["x"]"#,
        #"change: amend shelf.books: removed at 1 ["a"]"#,
      ])
    try check(
      Shelf(), "books", inPrior: { $0.mutableArrayValue(for: \.books).append("x") },
      change: { $0.books = ["z"] },
      edits: [
        #"change: insert shelf.books at 2: ["x"]"#,
        #"change: amend shelf.books: removed at 0–2 ["a", "b", "x"], inserted at 0 ["z"]"#,
      ])
    try check(
      Shelf(), "tags", inPrior: { $0.mutableSetValue(for: \.tags).insert(2) },
      change: { $0.mutableSetValue(for: \.tags).formUnion([2, 3]) },
      edits: [
        "change: union shelf.tags: [2]", "change: set shelf.tags: [1, 2] -> [1, 2, 3]",
      ])
  }

  @Test("X3 a change that's made in priors inside the priors precedes both") func nestedPriors()
    throws
  {
    for isFirst in [true, false] {
      let shelf = Shelf()
      shelf.books = ["a", "b"]
      let recorder = KeyValueChangeRecorder()
      if isFirst { try recorder.record(shelf, "label", "books") }
      var calls = 0
      let outer = shelf.observe(\.books, options: .prior) { shelf, change in
        guard change.isPrior, calls == 0 else { return }
        calls = 1
        shelf.label = 1
      }
      let inner = shelf.observe(\.label, options: .prior) { shelf, change in
        guard change.isPrior, calls == 1 else { return }
        calls = 2
        shelf.mutableArrayValue(for: \.books).insert("x", at: 0)
      }
      if !isFirst { try recorder.record(shelf, "label", "books") }
      shelf.mutableArrayValue(for: \.books).remove(at: 1)
      outer.invalidate()
      inner.invalidate()
      #expect(shelf.books == ["x", "b"] && shelf.label == 1)
      for _ in 1...2 {
        #expect(try recorder.undo() && shelf.books == ["a", "b"] && shelf.label == 0)
        #expect(!recorder.canUndo)
        #expect(try recorder.redo() && shelf.books == ["x", "b"] && shelf.label == 1)
      }
    }
  }

  @Test("G1 other changes in a prior leave a change as it is") func otherKeys() throws {
    try check(
      Shelf(), "books", inPrior: { $0.other.append("x") },
      change: { $0.mutableArrayValue(for: \.books).remove(at: 0) },
      edits: [
        #"change: amend shelf.other: inserted at 0 ["x"]"#,
        #"change: remove shelf.books at 0: ["a"]"#,
      ])
    let neighbour = Shelf()
    try check(
      Shelf(), "books", inPrior: { _ in neighbour.books.append("x") },
      change: { $0.mutableArrayValue(for: \.books).remove(at: 0) },
      edits: [#"change: remove shelf.books at 0: ["a"]"#])
  }

  @Test("G1 a change that has no prior, inside one that has, is recorded as usual") func inside()
    throws
  {
    try check(
      Shelf(), "label",
      inPrior: {
        $0.label = 4
        $0.books.append("c")
      },
      change: { $0.label = 3 },
      edits: [
        "change: set shelf.label: 0 -> 4", #"change: amend shelf.books: inserted at 2 ["c"]"#,
        "change: set shelf.label: 4 -> 3",
      ])
  }
}
