import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("R6. Collections that cannot be observed")
struct CollectionViolationTests {
  private let log = ChangeLog()

  @Test("R6 An unknown operator, or one without its path, is refused at registration")
  func operators() {
    let division = Division()
    let enterprise = Enterprise()
    func refusal(_ keyPath: String) -> String {
      message { _ = try division.observe(keyPath) { _, _ in } }
    }
    #expect(
      [
        "employees.@total.salary", "employees.@sum",
        "advisers.@total.salary", "employees.@summ.salary", "@count", "name.@count",
      ].map(refusal) == [
        "There is no collection operator '@total' (component 2 of 'employees.@total.salary').",
        "'employees.@sum' is not a key path: @sum needs a path on its right.",
        "There is no collection operator '@total' (component 2 of 'advisers.@total.salary').",
        "There is no collection operator '@summ' (component 2 of 'employees.@summ.salary'). "
          + "Did you mean '@sum'?",
        "Division has no key '@count'.",
        "String.@count (component 2 of 'name.@count') is not a collection.",
      ])
    #expect(
      message { _ = try enterprise.observe("main.employees.@total.salary") { _, _ in } }
        == "There is no collection operator '@total' (component 3 of 'main.employees.@total.salary')."
    )
    #expect(isIdle(division, enterprise))
  }

  @Test("R6 A key that an element doesn't have is refused at registration")
  func keys() {
    let division = Division("one", [Employee("Ada")])
    #expect(
      message { _ = try division.observe("employees.nam") { _, _ in } }
        == "Employee has no key 'nam' (component 2 of 'employees.nam'). Did you mean 'name'?")
    #expect(
      message { _ = try division.observe("employees.@sum.salry") { _, _ in } }
        == "Employee has no key 'salry' (component 3 of 'employees.@sum.salry'). "
        + "Did you mean 'salary'?")
    #expect(
      message { _ = try division.observe("numbers.name") { _, _ in } }
        == "Division.numbers (component 1 of 'numbers.name') cannot be observed: its value is of type "
        + "Int, which is not @KeyValueObservable.")
    #expect(
      message { _ = try division.observe("employees.name.@max.length") { _, _ in } }
        == "Employee.name (component 2 of 'employees.name.@max.length') cannot be observed: its value "
        + "is of type String, which is not @KeyValueObservable.")
    // Each name is asked for its number of elements.
    #expect(
      message { _ = try division.observe("employees.@sum.name.@count") { _, _ in } }
        == "Employee.name (component 3 of 'employees.@sum.name.@count') cannot be observed: its value "
        + "is of type String, which is not @KeyValueObservable.")
    #expect(isIdle(division, division.employees[0]))
  }

  @Test("R6 A later element without the key makes the path nil until it is removed")
  func latecomers() throws {
    try ViolationLog.record { violations in
      let log = ChangeLog()
      let enterprise = Enterprise()
      let (ada, ben) = (Employee("Ada", salary: 1), Employee("Ben", salary: 10))
      let stranger = Division("stranger")
      enterprise.anything = [ada]
      let token = try enterprise.observe(
        "anything.@sum.salary", options: [.old, .new], fileID: "App/Pay.swift", line: 7,
        changeHandler: log.handler("sum"))
      let anything = enterprise.mutableArrayValue(for: \.anything)
      anything.append(contentsOf: [stranger, ben])
      #expect(
        violations.take() == [
          "unobservableValue: Division has no key 'salary' (component 3 of 'anything.@sum.salary'). "
            + "'anything.@sum.salary' of Enterprise reads as nil from there until the value is "
            + "replaced. It was registered at Pay.swift:7."
        ])
      #expect(log.take() == ["sum: setting, old: 1, new: nil"])
      anything.remove(at: 1)
      #expect(log.take() == ["sum: setting, old: nil, new: 11"])
      ada.salary = 2
      ben.salary = 20
      #expect(log.take() == ["sum: setting, old: 11, new: 12", "sum: setting, old: 12, new: 22"])
      token.invalidate()
      #expect(violations.take() == [])
    }
  }

  @Test("R6 P2 An element whose part can't be observed counts once that is replaced")
  func repairedParts() throws {
    try ViolationLog.record { violations in
      let log = ChangeLog()
      let enterprise = Enterprise()
      let (first, second) = (Drawer(), Drawer())
      first.content = Account(balance: 1)
      second.content = "text"
      enterprise.anything = [first]
      let token = try enterprise.observe(
        "anything.@sum.content.balance", options: [.old, .new], fileID: "App/Pay.swift", line: 7,
        changeHandler: log.handler("sum"))
      func report(_ type: String) -> String {
        "unobservableValue: Drawer.content (component 3 of 'anything.@sum.content.balance') cannot be "
          + "observed: its value is of type \(type), which is not @KeyValueObservable. "
          + "'anything.@sum.content.balance' of Enterprise reads as nil from there until the value is "
          + "replaced. It was registered at Pay.swift:7."
      }
      enterprise.mutableArrayValue(for: \.anything).append(second)
      #expect(violations.take() == [report("String")])
      second.content = Account(balance: 2)
      (second.content as? Account)?.balance = 4
      #expect(violations.take() == [])
      second.content = 7
      #expect(violations.take() == [report("Int")])
      (first.content as? Account)?.balance = 10
      second.content = nil
      #expect(violations.take() == [])
      #expect(
        log.take() == [
          "sum: setting, old: 1.0, new: nil", "sum: setting, old: nil, new: 3.0",
          "sum: setting, old: 3.0, new: 5.0", "sum: setting, old: 5.0, new: nil",
          "sum: setting, old: nil, new: nil", "sum: setting, old: nil, new: 10.0",
        ])
      token.invalidate()
      #expect(isIdle(enterprise, first, second))
    }
  }

  @Test("R6 A value among objects makes the path nil; objects added with it are observed")
  func valuesAmongObjects() throws {
    try ViolationLog.record { violations in
      let log = ChangeLog()
      let enterprise = Enterprise()
      let (ada, ben) = (Employee("Ada", salary: 1), Employee("Ben", salary: 10))
      enterprise.anything = [ada]
      let token = try enterprise.observe(
        "anything.@sum.salary", options: [.old, .new], fileID: "App/Pay.swift", line: 7,
        changeHandler: log.handler("sum"))
      let anything = enterprise.mutableArrayValue(for: \.anything)
      anything.append(contentsOf: [5, ben] as [Any])
      #expect(
        violations.take() == [
          "unobservableValue: Enterprise.anything (component 1 of 'anything.@sum.salary') cannot be "
            + "observed: its value is of type Int, which is not @KeyValueObservable. "
            + "'anything.@sum.salary' of Enterprise reads as nil from there until the value is "
            + "replaced. It was registered at Pay.swift:7."
        ])
      #expect(log.take() == ["sum: setting, old: 1, new: nil"])
      anything.remove(at: 1)
      #expect(log.take() == ["sum: setting, old: nil, new: 11"])
      ben.salary = 20
      #expect(log.take() == ["sum: setting, old: 11, new: 21"])
      enterprise.anything.removeAll()
      ben.salary = 30
      #expect(log.take() == ["sum: setting, old: 21, new: 0"])
      token.invalidate()
    }
  }

  @Test("P6 Dictionaries among objects are read, and the objects are observed")
  func dictionariesAmongObjects() throws {
    let enterprise = Enterprise()
    let ada = Employee("Ada", salary: 1)
    enterprise.anything = [ada]
    let token = try enterprise.observe(
      "anything.@sum.salary", options: [.old, .new], fileID: "App/Pay.swift", line: 7,
      changeHandler: log.handler("sum"))
    let anything = enterprise.mutableArrayValue(for: \.anything)
    anything.append(["salary": 5] as [String: Any])
    ada.salary = 2
    anything.removeLast()
    ada.salary = 3
    #expect(
      log.take() == [
        "sum: setting, old: 1, new: 6", "sum: setting, old: 6, new: 7",
        "sum: setting, old: 7, new: 2", "sum: setting, old: 2, new: 3",
      ])
    token.invalidate()
  }

  @Test("P4 Elements replaced without notification are detached")
  func behindTheBack() throws {
    let roster = Roster()
    let (ada, ben) = (Employee("Ada", salary: 1), Employee("Ben", salary: 10))
    roster.people = [ada]
    let token = try roster.observe(
      "people.@sum.salary", options: .new, changeHandler: log.handler("sum"))
    roster.people = [ben]
    ada.salary = 2
    roster.willChangeValue(forKey: "people")
    roster.didChangeValue(forKey: "people")
    ada.salary = 3
    ben.salary = 11
    #expect(log.take().suffix(2) == ["sum: setting, new: 10", "sum: setting, new: 11"])
    roster.people = []
    token.invalidate()
    #expect(isIdle(roster, ada, ben))
  }

  @Test("P7 Announced indexes that don't match the change leave the aggregate correct")
  func wrongAnnouncements() throws {
    let roster = Roster()
    let (ada, ben) = (Employee("Ada", salary: 1), Employee("Ben", salary: 10))
    roster.people = [ada, ben]
    let token = try roster.observe(
      "people.@sum.salary", options: .new, changeHandler: log.handler("sum"))
    roster.willChange(.insertion, valuesAt: RangeSet(0..<1), forKey: "people")
    roster.didChange(.insertion, valuesAt: RangeSet(0..<1), forKey: "people")
    #expect(log.take() == ["sum: setting, new: 11"])
    ada.salary = 2
    #expect(log.take() == ["sum: setting, new: 12"])
    token.invalidate()
    #expect(isIdle(roster, ada, ben))
  }

  /// A to-many key announced by hand.
  @KeyValueObservable
  final class Roster {
    @NotifiesManually var people: [Employee] = []
  }
}
