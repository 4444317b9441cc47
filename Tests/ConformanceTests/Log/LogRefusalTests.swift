import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private class Ticket {
  private var state = 0

  required init() {}
}

@KeyValueObservable
private final class OpenTicket: Ticket {
  var state = 1
}

@Suite("G. Records and snapshots that don't fit a graph")
struct LogRefusalTests {
  private let firm = Firm()

  @Test("G4 what doesn't fit is an error that names it, and nothing has changed")
  func errors() throws {
    let ada = Worker("Ada")
    firm.workers = [ada]
    let log = try KeyValueChangeLog(of: firm)
    let records = RecordLog(log)
    let before = try log.snapshot()
    let (id, adaID) = (log.id(of: firm)!, log.id(of: ada)!)
    let other = KeyValueObjectID()
    func error(_ edits: KeyValueEdit...) -> String {
      let all = [KeyValueEdit.set(id, key: "name", old: "Engines", new: "X")] + edits
      do {
        try log.apply(KeyValueTransactionRecord(all, isTransaction: true))
        return "none"
      } catch {
        return "\(error)".replacing("\(id)", with: "FIRM").replacing("\(adaID)", with: "ADA")
          .replacing("\(other)", with: "OTHER")
      }
    }
    #expect(
      error(.set(other, key: "name", old: 1, new: 2)) == "There is no object OTHER (edit 2, name).")
    #expect(
      error(.set(id, key: "nam", old: 1, new: 2))
        == "ConformanceTests.Firm has no stored key 'nam' (edit 2, object FIRM): if the class had it once, "
        + "apply the record to its snapshot, and remove or rename it in the snapshot's `objects`. Did you "
        + "mean 'name'?")
    #expect(
      error(.set(id, key: "mood", old: "fine", new: "odd"))
        == #"Firm.mood was given a value of the wrong type (edit 2, object FIRM): it takes Mood, not "odd"."#
    )
    #expect(
      error(.set(id, key: "motto", old: "was", new: nil))
        == #"ConformanceTests.Firm.motto can't be edited so (edit 2, object FIRM): it's nil, not "was"."#
    )
    #expect(
      error(.create(other, class: "Nobody", values: [:]))
        .hasPrefix("Class 'Nobody' can't be used here"))
    #expect(
      error(.create(other, class: "ConformanceTests.Worker", values: [:]))
        == "the object can't be edited so (edit 2, object OTHER): nothing leads to it.")
    #expect(
      error(.set(id, key: "site", old: nil, new: nil)).contains("can't be edited so (edit 2"))
    #expect(try log.snapshot() == before && records.take() == [] && firm.name == "Engines")
  }

  @Test("G4 a snapshot that lacks an object is an error that names it, and nothing has changed")
  func incompleteSnapshot() throws {
    let ada = Worker("Ada")
    firm.workers = [ada]
    let log = try KeyValueChangeLog(of: firm)
    let records = RecordLog(log)
    let before = try log.snapshot()
    let (id, adaID) = (log.id(of: firm)!, log.id(of: ada)!)
    for lacking in [adaID, id] {
      var snapshot = before
      snapshot.objects[id]?.values["name"] = "X"
      snapshot.objects[lacking] = nil
      let error = #expect(throws: KeyValueLogError.self) { try log.apply(snapshot) }
      #expect(error?.description == "There is no object \(lacking).")
      #expect(try log.snapshot() == before && records.take() == [])
    }
  }

  @Test("G4 a class with two stored keys of one name can't be logged")
  func keysOfOneName() {
    ViolationLog.record { violations in
      let ticket = OpenTicket()
      #expect {
        try KeyValueChangeLog(of: ticket)
      } throws: {
        "\($0)"
          == "OpenTicket.state can't be logged: a superclass has a private property of that name, and a "
          + "record can't tell them apart. Rename one of them, or mark it @KeyValueIgnored."
      }
      _ = violations.take()
    }
  }

  @Test("G4 a key that its class has no more is an error that says what to do with the old file")
  func oldKeys() throws {
    func earlier(_ json: some Sequence<UInt8>) -> String.UTF8View {
      String(decoding: Array(json), as: UTF8.self).replacing("\"salary\"", with: "\"slary\"").utf8
    }
    let (ada, bob) = (Worker("Ada"), Worker("Bob"))
    firm.workers = [ada]
    let log = try KeyValueChangeLog(of: firm)
    let records = RecordLog(log)
    let start = try log.snapshot()
    let oldStart = try KeyValueSnapshot(json: earlier(start.json()))
    ada.salary = 3
    firm.workers.append(bob)
    let oldRecords = try records.records.map {
      try KeyValueTransactionRecord(json: earlier($0.json()))
    }
    let ids = [(log.id(of: ada)!, "ADA"), (log.id(of: bob)!, "BOB")]
    let end = try log.snapshot()
    func error(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "none"
      } catch {
        return ids.reduce("\(error)") { $0.replacing("\($1.0)", with: $1.1) }
      }
    }
    func restored(_ snapshot: KeyValueSnapshot) throws -> KeyValueChangeLog<Firm> {
      try KeyValueChangeLog(restoring: snapshot, as: Firm.self)
    }
    let inSnapshot =
      "Worker has no stored key 'slary' (object ADA): if the class had it once, remove or rename it in "
      + "the snapshot's `objects`. Did you mean 'salary'?"
    #expect(error { _ = try restored(oldStart) } == inSnapshot)
    #expect(error { try log.apply(oldStart) } == inSnapshot)
    let copy = try restored(start)
    let advice =
      ": if the class had it once, apply the record to its snapshot, and remove or rename it in the "
      + "snapshot's `objects`. Did you mean 'salary'?"
    #expect(
      oldRecords.map { record in error { try copy.apply(record) } } == [
        "ConformanceTests.Worker has no stored key 'slary' (edit 1, object ADA)" + advice,
        "Worker has no stored key 'slary' (object BOB)" + advice,
      ])
    #expect(try log.snapshot() == end && copy.snapshot() == start)

    var snapshot = oldStart
    for record in oldRecords { try snapshot.apply(record) }
    for (id, object) in snapshot.objects {
      guard let salary = object.values["slary"] else { continue }
      snapshot.objects[id]?.values["slary"] = nil
      snapshot.objects[id]?.values["salary"] = salary
    }
    #expect(try restored(snapshot).snapshot() == end)
  }

  @Test("G4 a record that's applied again is an error that says so, and nothing has changed")
  func appliedTwice() throws {
    let log = try KeyValueChangeLog(of: firm)
    let records = RecordLog(log)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: Firm.self)
    let ada = Worker("Ada")
    firm.workers = [ada]
    try copy.apply(records.records[0])
    let applied = try copy.snapshot()
    let id = try #require(log.id(of: ada))
    let error = #expect(throws: KeyValueLogError.self) { try copy.apply(records.records[0]) }
    #expect(
      error.map { "\($0)" }
        == "ConformanceTests.Worker can't be edited so (edit 1, object \(id)): there is such an object "
        + "already, of class ConformanceTests.Worker; the record may have been applied before.")
    #expect(try copy.snapshot() == applied)
  }

  @Test("G4 an edit of another kind of value than the key's is an error, and nothing has changed")
  func kinds() throws {
    let plan = Plan()
    let ada = Worker("Ada")
    (plan.labels, plan.steps, plan.workers) = (["a", "b"], ["c"], [ada])
    (plan.bySeat, plan.data) = ([Seat(row: "x"): ada], [1, 2])
    let log = try KeyValueChangeLog(of: plan)
    let records = RecordLog(log)
    let id = try #require(log.id(of: plan))
    let before = try log.snapshot()
    func error(_ edit: KeyValueEdit) -> String {
      let all = [KeyValueEdit.set(id, key: "steps", old: ["c"], new: ["d"]), edit]
      let error = #expect(throws: KeyValueLogError.self) {
        try log.apply(KeyValueTransactionRecord(all, isTransaction: true))
      }
      guard case .typeMismatch(let details)? = error else { return "\(error as Any)" }
      return "\(details.edit ?? 0) \(details.key ?? ""): \(details.reason ?? "")"
    }
    func reason(_ key: String, _ kind: String, _ type: String) -> String {
      "2 \(key): the edit changes \(kind), and the key holds \(type)"
    }
    let first = KeyValueEdit.Elements(indexes: RangeSet(0..<1), elements: ["a"])
    let none = KeyValueEdit.Elements(indexes: RangeSet(), elements: [])
    #expect(
      error(.insert(id, key: "labels", indexes: RangeSet(2..<3), elements: ["z"]))
        == reason("labels", "a list", "Set<String>"))
    #expect(
      error(.remove(id, key: "labels", indexes: first.indexes, elements: first.elements))
        == reason("labels", "a list", "Set<String>"))
    #expect(
      error(.amend(id, key: "labels", removed: none, inserted: first))
        == reason("labels", "a list", "Set<String>"))
    #expect(
      error(.replace(id, key: "data", indexes: first.indexes, old: [1], new: [3]))
        == reason("data", "a list", "Bytes"))
    for edit in [
      KeyValueEdit.union(id, key: "workers", elements: []),
      .subtract(id, key: "workers", elements: []),
      .exchange(id, key: "workers", old: [], new: []),
    ] {
      #expect(error(edit) == reason("workers", "a set", "Array<Worker>"))
    }
    let adaID = try #require(log.id(of: ada))
    #expect(
      error(.setEntry(id, key: "bySeat", entry: "x", old: .reference(adaID), new: nil))
        == reason(
          "bySeat", "a dictionary whose keys are written as strings", "Dictionary<Seat, Worker>"))
    #expect(try log.snapshot() == before && records.take() == [] && plan.steps == ["c"])
  }

  @Test("G4 new objects that only each other lead to are an error")
  func creationsOfEachOther() throws {
    let log = try KeyValueChangeLog(of: firm)
    let records = RecordLog(log)
    let id = try #require(log.id(of: firm))
    let (first, second) = (KeyValueObjectID(), KeyValueObjectID())
    let name = "ConformanceTests.Worker"
    func creation(_ id: KeyValueObjectID, partner: KeyValueObjectID) -> KeyValueEdit {
      .create(id, class: name, values: ["partner": .reference(partner)])
    }
    let adding = KeyValueEdit.insert(
      id, key: "workers", indexes: RangeSet(0..<1), elements: [.reference(first)])
    func apply(_ edits: KeyValueEdit...) throws {
      try log.apply(KeyValueTransactionRecord(edits, isTransaction: true))
    }
    for edits in [
      [creation(first, partner: second), creation(second, partner: first)],
      [creation(first, partner: first)],
    ] {
      let error = #expect(throws: KeyValueLogError.self) {
        try log.apply(KeyValueTransactionRecord(edits, isTransaction: true))
      }
      #expect(
        error?.description
          == "\(name) can't be edited so (edit 1, object \(first)): only new objects lead to it, and nothing "
          + "leads to these.")
    }
    #expect(throws: KeyValueLogError.self) {
      let third = KeyValueObjectID()
      try apply(creation(first, partner: first), adding, creation(third, partner: third))
    }
    #expect(firm.workers.isEmpty && records.take() == [])
    try apply(creation(first, partner: second), creation(second, partner: first), adding)
    #expect(firm.workers[0].partner?.partner === firm.workers[0])
    firm.workers[0].partner = nil
  }

  @Test("G4 a snapshot's object that only a weak key leads to is an error")
  func weaklyLed() throws {
    let ada = Worker("Ada")
    (firm.workers, firm.star) = ([ada], ada)
    let log = try KeyValueChangeLog(of: firm)
    let records = RecordLog(log)
    let id = try #require(log.id(of: firm))
    let adaID = try #require(log.id(of: ada))
    let whole = try log.snapshot()
    var snapshot = whole
    snapshot.objects[id]?.values["workers"] = []
    let expected =
      "ConformanceTests.Worker can't be edited so (object \(adaID)): only weak keys in the snapshot lead to it."
    let error = #expect(throws: KeyValueLogError.self) { try log.apply(snapshot) }
    #expect(error?.description == expected)
    #expect(try log.snapshot() == whole && records.take() == [])
    let restoring = #expect(throws: KeyValueLogError.self) {
      try KeyValueChangeLog(restoring: snapshot, as: Firm.self)
    }
    #expect(restoring?.description == expected)
    snapshot.objects[id]?.values["star"] = .null
    #expect(throws: KeyValueLogError.self) {
      try KeyValueChangeLog(restoring: snapshot, as: Firm.self)
    }
    try log.apply(snapshot)
    #expect(firm.workers.isEmpty && firm.star == nil)
  }

  @Test("G4 an object that comes back as one of another class is an error")
  func anotherClass() throws {
    let boss = Boss("Bea")
    firm.workers = [boss]
    let log = try KeyValueChangeLog(of: firm)
    let records = RecordLog(log)
    let (id, bossID) = (log.id(of: firm)!, log.id(of: boss)!)
    let before = try log.snapshot()
    let place = RangeSet(0..<1)
    let name = "ConformanceTests.Worker"
    let error = #expect(throws: KeyValueLogError.self) {
      try log.apply(
        KeyValueTransactionRecord(
          [
            .remove(id, key: "workers", indexes: place, elements: [.reference(bossID)]),
            .delete(
              bossID, class: "ConformanceTests.Boss", values: before.objects[bossID]!.values),
            .create(bossID, class: name, values: ["name": "Ben"]),
            .insert(id, key: "workers", indexes: place, elements: [.reference(bossID)]),
          ], isTransaction: true))
    }
    #expect(
      error?.description
        == "the object can't be edited so (object \(bossID)): it's of class ConformanceTests.Boss, not \(name)."
    )
    #expect(try log.snapshot() == before && records.take() == [])
  }

  @Test("G4 a structure's field is set as an entry, and one that it needs isn't removed")
  func fieldsAsEntries() throws {
    let valve = Valve()
    let log = try KeyValueChangeLog(of: valve)
    let id = try #require(log.id(of: valve))
    func setting(_ new: KeyValueLogValue?, of old: KeyValueLogValue) -> KeyValueTransactionRecord {
      KeyValueTransactionRecord([.setEntry(id, key: "limits", entry: "low", old: old, new: new)])
    }
    try log.apply(setting(2, of: 1))
    #expect(valve.limits == PressureLimits(low: 2, high: 9))
    #expect(throws: KeyValueLogError.self) { try log.apply(setting(nil, of: 2)) }
    #expect(valve.limits == PressureLimits(low: 2, high: 9))
  }
}

@KeyValueObservable
private final class Valve {
  var limits = PressureLimits(low: 1, high: 9)

  init() {}
}

private struct PressureLimits: Codable, Equatable {
  var low: Int
  var high: Int
}

@KeyValueObservable
private final class Plan {
  var labels: Set<String> = []
  var steps: [String] = []
  var workers: [Worker] = []
  var bySeat: [Seat: Worker] = [:]
  var data: Bytes = []

  init() {}
}

/// Written as a string, and not named by it.
private struct Seat: Codable, Hashable {
  let row: String

  init(row: String) { self.row = row }

  init(from decoder: any Decoder) throws { row = try String(from: decoder) }

  func encode(to encoder: any Encoder) throws { try row.encode(to: encoder) }
}

/// Written as an array, and no collection.
private struct Bytes: Codable, ExpressibleByArrayLiteral {
  let all: [Int]

  init(arrayLiteral elements: Int...) { all = elements }

  init(from decoder: any Decoder) throws { all = try [Int](from: decoder) }

  func encode(to encoder: any Encoder) throws { try all.encode(to: encoder) }
}
