import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Helper {
  var name = ""
  var salary = 0

  required init() {}

  init(_ name: String, salary: Int) {
    self.name = name
    self.salary = salary
  }
}

extension Helper: CustomStringConvertible {
  var description: String { name }
}

/// Its property observers store something other than what they are called for.
@KeyValueObservable
private final class Studio {
  var people: [Helper] = [] { didSet { people.sort { $0.name < $1.name } } }
  var few: [String] = [] { didSet { if few.count > 2 { few.removeLast(few.count - 2) } } }
  var rows: [String] = [] { didSet { if rows.isEmpty { rows = ["new"] } } }
  var even: Set<Int> = [] { didSet { even = even.filter { $0.isMultiple(of: 2) } } }
  /// Its property observer leaves it as it is.
  var noted: [Int] = [] { didSet { count += 1 } }
  var count = 0

  required init() {}

  func adjust(_ clerk: Helper) {
    mutableArrayValue(for: \.people).append(clerk)
    mutableArrayValue(for: \.few).append(contentsOf: ["a", "b", "c"])
    mutableArrayValue(for: \.rows).removeAll()
    mutableSetValue(for: \.even).formUnion([1, 2])
  }
}

extension Studio {
  fileprivate var state: String { "\(people.map(\.name)) \(few) \(rows) \(even)" }
}

/// Its methods keep the members in order, and refuse those without a name.
@KeyValueObservable
private final class Troupe {
  var members: [Helper] = []

  required init() {}

  func insertObject(_ clerk: Helper, inMembersAt index: Int) {
    guard !clerk.name.isEmpty else { return }
    members.append(clerk)
    members.sort { $0.name < $1.name }
  }

  func removeObject(fromMembersAt index: Int) { members.remove(at: index) }
}

/// A key that only methods implement, which keep it in order.
@KeyValueObservable
private final class Roster {
  @KeyValueIgnored private var stored: [Helper] = []

  func countOfClerks() -> Int { stored.count }
  func objectInClerks(at index: Int) -> Helper { stored[index] }

  func insertObject(_ clerk: Helper, inClerksAt index: Int) {
    stored.append(clerk)
    stored.sort { $0.name < $1.name }
  }

  func removeObject(fromClerksAt index: Int) { stored.remove(at: index) }
}

@KeyValueObservable
private class Ledger {
  var lines: [String] = []
}

/// Its setter refuses empty lines.
private final class TidyLedger: Ledger {
  override var lines: [String] {
    get { super.lines }
    set { super.lines = newValue.filter { !$0.isEmpty } }
  }
}

private protocol Figure {}

/// Too large to be stored in an `any Figure` itself, and without equality.
private struct Block: Figure {
  var (left, top, width, height) = (1, 2, 3, 4)
}

@KeyValueObservable
private class Gallery {
  var shapes: [any Figure] = []
}

@KeyValueObservable
private final class Annex: Gallery {}

/// A class without the macro may override the property.
private final class Shed: Gallery {}

/// Only its methods change its keys, and keep one of them in order.
@KeyValueObservable
private final class Easel {
  private(set) var names: [String] = []
  private(set) var shapes: [any Figure] = []

  func insertObject(_ name: String, inNamesAt index: Int) {
    names.append(name)
    names.sort()
  }

  func removeObject(fromNamesAt index: Int) { names.remove(at: index) }

  func insertObject(_ shape: any Figure, inShapesAt index: Int) { shapes.insert(shape, at: index) }
  func removeObject(fromShapesAt index: Int) { shapes.remove(at: index) }
}

/// Its method adds a copy of what it's passed, to storage that isn't observed.
@KeyValueObservable
private final class Crew {
  @KeyValueIgnored private var stored: Set<Hand> = []

  @DependsOn()
  var hands: Set<Hand> { stored }

  func addHandsObject(_ hand: Hand) { stored.insert(Hand(hand.name, salary: hand.salary)) }
  func removeHandsObject(_ hand: Hand) { stored.remove(hand) }
}

@KeyValueObservable
private final class Hand: Hashable {
  let name: String
  var salary: Int

