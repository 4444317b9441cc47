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

/// Equal by its name, which a new one gets after it's made.
@KeyValueObservable
private final class Player: Codable, Hashable {
  var name = ""

  required init() {}

  init(_ name: String) { self.name = name }

  static func == (left: Player, right: Player) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

private struct Squad: Codable {
  var players: Set<Player> = []
}

@KeyValueObservable
private final class League {
  var scores: [Player: Int] = [:]
  var squad = Squad()
  var leagues: [Player: League] = [:]
  var players: [Player] = []

  required init() {}
}

extension League {
  /// Lets each value have a new player.
  fileprivate func add(_ name: String) {
    let player = Player(name)
    players.append(player)
    scores[player] = players.count
    squad.players.insert(player)
    leagues[player] = League()
  }

  /// The names that each value has, and those that it finds.
  fileprivate var names: [[String]] {
    [
      scores.sorted { $0.value < $1.value }.map { $0.key.name },
      squad.players.map(\.name).sorted(),
      leagues.keys.map(\.name).sorted(), players.filter { scores[$0] != nil }.map(\.name),
      players.filter { squad.players.contains($0) }.map(\.name),
      players.filter { leagues[$0] != nil }.map(\.name),
    ]
  }
}

/// Encodes no cursor.
private struct Draft: Codable {
  enum CodingKeys: String, CodingKey { case text }

  var text = ""
  var cursor = 0
}

/// Not observable, so it encodes itself.
private final class Style: Codable {
  var size = 0
}

@KeyValueObservable
private final class Editor {
  var drafts: [String: Draft] = [:]
  var styles: [String: Style]?
  var pages = [1: Draft(text: "one", cursor: 7)]

  required init() {}
}

private struct Tag: Codable, Equatable {
  var name = "\u{e9}"
}

@KeyValueObservable
private final class Sign {
  var title = "\u{e9}"
  var lines = ["\u{e9}", "b"]
  var words = ["\u{e9}": "\u{e9}", "b": "1"]
  var tags = [Tag()]
  var named = ["x": Tag()]

  required init() {}
}

extension Sign {
  /// All strings as they're stored.
  fileprivate var characters: [[UInt8]] {
    let words = words.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    let names = tags.map(\.name) + named.values.map(\.name)
    return ([title] + lines + words + names).map { Array($0.utf8) }
  }
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
      #expect(
        message { _ = try KeyValueHistory(log) }
          == "KeyValueHistory(_:) was called in a transaction that has changed the graph of Page, and did "
          + "nothing. Call it when the change is complete.")
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

  @Test("G3 objects that a value hashes have their values by then")
  func hashedInValues() throws {
    let league = League()
    for name in ["a", "b", "c"] { league.add(name) }
    let log = try KeyValueChangeLog(of: league)
    let history = try KeyValueHistory(log)
    func check(_ count: Int) {
      let names = Array(["a", "b", "c", "d", "e"].prefix(count))
      #expect(history.root.names == Array(repeating: names, count: 6))
    }
    check(3)
    league.performChanges {
      $0.add("d")
      $0.add("e")
    }
    check(5)
    try history.go(to: 0)
    check(3)
    try history.go(to: 1)
    check(5)
  }

