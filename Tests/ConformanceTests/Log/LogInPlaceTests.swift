import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("G. A log of collections that are changed in place in a transaction")
struct LogInPlaceTests {
  private let firm = Firm()
  private let ada = Worker("Ada")
  private let bob = Worker("Bob")
  private let cleo = Worker("Cleo")

  private func start() throws -> (KeyValueChangeLog<Firm>, RecordLog) {
    let log = try KeyValueChangeLog(of: firm)
    let records = RecordLog(log)
    records.name(log.id(of: firm), "firm")
    for worker in firm.workers { records.name(log.id(of: worker), worker.name) }
    return (log, records)
  }

  /// A worker's creation or deletion, with nothing but the name.
  private func blank(_ verb: String, _ name: String) -> String {
    #"\#(verb) \#(name): ConformanceTests.Worker ["mentor": nil, "name": "\#(name)", "partner": nil, "#
      + #""salary": 0, "secret": 0, "skills": []]"#
  }

  private func address<Element>(_ array: [Element]) -> UnsafeRawPointer? {
    array.withUnsafeBytes { $0.baseAddress }
  }

  // In a process of its own: while anything is traced, each change copies.
  @Test("G1 N11 the collection is copied by its first change in a transaction only")
  func copies() async {
    await #expect(processExitsWith: .success) { try LogInPlaceTests().countCopies() }
  }

