import KeyValueObserving
import KeyValueTestSupport
import Testing

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

@Suite("G. Records of objects that come and go")
struct LogComingAndGoingTests: LogReplaySuite {
  private let firm = Firm()

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
