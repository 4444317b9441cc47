import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Singer: Hashable, CustomStringConvertible {
  var name = ""

  required init() {}

  init(_ name: String) { self.name = name }

  var description: String { name }

  static func == (left: Singer, right: Singer) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@KeyValueObservable
private final class Choir {
  var singers: Set<Singer> = []
  var names: [String] = []
  weak var soloist: Singer?
  weak var deputy: Singer?
}

@Suite("G. Records applied to another graph")
struct LogReplayTests: LogReplaySuite {
  private let firm = Firm()

  @Test("G3 an applied record notifies as the change did; its inverse takes it back")
  func applying() throws {
    let log = try KeyValueChangeLog(of: firm)
    let copy = try replica(log)
    let history = ChangeLog()
    func observe(_ firm: Firm, _ name: String) throws -> [KeyValueObservation] {
      try ["name", "workers", "labels", "prices", "payroll", "workers.@sum.salary"].map { key in
        try firm.observe(
          key, options: [.old, .new], changeHandler: history.handler("\(name) \(key)"))
      }
    }
    let tokens = try observe(firm, "here") + observe(copy.root, "there")
    let link = log.observe { record in
      do { try copy.apply(throughJSON(record), from: "here") } catch { Issue.record(error) }
    }
    let before = try log.snapshot()
    var records: [KeyValueTransactionRecord] = []
    let keep = log.observe { records.append($0) }
    func check(_ change: () -> Void) throws {
      change()
      let lines = history.take()
      let here = lines.filter { $0.hasPrefix("here") }.map { $0.dropFirst(5) }
      let there = lines.filter { $0.hasPrefix("there") }.map { $0.dropFirst(6) }
      #expect(here == there)
      #expect(try copy.snapshot() == log.snapshot())
    }
    let ada = Worker("Ada")
    try check { firm.name = "A" }
    try check { firm.mutableArrayValue(for: \.workers).append(ada) }
    try check { firm.workers.append(Worker("Bob")) }
    try check { ada.salary = 5 }
    try check { firm.mutableArrayValue(for: \.workers).move(from: 0, to: 1) }
    try check { firm.workers.swapAt(0, 1) }
    try check { firm.mutableSetValue(for: \.labels).formUnion(["a", "b"]) }
    try check { firm.mutableSetValue(for: \.labels).replaceAll(with: ["b", "c"]) }
    try check { firm.prices["tea"] = 1 }
    try check { firm.workers[1].partner = ada }
    try check {
      firm.performChanges {
        $0.name = "B"
        $0.mutableArrayValue(for: \.workers).remove(at: 0)
        $0.workers.append(Boss("Cy"))
        $0.workers[0].salary += 1
        $0.name = "C"
      }
    }
    try check { firm.workers = [] }
    try check { firm.watched = 3 }
    #expect(copy.root.trace == [] && copy.root.watched == 3)
    link.invalidate()
    for record in records.reversed() { try copy.apply(record.inverse) }
    #expect(try copy.snapshot() == before)
    withExtendedLifetime((tokens, keep)) {}
  }

  @Test(
    "The log's observers get an applied record with its origin, and what observers changed besides")
  func origin() throws {
    let log = try KeyValueChangeLog(of: firm)
    let copy = try replica(log)
    let records = RecordLog(copy)
    records.name(copy.id(of: copy.root), "firm")
    let reaction = copy.root.observe(\.name, options: .new) { firm, change in
      firm.motto = change.newValue
    }
    let link = log.observe { record in try? copy.apply(record, from: "server") }
    firm.name = "A"
    firm.performChanges {
      $0.name = "B"
      $0.mood = .grim
    }
    #expect(
      records.take() == [
        #"change from server: set firm.name: "Engines" -> "A""#,
        #"change: set firm.motto: nil -> "A""#,
        #"transaction from server: set firm.name: "A" -> "B"; set firm.mood: "fine" -> "grim""#,
        #"change: set firm.motto: "A" -> "B""#,
      ])
    withExtendedLifetime((link, reaction)) {}
  }

  @Test("G2 what observers let enter while a record is applied is created by a record of its own")
  func reactions() throws {
    let log = try KeyValueChangeLog(of: firm)
    let (copy, third) = (try replica(log), try replica(log))
    var kinds: [String] = []
    let links = [
      log.observe { record in
        do { try copy.apply(throughJSON(record), from: "here") } catch { Issue.record(error) }
      },
      copy.observe { record in
        do { try third.apply(throughJSON(record), from: "there") } catch { Issue.record(error) }
        let edits = record.edits.map { String("\($0)".prefix { $0 != " " }) }
        kinds.append("\(record.origin == .local ? "" : "from ")\(edits)")
      },
    ]
    let reactions = [
      copy.root.observe(\.name) { firm, _ in firm.workers.append(Worker("Ada")) },
      copy.root.observe(\.mood, options: .prior) { firm, change in
        if change.isPrior { firm.workers = [] }
      },
    ]
    firm.name = "A"
    #expect(kinds == [#"from ["set"]"#, #"["create", "amend"]"#])
    kinds = []
    firm.mood = .grim
    #expect(kinds == [#"["amend", "delete"]"#, #"from ["set"]"#])
    kinds = []
    firm.performChanges {
      $0.name = "B"
      $0.motto = "m"
    }
    #expect(kinds == [#"from ["set", "set"]"#, #"["create", "amend"]"#])
    #expect(try third.snapshot() == copy.snapshot())
    withExtendedLifetime((links, reactions)) {}
  }

  @Test(
    "G3 a single change is told as it was, also if weak keys change as objects come and go with it")
  func singleChangesWithWeakKeys() throws {
    let (choir, ada, bob) = (Choir(), Singer("Ada"), Singer("Bob"))
    let log = try KeyValueChangeLog(of: choir)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: Choir.self)
    let start = try copy.snapshot()
    let history = ChangeLog()
    let observe = { (choir: Choir, name: String) in
      try ["singers", "singers.name", "singers.@count", "soloist", "soloist.name", "deputy"].map {
        try choir.observe(
          $0, options: [.old, .new], changeHandler: history.handler("\(name) \($0)"))
      }
    }
    let tokens = try observe(choir, "here") + observe(copy.root, "there")
    var records: [KeyValueTransactionRecord] = []
    var repeated: [KeyValueTransactionRecord] = []
    let links = [
      log.observe { record in
        records.append(record)
        do { try copy.apply(throughJSON(record)) } catch { Issue.record(error) }
      },
      copy.observe { record in
        repeated.append(record)
        // All has happened, and all observers have been called.
        history.note("there recorded")
      },
    ]
    (choir.soloist, choir.deputy) = (ada, ada)
    _ = history.take()
    let singers = choir.mutableSetValue(for: \.singers)
    singers.replaceAll(with: [ada])
    #expect(
      history.take() == [
        "here singers: replacement, old: [], new: [Ada]",
        "here singers.name: setting, old: [], new: [\"Ada\"]",
        "here singers.@count: setting, old: 0, new: 1",
        "there singers: replacement, old: [], new: [Ada]",
        "there singers.name: setting, old: [], new: [\"Ada\"]",
        "there singers.@count: setting, old: 0, new: 1",
        "there soloist: setting, old: nil, new: Ada",
        "there soloist.name: setting, old: nil, new: \"Ada\"",
        "there deputy: setting, old: nil, new: Ada",
        "there recorded",
      ])
    #expect(copy.root.soloist === copy.root.singers.first && copy.root.soloist?.name == "Ada")
    ada.name = "Eve"
    #expect(
      history.take().filter { $0.hasPrefix("there") } == [
        "there singers.name: setting, old: [\"Ada\"], new: [\"Eve\"]",
        "there soloist.name: setting, old: \"Ada\", new: \"Eve\"",
        "there recorded",
      ])
    choir.deputy = bob
    _ = history.take()
    singers.replaceAll(with: [bob])
    #expect(
      history.take() == [
        "here singers: replacement, old: [Eve], new: [Bob]",
        "here singers.name: setting, old: [\"Eve\"], new: [\"Bob\"]",
        "here singers.@count: setting, old: 1, new: 1",
        "there singers: replacement, old: [Eve], new: [Bob]",
        "there singers.name: setting, old: [\"Eve\"], new: [\"Bob\"]",
        "there singers.@count: setting, old: 1, new: 1",
        "there deputy: setting, old: nil, new: Bob",
        "there soloist: setting, old: Eve, new: nil",
        "there soloist.name: setting, old: \"Eve\", new: nil",
        "there recorded",
      ])
    #expect(records.map(\.edits) == repeated.map(\.edits))
    #expect(records.map(\.id) == repeated.map(\.id))
    #expect(try copy.snapshot() == log.snapshot())
    for record in records.reversed() { try copy.apply(record.inverse) }
    #expect(try copy.snapshot() == start)
    withExtendedLifetime((tokens, links)) {}
  }

  @Test("willSet and didSet run if asked")
  func propertyObservers() throws {
    let log = try KeyValueChangeLog(of: firm)
    let id = log.id(of: firm)!
    let record = KeyValueTransactionRecord([.set(id, key: "watched", old: 0, new: 4)])
    try log.apply(record)
    #expect(firm.trace == [] && firm.watched == 4)
    try log.apply(record.inverse, runsPropertyObservers: true)
    #expect(firm.trace == ["4->0"] && firm.watched == 0)
  }

  @Test("willSet and didSet run for a class that asks")
  func propertyObserversOfClass() throws {
    for asks in [false, true] {
      let firm = Firm()
      let log = try KeyValueChangeLog(
        of: firm, classes: [KeyValueLogClass(Firm.self, runsPropertyObservers: asks)])
      let id = log.id(of: firm)!
      let record = KeyValueTransactionRecord([.set(id, key: "watched", old: 0, new: 4)])
      try log.apply(record, from: "studio")
      #expect(firm.trace == (asks ? ["0->4"] : []) && firm.watched == 4)
      // Not where a snapshot is restored, as in an initialiser.
      let copy = try KeyValueChangeLog(
        restoring: log.snapshot(), as: Firm.self,
        classes: [KeyValueLogClass(Firm.self, runsPropertyObservers: asks)])
      #expect(copy.root.trace == [] && copy.root.watched == 4)
    }
  }
}
