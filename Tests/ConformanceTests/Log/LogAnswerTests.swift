import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("G. What observers change while a record is applied")
struct LogAnswerTests {
  private let firm = Firm()
  private let log: KeyValueChangeLog<Firm>
  private let copy: KeyValueChangeLog<Firm>
  private let third: KeyValueChangeLog<Firm>
  private let passedOn = Box<[KeyValueTransactionRecord]>([])
  private let link: KeyValueObservation

  private final class Box<Value> {
    var value: Value

    init(_ value: Value) { self.value = value }
  }

  init() throws {
    firm.workers = [Worker("A"), Worker("B"), Worker("C")]
    log = try KeyValueChangeLog(of: firm)
    copy = try KeyValueChangeLog(restoring: log.snapshot(), as: Firm.self)
    third = try KeyValueChangeLog(restoring: log.snapshot(), as: Firm.self)
    let (third, passedOn) = (third, passedOn)
    link = copy.observe { record in
      passedOn.value.append(record)
      do { try third.apply(throughJSON(record)) } catch { Issue.record(error) }
    }
  }

  /// Applies the record of a change to the copy, whose observers answer it, and what comes of it to the third graph.
  ///
  /// - Returns: The edits of the answers' record, by kind and key.
  private func apply(
    _ change: (Firm) throws -> Void, answeredBy observe: (Firm) -> [KeyValueObservation]
  )
    throws -> [String]
  {
    var records: [KeyValueTransactionRecord] = []
    let recording = log.observe { records.append($0) }
    try change(firm)
    recording.invalidate()
    let record = try #require(records.count == 1 ? throughJSON(records[0]) : nil)
    let answers = observe(copy.root)
    try copy.apply(record, from: "there")
    for answer in answers { answer.invalidate() }
    try #require(passedOn.value.count == 2)
    let (first, second) = (passedOn.value[0], passedOn.value[1])
    #expect(first.id == record.id && first.edits == record.edits)
    #expect(first.isTransaction == record.isTransaction && first.origin == .remote("there"))
    #expect(second.origin == .local)
    #expect(try third.snapshot() == copy.snapshot())
    return second.edits.map { edit in
      let kind = "\(edit)".prefix { $0 != " " }
      return edit.key.map { "\(kind) \($0)" } ?? "\(kind)"
    }
  }

  private func atPriors(
    of keyPath: KeyPath<Firm, some Any> & Sendable, _ body: @escaping (Firm) -> Void
  ) -> (Firm) -> [KeyValueObservation] {
    { firm in
      [
        firm.observe(keyPath, options: .prior) { firm, change in if change.isPrior { body(firm) } }
      ]
    }
  }

  private func transaction(_ firm: Firm) {
    firm.performChanges {
      $0.name = "N"
      $0.motto = "m"
    }
  }

  @Test("G2 G3 what a move's observer creates or deletes comes with the answer's record")
  func moves() throws {
    let move: (Firm) -> Void = { $0.mutableArrayValue(for: \.workers).move(from: 0, to: 2) }
    #expect(
      try apply(move) { firm in
        [
          firm.observe(\.workers) { firm, change in
            if change.kind == .insertion { firm.guests.append(Worker("New")) }
          }
        ]
      } == ["create", "amend guests"])
  }

  @Test("G2 G3 what a move's observer deletes is deleted with the answer's record")
  func departures() throws {
    firm.guests = [Worker("G")]
    try copy.apply(log.snapshot())
    passedOn.value = []
    let move: (Firm) -> Void = { $0.mutableArrayValue(for: \.workers).move(from: 0, to: 2) }
    #expect(
      try apply(move) { firm in
        [
          firm.observe(\.workers) { firm, change in if change.kind == .removal { firm.guests = [] }
          }
        ]
      }
        == ["amend guests", "delete"])
  }

  @Test(
    "G2 G3 what a prior's handler creates while a transaction is applied comes with the answer's record"
  )
  func createdAtPriors() throws {
    #expect(
      try apply(transaction, answeredBy: atPriors(of: \.name) { $0.guests.append(Worker("New")) })
        == ["create", "amend guests"])
  }

  @Test("G2 G3 so does what a prior's handler takes out, and what it puts into a new object")
  func changedAtPriors() throws {
    #expect(
      try apply(
        transaction,
        answeredBy: atPriors(of: \.motto) { firm in
          firm.workers.removeLast()
          let boss = Worker("Boss")
          firm.guests = [boss]
          boss.name = "Eve"
        }) == ["create", "amend workers", "amend guests", "delete"])
  }

  @Test(
    "G2 G3 an object that an applied record creates and a handler changes is created as it came")
  func createdAndChanged() throws {
    #expect(
      try apply(
        { firm in
          firm.performChanges {
            $0.workers.append(Worker("D"))
            $0.motto = "m"
          }
        }, answeredBy: atPriors(of: \.motto) { $0.workers.last?.name = "Dora" }) == ["set name"])
    #expect(third.root.workers.last?.name == "Dora")
  }

  @Test(
    "G2 G3 an object that an applied record creates and a handler takes out is deleted by the answer"
  )
  func createdAndDeleted() throws {
    #expect(
      try apply(
        { firm in
          firm.performChanges {
            $0.workers.append(Worker("D"))
            $0.motto = "m"
          }
        }, answeredBy: atPriors(of: \.motto) { $0.workers.removeLast() }) == [
          "set workers", "delete",
        ])
    #expect(third.root.workers.map(\.name) == ["A", "B", "C"])
  }

  @Test(
    "G2 G3 an object that an applied record deletes and a handler keeps is created again by the answer"
  )
  func keptElsewhere() throws {
    let removal: (Firm) -> Void = { firm in
      firm.performChanges {
        $0.workers.remove(at: 0)
        $0.motto = "m"
      }
    }
    #expect(
      try apply(removal, answeredBy: atPriors(of: \.workers) { $0.guests = [$0.workers[0]] })
        == ["create", "amend guests"])
  }

  @Test("G3 an answer to the collection that an applied record edits is a setting of it")
  func sameCollection() throws {
    let move: (Firm) -> Void = { $0.mutableArrayValue(for: \.workers).move(from: 0, to: 2) }
    #expect(
      try apply(move) { firm in
        [
          firm.observe(\.workers) { firm, change in
            if change.kind == .removal { firm.workers.insert(Worker("New"), at: 0) }
          }
        ]
      } == ["create", "set workers"])
    #expect(third.root.workers.map(\.name) == copy.root.workers.map(\.name))
  }

  @Test("G3 so is what answers a snapshot")
  func snapshots() throws {
    let fixed = try log.snapshot()
    firm.name = "N"
    firm.workers = [firm.workers[0], Worker("D")]
    let answers = atPriors(of: \.workers) { $0.guests.append(Worker("New")) }(copy.root)
    try copy.apply(log.snapshot(), from: "there")
    for answer in answers { answer.invalidate() }
    #expect(passedOn.value.map { $0.origin } == [.remote("there"), .local])
    #expect(try third.snapshot() == copy.snapshot())
    #expect(
      third.root.guests.map(\.name) == ["New"] && third.root.workers.map(\.name) == ["A", "D"])
    for record in passedOn.value.reversed() { try copy.apply(record.inverse) }
    #expect(try copy.snapshot() == fixed)
  }
}

private func throughJSON(
  _ record: KeyValueTransactionRecord
) throws -> KeyValueTransactionRecord {
  try JSONDecoder().decode(KeyValueTransactionRecord.self, from: JSONEncoder().encode(record))
}
