import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("X3 What observers do in response to a change is part of its level")
struct RecorderReactionTests {
  /// How the form is recorded.
  enum Recorded: CaseIterable {
    case paths, graph, twoGraphs

    fileprivate func begin(_ recorder: KeyValueChangeRecorder, _ form: Sheet) throws {
      switch self {
      case .paths:
        try recorder.record(form, "name", "count")
        try recorder.record(form.copy, "name", "count")
      case .graph: try recorder.record(graph: form)
      case .twoGraphs:
        form.copy = SheetCopy()
        let copy = form.copy
        form.copy = SheetCopy()
        try recorder.record(graph: form)
        try recorder.record(graph: copy)
        form.apart = copy
      }
    }
  }

  /// What is observed first: by the recorder, or by the observer.
  private static let cases = Recorded.allCases.flatMap { recorded in
    [true, false].map { (recorded, $0) }
  }

  private let form = Sheet()
  private let recorder = KeyValueChangeRecorder()

  private func begin<Token>(
    _ recorded: Recorded, isFirst: Bool, _ reaction: () throws -> Token
  ) throws -> Token {
    if isFirst {
      try recorded.begin(recorder, form)
      return try reaction()
    }
    if recorded == .twoGraphs { form.apart = SheetCopy() }
    let token = try reaction()
    switch recorded {
    case .paths, .graph: try recorded.begin(recorder, form)
    case .twoGraphs:
      try recorder.record(graph: form)
      try recorder.record(graph: form.target)
    }
    return token
  }

  private var state: [String] { [form.name, form.target.name, "\(form.count)"] }

  /// The states after each undo, and after each redo.
  private func undoAndRedo() throws -> (undone: [[String]], redone: [[String]]) {
    var (undone, redone): ([[String]], [[String]]) = ([], [])
    while try recorder.undo() { undone.append(state) }
    while try recorder.redo() { redone.append(state) }
    return (undone, redone)
  }

  @Test("A two-way binding of two recorded keys", arguments: cases)
  func binding(_ recorded: Recorded, _ isFirst: Bool) throws {
    let token = try begin(recorded, isFirst: isFirst) {
      form.kvo.name.bindTwoWay(to: form.target.kvo.name)
    }
    form.name = "Ada"
    form.target.name = "Bob"
    #expect(recorder.description.hasSuffix(" 2 levels to undo, 0 to redo)"))
    for _ in 1...2 {
      let (undone, redone) = try undoAndRedo()
      #expect(undone == [["Ada", "Ada", "0"], ["", "", "0"]])
      #expect(redone == [["Ada", "Ada", "0"], ["Bob", "Bob", "0"]])
    }
    withExtendedLifetime(token) {}
  }

  @Test("An observer that counts, which also counts undoing", arguments: cases)
  func counter(_ recorded: Recorded, _ isFirst: Bool) throws {
    let token = try begin(recorded, isFirst: isFirst) {
      form.kvo.name.observe { form, _ in form.count += 1 }
    }
    form.name = "Ada"
    form.name = "Bob"
    let (undone, redone) = try undoAndRedo()
    // Undoing the first change finds the 2 that the observer left in response to undoing the second one.
    #expect(undone == [["Ada", "", "2"], ["", "", "1"]])
    #expect(redone == [["Ada", "", "3"], ["Bob", "", "3"]])
    for _ in 1...3 {
      let (undone, redone) = try undoAndRedo()
      #expect(undone.map { $0[0] } == ["Ada", ""] && redone.map { $0[0] } == ["Ada", "Bob"])
    }
    withExtendedLifetime(token) {}
  }

  @Test("An observer that keeps a list of the changes", arguments: [Recorded.paths, .graph])
  func history(_ recorded: Recorded) throws {
    try recorder.record(graph: form)
    let token = form.kvo.name.observe { form, _ in form.history.append(form.name) }
    for name in ["Ada", "Bob", "Cy"] { form.name = name }
    let (undone, redone) = try undoAndRedo()
    #expect(undone.map { $0[0] } == ["Bob", "Ada", ""])
    #expect(redone.map { $0[0] } == ["Ada", "Bob", "Cy"])
    withExtendedLifetime(token) {}
  }

