import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("G. The origin of a change")
struct ChangeOriginTests {
  private let firm = Firm()

  /// The changes that a log's graph is told of while records of another writer are applied.
  private func told(
    _ observe: (Firm, @escaping (String) -> Void) -> KeyValueObservation,
    _ body: (Firm) -> Void
  ) throws -> [String] {
    let source = try KeyValueChangeLog(of: firm)
    let copy = try KeyValueChangeLog(restoring: source.snapshot(), as: Firm.self)
    var told: [String] = []
    let token = observe(copy.root) { told.append($0) }
    let sending = source.observe { record in
      do { try copy.apply(record, from: "studio") } catch { told.append("\(error)") }
    }
    body(firm)
    copy.root.name = "own"
    withExtendedLifetime((token, sending)) {}
    return told
  }

  @Test("G3 an observer is told who made a change: before it, after it, and at a transaction's end")
  func observers() throws {
    let told = try told(
      { copy, note in
        copy.kvo.name.observe(options: [.new, .prior]) { _, change in
          note("\(change.isPrior ? "prior" : "post") \(change.newValue ?? "") \(change.origin)")
        }
      },
      { firm in
        firm.name = "A"
        firm.performChanges { $0.name = "B" }
      })
    #expect(
      told == [
        "prior  remote(\"studio\")", "post A remote(\"studio\")", "prior  remote(\"studio\")",
        "post B remote(\"studio\")", "prior  local", "post own local",
      ])
  }

  @Test("G3 elements, totals and inferred keys carry the origin of what they follow")
  func derived() throws {
    let told = try told(
      { copy, note in
        copy.kvo.workers[sum: \.salary].observe(options: [.new]) { _, change in
          note("\(change.newValue ?? -1) \(change.origin)")
        }
      },
      { firm in
        firm.workers = [Worker("Ada")]
        firm.workers[0].salary = 3
      })
    #expect(told == ["0 remote(\"studio\")", "3 remote(\"studio\")"])
  }

  @Test("S4 a recorder doesn't record what another writer changed, in a graph or by path")
  func recorders() throws {
    let source = try KeyValueChangeLog(of: firm)
    let copy = try KeyValueChangeLog(restoring: source.snapshot(), as: Firm.self)
    let (graph, path) = (KeyValueChangeRecorder(), KeyValueChangeRecorder())
    try graph.record(graph: copy.root)
    try path.record(copy.root.kvo.name)
    let sending = source.observe { record in
      do { try copy.apply(record, from: "studio") } catch { Issue.record(error) }
    }
    firm.name = "A"
    #expect(!graph.canUndo && !path.canUndo)
    copy.root.name = "own"
    #expect(graph.canUndo && path.canUndo)
    try graph.undo()
    #expect(copy.root.name == "A")
    withExtendedLifetime(sending) {}
  }

  /// What a program's own changes are parts of between which it applies another writer's record.
  enum Whole: CaseIterable { case group, transaction, observer }

  @Test(
    "S4 what another writer's record changes between own changes isn't recorded, and stays",
    arguments: Whole.allCases, [false, true])
  func between(_ whole: Whole, _ isTransaction: Bool) throws {
    let log = try KeyValueChangeLog(of: firm)
    let record = KeyValueTransactionRecord(
      [.set(try #require(log.id(of: firm)), key: "motto", old: nil, new: "theirs")],
      isTransaction: isTransaction)
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: firm)
    switch whole {
    case .group:
      try recorder.group {
        firm.name = "A"
        try log.apply(record, from: "studio")
        firm.watched = 3
      }
    case .transaction:
      try firm.performChanges {
        $0.name = "A"
        try log.apply(record, from: "studio")
        $0.watched = 3
      }
    case .observer:
      let token = firm.observe(\.name) { firm, _ in
        do { try log.apply(record, from: "studio") } catch { Issue.record(error) }
        firm.watched = 3
      }
      firm.name = "A"
      token.invalidate()
    }
    #expect(recorder.description.hasSuffix(" 1 level to undo, 0 to redo)"))
    for _ in 1...2 {
      #expect(try recorder.undo() && !recorder.canUndo)
      #expect(firm.name == "Engines" && firm.watched == 0 && firm.motto == "theirs")
      #expect(try recorder.redo() && !recorder.canRedo)
      #expect(firm.name == "A" && firm.watched == 3 && firm.motto == "theirs")
    }
  }

  @Test("S4 a group in which only another writer's record is applied makes no level")
  func onlyTheirs() throws {
    let log = try KeyValueChangeLog(of: firm)
    let id = try #require(log.id(of: firm))
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: firm)
    recorder.beginGrouping()
    try log.apply(
      KeyValueTransactionRecord([.set(id, key: "motto", old: nil, new: "theirs")]), from: "studio")
    recorder.endGrouping()
    #expect(!recorder.canUndo && firm.motto == "theirs")
    firm.workers.append(Worker("Ada"))
    #expect(try recorder.undo() && !recorder.canUndo && firm.workers.isEmpty)
  }

  @Test("S4 so it is where both change one collection in a transaction")
  func oneCollection() throws {
    let ada = Worker("Ada")
    firm.workers = [ada]
    let log = try KeyValueChangeLog(of: firm)
    let record = KeyValueTransactionRecord([
      .amend(
        try #require(log.id(of: ada)), key: "skills",
        removed: .init(indexes: RangeSet(), elements: []),
        inserted: .init(indexes: RangeSet(1..<2), elements: ["theirs"]))
    ])
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: firm)
    try firm.performChanges { _ in
      ada.skills.append("a")
      try log.apply(record, from: "studio")
      ada.skills.append("b")
    }
    #expect(ada.skills == ["a", "theirs", "b"])
    #expect(try recorder.undo() && !recorder.canUndo && ada.skills == ["theirs"])
    #expect(try recorder.redo() && ada.skills == ["a", "theirs", "b"])
  }

  @Test("S4 a transaction that may be rolled back is one level, with the record that it applies")
  func rolledBack() throws {
    struct Refusal: Error {}
    let log = try KeyValueChangeLog(of: firm)
    let record = KeyValueTransactionRecord([
      .set(try #require(log.id(of: firm)), key: "motto", old: nil, new: "theirs")
    ])
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: firm)
    for isKept in [false, true] {
      try? firm.performChanges(rollingBack: true) {
        $0.name = "A"
        try log.apply(record, from: "studio")
        $0.watched = 3
        if !isKept { throw Refusal() }
      }
      #expect(firm.name == (isKept ? "A" : "Engines") && recorder.canUndo == isKept)
    }
    #expect(try recorder.undo() && !recorder.canUndo)
    #expect(firm.name == "Engines" && firm.watched == 0 && firm.motto == nil)
  }

  @Test("S4 so isn't one that a part that may be rolled back follows", arguments: [false, true])
  func beforeRollback(_ isKept: Bool) throws {
    struct Refusal: Error {}
    let log = try KeyValueChangeLog(of: firm)
    let record = KeyValueTransactionRecord([
      .set(try #require(log.id(of: firm)), key: "motto", old: nil, new: "theirs")
    ])
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: firm)
    try firm.performChanges { firm in
      try log.apply(record, from: "studio")
      try? firm.performChanges(rollingBack: true) {
        $0.name = "A"
        if !isKept { throw Refusal() }
      }
    }
    #expect(firm.name == (isKept ? "A" : "Engines") && firm.motto == "theirs")
    #expect(try recorder.undo() == isKept && !recorder.canUndo)
    #expect(firm.name == "Engines" && firm.motto == "theirs")
  }

  @Test("S4 a change of an object that another writer's record has taken out isn't recorded")
  func ofDeleted() throws {
    let ada = Worker("Ada")
    firm.workers = [ada]
    let log = try KeyValueChangeLog(of: firm)
    var records: [KeyValueTransactionRecord] = []
    let token = log.observe { records.append($0) }
    firm.workers = []
    token.invalidate()
    firm.workers = [ada]
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: firm)
    try recorder.group {
      try log.apply(records[0], from: "studio")
      ada.name = "x"
    }
    #expect(!recorder.canUndo && firm.workers.isEmpty && ada.name == "x")
  }

  @Test("T1 a trace names the writer of a change that comes from elsewhere")
  func traced() throws {
    let source = try KeyValueChangeLog(of: firm)
    let copy = try KeyValueChangeLog(restoring: source.snapshot(), as: Firm.self)
    firm.name = "A"
    let record = KeyValueTransactionRecord([
      .set(try #require(copy.id(of: copy.root)), key: "name", old: "Engines", new: "A")
    ])
    let token = copy.root.kvo.name.observe { _, _ in }
    let trace = try KeyValueTrace.recording { try copy.apply(record, from: "studio") }
    let changes = trace.events.filter { $0.kind == .changeBegan }
    #expect(changes.map(\.origin) == [.remote("studio")])
    #expect(
      changes.map { "\($0)".hasPrefix("Firm.name is set") && "\($0)".contains(" from \"studio\"") }
        == [true])
    withExtendedLifetime(token) {}
  }
}