  @Test("G3 X3 an entry that's set or removed leaves the other ones as they are")
  func otherEntries() throws {
    let (editor, style) = (Editor(), Style())
    let log = try KeyValueChangeLog(of: editor)
    let id = try #require(log.id(of: editor))
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: editor)
    editor.drafts["a"] = Draft(text: "A", cursor: 7)
    editor.drafts["b"] = Draft(text: "B")
    editor.styles = ["a": style]
    editor.styles?["b"] = Style()
    try recorder.undo()
    #expect(editor.styles?.count == 1 && editor.styles?["a"] === style)
    try recorder.undo()
    try recorder.undo()
    #expect(editor.styles == nil && editor.drafts.count == 1 && editor.drafts["a"]?.cursor == 7)
    try recorder.redo()
    #expect(editor.drafts["b"]?.text == "B" && editor.drafts["a"]?.cursor == 7)
    try log.apply(
      KeyValueTransactionRecord([
        .setEntry(id, key: "drafts", entry: "b", old: ["text": "B"], new: ["text": "C"]),
        .setEntry(id, key: "pages", entry: "2", old: .none, new: ["text": "two"]),
      ]))
    #expect(editor.drafts.mapValues(\.text) == ["a": "A", "b": "C"])
    #expect(editor.drafts["a"]?.cursor == 7 && editor.pages[1]?.cursor == 7)
    try log.apply(
      KeyValueTransactionRecord([
        .setEntry(id, key: "pages", entry: "1", old: ["text": "one"], new: ["text": "1"])
      ]))
    #expect(editor.pages.mapValues(\.text) == [1: "1", 2: "two"])
  }

  @Test("G3 X3 a string that is equal and has other Unicode scalars is another value")
  func otherCharacters() throws {
    let (sign, other) = (Sign(), "e\u{301}")
    let changes: [(Sign) -> Void] = [
      { $0.title = other }, { $0.lines[0] = other }, { $0.words["\u{e9}"] = other },
      { $0.words = ["\u{e9}": "\u{e9}", "b": "2"] }, { $0.words = [other: "\u{e9}", "b": "2"] },
      { $0.words = ["\u{e9}": "\u{e9}", "b": "3"] }, { $0.tags[0].name = other },
      { $0.named["x"]?.name = other },
    ]
    let log = try KeyValueChangeLog(of: sign)
    let history = try KeyValueHistory(log)
    let recorder = KeyValueChangeRecorder()
    try recorder.record(sign, "title", "lines", "words", "tags", "named")
    var states = [sign.characters]
    for change in changes {
      change(sign)
      states.append(sign.characters)
      #expect(history.root.characters == sign.characters)
    }
    #expect(Set(states).count == states.count)
    for (position, state) in states.enumerated() {
      try history.go(to: position)
      #expect(history.root.characters == state)
    }
    let restored = try KeyValueChangeLog(restoring: log.snapshot(), as: Sign.self)
    #expect(restored.root.characters == states.last)
    for state in states.dropLast().reversed() {
      #expect(try recorder.undo())
      #expect(sign.characters == state)
    }
    #expect(!recorder.canUndo)
    for state in states.dropFirst() {
      #expect(try recorder.redo())
      #expect(sign.characters == state)
    }
  }

  @Test("G3 an answer to an applied record that has only other Unicode scalars is recorded")
  func answeredWithOtherCharacters() throws {
    let sign = Sign()
    let log = try KeyValueChangeLog(of: sign)
    let history = try KeyValueHistory(log)
    let id = try #require(log.id(of: sign))
    let token = sign.observe(\.lines, options: .prior) { sign, change in
      if change.isPrior { sign.title = "\u{e9}" }
    }
    try log.apply(
      KeyValueTransactionRecord(
        [
          .set(id, key: "title", old: "\u{e9}", new: "e\u{301}"),
          .insert(id, key: "lines", indexes: RangeSet(2..<3), elements: ["c"]),
        ], isTransaction: true))
    token.invalidate()
    #expect(history.records.count == 2 && sign.lines == ["\u{e9}", "b", "c"])
    #expect(sign.characters == history.root.characters)
    #expect(sign.title.unicodeScalars.count == 1)
  }

  @Test("G3 X3 so it is for a level of a recorded graph, and for a snapshot that's applied")
  func levelsOfOtherCharacters() throws {
    let (sign, other) = (Sign(), "e\u{301}")
    let changes: [(Sign) -> Void] = [
      { $0.title = other }, { $0.lines[0] = other },
      { $0.mutableArrayValue(for: \.lines)[0] = "\u{e9}" }, { $0.words["\u{e9}"] = other },
      { $0.words = [other: other, "b": "1"] }, { $0.tags[0].name = other },
      { sign in
        sign.performChanges {
          let lines = $0.mutableArrayValue(for: \.lines)
          lines[0] = "x"
          lines[0] = other
        }
      },
    ]
    let log = try KeyValueChangeLog(of: sign)
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: sign)
    var states = [(snapshot: try log.snapshot(), characters: sign.characters)]
    for change in changes {
      change(sign)
      try states.append((log.snapshot(), sign.characters))
    }
    for state in states.dropLast().reversed() {
      #expect(try recorder.undo())
      #expect(sign.characters == state.characters)
    }
    #expect(!recorder.canUndo)
    for state in states + states.reversed() {
      try log.apply(state.snapshot)
      #expect(sign.characters == state.characters)
    }
  }
}
