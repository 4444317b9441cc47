import KeyValueObserving
import Testing

@testable import Inspection

@KeyValueObservable
private final class Worker {
  var name = ""
  var salary = 0
  weak var mentor: Worker?
  @KeyValueRedacted var pin = 0
}

@KeyValueObservable
private final class Firm {
  var title = "Tools"
  var workers: [Worker] = []
  var tags: Set<String> = []
  var prices: [String: Int] = [:]
}

@Suite struct HistoryTests {
  private let firm = Firm()

  /// An inspection that has fetched what the body did to a log's graph.
  private func inspection(
    limits: Inspection.Limits = .init(), of body: (KeyValueChangeLog<Firm>) throws -> Void
  ) throws -> Inspection {
    let queue = RecordQueue()
    let log = try KeyValueChangeLog(of: firm)
    try queue.follow(log)
    try body(log)
    var inspection = Inspection(limits: limits)
    let (beginning, records) = queue.take()
    inspection.take(beginning: beginning, records)
    return inspection
  }

  /// The answer as lines, with the names that a test gives to objects.
  private func lines(
    _ inspection: inout Inspection, _ position: Int, _ names: [KeyValueObjectID?: String]
  ) throws -> String {
    let found = inspection.history(at: position)
    let answer = try #require(found)
    var lines = ["\(answer.position) in \(answer.first)...\(answer.last): \(answer.title)"]
    lines += answer.edits.map { "  \($0)" }
    for object in answer.objects {
      let keys = object.keys.map { key in
        "\(key.key) " + (key.old.map { "\($0) → " } ?? "") + key.value
      }
      lines.append("\(object.name)\(object.isNew ? ", new" : ""): \(keys.joined(separator: ", "))")
    }
    var text = lines.joined(separator: "\n")
    for case (let id?, let name) in names {
      text = text.replacing("\(id.description.prefix(8))", with: name)
    }
    return text
  }

