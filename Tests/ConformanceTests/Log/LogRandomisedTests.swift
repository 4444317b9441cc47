import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Random changes of a firm, of any kind.
private struct RandomChanges {
  var random: SeededGenerator
  let firm: Firm
  struct Refusal: Error {}

  private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private mutating func worker() -> Worker {
    let known = firm.workers + firm.guests + Array(firm.bySeat.values)
    if let some = known.randomElement(using: &random), number(3) > 0 { return some }
    return number(2) == 0 ? Worker("w\(number(100))") : Boss("b\(number(100))")
  }

  mutating func step(_ depth: Int = 0) {
    switch number(24) {
    case 0: firm.name = "n\(number(5))"
    case 1: firm.motto = number(2) == 0 ? nil : "m\(number(5))"
    case 2: firm.workers.append(worker())
    case 3: firm.mutableArrayValue(for: \.workers).append(worker())
    case 4: if !firm.workers.isEmpty { firm.workers.remove(at: number(firm.workers.count)) }
    case 5:
      let workers = firm.mutableArrayValue(for: \.workers)
      if !workers.isEmpty { workers.remove(at: number(workers.count)) }
    case 6: if firm.workers.count > 1 { firm.workers.swapAt(0, number(firm.workers.count)) }
    case 7:
      let workers = firm.mutableArrayValue(for: \.workers)
      if workers.count > 1 { workers.move(from: 0, to: number(workers.count)) }
    case 8: firm.guests = [worker(), worker()]
    case 9: firm.guests = firm.workers
    case 10: firm.bySeat["s\(number(3))"] = number(3) == 0 ? nil : worker()
    case 11: firm.prices["p\(number(3))"] = number(3) == 0 ? nil : number(9)
    case 12: firm.mutableSetValue(for: \.labels).formUnion(["l\(number(4))", "l\(number(4))"])
    case 13: firm.mutableSetValue(for: \.labels).subtract(["l\(number(4))"])
    case 14: firm.mutableSetValue(for: \.labels).replaceAll(with: ["l\(number(4))"])
    case 15: firm.labels.insert("l\(number(4))")
    case 16: firm.star = number(3) == 0 ? nil : worker()
    case 17: worker().salary += number(3)
    case 18: worker().partner = number(3) == 0 ? nil : worker()
    case 19: worker().mentor = number(3) == 0 ? nil : worker()
    case 20: worker().skills = (0..<number(4)).map { "s\($0)" }
    case 21: (worker() as? Boss)?.reports.append(worker())
    case 22: firm.withChange(of: "manual") { firm.manual = number(9) }
    default: transaction(depth)
    }
  }

  private mutating func transaction(_ depth: Int) {
    guard depth < 3 else { return }
    let count = number(5)
    let (rollsBack, fails) = (number(2) == 0, number(3) == 0)
    var copy = self
    try? firm.performChanges(rollingBack: rollsBack) { _ in
      for _ in 0..<count { copy.step(depth + 1) }
      if fails { throw Refusal() }
    }
    self = copy
  }
}

@Suite("G. Random histories, sent to a replica and taken back")
struct LogRandomisedTests {
  private static let keys = [
    "name", "motto", "workers", "guests", "labels", "prices.p0", "prices.p1", "manual",
    "workers.salary",
    "workers.@sum.salary", "payroll",
  ]

  private func observe(_ firm: Firm, _ log: ChangeLog) throws -> [KeyValueObservation] {
    try LogRandomisedTests.keys.map {
      try firm.observe($0, options: [.old, .new], changeHandler: log.handler($0))
    }
  }

  @Test(
    "G3 records through JSON make an equal graph and the same notifications, and inverses lead back",
    arguments: 0..<TestVolume.either(12, full: 60))
  func replica(seed: Int) throws {
    let firm = Firm()
    let log = try KeyValueChangeLog(of: firm)
    let start = try log.snapshot()
    let copy = try KeyValueChangeLog(
      restoring: start, as: Firm.self, classes: [KeyValueLogClass(Boss.self)])
    let (here, there) = (ChangeLog(), ChangeLog())
    let tokens = try observe(firm, here) + observe(copy.root, there)
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    var records: [KeyValueTransactionRecord] = []
    var data = start
    let link = log.observe { record in
      do {
        let sent = try decoder.decode(
          KeyValueTransactionRecord.self, from: encoder.encode(record))
        #expect(sent == record && record.inverse.inverse == record)
        records.append(sent)
        try copy.apply(sent)
        try data.apply(sent)
      } catch { Issue.record("seed \(seed): \(error)\n\(record)") }
    }
    var changes = RandomChanges(random: SeededGenerator(seed: UInt64(seed)), firm: firm)
    for step in 0..<300 {
      changes.step()
      let (now, replica) = (try log.snapshot(), try copy.snapshot())
      let lines = (here.take(), there.take())
      guard now == replica, now == data, lines.0 == lines.1 else {
        Issue.record(
          "seed \(seed), step \(step): \(records.last.map { "\($0)" } ?? "")\n\(lines.0)\n\(lines.1)"
        )
        return
      }
    }
    for record in records.reversed() { try copy.apply(record.inverse) }
    #expect(try copy.snapshot() == start)
    try copy.apply(log.snapshot())
    #expect(try copy.snapshot() == log.snapshot())
    withExtendedLifetime((tokens, link)) {}
  }

  @Test(
    "X3 a recorded graph is undone and redone to the same states, with the same instances",
    arguments: 0..<TestVolume.either(8, full: 40))
  func recorder(seed: Int) throws {
    let firm = Firm()
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: firm)
    let log = try KeyValueChangeLog(of: firm)
    var records: [KeyValueTransactionRecord] = []
    let token = log.observe { records.append($0) }
    defer { withExtendedLifetime(token) {} }
    var states = [try log.snapshot()]
    var changes = RandomChanges(random: SeededGenerator(seed: UInt64(seed + 1000)), firm: firm)
    for _ in 0..<120 {
      changes.step()
      let state = try log.snapshot()
      if state != states.last { states.append(state) }
    }
    let end = states.last
    var undone = 0
    do {
      while try recorder.undo() { undone += 1 }
    } catch {
      Issue.record("seed \(seed): \(error)\n\(records.dropLast(undone).suffix(2))")
      return
    }
    #expect(try log.snapshot() == states.first)
    do {
      for _ in 0..<undone { #expect(try recorder.redo()) }
    } catch { Issue.record("seed \(seed), redo: \(error)\n\(records.suffix(1))") }
    #expect(try log.snapshot() == end)
  }
}
