import Foundation
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

@KeyValueObservable
private final class Player {
  var fee = 0
  var songs: [String] = []

  required init() {}
}

@KeyValueObservable
private final class Band {
  var players: [Player] = []
  weak var guest: Player?

  required init() {}
}

@KeyValueObservable
private final class Leaflet {
  var number = 0

  required init() {}
}

/// Refers weakly to a leaflet, and to no other one afterwards.
@KeyValueObservable
private final class Remark {
  weak let leaflet: Leaflet?

  init(on leaflet: Leaflet?) { self.leaflet = leaflet }
}

@KeyValueObservable
private final class Binder {
  var leaflets: [Leaflet] = []
  var remarks: [Remark] = []

  required init() {}
}

@KeyValueObservable
private final class Guild {
  var title = ""

  required init() {}
}

/// Refers to guilds by keys without nil.
@KeyValueObservable
private final class Crafter {
  unowned var guild: Guild
  unowned let first: Guild

  init(of guild: Guild, first: Guild) {
    self.guild = guild
    self.first = first
  }
}

@KeyValueObservable
private final class Town {
  var guilds: [Guild] = []
  var crafters: [Crafter] = []

  required init() {}
}

@Suite("G. Records applied to another graph")
struct LogReplayTests {
  private let firm = Firm()

  private func replica(_ log: KeyValueChangeLog<Firm>) throws -> KeyValueChangeLog<Firm> {
    let data = try JSONEncoder().encode(log.snapshot())
    let snapshot = try JSONDecoder().decode(KeyValueSnapshot.self, from: data)
    return try KeyValueChangeLog(restoring: snapshot, as: Firm.self, classes: [.init(Boss.self)])
  }

  private func throughJSON(_ record: KeyValueTransactionRecord) throws -> KeyValueTransactionRecord
  {
    try JSONDecoder().decode(
      KeyValueTransactionRecord.self, from: JSONEncoder().encode(record))
  }

