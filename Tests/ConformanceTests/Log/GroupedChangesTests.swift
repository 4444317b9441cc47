import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("U. Changes that belong together: groups, moves, and what `didSet` changes")
struct GroupedChangesTests {
  private let board = GroupedBoard()
  private let recorder = KeyValueChangeRecorder()

  /// The four parts of moving a card, in an order.
  private enum Part: CaseIterable {
    case leave, setColumn, setTitle, arrive
  }

  private func move(
    _ card: GroupedCard, from old: GroupedColumn, to new: GroupedColumn, in order: [Part]
  ) {
    for part in order {
      switch part {
      case .leave: old.cards.removeAll()
      case .setColumn: card.column = new.name
      case .setTitle: card.title += "!"
      case .arrive: new.cards.append(card)
      }
    }
  }

  private static let orders: [[Part]] = [
    [.leave, .setColumn, .setTitle, .arrive], [.leave, .setColumn, .arrive, .setTitle],
    [.arrive, .leave, .setTitle, .setColumn], [.setTitle, .leave, .arrive, .setColumn],
  ]

  @Test(
    "X3 What a group changes of an object between its leaving and its return is undone with it",
    arguments: 0..<4, [true, false])
  func changedBetween(_ order: Int, _ isGroup: Bool) throws {
    let (open, done) = (GroupedColumn("open"), GroupedColumn("done"))
    let card = GroupedCard("a")
    card.column = "open"
    card.notes = [GroupedCard("note")]
    open.cards = [card]
    board.columns = [open, done]
    try recorder.record(graph: board)
    let changes = { move(card, from: open, to: done, in: Self.orders[order]) }
    if isGroup { recorder.group(changes) } else { board.performChanges { _ in changes() } }
    #expect(card.column == "done" && card.title == "a!")
    for _ in 1...2 {
      #expect(try recorder.undo() && !recorder.canUndo)
      #expect(areSame(open.cards, [card]) && done.cards.isEmpty)
      #expect(card.column == "open" && card.title == "a" && card.notes.count == 1)
      #expect(try recorder.redo() && !recorder.canRedo)
      #expect(open.cards.isEmpty && areSame(done.cards, [card]))
      #expect(card.column == "done" && card.title == "a!")
    }
  }

  @Test("X3 A group tells observers each change, nests, and forgets what it's told to")
  func groups() throws {
    let column = GroupedColumn("a")
    board.columns = [column]
    try recorder.record(graph: board)
    var names: [String] = []
    let token = column.kvo.name.observe(options: .new) { _, change in
      names.append(change.newValue ?? "")
    }
    recorder.beginGrouping()
    column.name = "b"
    recorder.group { column.cards = [GroupedCard("x")] }
    #expect(names == ["b"] && !recorder.canUndo)
    #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    column.cards[0].title = "y"
    column.name = "c"
    recorder.endGrouping()
    #expect(try recorder.undo() && !recorder.canUndo)
    #expect(column.name == "a" && column.cards.isEmpty)
    #expect(try recorder.redo() && column.name == "c" && column.cards[0].title == "y")
    recorder.group {
      board.columns.removeAll()
      recorder.removeAll()
      board.columns = [column]
      column.name = "d"
    }
    #expect(try recorder.undo() && board.columns.isEmpty && !recorder.canUndo)
    #expect(names == ["b", "c", "a", "c", "d", "c"])
    withExtendedLifetime(token) {}
  }

  @Test("X3 A graph that is recorded inside a group belongs to it")
  func recordedInside() throws {
    let column = GroupedColumn("a")
    board.columns = [column]
    try recorder.group {
      try recorder.record(graph: board)
      board.name = "b"
      board.columns.removeAll()
      column.name = "b"
      board.columns = [column]
    }
    #expect(try recorder.undo() && !recorder.canUndo)
    #expect(board.name == "" && areSame(board.columns, [column]) && column.name == "a")
    board.name = "c"
    #expect(try recorder.undo() && board.name == "" && !recorder.canUndo)
  }

  @Test("X3 Transactions inside a group are part of it, and what they roll back isn't")
  func transactionsInside() throws {
    struct Failure: Error {}
    let column = GroupedColumn("a")
    board.columns = [column]
    try recorder.record(graph: board)
    recorder.group {
      column.name = "b"
      board.performChanges { _ in column.cards = [GroupedCard("x")] }
      try? board.performChanges(rollingBack: true) { _ in
        column.name = "lost"
        column.cards[0].title = "lost"
        throw Failure()
      }
      column.cards[0].title = "y"
    }
    #expect(column.name == "b" && column.cards[0].title == "y")
    #expect(try recorder.undo() && !recorder.canUndo)
    #expect(column.name == "a" && column.cards.isEmpty)
    #expect(try recorder.redo() && column.name == "b" && column.cards[0].title == "y")
  }