  private func countCopies() throws {
    ada.skills = ["a"]
    firm.workers = [ada]
    let (log, records) = try start()
    var copies = [0, 0]
    firm.performChanges { firm in
      firm.workers.reserveCapacity(64)
      ada.skills.reserveCapacity(64)
      for number in 0..<50 {
        let before = (address(firm.workers), address(ada.skills))
        firm.workers.append(bob)
        ada.skills += ["\(number)"]
        if address(firm.workers) != before.0 { copies[0] += 1 }
        if address(ada.skills) != before.1 { copies[1] += 1 }
      }
      firm.workers.removeLast(49)
      ada.skills.removeLast(49)
    }
    #expect(copies == [0, 0])
    records.name(log.id(of: bob), "Bob")
    #expect(
      records.take() == [
        "transaction: \(blank("create", "Bob")); amend firm.workers: inserted at 1 [@Bob]; "
          + #"amend Ada.skills: inserted at 1 ["0"]"#
      ])
  }

  @Test("X3 N11 so it is by one of a recorded graph, unless the elements are objects")
  func recorderCopies() async {
    await #expect(processExitsWith: .success) { try LogInPlaceTests().countRecordersCopies() }
  }

  private func countRecordersCopies() throws {
    ada.skills = ["a"]
    firm.workers = [ada]
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: firm)
    var copies = 0
    firm.performChanges { firm in
      firm.workers.append(bob)
      bob.salary = 1
      ada.skills.reserveCapacity(64)
      for number in 0..<50 {
        let before = address(ada.skills)
        ada.skills += ["\(number)"]
        if address(ada.skills) != before { copies += 1 }
      }
      firm.workers.append(Worker("Cy"))
    }
    #expect(copies == 0)
    for _ in 1...2 {
      try recorder.undo()
      #expect(firm.workers.map(\.name) == ["Ada"] && bob.salary == 0)
      #expect(ada.skills == ["a"])
      try recorder.redo()
      #expect(firm.workers.map(\.name) == ["Ada", "Bob", "Cy"] && bob.salary == 1)
      #expect(ada.skills.count == 51)
    }
  }

  @Test("G1 changes of other kinds between those in place are recorded in their order")
  func mixed() throws {
    ada.skills = ["a"]
    firm.workers = [ada]
    let (log, records) = try start()
    firm.performChanges { _ in
      ada.skills.append("b")
      ada.skills[0] = "A"
      ada.salary = 1
      ada.mutableArrayValue(for: \.skills).insert("c", at: 0)
      ada.skills.removeLast()
      ada.skills = ada.skills + ["d"]
      ada.withChange(of: "skills") { ada.skills.append("e") }
      ada.mutableArrayValue(for: \.skills).remove(at: 0)
      ada.salary = 2
    }
    firm.performChanges { firm in
      firm.labels.insert("x")
      firm.labels.insert("y")
      firm.mutableSetValue(for: \.labels).formUnion(["z"])
      firm.labels.remove("x")
      firm.prices["tea"] = 1
      firm.prices["tea"] = 2
      firm.address.street = "Via Po"
      firm.address.number = 3
    }
    #expect(
      records.take() == [
        #"transaction: amend Ada.skills: removed at 0 ["a"], inserted at 0–1 ["A", "b"]; set Ada.salary: 0 -> 2; "#
          + #"insert Ada.skills at 0: ["c"]; "#
          + #"amend Ada.skills: removed at 2 ["b"], inserted at 2–3 ["d", "e"]; remove Ada.skills at 0: ["c"]"#,
        #"transaction: set firm.labels: [] -> ["x", "y"]; union firm.labels: ["z"]; "#
          + #"set firm.labels: ["x", "y", "z"] -> ["y", "z"]; setEntry firm.prices["tea"]: none -> 2; "#
          + #"set firm.address: ["number": 0, "street": ""] -> ["number": 3, "street": "Via Po"]"#,
      ])
    withExtendedLifetime(log) {}
  }

  @Test("G1 G2 X2 what a rolled-back part changed in place is neither recorded nor in the graph")
  func rolledBack() throws {
    firm.workers = [ada]
    let (log, records) = try start()
    firm.performChanges { firm in
      firm.workers.append(bob)
      try? firm.performChanges(rollingBack: true) { firm in
        firm.workers.append(cleo)
        firm.mutableArrayValue(for: \.workers).remove(at: 0)
        firm.workers.append(cleo)
        cleo.skills.append("lost")
        throw Refused()
      }
      firm.performChanges { $0.workers.append(bob) }
    }
    records.name(log.id(of: bob), "Bob")
    #expect(log.id(of: cleo) == nil)
    firm.workers = [ada, cleo]
    records.name(log.id(of: cleo), "Cleo")
    try? firm.performChanges(rollingBack: true) { firm in
      firm.workers.removeAll()
      throw Refused()
    }
    cleo.skills.append("kept")
    firm.performChanges { firm in
      cleo.skills.append("too")
      try? firm.performChanges(rollingBack: true) { _ in
        cleo.skills.append("not")
        cleo.mutableArrayValue(for: \.skills).append("this")
        throw Refused()
      }
    }
    #expect(
      records.take() == [
        "transaction: \(blank("create", "Bob")); amend firm.workers: inserted at 1–2 [@Bob, @Bob]",
        "change: \(blank("create", "Cleo")); "
          + "amend firm.workers: removed at 1–2 [@Bob, @Bob], inserted at 1 [@Cleo]; "
          + blank("delete", "Bob"),
        #"change: amend Cleo.skills: inserted at 0 ["kept"]"#,
        #"transaction: amend Cleo.skills: inserted at 1 ["too"]"#,
      ])
  }

  @Test("G2 what is asked of a log in a transaction includes the changes in place until then")
  func asked() throws {
    firm.workers = [ada]
    let (log, records) = try start()
    try firm.performChanges { firm in
      firm.workers.append(bob)
      records.name(log.id(of: bob), "Bob")
      #expect(log.id(of: bob) != nil)
      bob.skills.append("b")
      let snapshot = try log.snapshot()
      #expect(snapshot.objects.count == 4)
      firm.workers.append(cleo)
      // While the collection is being modified, the log can't read it.
      firm.workers.sort { log.id(of: $0) == nil && log.id(of: $1) != nil }
      firm.workers.removeLast()
    }
    records.name(log.id(of: cleo), "Cleo")
    #expect(firm.workers.map(\.name) == ["Cleo", "Ada"])
    #expect(
      records.take() == [
        "transaction: \(blank("create", "Cleo")); amend firm.workers: inserted at 0 [@Cleo]"
      ])
  }

  @Test("G1 a log or an observer that comes in the middle of a transaction records what follows")
  func attachedMeanwhile() throws {
    ada.skills = ["a"]
    firm.workers = [ada]
    let (log, records) = try start()
    var (late, lateRecords): (KeyValueChangeLog<Firm>?, RecordLog?)
    let quiet = try KeyValueChangeLog(of: firm)
    let id = quiet.id(of: ada)
    var quietRecords: RecordLog?
    try firm.performChanges { _ in
      ada.skills.append("b")
      let added = try KeyValueChangeLog(of: firm)
      late = added
      lateRecords = RecordLog(added)
      lateRecords?.name(added.id(of: ada), "Ada")
      ada.skills.append("c")
      quietRecords = RecordLog(quiet)
      quietRecords?.name(id, "Ada")
      ada.skills.append("d")
    }
    #expect(
      [records.take(), lateRecords?.take(), quietRecords?.take()] == [
        [#"transaction: amend Ada.skills: inserted at 1–3 ["b", "c", "d"]"#],
        [#"transaction: amend Ada.skills: inserted at 2–3 ["c", "d"]"#],
        [#"transaction: amend Ada.skills: inserted at 3 ["d"]"#],
      ])
    withExtendedLifetime((log, late, quiet)) {}
  }

  @Test("G2 an object that a change in place brings in is created with its values at the end")
  func newObjects() throws {
    let boss = Boss("Dan")
    firm.workers = [ada]
    let (log, records) = try start()
    firm.performChanges { firm in
      firm.workers.append(boss)
      boss.reports.append(bob)
      boss.reports.append(cleo)
      bob.mentor = ada
      ada.mentor = cleo
      boss.reports.removeFirst()
      firm.workers.removeFirst()
      firm.guests.append(ada)
      ada.skills.append("moved")
    }
    records.name(log.id(of: boss), "Dan")
    records.name(log.id(of: cleo), "Cleo")
    #expect(log.id(of: bob) == nil)
    #expect(
      records.take() == [
        #"transaction: create Dan: ConformanceTests.Boss ["mentor": nil, "name": "Dan", "partner": nil, "#
          + #""reports": [@Cleo], "salary": 0, "secret": 0, "skills": []]; "#
          + "\(blank("create", "Cleo")); amend firm.workers: removed at 0 [@Ada], inserted at 0 [@Dan]; "
          + "set Ada.mentor: nil -> @Cleo; amend firm.guests: inserted at 0 [@Ada]; "
          + #"amend Ada.skills: inserted at 0 ["moved"]"#
      ])
  }

  @Test("G1 a prior's handler that changes the same collection in place belongs to the change")
  func inPrior() throws {
    ada.skills = ["a"]
    firm.workers = [ada]
    let (log, records) = try start()
    var isFirst = true
    let token = ada.observe(\.skills, options: .prior) { ada, change in
      guard change.isPrior, isFirst else { return }
      isFirst = false
      ada.skills.append("from a prior")
    }
    firm.performChanges { _ in
      ada.skills.append("b")
      ada.skills.append("c")
    }
    isFirst = true
    firm.performChanges { _ in
      ada.mutableArrayValue(for: \.skills).append("d")
      ada.skills.append("e")
    }
    token.invalidate()
    #expect(
      records.take() == [
        #"transaction: amend Ada.skills: inserted at 1–3 ["from a prior", "b", "c"]"#,
        #"transaction: amend Ada.skills: inserted at 4–6 ["d", "from a prior", "e"]"#,
      ])
    withExtendedLifetime(log) {}
  }

  @Test("G1 N11 a log is told of each change while changes are traced, and makes the same record")
  func traced() throws {
    ada.skills = ["a"]
    firm.workers = [ada]
    let (log, records) = try start()
    for isTraced in [false, true] {
      let change = {
        self.firm.performChanges { _ in
          for skill in ["b", "c", "d"] { self.ada.skills.append(skill) }
          self.ada.skills.removeFirst()
        }
        self.ada.skills = ["a"]
      }
      if isTraced { _ = KeyValueTrace.recording { change() } } else { change() }
      #expect(
        records.take() == [
          #"transaction: amend Ada.skills: removed at 0 ["a"], inserted at 0–2 ["b", "c", "d"]"#,
          #"change: amend Ada.skills: removed at 0–2 ["b", "c", "d"], inserted at 0 ["a"]"#,
        ])
    }
    withExtendedLifetime(log) {}
  }

  @Test("G3 a record that is applied in a transaction follows what was changed in place before")
  func applied() throws {
    ada.skills = ["a"]
    firm.workers = [ada]
    let (log, records) = try start()
    let other = try KeyValueChangeLog(restoring: log.snapshot(), as: Firm.self)
    let others = RecordLog(other)
    other.root.workers[0].skills.append("b")
    let record = try #require(others.records.first)
    try firm.performChanges { _ in
      ada.skills.append("c")
      ada.skills.removeLast()
      try log.apply(record)
      ada.skills.append("d")
    }
    #expect(ada.skills == ["a", "b", "d"])
    #expect(
      records.take() == [#"transaction: amend Ada.skills: inserted at 1–2 ["b", "d"]"#])
  }
}

private struct Refused: Error {}
