import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

@propertyWrapper
private struct Boxed: Codable {
  var wrappedValue: Int
}

@KeyValueObservable
private final class Gramophone {
  @NotifiesManually lazy var cover = "A"
  @NotifiesManually @Boxed var volume = 1
}

@Suite("G. KeyValueChangeLog: every change of a graph as a record")
struct ChangeLogTests {
  private let firm = Firm()

  private func start() throws -> (KeyValueChangeLog<Firm>, RecordLog) {
    let log = try KeyValueChangeLog(of: firm)
    let records = RecordLog(log)
    records.name(log.id(of: firm), "firm")
    records.name(log.id(of: firm.site), "site")
    return (log, records)
  }

  @Test("G1 a change is one record, whichever way it's made")
  func kinds() throws {
    let (log, records) = try start()
    firm.name = "Analytical"
    firm.name += "!"
    try firm.setValue("By key", forKey: "name")
    firm.labels.insert("a")
    firm.mutableSetValue(for: \.labels).formUnion(["a", "b", "c"])
    firm.mutableSetValue(for: \.labels).subtract(["a"])
    firm.mutableSetValue(for: \.labels).replaceAll(with: ["c", "d"])
    firm.prices["tea"] = 3
    firm.prices = ["tea": 4, "rum": 9]
    firm.address.number = 7
    firm.mood = .grim
    firm.motto = "on"
    firm.motto = nil
    firm.site.city = "Turin"
    #expect(
      records.take() == [
        #"change: set firm.name: "Engines" -> "Analytical""#,
        #"change: set firm.name: "Analytical" -> "Analytical!""#,
        #"change: set firm.name: "Analytical!" -> "By key""#,
        #"change: set firm.labels: [] -> ["a"]"#,
        #"change: union firm.labels: ["b", "c"]"#,
        #"change: subtract firm.labels: ["a"]"#,
        #"change: exchange firm.labels: ["b"] -> ["d"]"#,
        #"change: setEntry firm.prices["tea"]: none -> 3"#,
        #"change: set firm.prices: ["tea": 3] -> ["rum": 9, "tea": 4]"#,
        #"change: set firm.address: ["number": 0, "street": ""] -> ["number": 7, "street": ""]"#,
        #"change: set firm.mood: "fine" -> "grim""#,
        #"change: set firm.motto: nil -> "on""#,
        #"change: set firm.motto: "on" -> nil"#,
        #"change: set site.city: "" -> "Turin""#,
      ])
    withExtendedLifetime(log) {}
  }

  @Test("G1 a lazy key and one with a wrapper are recorded by their announcements")
  func announced() throws {
    let album = Gramophone()
    let log = try KeyValueChangeLog(of: album)
    let records = RecordLog(log)
    records.name(log.id(of: album), "album")
    album.cover = "B"
    album.volume = 2
    #expect(records.take() == [])
    album.withChange(of: \.cover) { album.cover = "C" }
    album.withChange(of: \.volume) { album.volume = 3 }
    #expect(
      records.take() == [
        #"change: set album.cover: "B" -> "C""#, "change: set album.volume: 2 -> 3",
      ])
  }

  @Test("G1 ordered collections: proxies by index, in place and assigned as what differs")
  func ordered() throws {
    let ada = Worker("Ada")
    firm.workers = [ada]
    let (log, records) = try start()
    records.name(log.id(of: ada), "ada")
    let skills = ada.mutableArrayValue(for: \.skills)
    skills.append("a")
    skills.insert(contentsOf: ["b", "c"], at: RangeSet(0..<2))
    skills[1] = "d"
    skills.remove(at: 0)
    ada.skills.append("e")
    ada.skills = ["x", "d", "a", "e"]
    ada.skills[0] = "y"
    ada.skills = ada.skills
    #expect(
      records.take() == [
        #"change: insert ada.skills at 0: ["a"]"#,
        #"change: insert ada.skills at 0–1: ["b", "c"]"#,
        #"change: replace ada.skills at 1: ["c"] -> ["d"]"#,
        #"change: remove ada.skills at 0: ["b"]"#,
        #"change: amend ada.skills: inserted at 2 ["e"]"#,
        #"change: amend ada.skills: inserted at 0 ["x"]"#,
        #"change: amend ada.skills: removed at 0 ["x"], inserted at 0 ["y"]"#,
        #"change: amend ada.skills: nothing differs"#,
      ])
  }

  @Test("G2 objects enter with their values and leave with theirs; a move is neither")
  func entering() throws {
    let (log, records) = try start()
    let ada = Worker("Ada")
    ada.salary = 10
    firm.workers.append(ada)
    records.name(log.id(of: ada), "ada")
    #expect(
      records.take() == [
        #"transaction: "#, #"change: "#,
      ].suffix(0).map { $0 } + [
        "change: create ada: ConformanceTests.Worker [\"mentor\": nil, \"name\": \"Ada\", "
          + "\"partner\": nil, \"salary\": 10, \"secret\": 0, \"skills\": []]; "
          + "amend firm.workers: inserted at 0 [@ada]"
      ])
    ada.salary = 11
    KeyValueTransaction.perform {
      firm.workers.removeAll()
      firm.guests.append(ada)
    }
    #expect(
      records.take() == [
        "change: set ada.salary: 10 -> 11",
        "transaction: amend firm.workers: removed at 0 [@ada]; amend firm.guests: inserted at 0 [@ada]",
      ])
    firm.guests = []
    #expect(
      records.take() == [
        "change: amend firm.guests: removed at 0 [@ada]; "
          + "delete ada: ConformanceTests.Worker [\"mentor\": nil, \"name\": \"Ada\", "
          + "\"partner\": nil, \"salary\": 11, \"secret\": 0, \"skills\": []]"
      ])
    ada.salary = 12
    #expect(records.take() == [] && log.id(of: ada) == nil)
    #expect(ada._$kvoWithRegistrar { $0.isIdle })
  }

  @Test("G2 cycles leave when nothing leads to them, and stay while something does")
  func cycles() throws {
    let (log, records) = try start()
    let (ada, bob) = (Worker("Ada"), Worker("Bob"))
    ada.partner = bob
    bob.partner = ada
    firm.workers = [ada]
    firm.guests = [bob]
    #expect(log.description == "KeyValueChangeLog(Firm, 4 objects)")
    firm.workers = []
    #expect(log.description == "KeyValueChangeLog(Firm, 4 objects)")
    firm.guests = []
    #expect(log.description == "KeyValueChangeLog(Firm, 2 objects)")
    #expect(records.records.flatMap(\.edits).filter { $0.key == nil }.count == 4)
    ada.partner = nil
  }

  @Test(
    "G2 the id of an object that left is known while its record is delivered, and when it returns")
  func ids() throws {
    let (log, _) = try start()
    let ada = Worker("Ada")
    firm.workers = [ada]
    let id = try #require(log.id(of: ada))
    var seen: [KeyValueObjectID?] = []
    let early = firm.observe(\.workers) { _, _ in seen.append(log.id(of: ada)) }
    var found: [(any KeyValueObservable)?] = []
    let token = log.observe { _ in
      seen.append(log.id(of: ada))
      found.append(log.object(id))
    }
    firm.workers = []
    #expect(seen == [id, id] && found.count == 1 && found[0] === ada)
    #expect(log.id(of: ada) == nil && log.object(id) == nil)
    firm.workers = [ada]
    #expect(log.id(of: ada) == id && log.object(id) === ada)
    withExtendedLifetime((early, token)) {}
  }

  @Test("G2 a key that referred to an object of the same address before is told once")
  func reusedAddress() throws {
    let (log, records) = try start()
    var others: [Worker] = []
    func successor(at address: ObjectIdentifier) -> Worker? {
      for _ in 0..<10_000 {
        let worker = Worker("Ada")
        if ObjectIdentifier(worker) == address { return worker }
        others.append(worker)
      }
      return nil
    }
    var address: ObjectIdentifier
    do {
      let first = Worker("Ada")
      address = ObjectIdentifier(first)
      firm.star = first
    }
    // An allocator that never uses an address again can't show the fault.
    guard let ada = successor(at: address) else { return }
    records.name(log.id(of: ada), "ada")
    firm.star = ada
    firm.guests = [ada]
    records.name(log.id(of: ada), "ada")
    _ = records.take()
    firm.guests = []
    #expect(
      records.take() == [
        "change: amend firm.guests: removed at 0 [@ada]; set firm.star: @ada -> nil; "
          + #"delete ada: ConformanceTests.Worker ["mentor": nil, "name": "Ada", "partner": nil, "salary": 0, "secret": 0, "skills": []]"#
      ])
    withExtendedLifetime((log, others)) {}
  }

  @Test(
    "G2 weak references are ids inside the graph, nil outside, and follow what enters and leaves")
  func weakReferences() throws {
    let (log, records) = try start()
    let ada = Worker("Ada")
    firm.star = ada
    firm.workers = [ada]
    records.name(log.id(of: ada), "ada")
    let lines = records.take()
    #expect(lines[0] == "change: set firm.star: nil -> nil")
    #expect(lines[1].contains("set firm.star: nil -> @ada"))
    #expect(
      try log.snapshot().objects[log.id(of: firm)!]?.values["star"] == .reference(log.id(of: ada)!))
    firm.workers = []
    #expect(records.take()[0].contains("set firm.star: @ada -> nil; delete ada"))
    #expect(try log.snapshot().objects[log.id(of: firm)!]?.values["star"] == .null)
  }

  @Test("X1 a transaction is one record; settings of one key are one edit")
  func transactions() throws {
    let (_, records) = try start()
    let log = try KeyValueChangeLog(of: firm)
    firm.performChanges {
      $0.name = "A"
      $0.site.city = "X"
      $0.name = "B"
      $0.mutableSetValue(for: \.labels).insert("l")
      $0.name = "C"
    }
    firm.performChanges { _ in }
    withExtendedLifetime(log) {}
    _ = records.take()
    let (own, lines) = try start()
    firm.performChanges {
      $0.name = "D"
      $0.site.city = "Y"
      $0.name = "E"
    }
    #expect(
      lines.take() == [#"transaction: set firm.name: "C" -> "E"; set site.city: "X" -> "Y""#])
    withExtendedLifetime(own) {}
  }

  @Test("X1 in a transaction, insertions one behind the other are one edit, and others aren't")
  func insertions() throws {
    let ada = Worker("Ada")
    firm.workers = [ada]
    let (log, records) = try start()
    records.name(log.id(of: ada), "ada")
    firm.performChanges {
      let skills = ada.mutableArrayValue(for: \.skills)
      skills.append("a")
      skills.append("b")
      skills.insert(contentsOf: ["c", "d"], at: RangeSet(2..<4))
      skills.insert("e", at: 3)
      skills.insert("f", at: 0)
      skills.append("g")
      $0.name = "Engines & Co."
      skills.append("h")
      skills.insert(contentsOf: ["i", "j"], at: RangeSet([0..<1, 9..<10]))
      skills.append("k")
    }
    #expect(
      records.take() == [
        #"transaction: insert ada.skills at 0–3: ["a", "b", "c", "d"]; insert ada.skills at 3: ["e"]; "#
          + #"insert ada.skills at 0: ["f"]; insert ada.skills at 6: ["g"]; "#
          + #"set firm.name: "Engines" -> "Engines & Co."; insert ada.skills at 7: ["h"]; "#
          + #"insert ada.skills at 0, 9: ["i", "j"]; insert ada.skills at 10: ["k"]"#
      ])
    let skills = ada.mutableArrayValue(for: \.skills)
    skills.append("l")
    skills.append("m")
    #expect(
      records.take() == [
        #"change: insert ada.skills at 11: ["l"]"#, #"change: insert ada.skills at 12: ["m"]"#,
      ])
  }

  @Test("X2 what is rolled back isn't recorded; the rest of the transaction is")
  func rollback() throws {
    struct Refusal: Error {}
    let (log, records) = try start()
    try? firm.performChanges(rollingBack: true) {
      $0.name = "A"
      $0.workers.append(Worker("Ada"))
      throw Refusal()
    }
    #expect(records.take() == [] && log.description == "KeyValueChangeLog(Firm, 2 objects)")
    firm.performChanges {
      $0.name = "B"
      try? $0.performChanges(rollingBack: true) {
        $0.name = "C"
        $0.guests.append(Worker("Bob"))
        $0.motto = "lost"
        throw Refusal()
      }
      $0.mood = .grim
    }
    #expect(
      records.take() == [
        #"transaction: set firm.name: "Engines" -> "B"; set firm.mood: "fine" -> "grim""#
      ])
  }

  @Test("X2 what a part that is rolled back begins to observe has only what follows")
  func observedInRollback() throws {
    struct Refusal: Error {}
    let log = try KeyValueChangeLog(of: firm)
    let id = try #require(log.id(of: firm))
    // The log forgets the ended tokens with the next one, and listens anew.
    for _ in 1...16 { log.observe { _ in }.invalidate() }
    var edits: [[KeyValueEdit]] = []
    var token: KeyValueObservation?
    firm.performChanges {
      $0.name = "A"
      $0.mood = .grim
      try? $0.performChanges(rollingBack: true) { _ in
        token = log.observe { edits.append($0.edits) }
        throw Refusal()
      }
      $0.motto = "kept"
    }
    #expect(edits == [[.set(id, key: "motto", old: nil, new: "kept")]])
    withExtendedLifetime(token) {}
  }

  @Test("G1 a manual key is recorded by its pair, or by its accessors outside of pairs, once")
  func manualKeys() throws {
    let (_, records) = try start()
    firm.manual = 1
    firm.withChange(of: "manual") { firm.manual = 2 }
    firm.withChange(of: "name") { firm.name = "X" }
    let log = try KeyValueChangeLog(of: firm)
    withExtendedLifetime(log) {}
    _ = records.take()
    let (own, lines) = try start()
    firm.manual += 1
    firm.withChange(of: "manual") {
      firm.manual = 7
      firm.manual = 8
    }
    firm.willChangeValue(forKey: "manual")
    firm.manual = 9
    firm.manual += 1
    firm.didChangeValue(forKey: "manual")
    firm.withChange(of: "name") { firm.name = "Y" }
    #expect(
      lines.take() == [
        "change: set firm.manual: 2 -> 3", "change: set firm.manual: 3 -> 8",
        "change: set firm.manual: 8 -> 10",
        #"change: set firm.name: "X" -> "Y""#,
      ])
    withExtendedLifetime(own) {}
  }

  @Test("G1 a journal comes before the observers, a record after them, in the order of the changes")
  func order() throws {
    let (_, _) = try start()
    let log = try KeyValueChangeLog(of: firm)
    let lines = ChangeLog()
    let clamp = firm.observe(\.manual) { _, _ in }
    let observer = firm.observe(\.name, options: .new) { firm, change in
      lines.note("observer \(change.newValue!)")
      if change.newValue == "A" { firm.name = "B" }
    }
    let token = log.observe { record in
      lines.note("record \(record.edits[0])".suffix(11).description)
    }
    firm.name = "A"
    #expect(
      lines.take() == [
        "observer A", "observer B", #"gines" -> "A""#.suffix(11).description,
        #"me: "A" -> "B""#.suffix(11).description,
      ])
    withExtendedLifetime((clamp, observer, token)) {}
  }

  @Test("A log may die while a change of its graph is told")
  func diesInside() throws {
    var log: KeyValueChangeLog? = try KeyValueChangeLog(of: firm)
    var names: [String] = []
    let tokens = [
      firm.observe(\.name) { _, _ in log = nil },
      firm.observe(\.name, options: .new) { _, change in names.append(change.newValue!) },
    ]
    firm.name = "A"
    firm.name = "B"
    #expect(names == ["A", "B"] && log === nil)
    withExtendedLifetime(tokens) {}
  }

  @Test("G2 a log that dies releases its graph, as a recorder of the graph does")
  func releases() throws {
    var mortal: Firm? = Firm()
    weak let root = mortal
    var log = try mortal.map { try KeyValueChangeLog(of: $0) }
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: #require(mortal))
    mortal?.workers = [Worker("Ada"), Worker("Alan")]
    mortal?.workers[1].mentor = mortal?.workers[0]
    mortal?.workers.removeLast()
    weak let worker = mortal?.workers[0]
    #expect(root != nil && worker != nil)
    recorder.stopRecording(graph: try #require(mortal))
    mortal = nil
    #expect(root != nil && worker != nil)
    log = nil
    #expect(log == nil && root == nil && worker == nil)

    // A log that dies in a transaction, which ends later.
    mortal = Firm()
    weak let other = mortal
    log = try mortal.map { try KeyValueChangeLog(of: $0) }
    let grace = Worker("Grace")
    mortal?.workers = [grace]
    grace.partner = grace
    mortal?.performChanges { firm in
      firm.workers = []
      log = nil
    }
    grace.partner = nil
    mortal = nil
    #expect(other == nil)
  }

  @Test("The observation ends with its token and with the log")
  func ends() throws {
    var log: KeyValueChangeLog? = try KeyValueChangeLog(of: firm)
    var count = 0
    var token = log?.observe { _ in count += 1 }
    firm.name = "A"
    token?.invalidate()
    firm.name = "B"
    #expect(count == 1)
    token = log?.observe { _ in count += 1 }
    log = nil
    #expect(token?.isValid == false)
    firm.name = "C"
    #expect(count == 1 && firm._$kvoWithRegistrar { $0.isIdle })
  }
}
