import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P. Key paths through collections")
struct ThroughCollectionTests {
  private let log = ChangeLog()
  private let ada = Employee("Ada", salary: 1)
  private let ben = Employee("Ben", salary: 10)
  private let cyd = Employee("Cyd", salary: 100)
  private let division: Division

  init() {
    division = Division("one", [ada, ben])
  }

  private func observe(
    _ keyPath: String, _ options: KeyValueObservingOptions = [.old, .new]
  ) throws -> KeyValueObservation {
    try division.observe(keyPath, options: options, changeHandler: log.handler("x"))
  }

  @Test("P6 A string path through a collection reports changes of membership and of every element")
  func membershipAndElements() throws {
    let token = try observe("employees.salary", [.initial, .old, .new, .prior])
    ben.salary = 20
    division.mutableArrayValue(for: \.employees).append(cyd)
    cyd.salary = 200
    division.employees.removeFirst()
    ada.salary = 2
    division.employees = []
    cyd.salary = 300
    #expect(
      log.take() == [
        "x: setting, new: [1, 10]",
        "x: setting, old: [1, 10], prior", "x: setting, old: [1, 10], new: [1, 20]",
        "x: setting, old: [1, 20], prior", "x: setting, old: [1, 20], new: [1, 20, 100]",
        "x: setting, old: [1, 20, 100], prior", "x: setting, old: [1, 20, 100], new: [1, 20, 200]",
        "x: setting, old: [1, 20, 200], prior", "x: setting, old: [1, 20, 200], new: [20, 200]",
        "x: setting, old: [20, 200], prior", "x: setting, old: [20, 200], new: []",
      ])
    #expect(isIdle(ada, ben, cyd))
    token.invalidate()
    #expect(isIdle(division))
  }

  @Test("P6 A path with an operator reports the operator's value, for every operator")
  func operators() throws {
    let names = [
      "@count", "@sum.salary", "@avg.salary", "@min.salary", "@max.salary",
      "@unionOfObjects.salary", "@distinctUnionOfObjects.salary", "@unionOfArrays.skills",
      "@distinctUnionOfArrays.skills",
    ]
    let tokens = try names.map { name in
      try division.observe(
        "employees.\(name)", options: [.old, .new], changeHandler: log.handler(name))
    }
    division.mutableArrayValue(for: \.employees).append(cyd)
    #expect(
      log.take() == [
        "@count: setting, old: 2, new: 3", "@sum.salary: setting, old: 11, new: 111",
        "@avg.salary: setting, old: 5.5, new: 37.0", "@min.salary: setting, old: 1, new: 1",
        "@max.salary: setting, old: 10, new: 100",
        "@unionOfObjects.salary: setting, old: [1, 10], new: [1, 10, 100]",
        "@distinctUnionOfObjects.salary: setting, old: [1, 10], new: [1, 10, 100]",
        "@unionOfArrays.skills: setting, old: [], new: []",
        "@distinctUnionOfArrays.skills: setting, old: [], new: []",
      ])
    ada.salary = 10
    #expect(
      log.take() == [
        "@sum.salary: setting, old: 111, new: 120", "@avg.salary: setting, old: 37.0, new: 40.0",
        "@min.salary: setting, old: 1, new: 10", "@max.salary: setting, old: 100, new: 100",
        "@unionOfObjects.salary: setting, old: [1, 10, 100], new: [10, 10, 100]",
        "@distinctUnionOfObjects.salary: setting, old: [1, 10, 100], new: [10, 100]",
      ])
    ben.mutableArrayValue(for: \.skills).append("x")
    #expect(
      log.take() == [
        "@unionOfArrays.skills: setting, old: [], new: [\"x\"]",
        "@distinctUnionOfArrays.skills: setting, old: [], new: [\"x\"]",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(division, ada, ben, cyd))
  }

  @Test("P6 An element that occurs twice notifies once, until its last occurrence is removed")
  func twice() throws {
    division.employees = [ada, ada]
    let token = try observe("employees.@sum.salary")
    ada.salary = 2
    division.mutableArrayValue(for: \.employees).remove(at: 0)
    ada.salary = 3
    division.employees.append(contentsOf: [ada, ada])
    division.employees.removeLast()
    ada.salary = 4
    division.employees = []
    ada.salary = 5
    #expect(
      log.take() == [
        "x: setting, old: 2, new: 4", "x: setting, old: 4, new: 2", "x: setting, old: 2, new: 3",
        "x: setting, old: 3, new: 9", "x: setting, old: 9, new: 6", "x: setting, old: 6, new: 8",
        "x: setting, old: 8, new: 0",
      ])
    #expect(isIdle(ada))
    token.invalidate()
  }

  @Test("P6 An element of two collections is followed in each independently")
  func shared() throws {
    division.deputies = [ada]
    let tokens = [
      try division.observe(
        "employees.@sum.salary", options: [.old, .new], changeHandler: log.handler("employees")),
      try division.observe(
        "deputies.@sum.salary", options: [.old, .new], changeHandler: log.handler("deputies")),
      try division.observe("interns.name", options: [.new], changeHandler: log.handler("interns")),
    ]
    ada.salary = 2
    division.employees.removeFirst()
    ada.salary = 3
    division.mutableSetValue(for: \.interns).insert(ada)
    ada.name = "Eve"
    division.deputies = []
    ada.salary = 4
    division.interns = []
    ada.name = "Amy"
    #expect(
      log.take() == [
        "employees: setting, old: 11, new: 12", "deputies: setting, old: 1, new: 2",
        "employees: setting, old: 12, new: 10", "deputies: setting, old: 2, new: 3",
        "interns: setting, new: [\"Ada\"]", "interns: setting, new: [\"Eve\"]",
        "deputies: setting, old: 3, new: 0", "interns: setting, new: []",
      ])
    #expect(isIdle(ada))
    for token in tokens { token.invalidate() }
  }

  @Test("P6 An element of two collections on one path notifies once and counts in both")
  func sharedOnOnePath() throws {
    let enterprise = Enterprise()
    let other = Division("two", [ada])
    enterprise.divisions = [division, other]
    let tokens = [
      try enterprise.observe(
        "divisions.employees.name", options: .new, changeHandler: log.handler("names")),
      try enterprise.observe(
        "divisions.@sum.employees.@sum.salary", options: [.old, .new],
        changeHandler: log.handler("sum")),
    ]
    ada.name = "Eve"
    ada.salary = 2
    other.employees = []
    ada.salary = 3
    enterprise.divisions.removeFirst()
    ada.salary = 4
    #expect(
      log.take() == [
        "names: setting, new: [[\"Eve\", \"Ben\"], [\"Eve\"]]",
        "sum: setting, old: 12, new: 14",
        "names: setting, new: [[\"Eve\", \"Ben\"], []]", "sum: setting, old: 14, new: 12",
        "sum: setting, old: 12, new: 13",
        "names: setting, new: [[]]", "sum: setting, old: 13, new: 0",
      ])
    #expect(isIdle(ada, ben, division))
    for token in tokens { token.invalidate() }
    #expect(isIdle(other))
  }

  @Test("P6 Intermediate objects of the elements are replaced as on any path")
  func intermediates() throws {
    let token = try observe("employees.account.balance")
    let account = Account(balance: 5)
    ada.account = account
    account.balance = 6
    ada.account = Account(balance: 7)
    account.balance = 8
    ben.account = account
    division.employees.removeLast()
    account.balance = 9
    #expect(
      log.take() == [
        "x: setting, old: [nil, nil], new: [5.0, nil]",
        "x: setting, old: [5.0, nil], new: [6.0, nil]",
        "x: setting, old: [6.0, nil], new: [7.0, nil]",
        "x: setting, old: [7.0, nil], new: [7.0, 8.0]",
        "x: setting, old: [7.0, 8.0], new: [7.0]",
      ])
    #expect(isIdle(account, ben))
    token.invalidate()
  }

  @Test("P6 A change of an object shared by several elements is one callback")
  func sharedIntermediate() throws {
    let account = Account(balance: 1)
    ada.account = account
    ben.account = account
    let token = try observe("employees.@sum.account.balance")
    account.balance = 2
    ada.account = nil
    account.balance = 3
    #expect(
      log.take() == [
        "x: setting, old: 2.0, new: 4.0", "x: setting, old: 4.0, new: 2.0",
        "x: setting, old: 2.0, new: 3.0",
      ])
    token.invalidate()
  }

  @Test("P6 Replacing or clearing the owner detaches its collection")
  func owner() throws {
    let enterprise = Enterprise()
    let token = try enterprise.observe(
      "main.employees.@max.salary", options: [.old, .new], changeHandler: log.handler("x"))
    enterprise.main = division
    ben.salary = 20
    let other = Division("two", [cyd])
    enterprise.main = other
    ben.salary = 30
    cyd.salary = 5
    enterprise.main = nil
    cyd.salary = 6
    #expect(
      log.take() == [
        "x: setting, old: nil, new: 10", "x: setting, old: 10, new: 20",
        "x: setting, old: 20, new: 100", "x: setting, old: 100, new: 5",
        "x: setting, old: 5, new: nil",
      ])
    #expect(isIdle(division, other, ada, ben, cyd))
    token.invalidate()
  }

  @Test("P6 An optional collection may be set, cleared and created again")
  func optionalCollection() throws {
    let tokens = [
      try observe("advisers.@sum.salary"),
      try division.observe(
        "patrons.name", options: [.old, .new], changeHandler: log.handler("patrons")),
    ]
    division.advisers = [ada]
    ada.salary = 2
    try division.mutableArrayValue(forKey: "advisers").append(ben)
    division.advisers = nil
    ada.salary = 3
    try division.mutableArrayValue(forKey: "advisers").append(ben)
    ben.salary = 11
    division.patrons = [cyd]
    cyd.name = "Eve"
    division.patrons = nil
    #expect(
      log.take() == [
        "x: setting, old: nil, new: 1", "x: setting, old: 1, new: 2", "x: setting, old: 2, new: 12",
        "x: setting, old: 12, new: nil", "x: setting, old: nil, new: 10",
        "x: setting, old: 10, new: 11",
        "patrons: setting, old: nil, new: [\"Cyd\"]",
        "patrons: setting, old: [\"Cyd\"], new: [\"Eve\"]",
        "patrons: setting, old: [\"Eve\"], new: nil",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(ada, ben, cyd, division))
  }

  @Test("P6 Sets are followed through every operation")
  func sets() throws {
    let token = try observe("interns.@sum.salary")
    let interns = division.mutableSetValue(for: \.interns)
    interns.formUnion([ada, ben])
    interns.insert(ada)
    ada.salary = 2
    interns.replaceAll(with: [ben, cyd])
    ada.salary = 3
    interns.formIntersection([cyd])
    ben.salary = 11
    cyd.salary = 101
    interns.remove(cyd)
    cyd.salary = 102
    #expect(
      log.take() == [
        "x: setting, old: 0, new: 11", "x: setting, old: 11, new: 11",
        "x: setting, old: 11, new: 12",
        "x: setting, old: 12, new: 110", "x: setting, old: 110, new: 100",
        "x: setting, old: 100, new: 101", "x: setting, old: 101, new: 0",
      ])
    #expect(isIdle(ada, ben, cyd))
    token.invalidate()
  }

  @Test("P6 Arrays of arrays are followed at every level")
  func nestedArrays() throws {
    let enterprise = Enterprise()
    enterprise.grid = [[ada], [ben]]
    let token = try enterprise.observe(
      "grid.name", options: .new, changeHandler: log.handler("x"))
    ada.name = "Eve"
    enterprise.grid[1].append(cyd)
    cyd.name = "Zoe"
    enterprise.grid = []
    cyd.name = "Una"
    #expect(
      log.take() == [
        "x: setting, new: [[\"Eve\"], [\"Ben\"]]",
        "x: setting, new: [[\"Eve\"], [\"Ben\", \"Cyd\"]]",
        "x: setting, new: [[\"Eve\"], [\"Ben\", \"Zoe\"]]", "x: setting, new: []",
      ])
    token.invalidate()
  }

  @Test("P6 K5 An operator over the elements' values is told of membership and of each value")
  func operatorOverValues() throws {
    let options: KeyValueObservingOptions = [.old, .new]
    let names = ["name.@count", "name.@max.self", "salary.@sum.self", "bonus.@max.self"]
    var tokens = try names.map { name in
      try division.observe("employees.\(name)", options: options, changeHandler: log.handler(name))
    }
    tokens.append(
      division.kvo.employees[each: \.name].count.observe(options: options) { [log] _, change in
        log.note("typed", change)
      })
    ada.name = "Zoe"
    ada.salary = 20
    ben.bonus = 5
    #expect(
      log.take() == [
        "name.@count: setting, old: 2, new: 2",
        "name.@max.self: setting, old: \"Ben\", new: \"Zoe\"",
        "typed: setting, old: 2, new: 2",
        "salary.@sum.self: setting, old: 11, new: 30",
        "bonus.@max.self: setting, old: nil, new: 5",
      ])
    division.mutableArrayValue(for: \.employees).append(cyd)
    division.employees = []
    #expect(
      log.take() == [
        "name.@count: setting, old: 2, new: 3",
        "name.@max.self: setting, old: \"Zoe\", new: \"Zoe\"",
        "salary.@sum.self: setting, old: 30, new: 130",
        "bonus.@max.self: setting, old: 5, new: 5",
        "typed: setting, old: 2, new: 3",
        "name.@count: setting, old: 3, new: 0",
        "name.@max.self: setting, old: \"Zoe\", new: nil",
        "salary.@sum.self: setting, old: 130, new: 0",
        "bonus.@max.self: setting, old: 5, new: nil",
        "typed: setting, old: 3, new: 0",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(division, ada, ben, cyd))
  }

  @Test("P6 An operator over arrays of arrays tells what key-value coding reads")
  func operatorOverArrays() throws {
    let enterprise = Enterprise()
    enterprise.grid = [[ada], [ben]]
    let names = ["@sum.salary", "@max.salary", "@sum.@count", "@unionOfArrays.name"]
    let tokens = try names.map { name in
      try enterprise.observe(
        "grid.\(name)", options: [.old, .new], changeHandler: log.handler(name))
    }
    ada.salary = 2
    #expect(
      log.take() == [
        "@sum.salary: setting, old: nil, new: nil", "@max.salary: setting, old: nil, new: nil",
      ])
    enterprise.grid[1].append(cyd)
    cyd.name = "Zoe"
    #expect(
      log.take() == [
        "@sum.salary: setting, old: nil, new: nil", "@max.salary: setting, old: nil, new: nil",
        "@sum.@count: setting, old: 2, new: 3",
        "@unionOfArrays.name: setting, old: [\"Ada\", \"Ben\"], new: [\"Ada\", \"Ben\", \"Cyd\"]",
        "@unionOfArrays.name: setting, old: [\"Ada\", \"Ben\", \"Cyd\"], "
          + "new: [\"Ada\", \"Ben\", \"Zoe\"]",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(enterprise, ada, ben, cyd))
  }

  @Test("P6 Dependent keys of the elements are observed like any other key")
  func dependentElements() throws {
    let people = [Person(), Person()]
    let crowd = Crowd(people)
    let token = try crowd.observe(
      "people.fullName", options: .new, changeHandler: log.handler("x"))
    people[0].lastName = "King"
    #expect(log.take() == ["x: setting, new: [\"Ada King\", \"Ada Lovelace\"]"])
    token.invalidate()
    #expect(people.allSatisfy { isIdle($0) })
  }

  @KeyValueObservable
  final class Crowd {
    var people: [Person]

    init(_ people: [Person]) { self.people = people }
  }
}
