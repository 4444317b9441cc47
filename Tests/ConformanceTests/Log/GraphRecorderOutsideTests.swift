import KeyValueObserving
import Testing

@Suite("U. KeyValueChangeRecorder: what changes outside of its graphs, and what has left them")
struct GraphRecorderOutsideTests {
  private let firm = Firm()
  private let recorder = KeyValueChangeRecorder()

  @Test(
    "X3 an object comes back with what was changed while it was outside; its earlier edits conflict"
  )
  func changedOutside() throws {
    let (ada, bob) = (Worker("Ada"), Worker("Bob"))
    firm.workers = [ada, bob]
    try recorder.record(graph: firm)
    ada.salary = 5
    ada.name = "A"
    firm.workers.removeFirst()
    ada.name = "Countess"
    for _ in 1...2 {
      #expect(try recorder.undo())
      #expect(firm.workers.first === ada && ada.name == "Countess" && ada.salary == 5)
      #expect(try recorder.redo() && firm.workers.elementsEqual([bob], by: ===))
    }
    ada.skills = ["chess"]
    #expect(try recorder.undo() && firm.workers.first === ada)
    #expect(ada.name == "Countess" && ada.skills == ["chess"])
    let error = #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    #expect(
      "\(error!)"
        == "ConformanceTests.Worker.name can't be edited so (edit 1, object "
        + "\(error!.details.object!)): it's \"Countess\", not "
        + "\"A\"" + changedOutsideOfGraph)
    #expect(ada.name == "Countess" && ada.salary == 5 && recorder.canUndo && recorder.canRedo)
    #expect(try recorder.redo())
    ada.name = "A"
    for _ in 1...3 { #expect(try recorder.undo()) }
    #expect(ada.name == "Ada" && ada.salary == 0 && ada.skills == ["chess"] && !recorder.canUndo)
  }

