import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Equal by its number, whatever its name is.
@KeyValueObservable
private final class Item: Hashable {
  var number = 0
  var name = ""

  required init() {}

  init(_ number: Int, _ name: String = "") {
    self.number = number
    self.name = name
  }

  static func == (left: Item, right: Item) -> Bool { left.number == right.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

private struct Row: Codable, Hashable {
  var number = 1
  var title = ""

  static func == (left: Row, right: Row) -> Bool { left.number == right.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

@KeyValueObservable
private final class Page {
  var items: [Item] = []
  var rows = [Row(), Row(number: 2, title: "b")]
  var few: [Row]?
  var count = 0
  var isRecording = false
  var row = Row()
  var kept: Set<Item> = []
  var wanted: Set<Row> = []
  var byName: [String: Row] = [:]
  var seed: UInt64 = 0
  var wide: [Int128] = []

  required init() {}
}

@KeyValueObservable
private final class Part {
  weak var neighbor: Part?
  weak var owner: Whole?
}

@KeyValueObservable
private final class Whole {
  var parts: [Part] = []
  weak var current: Part?
}

@KeyValueObservable
private final class Sheet {
  var size = 0 {
    didSet { rows.append(size) }
  }
  var rows: [Int] = []

  required init() {}
}

@KeyValueObservable
private final class Search {
  var query = "" {
    didSet { results.removeLast(min(results.count, lost)) }
  }
  var results = ["a", "b", "c"]
  @KeyValueIgnored var lost = 0

  required init() {}
}

@Suite("G. Records say what differs, and all of it")
struct LogFidelityTests {
  private let page = Page()

  @Test("G3 another object that is equal is another object")
  func equalObjects() throws {
    let item = Item(1, "old")
    page.items = [Item(0), item]
    let log = try KeyValueChangeLog(of: page)
    let history = try KeyValueHistory(log)
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: page)
    page.items = [page.items[0], Item(1, "new")]
    #expect(history.root.items.map(\.name) == ["", "new"])
    page.items.append(Item(1, "newer"))
    #expect(history.root.items.map(\.name) == ["", "new", "newer"])
    try recorder.undo()
    try recorder.undo()
    #expect(page.items[1] === item && page.items.count == 2)
    #expect(history.root.items.map(\.name) == ["", "old"])
    try history.go(to: 1)
    #expect(history.root.items.map(\.name) == ["", "new"])
  }

  @Test("G3 a value that is equal and has other data is recorded")
  func equalValues() throws {
    let log = try KeyValueChangeLog(of: page)
    let records = RecordLog(log)
    records.name(log.id(of: page), "page")
    let history = try KeyValueHistory(log)
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: page)
    page.rows[0].title = "a"
    page.rows = [Row(number: 0), Row(title: "A"), Row(number: 2, title: "B")]
    page.few = [Row(title: "x")]
    page.few?[0].title = "y"
    page.rows = page.rows
    let title = { (number: Int, title: String) in #"["number": \#(number), "title": "\#(title)"]"# }
    #expect(
      records.take() == [
        "change: amend page.rows: removed at 0 [\(title(1, ""))], inserted at 0 [\(title(1, "a"))]",
        "change: amend page.rows: removed at 0–1 [\(title(1, "a")), \(title(2, "b"))], inserted at 0–2 "
          + "[\(title(0, "")), \(title(1, "A")), \(title(2, "B"))]",
        #"change: set page.few: nil -> [\#(title(1, "x"))]"#,
        "change: amend page.few: removed at 0 [\(title(1, "x"))], inserted at 0 [\(title(1, "y"))]",
        "change: amend page.rows: nothing differs",
      ])
    #expect(history.root.rows.map(\.title) == ["", "A", "B"])
    #expect(history.root.few?.map(\.title) == ["y"])
    for _ in 0..<4 { try recorder.undo() }
    #expect(page.rows.map(\.title) == ["", "b"] && page.few == nil)
    #expect(history.root.rows.map(\.title) == ["", "b"] && history.root.few == nil)
  }

  @Test("G3 a history that begins in an observer has no record of the change that it began in")
  func beganInObserver() throws {
    let log = try KeyValueChangeLog(of: page)
    var first: [KeyValueTransactionRecord] = []
    let token = log.observe { first.append($0) }
    var history: KeyValueHistory<Page>?
    var inner: [KeyValueTransactionRecord] = []
    var tokens: [KeyValueObservation] = []
    let observation = page.observe(\.isRecording) { _, _ in
      history = try? KeyValueHistory(log)
      tokens.append(log.observe { inner.append($0) })
    }
    page.isRecording = true
    page.count = 1
    observation.invalidate()
    let started = try #require(history)
    #expect(first.count == 2 && inner.map(\.id) == [first[1].id])
    #expect(started.records.map(\.id) == [first[1].id])
    #expect(started.root.isRecording && started.root.count == 1)
    try started.go(to: 0)
    #expect(started.root.isRecording && started.root.count == 0)
    withExtendedLifetime((token, tokens)) {}
  }

  @Test("G3 a history can't begin in a transaction that has changed the graph")
  func beganInTransaction() throws {
    let log = try KeyValueChangeLog(of: page)
    page.performChanges { page in
      #expect(throws: Never.self) { _ = try KeyValueHistory(log) }
      page.items.append(Item(1))
      let error = #expect(throws: KeyValueLogError.self) { _ = try KeyValueHistory(log) }
      #expect("\(error.map { "\($0)" } ?? "")".contains("Begin the history before the transaction"))
    }
    #expect(try KeyValueHistory(log).root.items.map(\.number) == [1])
  }

  @Test(
    "G3 an observer that begins in a transaction is told what follows, and what takes back the rest",
    arguments: [false, true])
  func observerBeganInTransaction(_ fails: Bool) throws {
    struct Refusal: Error {}
    page.items = [Item(0)]
    let log = try KeyValueChangeLog(of: page)
    var records: [KeyValueTransactionRecord] = []
    var snapshots: [KeyValueSnapshot] = []
    var tokens: [KeyValueObservation] = []
    try? page.performChanges(rollingBack: fails) { page in
      page.items.append(Item(1))
      page.items.removeFirst()
      tokens.append(log.observe { records.append($0) })
      snapshots.append(try log.snapshot())
      page.items[0].name = "a"
      page.items.append(Item(2))
      if fails { throw Refusal() }
    }
    page.count = 1
    #expect(page.items.map(\.number) == (fails ? [0] : [1, 2]))
    var data = try #require(snapshots.first)
    for record in records { try data.apply(record) }
    #expect(try data == log.snapshot())
    #expect(records.map(\.isTransaction) == [true, false])
    withExtendedLifetime(tokens) {}
  }

  @Test("G3 an observer isn't told what its transaction has changed before it begins")
  func observerBeganAtEnd() throws {
    let log = try KeyValueChangeLog(of: page)
    var records: [KeyValueTransactionRecord] = []
    var tokens: [KeyValueObservation] = []
    page.performChanges { page in
      page.items.append(Item(1))
      tokens.append(log.observe { records.append($0) })
    }
    #expect(records == [] && log.description == "KeyValueChangeLog(Page, 2 objects)")
    withExtendedLifetime(tokens) {}
  }

  @Test("G2 a snapshot in a transaction doesn't have what leaves, and can be restored")
  func snapshotInTransaction() throws {
    let whole = Whole()
    whole.parts = [Part(), Part()]
    whole.current = whole.parts[0]
    let log = try KeyValueChangeLog(of: whole)
    var snapshots: [KeyValueSnapshot] = []
    try whole.performChanges {
      $0.parts.removeFirst()
      snapshots.append(try log.snapshot())
      $0.parts.insert(Part(), at: 0)
      snapshots.append(try log.snapshot())
    }
    snapshots.append(try log.snapshot())
    #expect(snapshots.map(\.objects.count) == [2, 3, 3])
    for snapshot in snapshots {
      let copy = try KeyValueChangeLog(
        restoring: snapshot, as: Whole.self, classes: [.init(Part.self) { _ in Part() }])
      #expect(try copy.snapshot() == snapshot)
      #expect(copy.root.current == nil)
    }
  }

  @Test("G1 R5 a weak key whose object has died keeps nothing alive")
  func deadTargets() throws {
    let whole = Whole()
    var (one, other): (Part?, Part?) = (Part(), Part())
    whole.parts = [one!, other!]
    one?.neighbor = other
    let log = try KeyValueChangeLog(of: whole)
    let token = log.observe { _ in }
    whole.parts.removeLast()
    other = nil
    #expect(one?.neighbor == nil)
    weak let mortal = one
    whole.parts = []
    one = nil
    #expect(mortal == nil)
    withExtendedLifetime((log, token)) {}
  }

  @Test("G1 weak keys that refer to what leaves are cleared in their order, many at a time")
  func manyWeakKeys() throws {
    let whole = Whole()
    let hub = Part()
    whole.parts = [hub] + (0..<40).map { _ in Part() }
    for part in whole.parts.dropFirst() { part.neighbor = hub }
    let log = try KeyValueChangeLog(of: whole)
    for part in whole.parts[1..<31] { part.neighbor = nil }
    for part in whole.parts[5..<8].reversed() { part.neighbor = hub }
    let expected = (whole.parts[31...] + whole.parts[5..<8].reversed()).map { log.id(of: $0)! }
    var cleared: [KeyValueObjectID] = []
    let token = log.observe { record in
      for case .set(let id, "neighbor", _, .null) in record.edits { cleared.append(id) }
    }
    whole.parts.removeFirst()
    #expect(cleared == expected)
    withExtendedLifetime(token) {}
  }

  @Test(
    "G3 a history's copy runs no didSet, also of a class that runs it where records are applied")
  func historyWithoutPropertyObservers() throws {
    let sheet = Sheet()
    let log = try KeyValueChangeLog(
      restoring: KeyValueChangeLog(of: sheet).snapshot(), as: Sheet.self,
      classes: [.init(Sheet.self, runsPropertyObservers: true)])
    let history = try KeyValueHistory(log)
    log.root.size = 1
    log.root.size = 2
    #expect(history.root.size == 2 && history.root.rows == [1, 2])
    try history.go(to: 0)
    #expect(history.root.size == 0 && history.root.rows == [])
    try history.go(to: history.records.count)
    #expect(history.root.size == 2 && history.root.rows == [1, 2])
  }

  @Test(
    "G3 a didSet that removes what the same record edits leaves what fits", arguments: [0, 1, 3])
  func shortenedByPropertyObserver(lost: Int) throws {
    let search = Search()
    let log = try KeyValueChangeLog(of: search)
    let history = try KeyValueHistory(log)
    search.performChanges {
      $0.results = ["c", "d", "e"]
      $0.query = "x"
    }
    search.performChanges {
      $0.mutableArrayValue(for: \.results)[2] = "f"
      $0.mutableArrayValue(for: \.results).remove(at: 1)
      $0.query = "y"
    }
    search.lost = lost
    let records = history.records
    try log.apply(records[1].inverse, runsPropertyObservers: true)
    #expect(search.results == [["c", "d", "e"], ["c", "d"], ["d"]][lost == 3 ? 2 : lost])
    search.results = ["c", "d", "e"]
    try log.apply(records[0].inverse, runsPropertyObservers: true)
    #expect(search.query == "" && search.results.starts(with: ["a", "b"]))
  }

  @Test("G3 many elements enter and leave a set of a snapshot at once")
  func setsOfSnapshot() throws {
    let id = KeyValueObjectID()
    func values(_ numbers: some Sequence<Int>) -> [KeyValueLogValue] {
      numbers.map { .integer($0) }
    }
    func snapshot(_ numbers: some Sequence<Int>) -> KeyValueSnapshot {
      KeyValueSnapshot(
        root: id,
        objects: [id: .init(class: "Page", values: ["wanted": .array(values(numbers))])])
    }
    let (even, odd) = (stride(from: 0, to: 40, by: 2), stride(from: 1, to: 40, by: 2))
    var data = snapshot(even)
    let records = [
      KeyValueTransactionRecord([.union(id, key: "wanted", elements: values(odd.reversed()))]),
      KeyValueTransactionRecord([.subtract(id, key: "wanted", elements: values(even))]),
      KeyValueTransactionRecord([
        .exchange(id, key: "wanted", old: values(5..<6), new: values(40..<60))
      ]),
    ]
    let states = [
      snapshot(0..<40), snapshot(odd), snapshot(odd.filter { $0 != 5 } + Array(40..<60)),
    ]
    for (record, state) in zip(records, states) {
      try data.apply(record)
      #expect(data == state)
    }
    for (record, state) in zip(records, [snapshot(even)] + states).reversed() {
      try data.apply(record.inverse)
      #expect(data == state)
    }
    let refused: [(KeyValueEdit, String)] = [
      (.union(id, key: "wanted", elements: values([1, 2])), "it has 2 already."),
      (.union(id, key: "wanted", elements: values([1, 3, 3])), "it has 3 already."),
      (.subtract(id, key: "wanted", elements: values([2, 3])), "it doesn't have 3."),
      (.subtract(id, key: "wanted", elements: values([2, 2])), "it doesn't have 2."),
    ]
    for (edit, reason) in refused {
      let error = #expect(throws: KeyValueLogError.self) {
        try data.apply(KeyValueTransactionRecord([edit]))
      }
      #expect(error?.description.hasSuffix(reason) == true)
      #expect(data == snapshot(even))
    }
  }

  @Test("G3 an integer that Int can't hold is recorded as its digits")
  func wideIntegers() throws {
    let log = try KeyValueChangeLog(of: page)
    let records = RecordLog(log)
    records.name(log.id(of: page), "page")
    let history = try KeyValueHistory(log)
    page.seed = .max
    page.wide = [-1, .min]
    #expect(
      records.take() == [
        #"change: set page.seed: 0 -> "18446744073709551615""#,
        #"change: amend page.wide: inserted at 0–1 [-1, "\#(Int128.min)"]"#,
      ])
    #expect(history.root.seed == .max && history.root.wide == [-1, .min])
    let json = try log.snapshot().json()
    let copy = try KeyValueChangeLog(restoring: KeyValueSnapshot(json: json), as: Page.self)
    #expect(copy.root.seed == .max && copy.root.wide == [-1, .min])
  }