  @Test("X3 A group whose changes take each other back makes no level")
  func nothing() throws {
    let column = GroupedColumn("a")
    board.columns = [column]
    try recorder.record(graph: board)
    recorder.group {
      column.name = "b"
      board.columns.removeAll()
      column.name = "a"
      board.columns = [column]
    }
    #expect(!recorder.canUndo)
  }

  // MARK: Property observers

  @Test(
    "X3 What a `willSet` or a `didSet` changes is in the change's level", arguments: [true, false])
  func propertyObservers(_ isFinal: Bool) throws {
    let tree: GroupedBranch = isFinal ? FinalGroupedBranch() : GroupedBranch()
    let (left, right) = (GroupedBranch(), GroupedBranch())
    tree.children = [left, right]
    #expect(left.parent === tree)
    try recorder.record(graph: tree)
    tree.children.removeAll()
    #expect(left.parent == nil)
    tree.children = [left]
    tree.mutableArrayValue(for: \.children).append(right)
    tree.children.swapAt(0, 1)
    #expect(recorder.description.hasSuffix(" 4 levels to undo, 0 to redo)"))
    for _ in 1...2 {
      for _ in 1...3 { #expect(try recorder.undo()) }
      #expect(tree.children.isEmpty && tree.expected == 0)
      #expect(try recorder.undo() && !recorder.canUndo)
      #expect(areSame(tree.children, [left, right]) && tree.expected == 2)
      #expect(left.parent === tree && right.parent === tree)
      for _ in 1...4 { #expect(try recorder.redo()) }
      #expect(areSame(tree.children, [right, left]) && right.parent === tree)
    }
  }

  @Test(
    "X3 An override's `didSet` runs after the change, so what it changes is the next level",
    arguments: [true, false])
  func overridingPropertyObservers(_ isDeclared: Bool) throws {
    let step: GroupedStep = isDeclared ? ObservingStep() : PlainObservingStep()
    try recorder.record(graph: step)
    step.value = 2
    #expect(step.double == 4)
    #expect(recorder.description.hasSuffix(" 2 levels to undo, 0 to redo)"))
    #expect(try recorder.undo() && step.value == 2 && step.double == 0)
    #expect(try recorder.undo() && step.value == 0 && step.double == 0)
    #expect(try recorder.redo() && recorder.redo() && step.value == 2 && step.double == 4)
    recorder.group { step.value = 3 }
    #expect(try recorder.undo() && step.value == 2 && step.double == 4)
  }

  @Test("X3 A recorder of paths has one level, too")
  func observersOfPaths() throws {
    let tree = FinalGroupedBranch()
    let child = GroupedBranch()
    tree.children = [child]
    try recorder.record(tree, "children")
    try recorder.record(child, "parent")
    tree.children = []
    #expect(recorder.description.hasSuffix(" 1 level to undo, 0 to redo)"))
    #expect(try recorder.undo() && tree.children.count == 1 && child.parent === tree)
  }

  @Test("A log's records are delivered when the change with the `didSet` is over")
  func recordsOfPropertyObservers() throws {
    let tree = FinalGroupedBranch()
    let child = GroupedBranch()
    tree.children = [child]
    let log = try KeyValueChangeLog(of: tree)
    var edits: [[String]] = []
    let records = log.observe { record in
      edits.append(record.edits.map { $0.key ?? "whole" })
    }
    let token = child.kvo.parent.observe { _, _ in edits.append(["told"]) }
    tree.children = []
    #expect(edits == [["told"], ["expected"], ["parent"], ["children", "whole"]])
    withExtendedLifetime((records, token)) {}
  }

  // MARK: Moves

  @Test(
    "G2 A proxy's move is one record, in which nothing is created or deleted",
    arguments: Reorder.allCases)
  fileprivate func moves(_ reorder: Reorder) throws {
    let cards = ["a", "b", "c"].map { GroupedCard($0) }
    let column = GroupedColumn("x")
    column.cards = cards
    board.columns = [column]
    let log = try KeyValueChangeLog(of: board)
    let copy = try KeyValueChangeLog(
      restoring: log.snapshot(), as: GroupedBoard.self)
    let theirs = copy.root.columns[0].cards[0]
    var titles: [String] = []
    let follower = theirs.kvo.title.observe(options: .new) { _, change in
      titles.append(change.newValue ?? "")
    }
    var counts: [Int] = []
    let records = log.observe { record in
      counts.append(record.edits.count { $0.key == nil })
      do { try copy.apply(record) } catch { Issue.record(error) }
    }
    var kinds: [KeyValueChangeKind] = []
    let token = column.kvo.cards.observe { _, change in kinds.append(change.kind) }
    reorder.make(column.mutableArrayValue(for: \.cards))
    #expect(kinds == [.removal, .insertion] && counts == [reorder == .replaceSubrange ? 1 : 0])
    #expect(try copy.snapshot() == log.snapshot())
    cards[0].title = "z"
    #expect(titles == ["z"])
    withExtendedLifetime((follower, records, token)) {}
  }

  @Test("G2 So is a move of values, with what the `didSet` changes")
  func movesOfValues() throws {
    let list = GroupedList()
    list.plain = ["a", "b", "c"]
    list.observing = list.plain
    let log = try KeyValueChangeLog(of: list)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: GroupedList.self)
    var keys: [[String?]] = []
    let records = log.observe { record in
      keys.append(record.edits.map(\.key))
      do { try copy.apply(record) } catch { Issue.record(error) }
    }
    list.mutableArrayValue(for: \.plain).move(from: 0, to: 2)
    #expect(list.plain == ["b", "c", "a"] && keys == [["plain", "plain"]])
    keys = []
    list.mutableArrayValue(for: \.observing).move(from: 0, to: 2)
    #expect(list.observing == ["b", "c", "a"] && list.changes == 3)
    #expect(keys == [["changes", "observing", "changes", "observing"]])
    #expect(try copy.snapshot() == log.snapshot())
    withExtendedLifetime(records) {}
  }

  @Test(
    "G2 X3 So it is where its record is applied, for the graph's other logs and its recorders",
    arguments: Reorder.allCases)
  fileprivate func appliedMoves(_ reorder: Reorder) throws {
    let column = GroupedColumn("x")
    column.cards = ["a", "b", "c"].map { GroupedCard($0) }
    board.columns = [column]
    let log = try KeyValueChangeLog(of: board)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: GroupedBoard.self)
    let (other, theirs) = (try KeyValueChangeLog(of: copy.root), copy.root.columns[0])
    let (graph, path) = (KeyValueChangeRecorder(), KeyValueChangeRecorder())
    try graph.record(graph: copy.root)
    try path.record(theirs, "cards")
    var counts: [Int] = []
    let tokens = [
      other.observe { record in counts.append(record.edits.count { $0.key == nil }) },
      log.observe { record in
        do { try copy.apply(record) } catch { Issue.record(error) }
      },
    ]
    let before = theirs.cards
    reorder.make(column.mutableArrayValue(for: \.cards))
    #expect(theirs.cards.map(\.title) == column.cards.map(\.title))
    #expect(counts == [reorder == .replaceSubrange ? 1 : 0])
    for recorder in [graph, path] {
      #expect(recorder.description.hasSuffix(" 1 level to undo, 0 to redo)"))
    }
    #expect(try graph.undo() && !graph.canUndo && areSame(theirs.cards, before))
    withExtendedLifetime(tokens) {}
  }

