import KeyValueObserving
import KeyValueTesting
import Testing

@Suite("E4. A list of changes")
struct ChangeListTests {
  private let company = Company()

  @Test("E4 next() returns one change after the other, and nil at the end")
  func next() throws {
    let changes = ChangeList(of: company.kvo.name, company.kvo.tags)
    company.name = "A"
    company.tags = ["a"]
    let first = try #require(changes.next())
    #expect("\(first)" == "change(Company.name, old: \"Engines\", new: \"A\")")
    #expect(first.object === company)
    #expect(first.keyPath == "name")
    #expect(first.kind == .setting)
    #expect(first.indexes == nil)
    #expect(!first.isPrior)
    #expect(first.place == nil)
    #expect(changes.next()?.kind == .insertion)
    #expect(changes.next() == nil)
    company.name = "B"
    changes.expectNext(change(company.kvo.name, new: "B"))
    changes.finish()
    company.name = "C"
    #expect(changes.next() == nil)
  }

  @Test(
    "E4 A change has its values, objects as long as they live, and is compared with a description")
  func values() throws {
    let ada = Employee()
    let changes = ChangeList(of: company)
    company.name = "A"
    company.employees = [ada]
    company.tags = ["a"]
    company.prices = ["tea": 2]
    company.head = Employee("Grace")
    company.head = nil
    let name = try #require(changes.next())
    #expect(name.oldValue as? String == "Engines")
    #expect(name.newValue as? String == "A")
    #expect(name.matches(change(company.kvo.name, new: "A")))
    #expect(!name.matches(change(company.kvo.name, new: "B")))
    #expect(changes.next()?.keyPath == "title")
    let employees = try #require(changes.next())
    #expect(employees.oldValue == nil)
    #expect((employees.newValue as? [Employee])?.first === ada)
    #expect(employees.indexes == RangeSet(0..<1))
    #expect(changes.next()?.newValue as? Int == 100)
    #expect(changes.next()?.newValue as? [String] == ["a"])
    #expect(changes.next()?.newValue as? [String: Int] == ["tea": 2])
    let head = try #require(changes.next())
    #expect(head.newValue == nil)
    #expect("\(head)" == "change(Company.head, old: nil, new: Employee)")
    #expect(changes.next()?.newValue == nil)
    let logged = try ChangeList(ofGraph: company)
    company.prices = ["tea": 3]
    company.place.number = 2
    #expect(changes.next()?.newValue as? [String: Int] == ["tea": 3])
    #expect(changes.next()?.keyPath == "place")
    #expect(logged.next()?.newValue as? [String: Int] == ["tea": 3])
    #expect((logged.next()?.newValue as? [String: Any])?["street"] as? String == "Dorset Street")
  }

  @Test("E4 The next change must be the one described")
  func expectNext() {
    let changes = ChangeList(of: company)
    company.name = "A"
    let line = #line + 2
    let found = failures {
      changes.expectNext(change(company.kvo.name, new: "B"))
      changes.expectNext(change(company.kvo.title))
      changes.expectNext(change(company.kvo.motto))
    }
    let messages = [
      """
      The next change isn't the one described (- described, + announced):
      - change(Company.name, new: "B")  // ChangeListTests.swift:\(line)
      + change(Company.name, old: "Engines", new: "A")
      """,
      """
      The next change isn't the one described (- described, + announced):
      - change(Company.motto)  // ChangeListTests.swift:\(line + 2)
      """,
    ]
    #expect(found == failure(messages[0], at: line) + failure(messages[1], at: line + 2))
  }

  @Test("E4 What wasn't asked for is a failure at the end, where the list was made or finished")
  func end() throws {
    let line = #line + 3
    let released = failures {
      do {
        let changes = ChangeList(of: company.kvo.name)
        company.name = "A"
        company.name = "B"
        _ = changes.next()
      }
    }
    let message = """
      Changes weren't asked for:
      + change(Company.name, old: "A", new: "B")
      """
    #expect(released == failure(message, at: line))
    let changes = try ChangeList(ofGraph: company)
    company.name = "A"
    let finished = failures { changes.finish() }
    let other = """
      Changes weren't asked for:
      + change(Company.name, old: "B", new: "A")
      """
    #expect(finished == failure(other, at: #line - 5))
    let log = try log(of: company)
    let logged = ChangeList(of: log)
    company.name = "C"
    logged.expectNext(change(company.kvo.name, old: "A", new: "C"))
  }

  @Test("E4 A change that comes later is awaited")
  func later() async {
    let counter = Counter()
    let changes = ChangeList(of: counter.kvo.count)
    Task { counter.count = 1 }
    let next = await changes.next(within: .seconds(60))
    #expect(next.map { "\($0)" } == "change(Counter.count, old: 0, new: 1)")
    let none = await changes.next(within: .milliseconds(1))
    #expect(none == nil)
  }
}
