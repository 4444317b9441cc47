import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("D. Dependent keys through collections")
struct DependentCollectionTests {
  private let log = ChangeLog()
  private let ada = Employee("Ada", salary: 1)
  private let ben = Employee("Ben", salary: 10)
  private let division: Division

  init() {
    division = Division("one", [ada])
  }

  @Test("D2 a key that depends on an operator follows membership and elements")
  func operators() {
    let token = division.observe(
      \.totalSalary, options: [.old, .new, .prior], changeHandler: log.handler("total"))
    ada.salary = 2
    division.mutableArrayValue(for: \.employees).append(ben)
    division.employees.removeFirst()
    ada.salary = 3
    #expect(
      log.take() == [
        "total: setting, old: 1, prior", "total: setting, old: 1, new: 2",
        "total: setting, old: 2, prior", "total: setting, old: 2, new: 12",
        "total: setting, old: 12, prior", "total: setting, old: 12, new: 10",
      ])
    token.invalidate()
    #expect(isIdle(division, ada, ben))
  }

  @Test("D2 a key that depends on two collections notifies once for an element of both")
  func twoCollections() {
    division.interns = [ada]
    let token = division.observe(
      \.names, options: [.old, .new], changeHandler: log.handler("names"))
    ada.name = "Eve"
    division.employees = []
    ada.name = "Amy"
    division.interns = []
    ada.name = "Ann"
    #expect(
      log.take() == [
        "names: setting, old: [\"Ada\", \"Ada\"], new: [\"Eve\", \"Eve\"]",
        "names: setting, old: [\"Eve\", \"Eve\"], new: [\"Eve\"]",
        "names: setting, old: [\"Eve\"], new: [\"Amy\"]",
        "names: setting, old: [\"Amy\"], new: []",
      ])
    #expect(isIdle(ada))
    token.invalidate()
  }

  @Test("D2 a key that depends on two operators notifies once per change")
  func typed() {
    let token = division.observe(
      \.typedSummary, options: .new, changeHandler: log.handler("summary"))
    ada.salary = 5
    division.employees.append(ben)
    #expect(
      log.take() == [
        "summary: setting, new: \"1 for 5\"", "summary: setting, new: \"2 for 15\"",
      ])
    #expect(
      Division.keyPathsForValuesAffectingValue(forKey: "typedSummary").isSuperset(
        of: ["employees.@sum.salary", "employees.@count"]))
    token.invalidate()
  }

  @Test("D2 a dependent key can be the end of a path and the operand of an operator")
  func chained() throws {
    let enterprise = Enterprise()
    let other = Division("two", [ben])
    enterprise.divisions = [division, other]
    enterprise.main = division
    let tokens = [
      enterprise.observe(
        \.main.totalSalary, options: [.old, .new], changeHandler: log.handler("main")),
      try enterprise.observe(
        "divisions.@sum.totalSalary", options: [.old, .new], changeHandler: log.handler("sum")),
    ]
    ada.salary = 2
    other.employees.append(ada)
    enterprise.main = other
    enterprise.divisions.removeFirst()
    ada.salary = 3
    #expect(
      log.take() == [
        "main: setting, old: 1, new: 2", "sum: setting, old: 11, new: 12",
        "sum: setting, old: 12, new: 14", "main: setting, old: 2, new: 12",
        "sum: setting, old: 14, new: 12",
        "main: setting, old: 12, new: 13", "sum: setting, old: 12, new: 13",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(enterprise, division, other, ada, ben))
  }

  @Test("D3 the old value is computed before any of the sources changes")
  func oldValues() {
    let token = division.observe(
      \.names, options: [.old, .prior]
    ) { [log] division, change in
      log.note("\(division.names)", change)
    }
    division.mutableArrayValue(for: \.employees).append(ben)
    #expect(
      log.take() == [
        "[\"Ada\"]: setting, old: [\"Ada\"], prior", "[\"Ada\", \"Ben\"]: setting, old: [\"Ada\"]",
      ])
    token.invalidate()
  }
}
