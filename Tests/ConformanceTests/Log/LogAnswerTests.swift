import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Game {
  var score = 0 {
    didSet {
      if score > 100 { score = 100 }
      history.append(score)
    }
  }
  var history: [Int] = []
  var teams: [Team] = []

  required init() {}
}

@KeyValueObservable
private final class Team {
  var name = "" { didSet { if name == "Red" { points = 1 } } }
  var points = 0

  required init() {}
}

/// In any order, and written in the opposite one.
private struct Choices: Codable, Equatable {
  var names: [String]

  init(_ names: String...) { self.names = names }

  init(from decoder: any Decoder) throws { names = try [String](from: decoder) }

  func encode(to encoder: any Encoder) throws { try Array(names.reversed()).encode(to: encoder) }

  static func == (left: Choices, right: Choices) -> Bool { Set(left.names) == Set(right.names) }
}

@KeyValueObservable
private final class Quiz {
  var choices = Choices("a", "b")
  var title = ""

  required init() {}
}

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

  private func move(_ firm: Firm) {
    firm.mutableArrayValue(for: \.workers).move(from: 0, to: 2)
  }

  private func transaction(_ firm: Firm) {
    firm.performChanges {
      $0.name = "N"
      $0.motto = "m"
    }
  }

  @Test("G2 G3 what a move's observer creates or deletes comes with the answer's record")
  func moves() throws {
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

  @Test(
    "G3 what property observers make of an applied value, or of a new object's, is in the answer")
  func propertyObservers() throws {
    let game = Game()
    let log = try KeyValueChangeLog(of: game)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: Game.self)
    let third = try KeyValueChangeLog(restoring: log.snapshot(), as: Game.self)
    var records: [KeyValueTransactionRecord] = []
    let links = [
      log.observe { records.append($0) },
      copy.observe { record in
        do { try third.apply(throughJSON(record)) } catch { Issue.record(error) }
      },
    ]
    let snapshot = try log.snapshot()
    game.performChanges {
      $0.score = 50
      let team = Team()
      team.name = "Red"
      team.points = 9
      $0.teams = [team]
    }
    // As another program, whose property observers do less, would have made it.
    var edits = records[0].edits.filter { $0.key != "history" }
    edits = edits.map { edit in
      if case .set(let id, "score", let old, _) = edit {
        .set(id, key: "score", old: old, new: 200)
      } else {
        edit
      }
    }
    let record = KeyValueTransactionRecord(edits, isTransaction: true)
    try copy.apply(record, from: "there", runsPropertyObservers: true)
    #expect(copy.root.score == 100 && copy.root.history == [100])
    #expect(copy.root.teams[0].points == 1 || copy.root.teams[0].points == 9)
    #expect(try third.snapshot() == copy.snapshot())
    copy.root.score = 70
    #expect(try third.snapshot() == copy.snapshot())
    #expect(try snapshot != copy.snapshot())
    withExtendedLifetime(links) {}
  }

  @Test(
    "G2 G3 an object that an applied record creates, and nothing takes, is deleted by the answer")
  func neverEntered() throws {
    #expect(
      try apply(
        { firm in
          firm.performChanges {
            $0.mutableArrayValue(for: \.workers)[2] = Worker("D")
            $0.motto = "m"
          }
        },
        answeredBy: { firm in
          [
            firm.observe(\.workers, options: .prior) { firm, change in
              if change.isPrior, firm.workers.count == 3 { firm.workers.removeLast() }
            }
          ]
        }) == ["set workers", "delete"])
    #expect(third.root.workers.map(\.name) == ["A", "B"])
  }

  @Test("G3 a record that's applied inside of a proxy's operation keeps its id and origin")
  func appliedInsideOfAnOperation() throws {
    firm.name = "N"
    var records: [KeyValueTransactionRecord] = []
    let recording = log.observe { records.append($0) }
    firm.motto = "m"
    firm.performChanges {
      $0.motto = "n"
      $0.mood = .grim
    }
    recording.invalidate()
    copy.root.name = "N"
    for record in records {
      passedOn.value = []
      let answer = copy.root.observe(\.workers) { [copy] _, change in
        guard change.kind == .removal else { return }
        do { try copy.apply(record, from: "there") } catch { Issue.record(error) }
      }
      copy.root.mutableArrayValue(for: \.workers).move(from: 0, to: 2)
      answer.invalidate()
      let passed = passedOn.value
      #expect(passed.map { $0.id == record.id } == [false, true, false])
      #expect(passed.map(\.origin) == [.local, .remote("there"), .local])
      #expect(passed.count == 3 && passed[1].edits == record.edits)
      #expect(try third.snapshot() == copy.snapshot())
    }
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

  @Test("G3 an answer to a value that the record expects in another order is recorded")
  func writtenInAnyOrder() throws {
    let quiz = Quiz()
    let log = try KeyValueChangeLog(of: quiz)
    let third = try KeyValueChangeLog(restoring: log.snapshot(), as: Quiz.self)
    let id = try #require(log.id(of: quiz))
    var passedOn: [[KeyValueEdit]] = []
    let link = log.observe { record in
      passedOn.append(record.edits)
      do { try third.apply(throughJSON(record)) } catch { Issue.record(error) }
    }
    let answer = quiz.observe(\.title, options: .prior) { quiz, change in
      if change.isPrior { quiz.choices = Choices("e") }
    }
    let title = KeyValueEdit.set(id, key: "title", old: "", new: "t")
    try log.apply(
      KeyValueTransactionRecord(
        [.set(id, key: "choices", old: ["a", "b"], new: ["c", "d"]), title], isTransaction: true),
      from: "there")
    #expect(
      passedOn == [
        [.set(id, key: "choices", old: ["b", "a"], new: ["c", "d"]), title],
        [.set(id, key: "choices", old: ["c", "d"], new: ["e"])],
      ])
    #expect(third.root.choices == Choices("e") && third.root.title == "t")
    withExtendedLifetime((link, answer)) {}
  }
}

private func throughJSON(
  _ record: KeyValueTransactionRecord
) throws -> KeyValueTransactionRecord {
  try JSONDecoder().decode(KeyValueTransactionRecord.self, from: JSONEncoder().encode(record))
}
