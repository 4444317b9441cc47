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

  @Test("X3 an object that moves takes along what only it leads to", arguments: Move.allCases)
  func moves(_ move: Move) throws {
    let (site, other) = (MovedSite(), MovedSite())
    let root = MovedRoot(site, other)
    let part = MovedPart()
    part.owner = site
    part.pins = [MovedPin(), MovedPin()]
    part.pins[0].next = part.pins[1]
    site.parts = [part, MovedPart()]
    var pins: [MovedPin] { part.pins }
    let pin = pins[0]
    try recorder.record(graph: root)
    let token = try move.follow(site, other)
    move.make(site, other, part, recorder)
    #expect(site.parts.count == 1 && other.parts.elementsEqual([part], by: ===))
    #expect(recorder.description.hasSuffix(" 1 level to undo, 0 to redo)"))
    for _ in 1...2 {
      #expect(try recorder.undo() && !recorder.canUndo)
      #expect(site.parts.count == 2 && site.parts.contains { $0 === part } && other.parts.isEmpty)
      #expect(pins.count == 2 && pins[0] === pin && pin.next === pins[1])
      #expect(try recorder.redo() && !recorder.canRedo)
      #expect(site.parts.count == 1 && other.parts.elementsEqual([part], by: ===))
    }
    pin.size = 7
    #expect(try recorder.undo() && pin.size == 0)
    withExtendedLifetime(token) {}
  }

  /// How two changes become one level.
  enum OneLevel: CaseIterable {
    case group, transaction, transactionInGroup

    fileprivate func make(_ recorder: KeyValueChangeRecorder, _ changes: () -> Void) {
      switch self {
      case .group: recorder.group(changes)
      case .transaction: KeyValueTransaction.perform(changes)
      case .transactionInGroup: recorder.group { KeyValueTransaction.perform(changes) }
      }
    }
  }

  @Test(
    "X3 what comes back in a level and changes in it has its earlier value after undoing",
    arguments: OneLevel.allCases)
  func comesBackAndChanges(_ level: OneLevel) throws {
    let (site, part) = (MovedSite(), MovedPart())
    part.pins = [MovedPin()]
    let pin = part.pins[0]
    site.parts = [part]
    let root = MovedRoot(site)
    try recorder.record(graph: root)
    pin.size = 2
    part.pins.removeAll()
    level.make(recorder) {
      part.pins.append(pin)
      pin.size = 5
    }
    for _ in 1...2 {
      #expect(try recorder.undo() && part.pins.isEmpty && pin.size == 2)
      #expect(try recorder.redo() && part.pins[0] === pin && pin.size == 5)
    }
    #expect(try recorder.undo() && part.pins.isEmpty && pin.size == 2)
    #expect(try recorder.undo() && part.pins[0] === pin && pin.size == 2)
    #expect(try recorder.undo() && pin.size == 0)
    recorder.removeAll()
  }

  @Test(
    "X3 a weak key is undone that one level sets and whose target leaves in it",
    arguments: OneLevel.allCases, WeakTarget.allCases)
  func weakTargetLeaves(_ level: OneLevel, _ target: WeakTarget) throws {
    let (site, other, part) = (MovedSite(), MovedSite(), MovedPart())
    site.parts = [part]
    let root = MovedRoot(site, other)
    part.owner = target.isSet ? nil : other
    try recorder.record(graph: root)
    level.make(recorder) { target.change(part, root, other) }
    for _ in 1...2 {
      #expect(try recorder.undo() && !recorder.canUndo)
      #expect(part.owner === (target.isSet ? nil : other))
      #expect(root.sites.elementsEqual([site, other], by: ===) && site.parts[0] === part)
      #expect(try recorder.redo() && part.owner === (target.isSet ? other : nil))
      #expect(!root.sites.contains { $0 === other })
    }
  }

  /// What happens to a part's weak key and to what it refers to.
  enum WeakTarget: CaseIterable {
    case setAndRemoved, clearedAndRemoved, removedAndCleared, clearedAndBothRemoved

    fileprivate var isSet: Bool { self == .setAndRemoved }

    fileprivate func change(_ part: MovedPart, _ root: MovedRoot, _ other: MovedSite) {
      if self == .removedAndCleared { root.sites.removeLast() }
      part.owner = isSet ? other : nil
      switch self {
      case .setAndRemoved, .clearedAndRemoved: root.sites.removeLast()
      case .clearedAndBothRemoved: root.sites.removeAll()
      case .removedAndCleared: break
      }
    }
  }

  /// How a part moves from one site to another.
  enum Move: CaseIterable {
    case group, groupBackAndForth, appendedFirst, transaction, observer

    fileprivate func follow(_ site: MovedSite, _ other: MovedSite) throws -> KeyValueObservation? {
      guard self == .observer else { return nil }
      return site.kvo.parts.observe(options: [.old, .elementChanges]) { _, change in
        if change.kind == .removal, other.parts.isEmpty { other.parts = change.oldValue ?? [] }
        if change.kind == .insertion { other.parts.removeAll() }
      }
    }

    fileprivate func make(
      _ site: MovedSite, _ other: MovedSite, _ part: MovedPart, _ recorder: KeyValueChangeRecorder
    ) {
      switch self {
      case .group:
        recorder.group {
          site.parts.removeFirst()
          other.parts.append(part)
        }
      case .groupBackAndForth:
        recorder.group {
          site.parts.removeFirst()
          other.parts.append(part)
          other.parts.removeAll()
          site.parts.append(part)
          site.parts.removeLast()
          other.parts.append(part)
        }
      case .appendedFirst:
        recorder.group {
          other.parts.append(part)
          site.parts.removeFirst()
        }
      case .transaction:
        site.performChanges { site in
          site.parts.removeFirst()
          other.parts.append(part)
        }
      case .observer: site.parts.removeFirst()
      }
    }
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

  @Test(
    "X3 an object that can't be logged comes and goes with what leads to it, as the same instance")
  func unlogged() throws {
    try ViolationLog.record { violations in
      let shelf = Shelf()
      try recorder.record(graph: shelf)
      let (wired, other, again) = (Wired(), Item(), Wired())
      shelf.items.append(wired)
      let report =
        "unobservableValue: Wired.block can't be logged: its type () -> () is neither Codable nor an "
        + "observable class. Make it one of these, or mark the property @KeyValueIgnored. It came into a graph "
        + "that is logged, and its changes are not recorded."
      #expect(violations.take() == [report])
      wired.name = "w"
      shelf.items.insert(other, at: 0)
      shelf.best = wired
      shelf.items = [again, other]
      shelf.byName = ["a": again]
      shelf.best = nil
      shelf.byName = [:]
      other.name = "o"
      func state() -> [[Item]] {
        [shelf.items, shelf.best.map { [$0] } ?? [], shelf.byName["a"].map { [$0] } ?? []]
      }
      let expected: [[[Item]]] = [
        [[again, other], [], []], [[again, other], [], [again]],
        [[again, other], [wired], [again]],
        [[again, other], [wired], []], [[other, wired], [wired], []], [[other, wired], [], []],
        [[wired], [], []], [[], [], []],
      ]
      func isState(_ expected: [[Item]]) -> Bool {
        zip(state(), expected).allSatisfy { $0.elementsEqual($1, by: ===) }
      }
      for _ in 1...2 {
        for state in expected { #expect(try recorder.undo() && isState(state)) }
        #expect(!recorder.canUndo && other.name == "" && wired.name == "w")
        for state in expected.reversed().dropFirst() + [expected[0]] {
          #expect(try recorder.redo() && isState(state))
        }
        #expect(!recorder.canRedo && other.name == "o")
      }
      #expect(violations.take() == [])
      recorder.stopRecording(graph: shelf)
      #expect(wired._$kvoWithRegistrar { $0.isIdle } && shelf._$kvoWithRegistrar { $0.isIdle })
      shelf.items = []
      let log = try KeyValueChangeLog(reading: shelf)
      shelf.items = [Wired()]
      #expect(violations.take() == [report])
      let error = #expect(throws: KeyValueLogError.self) { try log.snapshot() }
      #expect(report.contains("\(error!)"))
      shelf.items = []
      #expect(try log.snapshot().objects.count == 1)
    }
  }

  @Test("X3 a value that can't be written is named by the violation, and by what can't be undone")
  func unwritten() throws {
    try ViolationLog.record { violations in
      let shelf = Shelf()
      try recorder.record(graph: shelf)
      let known = KnownThing()
      shelf.thing = known
      shelf.thing = PlainThing()
      let said = violations.take()
      let error = #expect(throws: KeyValueLogError.self) { try recorder.undo() }
      let reason =
        "Shelf.thing can't be logged (object \(error!.details.object!)): it holds PlainThing, which isn't an "
        + "observable object"
      #expect(
        said == [
          "unobservableValue: \(reason). A change of a graph that is logged was not recorded."
        ])
      #expect("\(error!)" == reason + changedOutsideOfGraph)
      shelf.thing = known
      _ = violations.take()
      #expect(try recorder.undo() && shelf.thing == nil)
    }
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

private let changedOutsideOfGraph =
  "; something changed it without being recorded, as while the object was outside of the graph. Set it back, or "
  + "begin anew with the recorder's removeAll()."

@KeyValueObservable
private class Item {
  var name = ""
}

@KeyValueObservable
private final class Wired: Item {
  var block: () -> Void = {}
}

@KeyValueObservable
private final class Shelf {
  var items: [Item] = []
  var best: Item?
  var byName: [String: Item] = [:]
  var thing: (any Thing)?
}

private protocol Thing: AnyObject {}

private final class PlainThing: Thing {}

@KeyValueObservable
private final class KnownThing: Thing {
  var name = ""
}

@KeyValueObservable
private final class MovedRoot {
  var sites: [MovedSite]

  init(_ sites: MovedSite...) { self.sites = sites }
}

@KeyValueObservable
private final class MovedSite {
  var parts: [MovedPart] = []
}

@KeyValueObservable
private final class MovedPart {
  var pins: [MovedPin] = []
  weak var owner: MovedSite?
}

@KeyValueObservable
private final class MovedPin {
  var size = 0
  var next: MovedPin?
}

extension GraphRecorderTests {
  @Test("G3 X3 values that their types write in another order each time are undone and replayed")
  func writtenInAnyOrder() throws {
    let root = LooseRoot()
    let log = try KeyValueChangeLog(of: root)
    let history = try KeyValueHistory(log)
    try recorder.record(graph: root)
    let changes: [(LooseRoot) -> Void] = [
      { $0.value.names.append("c") },
      { $0.value.names.append("d") },
      { $0.list[0].names.append("c") },
      { $0.list[0].names.append("d") },
      { $0.byName["x"]?.names.append("c") },
      { $0.byName["x"]?.names.append("d") },
      { $0.mutableSetValue(for: \.members).insert(LooseElement("a", "b")) },
      { $0.mutableSetValue(for: \.members).remove(LooseElement("b", "a")) },
      { $0.parts[0].value.names.append("c") },
      { root in
        root.performChanges {
          $0.parts[0].value.names.append("d")
          $0.parts.removeAll()
        }
      },
    ]
    var states = [root.state]
    for change in changes {
      change(root)
      states.append(root.state)
      #expect(history.root.state == root.state)
    }
    for _ in 1...2 {
      for state in states.dropLast().reversed() {
        #expect(try recorder.undo())
        #expect(root.state == state)
        #expect(history.root.state == state)
      }
      for state in states.dropFirst() {
        #expect(try recorder.redo())
        #expect(root.state == state)
        #expect(history.root.state == state)
      }
    }
  }

  @Test("G3 an answer to a record that fits otherwise is recorded; the record has what was there")
  func answeredInAnyOrder() throws {
    let root = LooseRoot()
    let log = try KeyValueChangeLog(of: root)
    let history = try KeyValueHistory(log)
    let token = root.observe(\.value) { root, _ in root.members = [LooseElement("x")] }
    let id = try #require(log.id(of: root))
    try log.apply(
      KeyValueTransactionRecord([.set(id, key: "value", old: ["a", "b"], new: ["c"])]))
    #expect(root.value.names == ["c"] && root.members == [LooseElement("x")])
    #expect(history.root.state == root.state)
    #expect(
      history.records.first?.edits == [.set(id, key: "value", old: ["b", "a"], new: ["c"])])
    token.invalidate()
  }

  @Test("X3 other elements are another value, and another order is where the type's own == says so")
  func changedOutsideWithoutOrder() throws {
    let root = LooseRoot()
    let part = root.parts[0]
    try recorder.record(graph: root)
    part.ordered.names = ["b", "a", "c"]
    root.parts = []
    part.ordered.names = ["c", "b", "a"]
    #expect(try recorder.undo())
    #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    #expect(part.ordered.names == ["c", "b", "a"])
    recorder.removeAll()
    part.value.names = ["b", "a", "c"]
    root.parts = []
    part.value.names = ["d", "b", "a"]
    #expect(try recorder.undo())
    #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    #expect(part.value.names == ["d", "b", "a"])
  }
}

/// Writes its elements in another order than it has them, as a set may.
private struct LooseValue: Codable, Equatable {
  var names = ["a", "b"]

  init() {}

  init(from decoder: any Decoder) throws { names = try [String](from: decoder) }

  func encode(to encoder: any Encoder) throws { try Array(names.reversed()).encode(to: encoder) }

  static func == (left: LooseValue, right: LooseValue) -> Bool {
    Set(left.names) == Set(right.names)
  }
}

/// The same, and equal whatever the order is.
private struct LooseElement: Codable, Hashable {
  var names: [String]

  init(_ names: String...) { self.names = names }

  init(from decoder: any Decoder) throws { names = try [String](from: decoder) }

  func encode(to encoder: any Encoder) throws { try Array(names.reversed()).encode(to: encoder) }

  static func == (left: LooseElement, right: LooseElement) -> Bool {
    Set(left.names) == Set(right.names)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(Set(names)) }
}

private struct OrderedValue: Codable, Equatable {
  var names = ["a", "b", "c"]
}

@KeyValueObservable
private final class LooseRoot {
  var value = LooseValue()
  var list: [LooseElement] = [LooseElement("a", "b")]
  var byName: [String: LooseElement] = ["x": LooseElement("a", "b")]
  var members: Set<LooseElement> = []
  var parts: [LoosePart] = [LoosePart()]

  init() {}
}

@KeyValueObservable
private final class LoosePart {
  var value = LooseValue()
  var ordered = OrderedValue()

  init() {}
}

extension LooseRoot {
  /// What the root has, apart from the order in which its values have it.
  fileprivate var state: [String] {
    var names = [value.names]
    names += list.map(\.names)
    names += byName.values.map(\.names)
    names += members.map(\.names)
    names += parts.map(\.value.names)
    return names.map { $0.sorted().joined() }
  }
}
