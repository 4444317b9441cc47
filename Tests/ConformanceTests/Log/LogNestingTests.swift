import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A value that runs an action as it's encoded.
private struct Memo: Codable {
  // Only the exit test sets it.
  nonisolated(unsafe) static var action: (() -> Void)?

  private var text = "memo"

  init() {}

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  func encode(to encoder: any Encoder) throws {
    let action = Memo.action
    Memo.action = nil
    action?()
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

@KeyValueObservable
private final class Leaf {
  var memo = Memo()
  var number = 0

  required init() {}

  init(_ number: Int) { self.number = number }
}

@KeyValueObservable
private final class Tree {
  var leaves: [Leaf] = []

  required init() {}
}

/// Runs an action as it dies.
private final class LastWords {
  private let action: () -> Void

  init(_ action: @escaping () -> Void) { self.action = action }

  deinit { action() }
}

@Suite("N8. What observers do while a log applies a record, or makes one")
struct LogNestingTests {
  private let firm = Firm()

  /// A copy of a worker's graph from before a change, and the change's record.
  private func copy(
    _ worker: Worker, before change: (Worker) -> Void
  ) throws -> (KeyValueChangeLog<Worker>, KeyValueTransactionRecord) {
    let log = try KeyValueChangeLog(of: worker)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: Worker.self)
    var records: [KeyValueTransactionRecord] = []
    let token = log.observe { records.append($0) }
    change(worker)
    token.invalidate()
    return (copy, try #require(records.first))
  }

  private func worker(_ skills: String...) -> Worker {
    let worker = Worker("Ada")
    worker.skills = skills
    return worker
  }

  // MARK: Collections that have changed

  @Test("G3 what a move inserts enters at the end that an observer of its removal has left")
  func shortenedBetween() throws {
    let (copy, record) = try copy(worker("a", "b", "c")) {
      $0.mutableArrayValue(for: \.skills).move(from: 0, to: 2)
    }
    let lines = ChangeLog()
    let token = copy.root.observe(\.skills, options: [.old, .new]) { worker, change in
      lines.note("skills", change)
      if change.kind == .removal { worker.skills = [] }
    }
    try copy.apply(record)
    #expect(copy.root.skills == ["a"])
    #expect(
      lines.take() == [
        #"skills: removal, indexes: 0, old: ["a"]"#,
        #"skills: setting, old: ["b", "c"], new: []"#,
        #"skills: insertion, indexes: 0, new: ["a"]"#,
      ])
    token.invalidate()
  }

  @Test("G3 nothing is told of a removal whose elements an observer of an earlier one has removed")
  func emptiedBetween() throws {
    let log = try KeyValueChangeLog(of: worker("a", "b"))
    let id = try #require(log.id(of: log.root))
    let record = KeyValueTransactionRecord(
      ["a", "b"].map {
        .remove(id, key: "skills", indexes: RangeSet(0..<1), elements: [.string($0)])
      })
    let lines = ChangeLog()
    let token = log.root.observe(\.skills, options: [.old, .new]) { worker, change in
      lines.note("skills", change)
      if change.kind == .removal { worker.skills = [] }
    }
    try log.apply(record)
    #expect(
      lines.take() == [
        #"skills: removal, indexes: 0, old: ["a"]"#,
        #"skills: setting, old: ["b"], new: []"#,
      ])
    token.invalidate()
  }

  @Test("G3 an edit of a transaction does what it can after a prior's handler")
  func shortenedInTransaction() throws {
    let (copy, record) = try copy(worker("a", "b")) { worker in
      worker.performChanges {
        $0.name = "B"
        $0.mutableArrayValue(for: \.skills).remove(at: 0)
        $0.salary = 1
      }
    }
    let (lines, records) = (ChangeLog(), RecordLog(copy))
    records.name(copy.id(of: copy.root), "worker")
    let tokens = [
      copy.root.observe(\.name, options: .prior) { worker, change in
        if change.isPrior { worker.skills = [] }
      },
      copy.root.observe(
        \.skills, options: [.old, .new], changeHandler: lines.handler("skills")),
    ]
    try copy.apply(record)
    #expect(copy.root.name == "B" && copy.root.skills == [] && copy.root.salary == 1)
    #expect(lines.take() == [#"skills: setting, old: ["a", "b"], new: []"#])
    #expect(
      records.take() == [
        #"transaction: set worker.name: "Ada" -> "B"; remove worker.skills at 0: ["a"]; set worker.salary: 0 -> 1"#,
        #"transaction: set worker.skills: ["b"] -> []"#,
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("G3 so does an edit whose own prior's handler changes the collection")
  func shortenedInOwnPrior() throws {
    func apply(_ change: (KeyValueMutableArray<String>) -> Void) throws -> [[String]?] {
      let (copy, record) = try copy(worker("a", "b", "c")) {
        change($0.mutableArrayValue(for: \.skills))
      }
      var isFirst = true
      var told: [[String]?] = []
      let token = copy.root.observe(\.skills, options: [.new, .prior]) { worker, change in
        if !change.isPrior { return told.append(change.newValue) }
        if !isFirst { return }
        isFirst = false
        worker.skills = []
      }
      try copy.apply(record)
      token.invalidate()
      return told + [copy.root.skills]
    }
    #expect(try apply { $0.remove(at: 2) } == [[], nil, []])
    #expect(try apply { $0.append("d") } == [[], ["d"], ["d"]])
    #expect(try apply { $0[1] = "d" } == [[], [], []])
  }

  @Test("X3 undoing a recorded graph does what it can after a prior's handler")
  func shortenedWhileUndone() throws {
    let worker = worker("a", "b", "c")
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: worker)
    worker.performChanges {
      $0.mutableArrayValue(for: \.skills).remove(at: 2)
      $0.name = "B"
    }
    let token = worker.observe(\.name, options: .prior) { worker, change in
      if change.isPrior { worker.skills = [] }
    }
    try recorder.undo()
    #expect(worker.name == "Ada" && worker.skills == ["c"])
    token.invalidate()
  }

  // MARK: Records inside of records

  private func isIncomplete(_ error: any Error) -> Bool {
    if case .incompleteChange? = error as? KeyValueLogError { true } else { false }
  }

  /// Logs the firm and makes changes; returns the log, a copy from before and the changes' records.
  private func records(
    _ changes: (Firm) -> Void
  ) throws -> (
    KeyValueChangeLog<Firm>, KeyValueChangeLog<Firm>, [KeyValueTransactionRecord]
  ) {
    let log = try KeyValueChangeLog(of: firm)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: Firm.self)
    var records: [KeyValueTransactionRecord] = []
    let token = log.observe { records.append($0) }
    changes(firm)
    token.invalidate()
    return (log, copy, records)
  }