  @Test(
    "G3 a snapshot restores the graph, with the ids, the subclasses and what constants refer to")
  func restoring() throws {
    let (ada, bob) = (Worker("Ada"), Boss("Bob"))
    ada.partner = bob
    ada.keepSecret(3)
    bob.reports = [ada]
    firm.workers = [ada, bob, ada]
    firm.bySeat = ["a": ada]
    firm.star = bob
    firm.labels = ["x", "y"]
    firm.site.city = "Turin"
    let log = try KeyValueChangeLog(of: firm)
    let copy = try replica(log)
    #expect(try copy.snapshot() == log.snapshot())
    let root = copy.root
    #expect(
      root.workers.map(\.name) == ["Ada", "Bob", "Ada"] && root.workers[0] === root.workers[2])
    #expect(root.star === root.workers[1] && root.workers[1] is Boss)
    #expect(root.site.city == "Turin" && copy.id(of: root.site) == log.id(of: firm.site))
    #expect(root.trace == [])
  }

  @Test("A snapshot with a removed key is refused, and restored when the key is taken out of it")
  func removedKey() throws {
    firm.name = "Looms"
    firm.motto = "Weave"
    var snapshot = try KeyValueChangeLog(of: firm).snapshot()
    let root = snapshot.root
    snapshot.objects[root]?.values["slogan"] = "Weave"
    snapshot.objects[root]?.values["motto"] = nil
    #expect(throws: KeyValueLogError.self) {
      try KeyValueChangeLog(restoring: snapshot, as: Firm.self, classes: [.init(Boss.self)])
    }
    snapshot.objects[root]?.values["slogan"] = nil
    snapshot.objects[root]?.values["name"] = nil
    let copy = try KeyValueChangeLog(
      restoring: snapshot, as: Firm.self, classes: [.init(Boss.self)])
    #expect(copy.root.name == "Engines" && copy.root.motto == nil)
  }

  @Test("G3 an object that one record deletes and creates again is the same, and only changes")
  func returning() throws {
    let band = Band()
    band.players = [Player(), Player()]
    let log = try KeyValueChangeLog(of: band)
    let before = try log.snapshot()
    let copy = try KeyValueChangeLog(restoring: before, as: Band.self)
    var records: [KeyValueTransactionRecord] = []
    let keep = log.observe { records.append($0) }
    let player = band.players[1]
    (player.fee, player.songs) = (5, ["Aria", "Gigue"])
    band.players.remove(at: 1)
    (player.fee, band.guest) = (7, player)
    band.players.insert(player, at: 0)
    player.songs.removeLast()
    player.songs.append("Largo")
    let joined = KeyValueTransactionRecord(records.flatMap(\.edits), isTransaction: true)
    let after = try log.snapshot()
    withExtendedLifetime(keep) {}

    let (there, history) = (copy.root.players[1], ChangeLog())
    var told: [KeyValueTransactionRecord] = []
    let tokens = [
      copy.observe { told.append($0) },
      there.kvo.fee.observe(options: [.old, .new], changeHandler: history.handler("fee")),
      there.kvo.songs.observe(options: [.old, .new], changeHandler: history.handler("songs")),
    ]
    try copy.apply(joined, from: "here")
    #expect(try copy.snapshot() == after)
    #expect(copy.root.players[0] === there && copy.root.guest === there)
    try copy.apply(joined.inverse, from: "here")
    #expect(try copy.snapshot() == before)
    #expect(copy.root.players[1] === there)
    #expect(told.map(\.origin) == [.remote("here"), .remote("here")])
    #expect(
      history.take() == [
        "fee: setting, old: 0, new: 7", #"songs: setting, old: [], new: ["Aria", "Largo"]"#,
        "fee: setting, old: 7, new: 0", #"songs: setting, old: ["Aria", "Largo"], new: []"#,
      ])
    withExtendedLifetime(tokens) {}
  }

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

  @Test("A snapshot is applied by difference: what stays keeps its instance and its observers")
  func snapshots() throws {
    let ada = Worker("Ada")
    firm.workers = [ada]
    let log = try KeyValueChangeLog(of: firm)
    let before = try log.snapshot()
    firm.workers.append(Worker("Bob"))
    firm.name = "B"
    ada.salary = 9
    let lines = ChangeLog()
    let tokens = [
      firm.observe(\.name, options: [.old, .new], changeHandler: lines.handler("name")),
      firm.observe(\.mood, options: [.old, .new], changeHandler: lines.handler("mood")),
    ]
    let pay = ada.observe(\.salary, options: [.old, .new], changeHandler: lines.handler("salary"))
    try log.apply(before)
    #expect(firm.workers.elementsEqual([ada], by: ===) && firm.name == "Engines")
    #expect(
      lines.take() == [
        #"name: setting, old: "B", new: "Engines""#, "salary: setting, old: 9, new: 0",
      ])
    #expect(try log.snapshot() == before)
    let id = try #require(log.id(of: ada))
    var other = before
    other.objects[id]?.class = "ConformanceTests.Boss"
    let error = #expect(throws: KeyValueLogError.self) { try log.apply(other) }
    #expect(
      error.map { "\($0)" }
        == "Worker can't be edited so (object \(id)): it's of class ConformanceTests.Worker, not "
        + "ConformanceTests.Boss.")
    withExtendedLifetime((tokens, pay)) {}
  }

  // MARK: Objects that come and go

  /// Changes the firm, sends the records to a copy and back, and takes them back.
  private func follow(
    _ firm: Firm, _ body: () throws -> Void
  ) throws -> (records: [KeyValueTransactionRecord], copy: KeyValueChangeLog<Firm>) {
    let log = try KeyValueChangeLog(of: firm)
    let copy = try replica(log)
    let start = try copy.snapshot()
    var records: [KeyValueTransactionRecord] = []
    let link = log.observe { record in
      records.append(record)
      do { try copy.apply(throughJSON(record)) } catch { Issue.record(error) }
    }
    try body()
    let end = try log.snapshot()
    #expect(try copy.snapshot() == end)
    var data = start
    for record in records { try data.apply(record) }
    #expect(data == end)
    for record in records.reversed() { try copy.apply(record.inverse) }
    #expect(try copy.snapshot() == start)
    link.invalidate()
    return (records, copy)
  }

  @Test(
    "G3 an object that enters and leaves in one transaction is created and deleted by its record")
  func passing() throws {
    let (records, _) = try follow(firm) {
      firm.performChanges {
        let worker = Worker("Ada")
        worker.partner = Worker("Bob")
        $0.mutableArrayValue(for: \.workers).append(worker)
        $0.workers.removeLast()
        $0.workers.append(Worker("Cy"))
      }
    }
    let kinds = records.flatMap(\.edits).map { "\($0)".prefix { $0 != " " } }
    #expect(
      kinds == ["create", "create", "create", "insert", "amend", "delete", "delete"])
  }

  @Test("G3 many that do are created and deleted in an order of their own")
  func manyPassing() throws {
    let names = (0..<60).map { "\($0)" }
    let (records, _) = try follow(firm) {
      firm.performChanges { firm in
        var last: Worker?
        for name in names {
          let worker = Worker(name)
          worker.mentor = last
          firm.mutableArrayValue(for: \.workers).append(worker)
          firm.workers.removeLast()
          last = worker
        }
      }
    }
    var (created, deleted): ([KeyValueLogValue], [KeyValueLogValue]) = ([], [])
    for edit in records.flatMap(\.edits) {
      switch edit {
      case .create(_, _, let values): created.append(values["name"] ?? .null)
      case .delete(_, _, let values): deleted.append(values["name"] ?? .null)
      default: break
      }
    }
    #expect(deleted == names.map { .string($0) })
    #expect(created == deleted.reversed())
  }

  @Test("G2 a weak key refers to nothing outside in creations and deletions, before and after")
  func weakKeysOfArrivals() throws {
    let (ada, bob) = (Worker("Ada"), Worker("Bob"))
    bob.mentor = ada
    firm.workers = [ada]
    _ = try follow(firm) {
      firm.performChanges { $0.workers = [bob] }
      #expect(bob.mentor === ada)
      firm.performChanges { $0.workers = [ada] }
      firm.performChanges {
        $0.guests = [bob]
        $0.workers = []
      }
      firm.performChanges {
        $0.workers = [ada]
        bob.mentor = ada
        $0.guests = []
      }
    }
  }

  @Test("G3 a weak constant changes in the record with which what it refers to leaves or returns")
  func weakConstants() throws {
    let (binder, leaflet) = (Binder(), Leaflet())
    let remark = Remark(on: leaflet)
    binder.leaflets = [leaflet]
    binder.remarks = [remark]
    let classes = [KeyValueLogClass(Remark.self) { Remark(on: try $0.value("leaflet")) }]
    let log = try KeyValueChangeLog(of: binder, classes: classes)
    let start = try log.snapshot()
    let copy = try KeyValueChangeLog(restoring: start, as: Binder.self, classes: classes)
    var records: [KeyValueTransactionRecord] = []
    let token = log.observe { records.append($0) }
    binder.leaflets.removeAll()
    var states = [try log.snapshot()]
    binder.remarks.removeAll()
    states.append(try log.snapshot())
    token.invalidate()
    var data = start
    for (record, state) in zip(records, states) {
      try data.apply(record)
      #expect(data == state)
      let restored = try KeyValueChangeLog(restoring: data, as: Binder.self, classes: classes)
      #expect(try restored.snapshot() == state)
    }
    // The copy's leaflet dies, so the copy's constant stays nil, which contradicts no record.
    try copy.apply(records[0])
    #expect(try copy.snapshot() == states[0])
    try copy.apply(records[0].inverse)
    #expect(copy.root.leaflets.count == 1 && copy.root.remarks[0].leaflet == nil)
    for record in records { try copy.apply(record) }
    #expect(try copy.snapshot() == states[1])
    for record in records.reversed() { try log.apply(record.inverse) }
    #expect(try log.snapshot() == start)
    #expect(binder.remarks[0] === remark && binder.leaflets[0] === leaflet)
  }

  @Test("G4 a weak constant can't be set to another object")
  func weakConstantRefused() throws {
    let binder = Binder()
    binder.leaflets = [Leaflet(), Leaflet()]
    binder.remarks = [Remark(on: binder.leaflets[0])]
    let classes = [KeyValueLogClass(Remark.self) { Remark(on: try $0.value("leaflet")) }]
    let log = try KeyValueChangeLog(of: binder, classes: classes)
    let id = try #require(log.id(of: binder.remarks[0]))
    let leaflets = try binder.leaflets.map { try #require(log.id(of: $0)) }
    let start = try log.snapshot()
    var told = 0
    let token = log.observe { _ in told += 1 }
    #expect(throws: KeyValueLogError.self) {
      try log.apply(
        KeyValueTransactionRecord([
          .set(id, key: "leaflet", old: .reference(leaflets[0]), new: .reference(leaflets[1]))
        ]))
    }
    let end = try log.snapshot()
    #expect(told == 0 && end == start)
    withExtendedLifetime(token) {}
  }

  /// Makes objects whose keys have no nil.
  private let classes = [
    KeyValueLogClass(Crafter.self) {
      Crafter(of: try $0.value("guild"), first: try $0.value("first"))
    }
  ]

  @Test(
    "G3 a key without nil refers to what left, also after it's set to it, or a set is rolled back")
  func unownedTargetKept() throws {
    let (town, guild, first) = (Town(), Guild(), Guild())
    town.guilds = [guild, first]
    town.crafters = [Crafter(of: guild, first: first)]
    let log = try KeyValueChangeLog(of: town, classes: classes)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: Town.self, classes: classes)
    let sending = log.observe { record in
      do { try copy.apply(record) } catch { Issue.record(error) }
    }
    town.guilds.remove(at: 0)
    let crafter = copy.root.crafters[0]
    weak let target = crafter.guild
    crafter.guild = crafter.guild
    #expect(target != nil)
    let other = Guild()
    #expect(throws: CancellationError.self) {
      try copy.root.performChanges(rollingBack: true) { _ in
        crafter.guild = other
        throw CancellationError()
      }
    }
    #expect(target != nil && crafter.guild === target)
    withExtendedLifetime((guild, sending, other)) {}
  }

  @Test("G3 what a key without nil refers to outside is kept only as long as the key's object")
  func unownedTargetReleased() throws {
    let (town, guild) = (Town(), Guild())
    town.guilds = [guild]
    town.crafters = [Crafter(of: guild, first: guild)]
    let log = try KeyValueChangeLog(of: town, classes: classes)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: Town.self, classes: classes)
    weak let copied = copy.root.guilds[0]
    let sending = log.observe { record in
      do { try copy.apply(record) } catch { Issue.record(error) }
    }
    town.guilds.removeAll()
    #expect(copied != nil)
    town.crafters.removeAll()
    #expect(copied == nil)
    withExtendedLifetime((guild, sending)) {}
  }

  @Test("G3 a key without nil goes on referring to what leaves, which lives on in a copy, too")
  func unownedKeys() throws {
    let (town, guild) = (Town(), Guild())
    town.guilds = [guild]
    town.crafters = [Crafter(of: guild, first: guild)]
    let log = try KeyValueChangeLog(of: town, classes: classes)
    let start = try log.snapshot()
    let copy = try KeyValueChangeLog(restoring: start, as: Town.self, classes: classes)
    var records: [KeyValueTransactionRecord] = []
    let token = log.observe { records.append($0) }
    town.guilds.removeAll()
    token.invalidate()
    let end = try log.snapshot()
    var data = start
    try data.apply(records[0])
    #expect(data == end)
    let crafter = copy.root.crafters[0]
    for _ in 1...2 {
      try copy.apply(records[0])
      #expect(try copy.snapshot() == end)
      try copy.apply(records[0].inverse)
      #expect(try copy.snapshot() == start)
      #expect(crafter.guild === copy.root.guilds[0] && crafter.first === copy.root.guilds[0])
    }
    try copy.apply(end)
    #expect(try copy.snapshot() == end)
    try copy.apply(start)
    #expect(try copy.snapshot() == start && crafter.guild === copy.root.guilds[0])
    withExtendedLifetime(guild) {}
  }

  @Test("G3 records of a cycle's leaving and return are applied in one transaction")
  func returningCycle() throws {
    let (ada, bob) = (Worker("Ada"), Worker("Bob"))
    (ada.partner, bob.partner) = (bob, ada)
    firm.workers = [ada]
    let log = try KeyValueChangeLog(of: firm)
    let start = try log.snapshot()
    let copy = try KeyValueChangeLog(restoring: start, as: Firm.self)
    let copied = copy.root.workers[0]
    let records = RecordLog(log)
    firm.workers = []
    firm.workers = [ada]
    try copy.root.performChanges { _ in
      for record in records.records { try copy.apply(record) }
    }
    #expect(try copy.snapshot() == start && copy.root.workers[0] === copied)
    (ada.partner, copied.partner) = (nil, nil)
    withExtendedLifetime(records) {}
  }

  @Test("G3 so is the return of what has joined a cycle in that transaction")
  func returnAfterClosing() throws {
    let ada = Worker("Ada")
    firm.workers = [ada]
    let log = try KeyValueChangeLog(of: firm)
    let start = try log.snapshot()
    let copy = try KeyValueChangeLog(restoring: start, as: Firm.self)
    let (copied, other) = (copy.root.workers[0], Worker("Bob"))
    let records = RecordLog(log)
    firm.workers = []
    firm.workers = [ada]
    try copy.root.performChanges { _ in
      try copy.apply(records.records[0])
      (copied.partner, other.partner) = (other, copied)
      try copy.apply(records.records[1])
    }
    #expect(try copy.snapshot() == start && copy.root.workers[0] === copied)
    other.partner = nil
    withExtendedLifetime(records) {}
  }

  @Test("G2 what only a cycle keeps leaves, also if the cycle was closed in that transaction")
  func closedCycles() throws {
    let (ada, bob) = (Worker("Ada"), Worker("Bob"))
    firm.workers = [ada]
    let (records, _) = try follow(firm) {
      firm.performChanges {
        $0.workers = []
        ada.partner = bob
        bob.partner = ada
      }
      firm.workers = [ada]
      firm.performChanges {
        $0.guests = [bob]
        $0.workers = []
        $0.guests = []
      }
      firm.workers = [ada]
      firm.performChanges {
        $0.workers = []
        $0.guests = [ada]
      }
    }
    let kinds = records.map { $0.edits.map { "\($0)".prefix { $0 != " " } } }
    #expect(
      kinds == [
        ["create", "amend", "set", "delete", "delete"], ["create", "create", "amend"],
        ["amend", "amend", "delete", "delete"], ["create", "create", "amend"],
        ["amend", "amend"],
      ])
    bob.partner = nil
  }

  @Test("G2 what only a cycle keeps leaves, among many that another reference has left")
  func manySecondReferences() throws {
    let chain = (0..<400).map { Worker("\($0)") }
    for (worker, next) in zip(chain, chain.dropFirst()) { worker.partner = next }
    firm.workers = [chain[0]]
    firm.guests = chain
    let log = try KeyValueChangeLog(of: firm)
    var kinds: [[String]] = []
    let token = log.observe { record in
      kinds.append(record.edits.map { String("\($0)".prefix { $0 != " " }) })
    }
    firm.guests = []
    chain[399].partner = chain[200]
    chain[199].partner = nil
    #expect(
      kinds == [["amend"], ["set"], ["set"] + Array(repeating: "delete", count: 200)])
    #expect(log.description == "KeyValueChangeLog(Firm, 202 objects)")
    chain[399].partner = nil
    withExtendedLifetime(token) {}
  }

  @Test("G3 an object that comes back has the record's references, not those from outside")
  func backFromOutside() throws {
    let (ada, bob) = (Worker("Ada"), Worker("Bob"))
    firm.workers = [ada]
    let log = try KeyValueChangeLog(of: firm)
    var records: [KeyValueTransactionRecord] = []
    let token = log.observe { records.append($0) }
    firm.workers = []
    ada.partner = bob
    try log.apply(records[0].inverse)
    #expect(firm.workers.first === ada && ada.partner == nil)
    #expect(log.id(of: bob) == nil)
    token.invalidate()
  }

  @Test("G3 a weak key that was set outside of the graph doesn't come back with its object")
  func weakKeySetOutside() throws {
    let (ada, bob) = (Worker("Ada"), Worker("Bob"))
    let log = try KeyValueChangeLog(of: firm)
    let start = try log.snapshot()
    var records: [KeyValueTransactionRecord] = []
    let token = log.observe { records.append($0) }
    firm.workers = [ada, bob]
    let both = try log.snapshot()
    firm.workers = [ada]
    firm.workers = []
    token.invalidate()
    ada.mentor = bob
    try log.apply(records[2].inverse)
    // What is outside has no data, and stays.
    #expect(firm.workers.first === ada && ada.mentor === bob)
    let history = ChangeLog()
    let observation = ada.observe(
      \.mentor, options: [.old, .new], changeHandler: history.handler("mentor"))
    try log.apply(records[1].inverse)
    #expect(firm.workers.last === bob && ada.mentor == nil)
    #expect(history.take() == ["mentor: setting, old: Bob, new: nil"])
    #expect(try log.snapshot() == both)
    try log.apply(records[0].inverse)
    #expect(try log.snapshot() == start)
    withExtendedLifetime(observation) {}
  }

  @Test("A log retains what leaves only until its record is delivered, also without observers")
  func releasing() throws {
    let log = try KeyValueChangeLog(of: firm)
    firm.workers = [Worker("Ada"), Worker("Bob")]
    weak let ada = firm.workers[0]
    weak let bob = firm.workers[1]
    firm.workers.removeFirst()
    #expect(ada == nil)
    firm.performChanges { $0.workers = [] }
    #expect(bob == nil)
    withExtendedLifetime(log) {}
  }

  @Test(
    "An id of an object that has died isn't that of another one at its address",
    .enabled(
      if: allocatorReusesAddresses(),
      "An allocator that doesn't use addresses again can't show the fault."))
  func reusedAddress() throws {
    var addresses: Set<ObjectIdentifier> = []
    var others: [Worker] = []
    // All are kept until one has an address of an object that has died.
    func makeWorker() -> Worker {
      repeat {
        others.append(Worker())
      } while !addresses.isEmpty && !addresses.contains(ObjectIdentifier(others[others.count - 1]))
        && others.count < 100_000
      return others[others.count - 1]
    }
    let log = try KeyValueChangeLog(
      of: firm, classes: [KeyValueLogClass(Worker.self) { _ in makeWorker() }])
    var records: [KeyValueTransactionRecord] = []
    let token = log.observe { records.append($0) }
    firm.workers = (0..<50).map { Worker("w\($0)") }
    let names = firm.workers.map(\.name)
    addresses = Set(firm.workers.map { ObjectIdentifier($0) })
    firm.workers = []
    let id = KeyValueObjectID()
    try log.apply(
      KeyValueTransactionRecord([
        .create(id, class: "ConformanceTests.Worker", values: ["name": "Bob"]),
        .insert(
          log.id(of: firm)!, key: "workers", indexes: RangeSet(0..<1), elements: [.reference(id)]),
      ]))
    let bob = firm.workers[0]
    try #require(addresses.contains(ObjectIdentifier(bob)))
    #expect(bob.name == "Bob" && log.id(of: bob) == id)
    firm.workers = []
    addresses = []
    try log.apply(records[1].inverse)
    #expect(firm.workers.map(\.name) == names && !firm.workers.contains { $0 === bob })
    #expect(bob.name == "Bob")
    token.invalidate()
  }
}