  @Test("X3 So is an applied change with which a weak key's target leaves")
  func appliedWithWeakKeys() throws {
    let (first, leaving) = (GroupedCard("a"), GroupedCard("x"))
    let column = GroupedColumn("c")
    first.friend = leaving
    column.cards = [first, leaving]
    board.columns = [column]
    let log = try KeyValueChangeLog(of: board)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: GroupedBoard.self)
    let theirs = copy.root.columns[0]
    try recorder.record(graph: copy.root)
    let link = log.observe { record in
      do { try copy.apply(record) } catch { Issue.record(error) }
    }
    column.cards.removeLast()
    #expect(theirs.cards.count == 1 && theirs.cards[0].friend == nil)
    #expect(recorder.description.hasSuffix(" 1 level to undo, 0 to redo)"))
    #expect(try recorder.undo() && !recorder.canUndo)
    #expect(theirs.cards.count == 2 && theirs.cards[0].friend === theirs.cards[1])
    withExtendedLifetime(link) {}
  }

  @Test("G3 An operation with which a weak key's target enters is told there as here")
  func weakTargetEnters() throws {
    let (first, second, entering) = (GroupedCard("a"), GroupedCard("b"), GroupedCard("x"))
    let column = GroupedColumn("c")
    second.friend = entering
    column.cards = [first, second]
    board.columns = [column]
    let log = try KeyValueChangeLog(of: board)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: GroupedBoard.self)
    let theirs = copy.root.columns[0]
    let link = log.observe { record in
      do { try copy.apply(record) } catch { Issue.record(error) }
    }
    var (here, there): ([[String]], [[String]]) = ([], [])
    let tokens = [
      column.kvo.cards[each: \.title].observe(options: .new) { here.append($1.newValue ?? []) },
      theirs.kvo.cards[each: \.title].observe(options: .new) { there.append($1.newValue ?? []) },
    ]
    column.mutableArrayValue(for: \.cards).replaceSubrange(0..<1, with: [entering, first])
    #expect(here == [["b"], ["x", "a", "b"]] && there == here)
    #expect(theirs.cards[2].friend === theirs.cards[0])
    #expect(try copy.snapshot() == log.snapshot())
    withExtendedLifetime((link, tokens)) {}
  }

  @Test("X3 A proxy's move is one level", arguments: Reorder.allCases, [true, false])
  fileprivate func undoneMoves(_ reorder: Reorder, _ isGraph: Bool) throws {
    let cards = ["a", "b", "c"].map { GroupedCard($0) }
    let column = GroupedColumn("x")
    column.cards = cards
    board.columns = [column]
    if isGraph { try recorder.record(graph: board) } else { try recorder.record(column, "cards") }
    reorder.make(column.mutableArrayValue(for: \.cards))
    let moved = column.cards.map(\.title)
    for _ in 1...2 {
      #expect(try recorder.undo() && !recorder.canUndo)
      #expect(areSame(column.cards, cards))
      #expect(try recorder.redo() && !recorder.canRedo && column.cards.map(\.title) == moved)
    }
  }
}