  @Test("X3 a key that has been set back outside is no conflict")
  func setBackOutside() throws {
    let (ada, bob) = (Worker("Ada"), Worker("Bob"))
    firm.workers = [ada, bob]
    try recorder.record(graph: firm)
    ada.name = "A"
    firm.workers.removeFirst()
    ada.name = "Ada"
    for _ in 1...2 { #expect(try recorder.undo()) }
    #expect(firm.workers.first === ada && ada.name == "Ada" && !recorder.canUndo)
    // Undoing the level of the name has changed nothing, so there's nothing of it to redo.
    #expect(try recorder.redo() && firm.workers.elementsEqual([bob], by: ===))
    #expect(!recorder.canRedo && ada.name == "Ada")
  }

  @Test("X3 so does what an object leads to, and what joined or left it outside")
  func reachedOutside() throws {
    let (boss, bob, cy, dee) = (Boss("Boss"), Worker("Bob"), Worker("Cy"), Worker("Dee"))
    boss.reports = [bob, cy]
    firm.workers = [boss]
    try recorder.record(graph: firm)
    firm.workers = []
    bob.salary = 7
    boss.reports = [bob, dee]
    let log = try KeyValueChangeLog(of: firm)
    for _ in 1...2 {
      #expect(try recorder.undo() && firm.workers.first === boss)
      #expect(boss.reports.elementsEqual([bob, dee], by: ===) && bob.salary == 7)
      #expect(log.id(of: dee) != nil && log.id(of: cy) == nil)
      #expect(try recorder.redo() && firm.workers.isEmpty)
    }
    #expect(try recorder.undo())
    dee.salary = 3
    #expect(try recorder.undo() && dee.salary == 0 && bob.salary == 7)
    #expect(try recorder.redo() && dee.salary == 3)
  }

  @Test("X3 a level that changed the object as well conflicts, and nothing changes")
  func changedAndRemoved() throws {
    let (ada, bob) = (Worker("Ada"), Worker("Bob"))
    firm.workers = [ada, bob]
    try recorder.record(graph: firm)
    let log = try KeyValueChangeLog(of: firm)
    for isTransaction in [true, false] {
      let name = ada.name
      func change() {
        ada.name = "A"
        ada.skills.append("x")
        firm.workers.removeFirst()
      }
      if isTransaction { firm.performChanges { _ in change() } } else { recorder.group(change) }
      let before = try log.snapshot()
      ada.skills = ["chess"]
      let error = #expect(throws: KeyValueLogError.self) { try recorder.undo() }
      let reason = #": it's ["chess"], not ["x"]"# + changedOutsideOfGraph
      #expect(error?.description.hasSuffix(reason) == true, "\(error as Any)")
      #expect(try log.snapshot() == before && ada.name == "A" && ada.skills == ["chess"])
      ada.skills = ["x"]
      ada.salary = 9
      #expect(try recorder.undo() && firm.workers.first === ada)
      #expect(ada.name == name && ada.skills.isEmpty && ada.salary == 9)
      #expect(try recorder.redo() && firm.workers.first === bob)
      #expect(try recorder.undo() && ada.name == name && ada.skills.isEmpty && ada.salary == 9)
    }
  }

  @Test("X3 an object that redoing brings back keeps its values, too")
  func redoneOutside() throws {
    try recorder.record(graph: firm)
    let ada = Worker("Ada")
    firm.workers.append(ada)
    try recorder.undo()
    ada.name = "Countess"
    #expect(try recorder.redo() && firm.workers.first === ada && ada.name == "Countess")
    #expect(try recorder.undo() && firm.workers.isEmpty && ada.name == "Countess")
  }

  @Test("X3 a weak key that refers to what has left is undone, too")
  func weakKeyOutside() throws {
    try recorder.record(graph: firm)
    let ada = Worker("Ada")
    firm.workers.append(ada)
    firm.workers.removeAll()
    firm.star = ada
    firm.star = nil
    for _ in 1...2 {
      #expect(try recorder.undo() && firm.star === ada)
      #expect(try recorder.undo() && firm.star == nil && firm.workers.isEmpty)
      #expect(try recorder.undo() && firm.workers.first === ada && recorder.canUndo)
      for _ in 1...3 { try recorder.redo() }
      #expect(firm.star == nil && firm.workers.isEmpty && !recorder.canRedo)
    }
  }

  @Test("X3 a weak key that was set outside keeps referring to what comes back")
  func weakKeySetOutside() throws {
    let (ada, bob) = (Worker("Ada"), Worker("Bob"))
    firm.workers = [ada, bob]
    try recorder.record(graph: firm)
    for _ in 1...2 { firm.workers.removeFirst() }
    bob.mentor = ada
    for _ in 1...2 { #expect(try recorder.undo()) }
    #expect(firm.workers.elementsEqual([ada, bob], by: ===) && bob.mentor === ada)
    #expect(!recorder.canUndo)
  }

  @Test("X3 what a weak key referred to may have died since")
  func weakTargetDead() throws {
    var ada: Worker? = Worker("Ada")
    let bob = Worker("Bob")
    firm.workers = [ada!, bob]
    try recorder.record(graph: firm)
    recorder.levelsOfUndo = 3
    firm.workers.removeFirst()
    firm.star = bob
    firm.star = ada
    firm.star = bob
    ada = nil
    #expect(try recorder.undo() && firm.star == nil)
    #expect(try recorder.undo() && firm.star === bob)
    #expect(try recorder.undo() && firm.star == nil && !recorder.canUndo)
    for _ in 1...3 { #expect(try recorder.redo()) }
    #expect(firm.star === bob && !recorder.canRedo)
  }

  @Test("G3 a log's record restores the values all the same")
  func inverse() throws {
    let ada = Worker("Ada")
    firm.workers = [ada]
    let log = try KeyValueChangeLog(of: firm)
    var records: [KeyValueTransactionRecord] = []
    let token = log.observe { records.append($0) }
    firm.workers = []
    ada.name = "Countess"
    try log.apply(records[0].inverse)
    #expect(firm.workers.first === ada && ada.name == "Ada")
    withExtendedLifetime(token) {}
  }

  @Test("X3 paths do the same") func paths() throws {
    let ada = Worker("Ada")
    try recorder.record(firm, "workers", "workers.name")
    firm.workers.append(ada)
    ada.name = "A"
    firm.workers = []
    ada.name = "Countess"
    #expect(try recorder.undo() && firm.workers.first === ada && ada.name == "Countess")
    let error = #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    #expect(
      error?.description
        == "Worker.name can't be edited so: the last recorded change left \"A\", and it's \"Countess\" now; "
        + "something changed it without being recorded. Set it back, or begin anew with the recorder's removeAll(), and "
        + "record what else changes it.")
    ada.name = "A"
    #expect(try recorder.undo() && ada.name == "Countess")
  }

  @Test("X3 removeAll() is the way out that the message names, for graphs and for paths")
  func begunAnew() throws {
    for isGraph in [true, false] {
      let (recorder, ada) = (KeyValueChangeRecorder(), Worker("Ada"))
      firm.workers = [ada]
      if isGraph {
        try recorder.record(graph: firm)
      } else {
        try recorder.record(firm, "workers", "workers.name")
      }
      ada.name = "A"
      firm.workers = []
      ada.name = "Countess"
      #expect(try recorder.undo())
      for _ in 1...2 { #expect(throws: KeyValueLogError.self) { try recorder.undo() } }
      recorder.removeAll()
      #expect(try !recorder.undo() && !recorder.redo())
      firm.workers[0].name = "B"
      #expect(try recorder.undo() && ada.name == "Countess" && !recorder.canUndo)
    }
  }
}
