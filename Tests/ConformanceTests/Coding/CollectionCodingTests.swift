import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A hashable element that holds an object that is not hashable.
@KeyValueObservable
private final class Pupil: Hashable {
  let mentor: Person

  init(_ mentor: Person) {
    self.mentor = mentor
  }

  static func == (left: Pupil, right: Pupil) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@Suite("K. Key-value coding: collections")
struct CollectionCodingTests {
  private let log = ChangeLog()
  private let ada = Employee("Ada", salary: 3)
  private let ben = Employee("Ben", salary: 1)
  private let cyd = Employee("Cyd", salary: 3)
  private let division: Division

  init() {
    division = Division("one", [ada, ben, cyd])
    ada.bonus = 5
    ada.account = Account(balance: 10)
    division.interns = [ada, cyd]
  }

  @Test("K5 reading a key of an array maps its elements and keeps nil")
  func arrays() throws {
    #expect(try division.employees.value(forKey: "name") as? [String] == ["Ada", "Ben", "Cyd"])
    let bonuses = try division.value(forKeyPath: "employees.bonus")
    #expect(bonuses as? [Int?] == [5, nil, nil])
    #expect(described(bonuses) == "[5, nil, nil]")
    #expect(
      described(try division.value(forKeyPath: "employees.account.balance")) == "[10.0, nil, nil]")
    #expect(
      described(try division.employees.value(forKeyPath: "account.balance"))
        == "[10.0, nil, nil]")
    #expect(described(try [Employee]().value(forKey: "name")) == "[]")
    #expect(
      described(try ([ada, division] as [Any]).value(forKey: "name")) == "[\"Ada\", \"one\"]")
    #expect(described(try division.employees.value(forKey: "self")) == "[Ada, Ben, Cyd]")
  }

  @Test("K5 reading a key of a set drops nil and duplicates")
  func sets() throws {
    #expect(try division.interns.value(forKey: "salary") as? Set<Int> == [3])
    #expect(try division.interns.value(forKey: "bonus") as? Set<Int> == [5])
    #expect(try division.value(forKeyPath: "interns.name") as? Set<String> == ["Ada", "Cyd"])
    #expect(described(try Set<Employee>().value(forKey: "name")) == "[]")
    let mixed: Set<AnyHashable> = [ada, ben]
    #expect(try mixed.value(forKey: "name") as? Set<String> == ["Ada", "Ben"])
  }

  @Test("K5 a path through a set gives a set, even through objects that are not Equatable")
  func setsOfObjects() throws {
    let (one, other) = (Person(), Person())
    let pupils = Set([one, one, other].map { Pupil($0) })
    #expect((try pupils.value(forKey: "mentor") as? [Person])?.count == 2)
    #expect(try pupils.value(forKeyPath: "mentor.firstName") as? Set<String> == ["Ada"])
    #expect(try pupils.value(forKeyPath: "mentor.age") as? Set<Int> == [36])
  }

  @Test("K5 a dictionary looks up the key, also within a path and as an element")
  func dictionaries() throws {
    let row: [String: Any] = [
      "payee": "Rent", "amount": 5, "who": ada, "nothing": Int?.none as Any,
    ]
    #expect(try row.value(forKey: "payee") as? String == "Rent")
    #expect(try row.value(forKey: "absent") == nil)
    #expect(try row.value(forKey: "nothing") == nil)
    #expect(try row.value(forKeyPath: "who.name") as? String == "Ada")
    #expect(try ["a": 1].value(forKey: "a") as? Int == 1)
    division.info = ["boss": ben, "deep": ["number": 7]]
    #expect(try division.value(forKeyPath: "info.boss.salary") as? Int == 1)
    #expect(try division.value(forKeyPath: "info.deep.number") as? Int == 7)
    #expect(try division.value(forKeyPath: "info.absent.number") == nil)
    let table: [[String: Any]] = [row, ["amount": 2.5], [:]]
    #expect(described(try table.value(forKey: "amount")) == "[5, 2.5, nil]")
    #expect(try table.value(forKeyPath: "@sum.amount") as? Double == 7.5)
    #expect(try table.value(forKeyPath: "@max.amount") as? Int == 5)
    #expect(described(try table.value(forKeyPath: "who.name")) == "[\"Ada\", nil, nil]")
  }

  @Test("K5 setting a dictionary's key converts the value exactly; nil removes the key")
  func settingDictionaries() throws {
    var counts = ["a": 1]
    try counts.setValue(2.0, forKey: "b")
    try counts.setValue(nil, forKey: "a")
    #expect(counts == ["b": 2])
    #expect(
      message { try counts.setValue("x", forKey: "b") }
        == "Dictionary<String, Int>.b was given a value of the wrong type: it holds Int, which cannot "
        + "take \"x\" of type String exactly.")
    #expect(counts == ["b": 2])
  }

  @Test("K5 arrays of arrays map at every level")
  func nested() throws {
    let grid = [[ada, ben], [], [cyd]]
    #expect(
      described(try grid.value(forKey: "name")) == "[[\"Ada\", \"Ben\"], [], [\"Cyd\"]]")
    let divisions = [division, Division("two", [ben])]
    #expect(
      described(try divisions.value(forKeyPath: "employees.salary")) == "[[3, 1, 3], [1]]")
    #expect(try grid.value(forKeyPath: "@count") as? Int == 3)
    #expect(described(try [[1, 2], [3]].value(forKeyPath: "@unionOfArrays.self")) == "[1, 2, 3]")
  }

  @Test("K5 setting a key of a collection sets it for each element, and each notifies once")
  func broadcasting() throws {
    let tokens = [ada, ben, cyd].map {
      $0.observe(\.salary, options: [.old, .new], changeHandler: log.handler($0.name))
    }
    try division.employees.setValue(7, forKey: "salary")
    #expect(
      log.take() == [
        "Ada: setting, old: 3, new: 7", "Ben: setting, old: 1, new: 7",
        "Cyd: setting, old: 3, new: 7",
      ])
    try division.setValue(8.0, forKeyPath: "employees.salary")
    #expect([ada, ben, cyd].map(\.salary) == [8, 8, 8])
    #expect(log.take().count == 3)
    try division.interns.setValue(9, forKey: "salary")
    #expect([ada, ben, cyd].map(\.salary) == [9, 8, 9])
    try division.setValue(1.5, forKeyPath: "employees.account.balance")
    #expect(ada.account?.balance == 1.5)
    try ([ada, ben] as [Any]).setValue("x", forKey: "name")
    #expect([ada.name, ben.name] == ["x", "x"])
    try [[ada], [cyd]].setValue("y", forKey: "name")
    #expect([ada.name, ben.name, cyd.name] == ["y", "x", "y"])
    for token in tokens { token.invalidate() }
  }

  @Test("K5 a key that a collection cannot read or set is an error that names the key")
  func errors() {
    #expect(
      message { _ = try division.employees.value(forKey: "nam") }
        == "Employee has no key 'nam'. Did you mean 'name'?")
    #expect(
      message { _ = try division.value(forKeyPath: "employees.nam") }
        == "Employee has no key 'nam' (component 2 of 'employees.nam'). Did you mean 'name'?")
    #expect(
      message { _ = try [1, 2].value(forKey: "name") }
        == "Int.name cannot be read: a value of type Int has no keys; only @KeyValueObservable "
        + "classes, collections of them and dictionaries do.")
    #expect(
      message { _ = try division.employees.value(forKey: "account.balance") }
        == "'account.balance' is not a key: it's a key path of several components; use "
        + "value(forKeyPath:).")
    #expect(
      message { _ = try [1].value(forKey: "@sum") }
        == "'@sum' is not a key: an operator belongs in a key path; use value(forKeyPath:).")
    #expect(
      message { try division.employees.setValue(1, forKey: "account.balance") }
        == "'account.balance' is not a key: it's a key path of several components. Set it in each "
        + "element: for element in … { try element.setValue(…, forKeyPath: \"account.balance\") }.")
    for key in ["@sum", "@count", "@sum.salary", "skills.@count"] {
      #expect(
        message { try Set(division.employees).setValue(1, forKey: key) }
          == "'\(key)' is not a key: an operator's value can't be set.")
    }
    #expect(
      message { try division.employees.setValue(1, forKey: "nam") }
        == "Employee has no key 'nam'. Did you mean 'name'?")
  }

  @Test("K5 an observed path through a dictionary changes with the property that holds it")
  func observedDictionary() throws {
    let token = try division.observe(
      "info.boss.name", options: [.old, .new], changeHandler: log.handler("boss"))
    division.info = ["boss": ada]
    division.info["boss"] = ben
    division.info = [:]
    #expect(
      log.take() == [
        "boss: setting, old: nil, new: \"Ada\"", "boss: setting, old: \"Ada\", new: \"Ben\"",
        "boss: setting, old: \"Ben\", new: nil",
      ])
    token.invalidate()
  }

  @Test("K5 an observed path through an array of dictionaries follows the array")
  func observedTable() throws {
    let enterprise = Enterprise()
    let tokens = [
      try enterprise.observe(
        "table.@sum.amount", options: [.old, .new], changeHandler: log.handler("sum")),
      try enterprise.observe(
        "table.payee", options: [.new], changeHandler: log.handler("payees")),
    ]
    enterprise.table = [["payee": "Rent", "amount": 5]]
    enterprise.table.append(["payee": "Food", "amount": 0.5])
    let table = enterprise.mutableArrayValue(for: \.table)
    table[0] = ["payee": "Rent", "amount": 6]
    table.remove(at: 1)
    #expect(
      log.take() == [
        "sum: setting, old: 0, new: 5", "payees: setting, new: [\"Rent\"]",
        "sum: setting, old: 5, new: 5.5", "payees: setting, new: [\"Rent\", \"Food\"]",
        "sum: setting, old: 5.5, new: 6.5", "payees: setting, new: [\"Rent\", \"Food\"]",
        "sum: setting, old: 6.5, new: 6", "payees: setting, new: [\"Rent\"]",
      ])
    for token in tokens { token.invalidate() }
  }
}
