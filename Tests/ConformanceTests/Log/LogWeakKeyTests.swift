import KeyValueObserving
import KeyValueTestSupport
import Testing

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

@Suite("G. Records of weak keys, and of keys without nil")
struct LogWeakKeyTests {
  private let firm = Firm()

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
}