  @Test("X3 a recorder of paths undoes what an equality of the type's own leaves out")
  func equalInRecordedPaths() throws {
    let recorder = KeyValueChangeRecorder()
    try recorder.record(page, "row", "rows", "items", "kept", "byName")
    let (old, new) = (Item(1, "old"), Item(1, "new"))
    page.row.title = "a"
    page.rows[1].title = "B"
    page.items = [old]
    page.items[0] = new
    page.kept = [old]
    page.kept = [new]
    page.byName = ["a": Row()]
    page.byName["a"]?.title = "c"
    // Nothing is changed.
    page.row = page.row
    page.byName = page.byName
    for count in 0..<4 {
      #expect(try recorder.undo())
      switch count {
      case 0: #expect(page.byName["a"]?.title == "")
      case 2: #expect(page.kept.first === old)
      default: break
      }
    }
    #expect(try recorder.undo() && page.items[0] === old)
    for _ in 1...3 { #expect(try recorder.undo()) }
    #expect(page.row.title == "" && page.rows[1].title == "b" && !recorder.canUndo)
    for _ in 1...8 { #expect(try recorder.redo()) }
    #expect(page.row.title == "a" && page.items[0] === new && page.kept.first === new)
    recorder.stopRecording(page)
  }

  @Test("G3 P6 a set's members that make way for equal ones leave the paths and the record")
  func replacedByEqual() throws {
    let (old, new) = (Item(1, "old"), Item(1, "new"))
    page.kept = [old, Item(2)]
    page.wanted = [Row(title: "old")]
    let log = try KeyValueChangeLog(of: page)
    let history = try KeyValueHistory(log)
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: page)
    let changes = ChangeLog()
    let token = page.kvo.kept[each: \.name].observe(
      options: [], changeHandler: changes.handler("names"))
    page.mutableSetValue(for: \.kept).replaceAll(with: [new, Item(2)])
    page.mutableSetValue(for: \.wanted).replaceAll(with: [Row(title: "new")])
    _ = changes.take()
    old.name = "older"
    #expect(changes.take() == [])
    new.name = "newer"
    #expect(changes.take() == ["names: setting"])
    #expect(history.root.kept.first { $0.number == 1 }?.name == "newer")
    #expect(history.root.kept.count == 2 && history.root.kept.contains(Item(2)))
    #expect(history.root.wanted.first?.title == "new")
    for _ in 1...3 { #expect(try recorder.undo()) }
    #expect(page.kept.contains { $0 === old } && page.wanted.first?.title == "old")
    token.invalidate()
  }
}