  @Test("An observer that notes a change in an object that an earlier level has brought")
  func ofNewObject() throws {
    try recorder.record(graph: form)
    var version = 0
    let token = form.kvo.copies[each: \.name].observe { form, _ in
      version += 1
      for copy in form.copies { copy.count = version }
    }
    form.mutableArrayValue(for: \.copies).append(SheetCopy())
    form.copies[0].name = "Ada"
    form.copies[0].name = "Bob"
    var counts: [Int] = []
    while try recorder.undo() { counts.append(form.copies.first?.count ?? -1) }
    #expect(counts.last == -1 && form.copies.isEmpty)
    var names: [String] = []
    while try recorder.redo() { names.append(form.copies.first?.name ?? "-") }
    #expect(names == ["", "Ada", "Bob"])
    withExtendedLifetime(token) {}
  }

  @Test(
    "An observer that changes an object in response to undoing, which the level below has brought")
  func ofCreatedObject() throws {
    try recorder.record(graph: form)
    let copy = SheetCopy()
    form.mutableArrayValue(for: \.copies).append(copy)
    var version = 0
    let token = copy.kvo.name.observe { copy, _ in
      version += 1
      copy.count = version
    }
    copy.name = "Ada"
    #expect(try recorder.undo() && copy.name == "" && copy.count == 2)
    #expect(try recorder.undo() && form.copies.isEmpty)
    #expect(try recorder.redo() && form.copies[0] === copy && copy.count == 2)
    #expect(try recorder.redo() && copy.name == "Ada")
    withExtendedLifetime(token) {}
  }

  @Test("What nothing has recorded still contradicts, also if an observer answers undoing")
  func contradicted() throws {
    try recorder.record(form, "name", "total")
    let token = form.kvo.name.observe { form, _ in
      form.willChangeValue(forKey: "total")
      form.total += 1
      form.didChangeValue(forKey: "total")
    }
    form.name = "Cy"
    form.total = 7
    form.name = "Di"
    #expect(try recorder.undo() && form.name == "Cy" && form.total == 8)
    #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    #expect(form.name == "Cy" && form.total == 8)
    withExtendedLifetime(token) {}
  }

  /// What an observer does to a collection in response to each change.
  enum CollectionAnswer: CaseIterable {
    case removal, assignment, insertion

    fileprivate var undone: [[String]] {
      switch self {
      case .removal: [["", "c", "x"], ["", "c"], ["", "c"], [""]]
      case .assignment: [["", "x"], [""], [""], [""]]
      case .insertion: [["", "a", "c", "x", "y"], ["", "a", "c"], ["", "c"], [""]]
      }
    }
  }

  @Test(
    "An observer that changes a collection in response to undoing, which levels below have changed",
    arguments: CollectionAnswer.allCases)
  func ofCollection(_ answer: CollectionAnswer) throws {
    let note = SheetNote()
    try recorder.record(note, "name", "tags", "lines")
    let token = note.kvo.name.observe { note, _ in
      switch answer {
      case .removal: note.mutableSetValue(for: \.tags).remove("a")
      case .assignment: note.tags = []
      case .insertion: note.mutableArrayValue(for: \.lines).append("y")
      }
    }
    note.tags = ["c"]
    note.mutableSetValue(for: \.tags).insert("a")
    note.lines = ["x"]
    note.name = "Ada"
    var undone: [[String]] = []
    while try recorder.undo() { undone.append([note.name] + note.tags.sorted() + note.lines) }
    #expect(undone == answer.undone)
    withExtendedLifetime(token) {}
  }