  @Test("Each position has what its record changed, and the graph's values after it")
  func positions() throws {
    var names: [KeyValueObjectID?: String] = [:]
    let ada = Worker()
    ada.name = "Ada"
    var inspection = try inspection { log in
      names[log.id(of: firm)] = "1"
      firm.title = "Engines"
      firm.workers.append(ada)
      names[log.id(of: ada)] = "1"
      firm.performChanges { firm in
        firm.title = "Analytical Engines"
        ada.salary = 10
        ada.pin = 4711
        ada.mentor = ada
      }
      firm.workers = []
    }
    #expect(
      try lines(&inspection, 0, names) == """
        0 in 0...4: Before the first record
        Firm 1: prices [:], tags [], title "Tools", workers []
        """)
    #expect(
      try lines(&inspection, 4, names) == """
        4 in 0...4: Record 4 of 4: one change
          Firm 1.workers is set: [Worker 1] left at 0
          Worker 1 leaves
        Firm 1: prices [:], tags [], title "Analytical Engines", workers [Worker 1] → []
        """)
    #expect(
      try lines(&inspection, 3, names) == """
        3 in 0...4: Record 3 of 4: a transaction
          Firm 1.title: "Engines" → "Analytical Engines"
          Worker 1.salary: 0 → 10
          Worker 1.pin: redacted → redacted
          Worker 1.mentor: nil → Worker 1
        Firm 1: prices [:], tags [], title "Engines" → "Analytical Engines", workers [Worker 1]
        Worker 1: mentor nil → Worker 1, name "Ada", pin redacted → redacted, salary 0 → 10
        """)
    #expect(
      try lines(&inspection, 2, names) == """
        2 in 0...4: Record 2 of 4: one change
          Worker 1 enters
          Firm 1.workers is set: [Worker 1] came at 0
        Firm 1: prices [:], tags [], title "Engines", workers [] → [Worker 1]
        Worker 1, new: mentor nil, name "Ada", pin redacted, salary 0
        """)
    #expect(
      try lines(&inspection, 1, names) == """
        1 in 0...4: Record 1 of 4: one change
          Firm 1.title: "Tools" → "Engines"
        Firm 1: prices [:], tags [], title "Tools" → "Engines", workers []
        """)
    // Beyond either end is the end.
    #expect(inspection.history(at: 99) == inspection.history(at: 4))
    #expect(inspection.history(at: -1) == inspection.history(at: 0))
    // The program's own objects are as they were.
    #expect(firm.title == "Analytical Engines" && firm.workers.isEmpty && ada.salary == 10)
  }

  @Test("Edits are told in words")
  func edits() throws {
    var inspection = try inspection { _ in
      let people = firm.mutableArrayValue(for: \.workers)
      people.append(contentsOf: [Worker(), Worker(), Worker()])
      people.remove(at: 1)
      people[0] = Worker()
      firm.mutableSetValue(for: \.tags).formUnion(["a", "b", "c"])
      firm.mutableSetValue(for: \.tags).subtract(["a"])
      firm.mutableSetValue(for: \.tags).replaceAll(with: ["c", "d"])
      firm.prices["tea"] = 3
      firm.prices["tea"] = 4
      firm.tags = Set((1...9).map { "\($0)" })
      firm.title = String(repeating: "x", count: 100)
    }
    let first = inspection.history(at: 0)
    let id = try #require(first?.objects.first?.name)
    let edits = (1...10).map { position in
      (inspection.history(at: position)?.edits ?? []).filter { $0.hasPrefix(id) }
        .joined(separator: "; ")
        .replacing(id, with: "Firm").replacing(/Worker [0-9a-f]{8}/, with: "Worker")
    }
    #expect(
      edits == [
        "Firm.workers: [Worker, Worker, Worker] inserted at 0–2",
        "Firm.workers: [Worker] removed at 1",
        "Firm.workers: [Worker] replaced at 0 → [Worker]",
        #"Firm.tags: ["a", "b", "c"] joined"#,
        #"Firm.tags: ["a"] removed"#,
        #"Firm.tags: ["b"] removed, ["d"] joined"#,
        #"Firm.prices["tea"]: none → 3"#,
        #"Firm.prices["tea"]: 3 → 4"#,
        #"Firm.tags: ["c", "d"] → ["1", "2", "3", "4", "5", … 9 in all]"#,
        #"Firm.title: "Tools" → ""# + String(repeating: "x", count: 60) + #""…"#,
      ])
  }

  @Test("Any way through the positions shows the snapshot of each", arguments: 1...10)
  func random(seed: UInt64) throws {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    func next(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(limit))
    }
    var snapshots: [KeyValueSnapshot] = []
    var inspection = try inspection { log in
      snapshots.append(try log.snapshot())
      let token = log.observe { _ in
        do { snapshots.append(try log.snapshot()) } catch { Issue.record(error) }
      }
      for _ in 1...80 {
        switch next(7) {
        case 0, 1: firm.mutableArrayValue(for: \.workers).insert(Worker(), at: 0)
        case 2 where !firm.workers.isEmpty:
          firm.mutableArrayValue(for: \.workers).remove(at: next(firm.workers.count))
        case 3 where !firm.workers.isEmpty:
          firm.workers[next(firm.workers.count)].mentor = firm.workers[0]
        case 4:
          firm.performChanges { firm in
            firm.title += "!"
            for worker in firm.workers { worker.salary += next(3) }
          }
        case 5: firm.tags.formSymmetricDifference(["\(next(4))"])
        default: firm.prices["\(next(3))"] = next(4) == 0 ? nil : next(9)
        }
      }
      token.invalidate()
    }
    let last = try #require(inspection.historyRange?.last)
    #expect(last == snapshots.count - 1 && last > 40)
    for _ in 1...200 {
      let position = next(last + 1)
      let found = inspection.history(at: position)
      let answer = try #require(found)
      var alone = GraphHistory(snapshots[position])
      #expect(answer.problem == nil)
      #expect(
        answer.objects.map { object in
          HistoryAnswer.Object(
            id: object.id, name: object.name, isNew: false,
            keys: object.keys.map { .init(key: $0.key, value: $0.value, old: nil) })
        } == alone.answer(at: 0).objects)
    }
  }

  @Test("The first records are forgotten, and the positions keep their numbers")
  func forgetting() throws {
    var limits = Inspection.Limits()
    limits.records = 10
    var inspection = try inspection(limits: limits) { _ in
      for number in 1...21 { firm.title = "\(number)" }
    }
    #expect(inspection.historyRange == HistoryRange(log: 1, first: 11, last: 21))
    #expect(inspection.history(at: 0)?.title == "Before record 12, the first kept")
    #expect(inspection.history(at: 0)?.objects[0].keys[2].value == #""11""#)
    let edits = inspection.history(at: 12)?.edits ?? []
    #expect(edits.count == 1 && edits[0].hasSuffix(#".title: "11" → "12""#))
  }

  @Test("Of many objects, those that changed are listed")
  func manyObjects() throws {
    var limits = Inspection.Limits()
    limits.historyObjects = 5
    firm.workers = (1...20).map { _ in Worker() }
    var changed: [KeyValueObjectID?] = []
    var inspection = try inspection(limits: limits) { log in
      firm.performChanges { firm in
        for index in [3, 17] {
          firm.workers[index].salary = 7
          changed.append(log.id(of: firm.workers[index]))
        }
      }
    }
    let found = inspection.history(at: 1)
    let answer = try #require(found)
    #expect(answer.objects.count == 5 && answer.leftOut == 16)
    #expect(answer.objects[0].name.hasPrefix("Firm "))
    let ids = Set(answer.objects.map(\.id))
    #expect(changed.count == 2 && changed.allSatisfy { ids.contains($0?.description ?? "") })
  }

  @Test("A record that doesn't fit is named, and the positions before it are shown")
  func unfitting() throws {
    var inspection = try inspection { _ in firm.title = "A" }
    let stranger = KeyValueObjectID()
    inspection.take(
      beginning: nil,
      [KeyValueTransactionRecord([.set(stranger, key: "title", old: "A", new: "B")])])
    let found = inspection.history(at: 2)
    let answer = try #require(found)
    #expect(answer.position == 1 && answer.last == 2)
    #expect(answer.problem == "There is no object \(stranger) (edit 1, title).")
  }

  @Test("A record that doesn't fit is forgotten as others are, and the answers go on saying so")
  func forgettingUnfitting() throws {
    var limits = Inspection.Limits()
    limits.records = 10
    var root: KeyValueObjectID?
    var inspection = try inspection(limits: limits) { log in
      root = log.id(of: firm)
      firm.title = "A"
    }
    let (id, stranger) = (try #require(root), KeyValueObjectID())
    let titles = ["A"] + (1...20).map { "\($0)" }
    let fitting = zip(titles, titles.dropFirst()).map { old, new in
      KeyValueTransactionRecord([.set(id, key: "title", old: .string(old), new: .string(new))])
    }
    let unfitting = KeyValueTransactionRecord([.set(stranger, key: "title", old: "A", new: "B")])
    inspection.take(beginning: nil, [unfitting] + fitting)
    #expect(inspection.historyRange == HistoryRange(log: 1, first: 12, last: 22))
    let answer = inspection.history(at: 12)
    #expect(answer?.position == 12 && answer?.title == "Before record 13, the first kept")
    #expect(
      answer?.problem
        == "A record before the first one kept doesn't fit, so these values may be wrong; call "
        + "showHistory(of:) again. There is no object \(stranger) (edit 1, title).")
    // The next record doesn't fit either, which is a consequence.
    let last = inspection.history(at: 22)
    #expect(last?.position == 12 && last?.problem == answer?.problem)
  }

  @Test("An entry is redacted that has a redacted key's name")
  func redactedEntries() throws {
    var inspection = try inspection { _ in
      firm.workers = [Worker()]
      firm.prices["pin"] = 4711
      firm.prices["pin"] = 4712
      firm.prices["pin"] = nil
    }
    let answers = (2...4).compactMap { inspection.history(at: $0) }
    let id = try #require(answers.first?.objects.first?.name)
    #expect(
      answers.flatMap(\.edits).map { $0.replacing(id, with: "Firm") } == [
        #"Firm.prices["pin"]: none → redacted"#,
        #"Firm.prices["pin"]: redacted → redacted"#,
        #"Firm.prices["pin"]: redacted → none"#,
      ])
    #expect(
      answers.map { $0.objects[0].keys[0].value } == [
        #"["pin": redacted]"#, #"["pin": redacted]"#, "[:]",
      ])
  }

  @Test("Why a record doesn't fit is told without redacted values")
  func redactedProblems() throws {
    let worker = Worker()
    firm.workers = [worker]
    let log = try KeyValueChangeLog(of: firm)
    let (root, id) = (try #require(log.id(of: firm)), try #require(log.id(of: worker)))
    let edits: [KeyValueEdit] = [
      .set(id, key: "pin", old: 4711, new: 4712),
      .setEntry(root, key: "prices", entry: "pin", old: 4711, new: 4712),
      .set(root, key: "prices", old: ["pin": 4711], new: [:]),
      .set(id, key: "salary", old: 1, new: 2),
    ]
    let beginning = try log.snapshot()
    let problems = edits.map { edit in
      var inspection = Inspection()
      inspection.take(beginning: beginning, [KeyValueTransactionRecord([edit])])
      return inspection.history(at: 1)?.problem
    }
    #expect(
      problems == [
        "InspectionTests.Worker.pin can't be edited so (edit 1, object \(id)): redacted.",
        "InspectionTests.Firm.prices can't be edited so (edit 1, object \(root)): redacted.",
        "InspectionTests.Firm.prices can't be edited so (edit 1, object \(root)): redacted.",
        "InspectionTests.Worker.salary can't be edited so (edit 1, object \(id)): it's 0, not 1.",
      ])
  }

  @Test("A log isn't followed from a transaction that has changed its graph")
  func inTransaction() throws {
    let queue = RecordQueue()
    let log = try KeyValueChangeLog(of: firm)
    let other = log.observe { _ in }
    firm.performChanges { firm in
      firm.title = "A"
      let error = #expect(throws: KeyValueLogError.self) { try queue.follow(log) }
      #expect(
        error.map { "\($0)" }
          == "showHistory(of:) was called in a transaction that has changed the graph of Firm, "
          + "and did nothing. Call it when the change is complete.")
    }
    let refused = queue.take()
    #expect(refused.beginning == nil && refused.records.isEmpty)
    try queue.follow(log)
    firm.title = "B"
    let followed = queue.take()
    let end = try log.snapshot()
    var state = try #require(followed.beginning)
    for record in followed.records { try state.apply(record) }
    #expect(state == end && followed.records.count == 1)
    withExtendedLifetime(other) {}
  }

  @Test("A queue that has ended follows no other log")
  func ended() throws {
    let queue = RecordQueue()
    queue.end()
    let log = try KeyValueChangeLog(of: firm)
    try queue.follow(log)
    firm.title = "A"
    let (beginning, records) = queue.take()
    #expect(beginning == nil && records.isEmpty)
  }

  @Test("A batch has new positions once, and a second log begins anew")
  func batches() throws {
    let queue = RecordQueue()
    var inspection = Inspection()
    func batch() -> HistoryRange? {
      let (beginning, records) = queue.take()
      inspection.take(beginning: beginning, records)
      let batch = inspection.batch(now: 0, seconds: 1)
      #expect(batch.isEmpty == (batch.history == nil))
      return batch.history
    }
    #expect(batch() == nil && inspection.historyRange == nil && inspection.history(at: 0) == nil)
    var log: KeyValueChangeLog? = try KeyValueChangeLog(of: firm)
    try queue.follow(#require(log))
    firm.title = "A"
    #expect(batch() == HistoryRange(log: 1, first: 0, last: 1))
    #expect(batch() == nil)
    firm.title = "B"
    let other = Firm()
    let second = try KeyValueChangeLog(of: other)
    try queue.follow(second)
    firm.title = "C"
    other.title = "D"
    #expect(batch() == HistoryRange(log: 2, first: 0, last: 1))
    #expect(inspection.history(at: 1)?.objects[0].keys[2].value == #""D""#)
    // The queue doesn't keep a log.
    weak let dead = log
    log = nil
    #expect(dead == nil)
    queue.end()
    other.title = "E"
    #expect(batch() == nil)
  }
}