  @Test("G4 a record isn't applied inside of another one, which keeps its ids and its origin")
  func refused() throws {
    firm.workers = [Worker("Ada"), Worker("Bob")]
    let (log, copy, records) = try records {
      $0.mutableArrayValue(for: \.workers).replaceSubrange(0..<2, with: [Worker("Cy")])
      $0.name = "B"
    }
    var told: [KeyValueTransactionRecord] = []
    var errors: [any Error] = []
    let tokens = [
      copy.observe { told.append($0) },
      copy.root.observe(\.workers) { _, _ in
        do { try copy.apply(records[1]) } catch { errors.append(error) }
      },
    ]
    try copy.apply(records[0], from: "here")
    // In the removal's observer and in the insertion's, which are one operation.
    #expect(errors.map(isIncomplete) == [true, true] && copy.root.name == "Engines")
    #expect(copy.root.workers.map(\.name) == ["Cy"])
    #expect(copy.id(of: copy.root.workers[0]) == log.id(of: firm.workers[0]))
    #expect(told.map(\.id) == [records[0].id] && told.map(\.origin) == [.remote("here")])
    #expect(throws: KeyValueLogError.self) { try copy.apply(records[0]) }
    try copy.apply(records[1])
    #expect(try copy.snapshot() == log.snapshot())
    withExtendedLifetime(tokens) {}
  }

  @Test("G4 nor is it in the middle of a transaction, or while an object is made")
  func refusedEarly() throws {
    let (log, copy, records) = try records { firm in
      firm.performChanges {
        $0.name = "B"
        $0.workers = [Worker("Ada")]
      }
      firm.motto = "m"
    }
    var told: [KeyValueRecordID] = []
    var errors: [any Error] = []
    func apply(_ log: KeyValueChangeLog<Firm>?) {
      do { try log?.apply(records[1]) } catch { errors.append(error) }
    }
    let tokens = [
      copy.observe { told.append($0.id) },
      copy.root.observe(\.name, options: .prior) { _, change in if change.isPrior { apply(copy) } },
    ]
    try copy.apply(records[0])
    #expect(errors.map(isIncomplete) == [true] && told == [records[0].id])
    #expect(copy.root.motto == nil)
    #expect(copy.id(of: copy.root.workers[0]) == log.id(of: firm.workers[0]))

    var making: KeyValueChangeLog<Firm>?
    let other = try KeyValueChangeLog(
      of: Firm(),
      classes: [
        KeyValueLogClass(Worker.self) { _ in
          apply(making)
          return Worker("")
        }
      ])
    making = other
    let id = try #require(other.id(of: other.root))
    let ada = KeyValueObjectID()
    try other.apply(
      KeyValueTransactionRecord([
        .create(ada, class: "ConformanceTests.Worker", values: ["name": "Ada"]),
        .set(id, key: "bySeat", old: .dictionary([:]), new: .dictionary(["a": .reference(ada)])),
      ]))
    #expect(errors.count > 1 && errors.allSatisfy(isIncomplete))
    let seated = try #require(other.root.bySeat["a"])
    #expect(other.id(of: seated) == ada)
    making = nil
    withExtendedLifetime(tokens) {}
  }