  @Test("Members that undoing moves as recorded aren't an answer, so what follows contradicts")
  func noAnswer() throws {
    let note = SheetNote()
    let log = try KeyValueChangeLog(of: note)
    let id = try #require(log.id(of: note))
    try recorder.record(note, "tags")
    for tag in ["a", "b"] { note.mutableSetValue(for: \.tags).insert(tag) }
    #expect(try recorder.undo() && note.tags == ["a"])
    try log.apply(.init([.subtract(id, key: "tags", elements: ["a"])]), from: "studio")
    #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    #expect(note.tags == [] && recorder.canUndo)
  }

  @Test("An observer of a prior", arguments: cases)
  func prior(_ recorded: Recorded, _ isFirst: Bool) throws {
    let token = try begin(recorded, isFirst: isFirst) {
      form.kvo.name.observe(options: .prior) { form, change in
        if change.isPrior { form.target.name = form.name + "?" }
      }
    }
    form.name = "Ada"
    form.name = "Bob"
    #expect(recorder.description.hasSuffix(" 2 levels to undo, 0 to redo)"))
    token.invalidate()
    let (undone, redone) = try undoAndRedo()
    #expect(undone == [["Ada", "?", "0"], ["", "", "0"]])
    #expect(redone == [["Ada", "?", "0"], ["Bob", "Ada?", "0"]])
  }

  @Test("What observers are told at the end of a transaction or in a group", arguments: cases)
  func together(_ recorded: Recorded, _ isFirst: Bool) throws {
    let token = try begin(recorded, isFirst: isFirst) {
      form.kvo.name.observe { form, _ in
        form.performChanges { form in form.target.name = form.name }
      }
    }
    form.performChanges { form in
      form.name = "Ada"
      form.count = 1
    }
    recorder.group {
      form.name = "Bob"
      form.count = 2
    }
    let (undone, redone) = try undoAndRedo()
    #expect(undone == [["Ada", "Ada", "1"], ["", "", "0"]])
    #expect(redone == [["Ada", "Ada", "1"], ["Bob", "Bob", "2"]])
    withExtendedLifetime(token) {}
  }

  @Test(
    "An observer that takes the change back leaves no level, and what can be redone",
    arguments: cases)
  func refused(_ recorded: Recorded, _ isFirst: Bool) throws {
    let token = try begin(recorded, isFirst: isFirst) {
      form.kvo.name.observe(options: [.old]) { form, change in
        if form.name == "no" { form.name = change.oldValue ?? "" }
      }
    }
    form.count = 1
    form.count = 2
    try recorder.undo()
    form.name = "no"
    #expect(form.name == "")
    #expect(recorder.description.hasSuffix(" 1 level to undo, 1 to redo)"))
    #expect(try recorder.redo() && form.count == 2)
    try recorder.undo()
    form.name = "yes"
    #expect(recorder.description.hasSuffix(" 2 levels to undo, 0 to redo)"))
    withExtendedLifetime(token) {}
  }

  @Test("A way through a key that isn't recorded")
  func throughOthers() throws {
    let middle = SheetCopy()
    let first = form.kvo.name.observe { form, _ in middle.name = form.name }
    try recorder.record(form, "name")
    try recorder.record(form.copy, "name")
    let second = middle.kvo.name.observe { [form] middle, _ in form.copy.name = middle.name }
    form.name = "Ada"
    let (undone, redone) = try undoAndRedo()
    #expect(undone == [["", "", "0"]] && redone == [["Ada", "Ada", "0"]])
    withExtendedLifetime((first, second)) {}
  }

  @Test("What an observer rolls back isn't in the level", arguments: cases)
  func rolledBack(_ recorded: Recorded, _ isFirst: Bool) throws {
    struct Stop: Error {}
    let token = try begin(recorded, isFirst: isFirst) {
      form.kvo.name.observe { form, _ in
        try? form.performChanges(rollingBack: true) { form in
          form.count = 9
          form.target.name = "lost"
          throw Stop()
        }
      }
    }
    form.name = "Ada"
    let (undone, redone) = try undoAndRedo()
    #expect(undone == [["", "", "0"]] && redone == [["Ada", "", "0"]])
    withExtendedLifetime(token) {}
  }

