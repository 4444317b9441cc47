import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P. Key paths through collections: spellings")
struct CollectionSpellingTests {
  private let log = ChangeLog()
  private let ada = Employee("Ada", salary: 1)
  private let ben = Employee("Ben", salary: 10)
  private let division: Division
  private let enterprise = Enterprise()

  init() {
    division = Division("one", [ada, ben])
    division.interns = [ben]
    enterprise.main = division
    enterprise.divisions = [division]
  }

  @Test("P6 A typed path's description is its string spelling")
  func strings() {
    let paths: [(String, String)] = [
      (String(KeyValuePath<Division, Int>(\.employees[sum: \.salary])), "employees.@sum.salary"),
      (
        String(KeyValuePath<Division, Double>(\.employees[average: \.salary])),
        "employees.@avg.salary"
      ),
      (
        String(KeyValuePath<Division, Int?>(\.employees[minimum: \.salary])),
        "employees.@min.salary"
      ),
      (
        String(KeyValuePath<Division, Int?>(\.employees[maximum: \.salary])),
        "employees.@max.salary"
      ),
      (String(KeyValuePath<Division, [String]>(\.employees[each: \.name])), "employees.name"),
      (String(KeyValuePath<Division, Int>(\.employees.count)), "employees.@count"),
      (String(KeyValuePath<Division, Int>(\.interns.count)), "interns.@count"),
      (String(KeyValuePath<Division, Int>(\.interns[sum: \.salary])), "interns.@sum.salary"),
      (
        String(KeyValuePath<Division, [Double?]>(\.employees[each: \.account.balance])),
        "employees.account.balance"
      ),
      (
        String(KeyValuePath<Division, Double>(\.employees[sum: \.account.balance])),
        "employees.@sum.account.balance"
      ),
      (
        String(KeyValuePath<Division, Double>(\.employees[sum: \.frame.origin.x])),
        "employees.@sum.frame.origin.x"
      ),
      (
        String(KeyValuePath<Enterprise, Int?>(\.main.employees[sum: \.salary])),
        "main.employees.@sum.salary"
      ),
      (
        String(KeyValuePath<Enterprise, Int?>(\.main?.employees[sum: \.salary])),
        "main.employees.@sum.salary"
      ),
      (String(KeyValuePath<Enterprise, Int?>(\.main.employees.count)), "main.employees.@count"),
      (
        String(KeyValuePath<Enterprise, Int>(\.divisions[sum: \.employees.count])),
        "divisions.@sum.employees.@count"
      ),
      (
        String(KeyValuePath<Enterprise, Int>(\.divisions[sum: \.employees[sum: \.salary]])),
        "divisions.@sum.employees.@sum.salary"
      ),
      (
        String(KeyValuePath<Enterprise, [[String]]>(\.divisions[each: \.employees[each: \.name]])),
        "divisions.employees.name"
      ),
      (
        String(KeyValuePath<Enterprise, [Int]>(\.divisions[each: \.employees[sum: \.salary]])),
        "divisions.employees.@sum.salary"
      ),
    ]
    for (string, expected) in paths { #expect(string == expected) }
  }

  @Test("P6 Each spelling reports changes of elements and of membership, in its own type")
  func histories() {
    let options: KeyValueObservingOptions = [.old, .new]
    let tokens = [
      division.observe(
        \.employees[sum: \.salary], options: options, changeHandler: log.handler("sum")),
      division.observe(
        \.employees[average: \.salary], options: options, changeHandler: log.handler("average")),
      division.observe(
        \.employees[minimum: \.salary], options: options, changeHandler: log.handler("minimum")),
      division.observe(
        \.employees[maximum: \.salary], options: options, changeHandler: log.handler("maximum")),
      division.observe(
        \.employees[each: \.salary], options: options, changeHandler: log.handler("each")),
      division.observe(\.employees.count, options: options, changeHandler: log.handler("count")),
    ]
    ada.salary = 20
    #expect(
      log.take() == [
        "sum: setting, old: 11, new: 30", "average: setting, old: 5.5, new: 15.0",
        "minimum: setting, old: 1, new: 10", "maximum: setting, old: 10, new: 20",
        "each: setting, old: [1, 10], new: [20, 10]",
      ])
    division.mutableArrayValue(for: \.employees).remove(at: 1)
    #expect(
      log.take() == [
        "sum: setting, old: 30, new: 20", "average: setting, old: 15.0, new: 20.0",
        "minimum: setting, old: 10, new: 20", "maximum: setting, old: 20, new: 20",
        "each: setting, old: [20, 10], new: [20]", "count: setting, old: 2, new: 1",
      ])
    division.employees = []
    #expect(
      log.take() == [
        "sum: setting, old: 20, new: 0", "average: setting, old: 20.0, new: 0.0",
        "minimum: setting, old: 20, new: nil", "maximum: setting, old: 20, new: nil",
        "each: setting, old: [20], new: []", "count: setting, old: 1, new: 0",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(division, ada, ben))
  }

  @Test("P6 Every operator accepts sets, optional collections and optional element values")
  func everyKind() {
    division.interns = [ada]
    division.advisers = [ben]
    division.patrons = [ada]
    enterprise.main = division
    let tokens = [
      heard("interns", \.interns[sum: \.bonus]),
      heard("interns min", \.interns[minimum: \.bonus]),
      heard("interns max", \.interns[maximum: \.bonus]),
      heard("advisers", \.advisers[sum: \.bonus]),
      heard("advisers mean", \.advisers[average: \.bonus]),
      heard("advisers min", \.advisers[minimum: \.bonus]),
      heard("advisers max", \.advisers[maximum: \.bonus]),
      heard("patrons", \.patrons[sum: \.bonus]),
      heard("patrons mean", \.patrons[average: \.salary]),
      heard("patrons min", \.patrons[minimum: \.salary]),
      heard("patrons max", \.patrons[maximum: \.bonus]),
      enterprise.observe(
        \.main.interns[average: \.bonus], options: .new, changeHandler: log.handler("main")),
      enterprise.observe(
        \.main?.employees[maximum: \.bonus], options: .new, changeHandler: log.handler("marked")),
    ]
    ada.bonus = 4
    #expect(
      log.take() == [
        "interns: setting, new: 4", "interns min: setting, new: 4", "interns max: setting, new: 4",
        "patrons: setting, new: 4", "patrons max: setting, new: 4", "main: setting, new: 4.0",
        "marked: setting, new: 4",
      ])
    ben.bonus = 2
    #expect(
      log.take() == [
        "advisers: setting, new: 2", "advisers mean: setting, new: 2.0",
        "advisers min: setting, new: 2", "advisers max: setting, new: 2",
        "marked: setting, new: 4",
      ])
    division.patrons = nil
    #expect(
      log.take() == [
        "patrons: setting, new: nil", "patrons mean: setting, new: nil",
        "patrons min: setting, new: nil", "patrons max: setting, new: nil",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(division, enterprise, ada, ben))
  }

  @Test("P6 An operator accepts a path into an element's value")
  func insideValues() {
    ada.frame.origin.x = 1
    ben.frame.origin.x = 2
    let tokens = [
      heard("sum", \.employees[sum: \.frame.origin.x]),
      heard("largest", \.employees[maximum: \.frame.origin.x]),
      heard("longest", \.employees[maximum: \.name.count]),
    ]
    ada.frame.origin.x = 5
    ben.name = "Benjamin"
    division.mutableArrayValue(for: \.employees).remove(at: 0)
    #expect(
      log.take() == [
        "sum: setting, new: 7.0", "largest: setting, new: 5.0", "longest: setting, new: 8",
        "sum: setting, new: 2.0", "largest: setting, new: 2.0", "longest: setting, new: 8",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(division, ada, ben))
  }

  private func heard<Value>(
    _ name: String, _ path: KeyPath<KeyValuePath<Division, Division>, KeyValuePath<Division, Value>>
  ) -> KeyValueObservation {
    division.observe(path, options: .new, changeHandler: log.handler(name))
  }

  @Test("P6 Behind an optional owner the value is optional once, in both spellings")
  func optionalOwner() {
    let options: KeyValueObservingOptions = [.old, .new]
    var values: [Int??] = []
    var markedValues: [Int??] = []
    let tokens = [
      enterprise.observe(\.main.employees[sum: \.salary], options: options) { _, change in
        values.append(change.newValue)
      },
      enterprise.observe(\.main?.employees[sum: \.salary], options: options) { _, change in
        markedValues.append(change.newValue)
      },
      enterprise.observe(
        \.main.employees[maximum: \.salary], options: options, changeHandler: log.handler("maximum")
      ),
      enterprise.observe(
        \.main.employees[each: \.name], options: options, changeHandler: log.handler("each")),
      enterprise.observe(
        \.main?.employees[each: \.name], options: options, changeHandler: log.handler("each?")),
      enterprise.observe(
        \.main.employees.count, options: options, changeHandler: log.handler("count")),
      enterprise.observe(
        \.main.interns[sum: \.salary], options: options, changeHandler: log.handler("interns")),
    ]
    ada.salary = 2
    ada.name = "Eve"
    enterprise.main = nil
    enterprise.main = Division()
    #expect(values == [12, .some(nil), 0])
    #expect(markedValues == [12, .some(nil), 0])
    #expect(
      log.take() == [
        "maximum: setting, old: 10, new: 10",
        "each: setting, old: [\"Ada\", \"Ben\"], new: [\"Eve\", \"Ben\"]",
        "each?: setting, old: [\"Ada\", \"Ben\"], new: [\"Eve\", \"Ben\"]",
        "maximum: setting, old: 10, new: nil",
        "each: setting, old: [\"Eve\", \"Ben\"], new: nil",
        "each?: setting, old: [\"Eve\", \"Ben\"], new: nil",
        "count: setting, old: 2, new: nil", "interns: setting, old: 10, new: nil",
        "maximum: setting, old: nil, new: nil", "each: setting, old: nil, new: []",
        "each?: setting, old: nil, new: []", "count: setting, old: nil, new: 0",
        "interns: setting, old: nil, new: 0",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("P6 Optional collections and optional leaves are observed")
  func optionals() {
    let options: KeyValueObservingOptions = [.old, .new]
    var sums: [Int?] = []
    let tokens = [
      division.observe(
        \.advisers[sum: \.salary], options: options, changeHandler: log.handler("sum")),
      division.observe(
        \.advisers[each: \.name], options: options, changeHandler: log.handler("each")),
      division.observe(
        \.patrons[sum: \.salary], options: options, changeHandler: log.handler("patrons")),
      division.observe(\.employees[sum: \.bonus], options: options) { _, change in
        sums.append(change.newValue)
      },
      division.observe(
        \.employees[minimum: \.bonus], options: options, changeHandler: log.handler("bonus")),
      division.observe(
        \.employees[each: \.bonus], options: options, changeHandler: log.handler("bonuses")),
    ]
    division.advisers = [ada]
    division.advisers = nil
    division.patrons = [ben]
    ada.bonus = 3
    ada.bonus = nil
    #expect(sums == [3, 0])
    #expect(
      log.take() == [
        "sum: setting, old: nil, new: 1", "each: setting, old: nil, new: [\"Ada\"]",
        "sum: setting, old: 1, new: nil", "each: setting, old: [\"Ada\"], new: nil",
        "patrons: setting, old: nil, new: 10",
        "bonus: setting, old: nil, new: 3", "bonuses: setting, old: [nil, nil], new: [3, nil]",
        "bonus: setting, old: 3, new: nil", "bonuses: setting, old: [3, nil], new: [nil, nil]",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("P6 Nested paths follow every level below them")
  func nested() {
    let options: KeyValueObservingOptions = [.old, .new]
    let tokens = [
      enterprise.observe(
        \.divisions[sum: \.employees[sum: \.salary]], options: options,
        changeHandler: log.handler("sum")),
      enterprise.observe(
        \.divisions[each: \.employees[each: \.name]], options: .new,
        changeHandler: log.handler("names")),
      enterprise.observe(
        \.divisions[maximum: \.employees.count], options: options,
        changeHandler: log.handler("count")),
      enterprise.observe(
        \.divisions[sum: \.totalSalary], options: options, changeHandler: log.handler("total")),
    ]
    ada.salary = 2
    ada.name = "Eve"
    enterprise.divisions.append(Division("two", [ada, ada, ada]))
    #expect(
      log.take() == [
        "sum: setting, old: 11, new: 12", "total: setting, old: 11, new: 12",
        "names: setting, new: [[\"Eve\", \"Ben\"]]",
        "sum: setting, old: 12, new: 18",
        "names: setting, new: [[\"Eve\", \"Ben\"], [\"Eve\", \"Eve\", \"Eve\"]]",
        "count: setting, old: 2, new: 3", "total: setting, old: 12, new: 18",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("P6 Paths with the same spelling are equal")
  func equality() {
    let salaries = KeyValuePath<Division, Int>(\.employees[sum: \.salary])
    #expect(salaries == KeyValuePath(\.employees[sum: \.salary]))
    #expect(salaries.hashValue == KeyValuePath<Division, Int>(\.employees[sum: \.salary]).hashValue)
    #expect(salaries != KeyValuePath(\.employees[sum: \.counted]))
    #expect(salaries != KeyValuePath(\.deputies[sum: \.salary]))
    let least = KeyValuePath<Division, Int?>(\.employees[minimum: \.salary])
    #expect(least != KeyValuePath(\.employees[maximum: \.salary]))
    #expect("\(salaries)" == "employees.@sum.salary")
  }

  @Test("K6 A typed sum that doesn't fit its type traps with a message")
  func overflow() async throws {
    let plain = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let division = Division("", [Employee(salary: .max), Employee()])
      let token = division.observe(\.employees[sum: \.salary], options: .new) { _, _ in }
      division.employees[1].salary = 1
      token.invalidate()
    }
    try expectTrap(
      plain,
      says:
        "The sum 'employees.@sum.salary' is 9223372036854775808, which Int can't hold. Let the "
        + "elements have a wider type, or a Double.")
    let optional = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let enterprise = Enterprise()
      let division = Division("", [Employee(salary: .max), Employee(salary: .max), Employee()])
      enterprise.main = division
      let token = enterprise.observe(\.main.employees[sum: \.counted], options: .new) { _, _ in }
      division.employees[2].salary = .max
      token.invalidate()
    }
    try expectTrap(
      optional,
      says:
        "The sum 'main.employees.@sum.counted' is 27670116110564327421, which Int can't hold. Let the "
        + "elements have a wider type, or a Double.")
  }
}