/// Operations of a proxy over a key that only methods implement, which change another key.
@Suite("U. Changes that belong together: keys that only methods implement")
struct GroupedAccessorTests {
  private let team = GroupedTeam()
  private let cards = ["a", "b", "c"].map { GroupedCard($0) }

  init() { team.staff = cards }

  @Test("G2 A proxy's operation over accessors is one record", arguments: AccessorEdit.allCases)
  fileprivate func records(_ edit: AccessorEdit) throws {
    let log = try KeyValueChangeLog(of: team)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: GroupedTeam.self)
    var edits: [[String]] = []
    let records = log.observe { record in
      edits.append(record.edits.map { $0.key ?? "whole" })
      do { try copy.apply(record) } catch { Issue.record(error) }
    }
    try edit.make(team)
    #expect(edits.count == 1)
    if edit.movesOnly { #expect(edits == [["staff", "staff"]]) }
    #expect(try copy.snapshot() == log.snapshot())
    withExtendedLifetime(records) {}
  }

  @Test(
    "X3 A proxy's operation over accessors is one level", arguments: AccessorEdit.allCases,
    [true, false])
  fileprivate func levels(_ edit: AccessorEdit, _ isGraph: Bool) throws {
    let recorder = KeyValueChangeRecorder()
    if isGraph {
      try recorder.record(graph: team)
    } else {
      try recorder.record(team, "staff")
      try recorder.record(team, "tags")
    }
    try edit.make(team)
    let (staff, tags) = (team.staff, team.tags)
    for _ in 1...2 {
      #expect(try recorder.undo() && !recorder.canUndo)
      #expect(areSame(team.staff, cards) && team.tags == ["x", "y"])
      #expect(try recorder.redo() && !recorder.canRedo)
      #expect(areSame(team.staff, staff) && team.tags == tags)
    }
  }

  @Test("C4 Observers are told each change of a group over accessors, as without a log")
  func told() throws {
    func histories(_ isLogged: Bool) throws -> [String] {
      let team = GroupedTeam()
      team.staff = ["a", "b", "c"].map { GroupedCard($0) }
      let log = try isLogged ? KeyValueChangeLog(of: team) : nil
      var told: [String] = []
      let tokens = [
        try team.observe("employees", options: []) { _, change in told.append("\(change.kind)") },
        team.kvo.staff.observe { _, _ in told.append("staff") },
      ]
      let employees = try team.mutableArrayValue(forKey: "employees")
      employees.move(from: 0, to: 2)
      employees.remove(at: RangeSet(0..<2))
      withExtendedLifetime((log, tokens)) {}
      return told
    }
    let expected = try histories(false)
    #expect(expected.filter { $0 != "staff" } == ["removal", "insertion", "removal"])
    #expect(try histories(true) == expected)
  }
}