  @Test("An observer sees that the change can be undone", arguments: [Recorded.paths, .graph])
  func canUndo(_ recorded: Recorded) throws {
    try recorded.begin(recorder, form)
    var seen: [Bool] = []
    let token = form.kvo.count.observe { [recorder] _, _ in seen.append(recorder.canUndo) }
    form.count = 1
    form.count = 2
    // A graph notes the change when all its observers have been called.
    #expect(seen == (recorded == .paths ? [true, true] : [false, true]))
    recorder.group { form.count = 3 }
    recorder.removeAll()
    recorder.group { form.count = 4 }
    #expect(seen.suffix(2) == (recorded == .paths ? [true, false] : [true, false]))
    withExtendedLifetime(token) {}
  }

  @Test(
    "A group that an observer begins and something else ends is part of the level", arguments: cases
  )
  func group(_ recorded: Recorded, _ isFirst: Bool) throws {
    var isBegun = false
    let token = try begin(recorded, isFirst: isFirst) {
      form.kvo.name.observe { [recorder] form, _ in
        if isBegun { return }
        isBegun = true
        recorder.beginGrouping()
        form.target.name = "1"
      }
    }
    form.name = "Ada"
    form.count = 5
    #expect(throws: KeyValueLogError.incompleteChange(.init())) { try recorder.undo() }
    recorder.endGrouping()
    form.count = 6
    let (undone, redone) = try undoAndRedo()
    #expect(undone == [["Ada", "1", "5"], ["", "", "0"]])
    #expect(redone == [["Ada", "1", "5"], ["Ada", "1", "6"]])
    withExtendedLifetime(token) {}
  }

  @Test("What happens between the halves of a manual announcement")
  func manualPair() throws {
    try recorder.record(form, "name", "count")
    form.willChangeValue(forKey: "name")
    form.count = 1
    form.name = "Ada"
    form.count = 2
    form.didChangeValue(forKey: "name")
    form.count = 3
    let (undone, redone) = try undoAndRedo()
    #expect(undone == [["Ada", "", "2"], ["", "", "0"]])
    #expect(redone == [["Ada", "", "2"], ["Ada", "", "3"]])
  }

  @Test("What an observer of a log does in response to a record")
  func ofLog() throws {
    let log = try KeyValueChangeLog(of: form)
    let early = log.observe { [form] _ in if form.count < 2 { form.count += 1 } }
    try recorder.record(graph: form)
    let late = log.observe { [form] _ in
      if form.count == 2, form.copy.name.isEmpty { form.copy.name = "2" }
    }
    form.name = "Ada"
    #expect(form.count == 2 && form.copy.name == "2")
    early.invalidate()
    late.invalidate()
    let (undone, redone) = try undoAndRedo()
    #expect(undone.last == ["", "", "0"] && redone.last == ["Ada", "2", "2"])
    #expect(undone.count == 1 && redone.count == 1)
  }

  @Test("The limit counts a change and what observers did as one level", arguments: cases)
  func limit(_ recorded: Recorded, _ isFirst: Bool) throws {
    recorder.levelsOfUndo = 2
    let token = try begin(recorded, isFirst: isFirst) {
      form.kvo.name.observe { form, _ in form.target.name = form.name }
    }
    for name in ["a", "b", "c"] { form.name = name }
    let (undone, redone) = try undoAndRedo()
    #expect(undone == [["b", "b", "0"], ["a", "a", "0"]])
    #expect(redone == [["b", "b", "0"], ["c", "c", "0"]])
    withExtendedLifetime(token) {}
  }

