import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("U. KeyValueChangeRecorder: graphs as a whole, and its promises")
struct GraphRecorderTests {
  private let firm = Firm()
  private let recorder = KeyValueChangeRecorder()

  @Test("X3 a graph's changes are undone and redone; who left comes back as the same instance")
  func graph() throws {
    let (ada, bob) = (Worker("Ada"), Worker("Bob"))
    firm.workers = [ada, bob]
    try recorder.record(graph: firm)
    firm.name = "A"
    ada.salary = 5
    firm.workers.removeFirst()
    let cy = Worker("Cy")
    firm.mutableArrayValue(for: \.workers).append(cy)
    cy.salary = 7
    #expect(
      recorder.description
        == "KeyValueChangeRecorder(1 graph, 0 key paths, 5 levels to undo, 0 to redo)")
    for _ in 1...5 { #expect(try recorder.undo()) }
    #expect(!recorder.canUndo && recorder.canRedo)
    #expect(firm.name == "Engines" && firm.workers.elementsEqual([ada, bob], by: ===))
    #expect(ada.salary == 0 && cy.salary == 0)
    for _ in 1...5 { #expect(try recorder.redo()) }
    #expect(firm.name == "A" && firm.workers.elementsEqual([bob, cy], by: ===) && cy.salary == 7)
    #expect(ada.salary == 5)
    recorder.stopRecording(graph: firm)
    #expect(firm._$kvoWithRegistrar { $0.isIdle } && !recorder.canUndo)
  }

  @Test("X3 undo is one transaction: observers are told once for each level")
  func oneTransaction() throws {
    let log = ChangeLog()
    firm.workers = [Worker("Ada"), Worker("Bob")]
    for worker in firm.workers { worker.salary = 1 }
    for isGraph in [true, false] {
      let recorder = KeyValueChangeRecorder()
      if isGraph {
        try recorder.record(graph: firm)
      } else {
        try recorder.record(firm, "workers", "workers.salary")
      }
      let token = firm.kvo.workers[sum: \.salary].observe(
        options: [.old, .new], changeHandler: log.handler("sum"))
      recorder.group {
        firm.workers[0].salary = 0
        firm.workers[1].salary = 0
      }
      _ = log.take()
      try recorder.undo()
      #expect(log.take() == ["sum: setting, old: 0, new: 2"])
      try recorder.redo()
      #expect(log.take() == ["sum: setting, old: 2, new: 0"])
      try recorder.undo()
      _ = log.take()
      withExtendedLifetime(token) {}
    }
  }

  @Test("X3 an unrecorded change in between makes undo() throw and change nothing")
  func unrecorded() throws {
    try recorder.record(firm, "manual", "address")
    recorder.group {
      firm.address.number = 1
      firm.withChange(of: "manual") { firm.manual = 1 }
      firm.address.number = 2
    }
    firm.manual = 5
    let error = #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    #expect(
      error?.description
        == "Firm.manual can't be edited so: the last recorded change left 1, and it's 5 now; something "
        + "changed it without being recorded. Set it back, or begin anew with the recorder's removeAll(), and "
        + "record what else changes it.")
    #expect(firm.manual == 5 && firm.address.number == 2 && recorder.canUndo && !recorder.canRedo)
    firm.manual = 1
    #expect(try recorder.undo())
    #expect(firm.manual == 0 && firm.address.number == 0)
  }

  @Test("X3 a change that changes nothing makes no level")
  func noChange() throws {
    try recorder.record(firm, "name", "workers", "labels")
    firm.name = "Engines"
    firm.workers = firm.workers
    firm.mutableSetValue(for: \.labels).remove("x")
    #expect(!recorder.canUndo)
    let graph = KeyValueChangeRecorder()
    try graph.record(graph: firm)
    firm.name = "Engines"
    firm.workers = firm.workers
    firm.prices = [:]
    #expect(!graph.canUndo)
    firm.name = "A"
    try recorder.undo()
    firm.name = "Engines"
    #expect(recorder.canRedo)
  }

  @Test("Recording a path or a graph twice has a message of its own")
  func twice() async {
    await #expect(processExitsWith: .success) {
      let (firm, recorder) = (Firm(), KeyValueChangeRecorder())
      let violations = ViolationLog.install()
      try recorder.record(firm, "name")
      try recorder.record(firm, "name")
      try recorder.record(firm.kvo.name)
      try recorder.record(graph: firm)
      try recorder.record(graph: firm)
      let path =
        "tolerated: 'name' of Firm is recorded by this recorder already, and the second call was ignored. "
        + "Record it once."
      #expect(
        violations.take() == [
          path, path,
          "tolerated: The graph of this Firm is recorded by this recorder already, and the second call was "
            + "ignored. Record it once.",
        ])
    }
  }
}