/// What a proxy makes with several calls of the class's methods.
private enum AccessorEdit: CaseIterable {
  case move, insertSeveral, removeSeveral, replace, replaceSubrange, addSeveral, replaceSet

  /// Whether nothing enters or leaves, with two changes.
  var movesOnly: Bool { self == .move }

  func make(_ team: GroupedTeam) throws {
    let employees = try team.mutableArrayValue(forKey: "employees")
    let labels = try team.mutableSetValue(forKey: "labels")
    switch self {
    case .move: employees.move(from: 0, to: 2)
    case .insertSeveral:
      employees.insert(contentsOf: [GroupedCard("x"), GroupedCard("y")] as [Any], at: 1)
    case .removeSeveral: employees.remove(at: RangeSet([0..<1, 2..<3]))
    case .replace: employees[1] = GroupedCard("x")
    case .replaceSubrange: employees.replaceSubrange(0..<2, with: [GroupedCard("x")] as [Any])
    case .addSeveral: labels.formUnion(["u", "v"])
    case .replaceSet: labels.replaceAll(with: ["x", "v"])
    }
  }
}

@KeyValueObservable
private final class GroupedTeam {
  var staff: [GroupedCard] = []
  var tags: Set<String> = ["x", "y"]

  init() {}

  func countOfEmployees() -> Int { staff.count }
  func objectInEmployees(at index: Int) -> GroupedCard { staff[index] }
  func insertObject(_ card: GroupedCard, inEmployeesAt index: Int) {
    staff.insert(card, at: index)
  }
  func removeObject(fromEmployeesAt index: Int) { staff.remove(at: index) }

  func getLabels() -> Set<String> { tags }
  func addLabelsObject(_ label: String) { tags.insert(label) }
  func removeLabelsObject(_ label: String) { tags.remove(label) }
}

private func areSame<Element: AnyObject>(_ some: [Element], _ others: [Element]) -> Bool {
  some.elementsEqual(others, by: ===)
}

/// What a proxy does to a list of three as a removal and an insertion.
private enum Reorder: CaseIterable {
  case move, moveSubranges, replaceSubrange

  func make(_ cards: KeyValueMutableArray<GroupedCard>) {
    switch self {
    case .move: cards.move(from: 0, to: 2)
    case .moveSubranges: cards.moveSubranges(RangeSet([0..<1, 2..<3]), to: 2)
    case .replaceSubrange:
      cards.replaceSubrange(0..<3, with: [cards[2], cards[0]] + [cards[1]][..<0])
    }
  }
}

@KeyValueObservable
private final class GroupedBoard {
  var name = ""
  var columns: [GroupedColumn] = []
}

@KeyValueObservable
private final class GroupedColumn {
  var name = ""
  var cards: [GroupedCard] = []

  init() {}
  init(_ name: String) { self.name = name }
}

@KeyValueObservable
private final class GroupedList {
  var plain: [String] = []
  var changes = 0
  var observing: [String] = [] { didSet { changes += 1 } }

  init() {}
}

@KeyValueObservable
private final class GroupedCard {
  var title = ""
  var column = ""
  var notes: [GroupedCard] = []
  weak var friend: GroupedCard?

  init() {}
  init(_ title: String) { self.title = title }
}

@KeyValueObservable
private class GroupedBranch {
  weak var parent: GroupedBranch?
  var expected = 0
  var children: [GroupedBranch] = [] {
    willSet { expected = newValue.count }
    didSet {
      for child in oldValue where !children.contains(where: { $0 === child }) { child.parent = nil }
      for child in children where child.parent !== self { child.parent = self }
    }
  }

  required init() {}
}

@KeyValueObservable
private final class FinalGroupedBranch: GroupedBranch {}

@KeyValueObservable
private class GroupedStep {
  var value = 0
  var double = 0

  required init() {}
}

@KeyValueObservable
private final class ObservingStep: GroupedStep {
  override var value: Int { didSet { double = 2 * value } }
}

private final class PlainObservingStep: GroupedStep {
  override var value: Int { didSet { double = 2 * value } }
}