  @Test("G3 observers may apply a record when all changes of another one have been made")
  func afterwards() throws {
    let (log, copy, records) = try records {
      $0.name = "B"
      $0.motto = "m"
      $0.mood = .grim
      $0.watched = 2
    }
    var told: [KeyValueTransactionRecord] = []
    var errors: [any Error] = []
    func apply(_ index: Int, from origin: String) {
      do { try copy.apply(records[index], from: origin) } catch { errors.append(error) }
    }
    let tokens = [
      copy.root.observe(\.name) { firm, _ in
        apply(1, from: "post")
        // It belongs to the transaction.
        firm.performChanges { _ in apply(3, from: "inside") }
      },
      copy.observe { record in
        told.append(record)
        if told.count == 1 { apply(2, from: "record") }
      },
    ]
    apply(0, from: "first")
    #expect(errors.isEmpty)
    #expect(try copy.snapshot() == log.snapshot())
    let ids = records.map(\.id)
    #expect(told.map { ids.firstIndex(of: $0.id) } == [0, 1, nil, 2])
    #expect(
      told.map(\.origin) == [.remote("first"), .remote("post"), .local, .remote("record")])
    withExtendedLifetime(tokens) {}
  }

  // MARK: Snapshots

  @Test("N10 encoding a value may let the other objects of a snapshot leave")
  func departingInSnapshot() async {
    await #expect(processExitsWith: .success) {
      let tree = Tree()
      tree.leaves = (1...200).map { Leaf($0) }
      let log = try KeyValueChangeLog(of: tree)
      var others: [Leaf] = []
      Memo.action = {
        tree.leaves = []
        // They would take the room of what had died.
        others = (1...400).map { Leaf(-$0) }
      }
      let snapshot = try log.snapshot()
      #expect(tree.leaves.isEmpty && others.count == 400)
      #expect(snapshot.objects.count == 201)
      let numbers = snapshot.objects.values.compactMap { $0.values["number"] }
      #expect(Set(numbers) == Set((1...200).map { KeyValueLogValue.integer($0) }))
      #expect(try log.snapshot().objects.count == 1)
    }
  }

  // MARK: Histories

  @Test("G3 an observer of a history's copy can't move it; the copy follows what it changes")
  func changedByHistorysObserver() throws {
    let log = try KeyValueChangeLog(of: firm)
    let history = try KeyValueHistory(log)
    firm.name = "A"
    firm.name = "B"
    try history.go(to: 0)
    var errors: [any Error] = []
    let token = history.root.observe(\.name) { [firm] copy, _ in
      do { try history.go(to: 0) } catch { errors.append(error) }
      if copy.name == "B", firm.motto == nil { firm.motto = "m" }
    }
    try history.go(to: 2)
    #expect(errors.map(isIncomplete) == [true, true])
    #expect(history.position == 3 && history.records.count == 3 && history.root.motto == "m")
    firm.name = "C"
    #expect(history.position == 4 && history.root.name == "C" && errors.count == 3)
    firm.motto = nil
    // The observer sets the motto again, which a move to another place than the end leaves out.
    try history.go(to: 1)
    try history.go(to: 2)
    #expect(history.position == 2 && history.records.count == 6 && history.root.motto == nil)
    token.invalidate()
    try history.go(to: 6)
    #expect(history.root.name == "C" && history.root.motto == "m")
    withExtendedLifetime(log) {}
  }

  @Test("N9 an observer of a history's copy that answers each record without end is reported")
  func endlessHistory() throws {
    try ViolationLog.record { violations in
      let log = try KeyValueChangeLog(of: firm)
      let history = try KeyValueHistory(log)
      firm.watched = 1
      try history.go(to: 0)
      let token = history.root.observe(\.watched) { [firm] _, _ in firm.watched += 1 }
      try history.go(to: 1)
      #expect(
        violations.take() == [
          "runawayRecursion: Moving a history of Firm to its end leads to new records more than 64 times: an "
            + "observer of the copy answers each one with a change of the log's graph. Answer only the keys that "
            + "the observer doesn't set itself, or break the loop."
        ])
      #expect(history.position == 65 && history.records.count == 66)
      token.invalidate()
      withExtendedLifetime(log) {}
    }
  }

  // MARK: Observers that end

  @Test("R5 a handler is released when its observation ends, without another record")
  func released() throws {
    let log = try KeyValueChangeLog(of: firm)
    var count = 0
    func observe() -> KeyValueObservation {
      let words = LastWords { count += 1 }
      return log.observe { _ in withExtendedLifetime(words) {} }
    }
    let token = observe()
    token.invalidate()
    #expect(count == 1)
    _ = observe()
    #expect(count == 2)
    withExtendedLifetime(log) {}
  }

  @Test("N10 what dies with an ended handler may observe the log")
  func observedByWhatDies() throws {
    let log = try KeyValueChangeLog(of: firm)
    var told: [String] = []
    var tokens: [KeyValueObservation] = []
    func observe() {
      let words = LastWords { tokens.append(log.observe { _ in told.append("late") }) }
      tokens.append(log.observe { _ in withExtendedLifetime(words) {} })
    }
    for _ in 0..<3 { observe() }
    let other = log.observe { _ in told.append("other") }
    for token in tokens { token.invalidate() }
    firm.name = "A"
    #expect(told == ["other", "late", "late", "late"] && tokens.count == 6)
    withExtendedLifetime((log, other)) {}
  }
}