  init(_ name: String, salary: Int) {
    self.name = name
    self.salary = salary
  }

  static func == (left: Hand, right: Hand) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Counts the reads of a key that only methods implement.
@KeyValueObservable
private final class Stack {
  @KeyValueIgnored private(set) var reads = 0
  @KeyValueIgnored private var stored = ["a", "b", "c"]

  func countOfSlips() -> Int { stored.count }

  func objectInSlips(at index: Int) -> String {
    reads += 1
    return stored[index]
  }

  func insertObject(_ slip: String, inSlipsAt index: Int) { stored.insert(slip, at: index) }
  func removeObject(fromSlipsAt index: Int) { stored.remove(at: index) }
}

/// What a proxy stores may be something other than what it was asked for.
@Suite("C. To-many: what a proxy was asked for, and what is stored")
struct AdjustedCollectionTests {
  private let log = ChangeLog()
  private let office = Studio()
  private let ada = Helper("ada", salary: 1)
  private let bob = Helper("bob", salary: 10)

  init() {
    office.people = [bob]
    office.rows = ["x", "y"]
  }

  @Test("C1 C3 P7 What a didSet sorts, shortens, refills or filters is told as a setting")
  func propertyObservers() {
    let both: KeyValueObservingOptions = [.old, .new]
    let tokens = [
      office.observe(\.people[sum: \.salary], options: .new, changeHandler: log.handler("sum")),
      office.observe(\.people, options: both, changeHandler: log.handler("people")),
      office.observe(
        \.people, options: [.new, .elementChanges], changeHandler: log.handler("elements")),
      office.observe(\.few, options: [.old, .new, .prior], changeHandler: log.handler("few")),
      office.observe(\.rows, options: both, changeHandler: log.handler("rows")),
      office.observe(\.even, options: both, changeHandler: log.handler("even")),
    ]
    office.adjust(ada)
    #expect(
      log.take() == [
        "sum: setting, new: 11", "people: setting, old: [bob], new: [ada, bob]",
        "elements: insertion, indexes: 0, new: [ada]",
        "few: insertion, indexes: 0–2, prior", #"few: setting, old: [], new: ["a", "b"]"#,
        #"rows: setting, old: ["x", "y"], new: ["new"]"#, "even: setting, old: [], new: [2]",
      ])
    ada.salary = 2
    #expect(log.take() == ["sum: setting, new: 12"])
    office.mutableArrayValue(for: \.people).remove(at: 0)
    ada.salary = 3
    #expect(
      log.take() == [
        "sum: setting, new: 10", "people: removal, indexes: 0, old: [ada]",
        "elements: removal, indexes: 0",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("C1 C3 A change that a didSet leaves as it is has its kind, indexes and elements")
  func exact() {
    let both: KeyValueObservingOptions = [.old, .new]
    let tokens = [
      office.observe(\.noted, options: both, changeHandler: log.handler("noted")),
      office.observe(\.even, options: both, changeHandler: log.handler("even")),
    ]
    let noted = office.mutableArrayValue(for: \.noted)
    noted.append(1)
    noted.insert(contentsOf: [2, 3], at: RangeSet([0..<1, 2..<3]))
    noted[1] = 4
    noted.removeAll()
    let even = office.mutableSetValue(for: \.even)
    even.formUnion([2, 4])
    even.remove(2)
    even.replaceAll(with: [6])
    #expect(office.count == 4)
    #expect(
      log.take() == [
        "noted: insertion, indexes: 0, new: [1]", "noted: insertion, indexes: 0, 2, new: [2, 3]",
        "noted: replacement, indexes: 1, old: [1], new: [4]",
        "noted: removal, indexes: 0–2, old: [2, 4, 3]",
        "even: insertion, new: [2, 4]", "even: removal, old: [2]",
        "even: replacement, old: [4], new: [6]",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("G3 X3 Logs and recorders record what a didSet stores", arguments: [true, false])
  func recorded(isGraph: Bool) throws {
    let changes = try KeyValueChangeLog(of: office)
    let history = try KeyValueHistory(changes)
    let recorder = KeyValueChangeRecorder()
    if isGraph {
      try recorder.record(graph: office)
    } else {
      try recorder.record(office, "people", "few", "rows", "even")
    }
    let (start, end) = (office.state, #"["ada", "bob"] ["a", "b"] ["new"] [2]"#)
    office.adjust(ada)
    #expect(office.state == end && history.root.state == end)
    for _ in 1...4 { #expect(try recorder.undo()) }
    #expect(office.state == start && history.root.state == start && !recorder.canUndo)
    for _ in 1...4 { #expect(try recorder.redo()) }
    #expect(office.state == end && history.root.state == end)
  }

  @Test("X1 In a transaction, what a didSet stores is part of what is told at the end")
  func inTransaction() {
    office.few = ["a"]
    let both: KeyValueObservingOptions = [.old, .new]
    let tokens = [
      office.observe(\.people, options: both, changeHandler: log.handler("people")),
      office.observe(\.few, options: both, changeHandler: log.handler("few")),
      office.observe(\.even, options: both, changeHandler: log.handler("even")),
      office.observe(\.noted, options: both, changeHandler: log.handler("noted")),
    ]
    office.performChanges { office in
      office.mutableArrayValue(for: \.people).append(ada)
      let few = office.mutableArrayValue(for: \.few)
      few.append("b")
      few.append("c")
      office.mutableSetValue(for: \.even).formUnion([1, 2])
      let noted = office.mutableArrayValue(for: \.noted)
      noted.append(1)
      noted.append(2)
    }
    #expect(
      log.take() == [
        "people: setting, old: [bob], new: [ada, bob]",
        #"few: setting, old: ["a"], new: ["a", "b"]"#, "even: insertion, new: [2]",
        "noted: insertion, indexes: 0–1, new: [1, 2]",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("C1 X3 What a setter refuses is told as a setting, and isn't recorded")
  func setter() throws {
    let ledger: Ledger = TidyLedger()
    ledger.lines = ["a"]
    let token = ledger.observe(
      \.lines, options: [.old, .new], changeHandler: log.handler("lines"))
    let recorder = KeyValueChangeRecorder()
    try recorder.record(ledger, "lines")
    let lines = ledger.mutableArrayValue(for: \.lines)
    lines.append("")
    #expect(!recorder.canUndo)
    lines.append("b")
    #expect(
      log.take() == [
        #"lines: setting, old: ["a"], new: ["a"]"#, #"lines: insertion, indexes: 1, new: ["b"]"#,
      ])
    #expect(try recorder.undo() && ledger.lines == ["a"] && !recorder.canUndo)
    token.invalidate()
  }

  @Test(
    "C4 G3 X3 Logs and recorders record what methods store; observers are told what was asked for",
    arguments: [true, false])
  func methods(isGraph: Bool) throws {
    let guild = Troupe()
    guild.members = [bob]
    let changes = try KeyValueChangeLog(of: guild)
    let history = try KeyValueHistory(changes)
    let recorder = KeyValueChangeRecorder()
    if isGraph {
      try recorder.record(graph: guild)
    } else {
      try recorder.record(guild, "members")
    }
    let tokens = [
      guild.observe(\.members, options: .new, changeHandler: log.handler("members")),
      guild.observe(\.members[sum: \.salary], options: .new, changeHandler: log.handler("sum")),
    ]
    let members = guild.mutableArrayValue(for: \.members)
    members.append(ada)
    members.append(Helper("", salary: 100))
    #expect(
      log.take() == [
        "members: insertion, indexes: 1, new: [bob]", "sum: setting, new: 11",
        "members: insertion, indexes: 2, new: []", "sum: setting, new: 11",
      ])
    #expect(history.root.members.map(\.name) == ["ada", "bob"])
    #expect(try recorder.undo() && guild.members.map(\.name) == ["bob"])
    #expect(history.root.members.map(\.name) == ["bob"] && !recorder.canUndo)
    #expect(try recorder.redo() && guild.members.map(\.name) == ["ada", "bob"])
    for token in tokens { token.invalidate() }
  }

  @Test("P7 An operator follows what the methods of a key without a property make of an insertion")
  func operatorOverMethods() throws {
    let roster = Roster()
    let token = try roster.observe(
      "clerks.@sum.salary", options: .new, changeHandler: log.handler("sum"))
    let clerks = try roster.mutableArrayValue(forKey: "clerks")
    clerks.append(bob)
    clerks.append(ada)
    ada.salary = 2
    bob.salary = 20
    #expect(log.take() == [10, 11, 12, 22].map { "sum: setting, new: \($0)" })
    token.invalidate()
  }

  @Test("P7 An operator follows what a set's methods add")
  func operatorOverSetMethods() throws {
    let crew = Crew()
    let token = try crew.observe(
      "hands.@sum.salary", options: .new, changeHandler: log.handler("sum"))
    let hands = try crew.mutableSetValue(forKey: "hands")
    let hand = Hand("eve", salary: 5)
    hands.insert(hand)
    hand.salary = 6
    crew.hands.first?.salary = 7
    hands.remove(hand)
    #expect(log.take() == [5, 7, 0].map { "sum: setting, new: \($0)" })
    token.invalidate()
  }

  @Test("C1 P7 G5 Observers and operators follow what a didSet makes of a record that's applied")
  func applied() throws {
    office.people = [ada, bob]
    let changes = try KeyValueChangeLog(of: office)
    let history = try KeyValueHistory(changes)
    office.mutableArrayValue(for: \.people).remove(at: 0)
    bob.name = "aaron"
    let tokens = [
      office.observe(
        \.people[sum: \.salary], options: .new, changeHandler: log.handler("sum")),
      office.observe(\.people, options: [.old, .new], changeHandler: log.handler("people")),
    ]
    try changes.apply(history.records[0].inverse, runsPropertyObservers: true)
    #expect(
      log.take() == [
        "sum: setting, new: 11", "people: setting, old: [aaron], new: [aaron, ada]",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test(
    "C1 C4 X3 Elements that can't be compared are told as they enter", arguments: [true, false])
  func incomparable(isAnnotated: Bool) throws {
    let gallery: Gallery = isAnnotated ? Annex() : Shed()
    let token = gallery.observe(
      \.shapes, options: [], changeHandler: log.handler("shapes"))
    let shapes = gallery.mutableArrayValue(for: \.shapes)
    shapes.append(Block())
    #expect(log.take() == ["shapes: insertion, indexes: 0"])
    let recorder = KeyValueChangeRecorder()
    try recorder.record(gallery, "shapes")
    shapes.append(Block())
    shapes.remove(at: 0)
    #expect(
      log.take() == ["shapes: insertion, indexes: 1", "shapes: removal, indexes: 0"])
    for count in [2, 1] { #expect(try recorder.undo() && gallery.shapes.count == count) }
    token.invalidate()
  }

  @Test("X3 What methods store of a key that can't be set is undone through the methods")
  func undoneByMethods() throws {
    let board = Easel()
    let recorder = KeyValueChangeRecorder()
    try recorder.record(board, "names", "shapes")
    let names = try board.mutableArrayValue(forKey: "names")
    names.append("b")
    names.append("a")
    try board.mutableArrayValue(forKey: "shapes").append(Block())
    #expect(board.names == ["a", "b"] && board.shapes.count == 1)
    for _ in 1...3 { #expect(try recorder.undo()) }
    #expect(board.names.isEmpty && board.shapes.isEmpty && !recorder.canUndo)
    for _ in 1...3 { #expect(try recorder.redo()) }
    #expect(board.names == ["a", "b"] && board.shapes.count == 1 && !recorder.canRedo)
  }

  @Test("C4 A removal reads nothing by a class's methods that no observer asks for")
  func unaskedRemoval() throws {
    let stack = Stack()
    let slips = try stack.mutableArrayValue(forKey: "slips")
    slips.removeSubrange(0..<1)
    let unobserved = stack.reads
    let token = try stack.observe("slips", options: [], changeHandler: log.handler("slips"))
    slips.removeSubrange(0..<1)
    #expect(stack.reads == 2 * unobserved)
    #expect(log.take() == ["slips: removal, indexes: 0"])
    token.invalidate()
  }
}