  @Test(
    "All is forgotten, or the recorder dies, in an observer", arguments: [Recorded.paths, .graph])
  func forgotten(_ recorded: Recorded) throws {
    try recorded.begin(recorder, form)
    let token = form.kvo.name.observe { [recorder] form, _ in
      form.count = 1
      recorder.removeAll()
      form.copy.name = "after"
    }
    form.name = "Ada"
    form.count = 2
    token.invalidate()
    // A graph is told of all three changes after their observers.
    #expect(recorder.description.hasSuffix(" 2 levels to undo, 0 to redo)"))
    #expect(try recorder.undo() && form.count == 1)
    #expect(try recorder.undo() && form.copy.name == "" && !recorder.canUndo)
    #expect(form.name == "Ada" && form.count == 1)

    var another: KeyValueChangeRecorder? = KeyValueChangeRecorder()
    try another.map { try recorded.begin($0, form) }
    weak let weakly = another
    let end = form.kvo.name.observe { form, _ in
      another = nil
      form.count += 1
    }
    form.name = "Bob"
    #expect(weakly == nil && form.count == 2)
    withExtendedLifetime(end) {}
  }

  @Test(
    "All that's forgotten in the middle of a move is its first half",
    arguments: [Recorded.paths, .graph])
  func forgottenInMove(_ recorded: Recorded) throws {
    form.history = ["a", "b"]
    switch recorded {
    case .paths: try recorder.record(form, "history")
    case .graph, .twoGraphs: try recorder.record(graph: form)
    }
    let token = form.kvo.history.observe { [recorder] _, change in
      if change.kind == .removal { recorder.removeAll() }
    }
    form.mutableArrayValue(for: \.history).move(from: 0, to: 1)
    #expect(form.history == ["b", "a"])
    token.invalidate()
    #expect(try recorder.undo() && form.history == ["b"] && !recorder.canUndo)
    #expect(try recorder.redo() && form.history == ["b", "a"])
  }

  @Test("In an observer of a recorded graph's change, that change is forgotten, too")
  func forgottenByItself() throws {
    try recorder.record(graph: form)
    let token = form.kvo.name.observe { [recorder] _, _ in recorder.removeAll() }
    form.name = "Ada"
    #expect(!recorder.canUndo)
    form.performChanges { form in
      form.count = 1
      form.name = "Bob"
    }
    #expect(!recorder.canUndo)
    form.count = 2
    #expect(try recorder.undo() && form.count == 1 && !recorder.canUndo)
    withExtendedLifetime(token) {}
  }

  @Test("In a transaction, what it has changed of a graph until now isn't forgotten")
  func forgottenInTransaction() throws {
    try recorder.record(graph: form)
    form.count = 1
    form.performChanges { form in
      form.name = "Ada"
      recorder.removeAll()
      form.count = 2
    }
    #expect(try recorder.undo() && !recorder.canUndo)
    #expect(form.name == "" && form.count == 1)
  }

  @Test(
    "Recording that stops in an observer keeps what was recorded",
    arguments: [Recorded.paths, .graph])
  func stopped(_ recorded: Recorded) throws {
    try recorded.begin(recorder, form)
    let token = form.kvo.count.observe { [recorder] form, _ in
      form.copy.name = "\(form.count)"
      switch recorded {
      case .paths: recorder.stopRecording(form.copy)
      case .graph, .twoGraphs: recorder.stopRecording(graph: form)
      }
    }
    form.name = "Ada"
    form.count = 1
    #expect(recorder.canUndo == (recorded == .paths))
    token.invalidate()
    guard recorded == .paths else { return }
    #expect(try recorder.undo() && form.copy.name == "" && form.count == 0 && form.name == "Ada")
    #expect(try recorder.undo() && form.name == "" && !recorder.canUndo)
  }
}

@KeyValueObservable
private final class Sheet {
  var name = ""
  var count = 0
  var copy = SheetCopy()
  var copies: [SheetCopy] = []
  var history: [String] = []
  @NotifiesManually var total = 0
  /// A graph of its own.
  @KeyValueIgnored var apart: SheetCopy?

  var target: SheetCopy { apart ?? copy }
}

@KeyValueObservable
private final class SheetCopy {
  var name = ""
  var count = 0
}

@KeyValueObservable
private final class SheetNote {
  var name = ""
  var tags: Set<String> = []
  var lines: [String] = []

  required init() {}
}
