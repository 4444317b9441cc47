import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P. Key paths through collections: changes in callbacks, and deaths")
struct CollectionReentrancyTests {
  private let log = ChangeLog()
  private let ada = Employee("Ada", salary: 1)
  private let ben = Employee("Ben", salary: 10)
  private let division: Division

  init() {
    division = Division("one", [ada, ben])
  }

  /// Observes the sum of the salaries; `first` runs in the first callback.
  private func observe(
    _ label: String = "sum", _ options: KeyValueObservingOptions = [.old, .new],
    first: @escaping (KeyValueObservedChange<Int>) -> Void = { _ in }
  ) -> KeyValueObservation {
    var isFirst = true
    return division.observe(\.employees[sum: \.salary], options: options) { [log] _, change in
      log.note(label, change)
      if isFirst {
        isFirst = false
        first(change)
      }
    }
  }

  @Test("N8 A callback may remove the element that is changing")
  func removesElement() {
    let tokens = [
      observe("one") { [division] _ in division.employees.removeFirst() }, observe("two"),
    ]
    ada.salary = 2
    ada.salary = 3
    #expect(
      log.take() == [
        "one: setting, old: 11, new: 12", "one: setting, old: 12, new: 10",
        "two: setting, old: 12, new: 10", "two: setting, old: 11, new: 12",
      ])
    #expect(isIdle(ada))
    for token in tokens { token.invalidate() }
  }

  @Test("N8 A callback may change the collection that is changing, by proxy and in place")
  func changesCollection() {
    let other = Employee("Cyd", salary: 100)
    let employees = division.mutableArrayValue(for: \.employees)
    let tokens = [
      observe("one") { [division] _ in
        employees.insert(other, at: 0)
        division.employees.append(other)
      }, observe("two"),
    ]
    employees.remove(at: 0)
    other.salary = 101
    #expect(division.employees == [other, ben, other])
    #expect(
      log.take() == [
        "one: setting, old: 11, new: 10",
        "one: setting, old: 10, new: 110", "two: setting, old: 10, new: 110",
        "one: setting, old: 110, new: 210", "two: setting, old: 110, new: 210",
        "two: setting, old: 11, new: 10",
        "one: setting, old: 210, new: 212", "two: setting, old: 210, new: 212",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("N8 A prior may change the collection, and the aggregate is correct afterwards")
  func changesInPrior() {
    let other = Employee("Cyd", salary: 100)
    let employees = division.mutableArrayValue(for: \.employees)
    let token = observe("sum", [.old, .new, .prior]) { _ in employees.append(other) }
    employees.insert(ada, at: 0)
    #expect(division.employees == [ada, ada, ben, other])
    ada.salary = 2
    other.salary = 101
    #expect(
      log.take() == [
        "sum: setting, old: 11, prior", "sum: setting, old: 11, prior",
        "sum: setting, old: 11, new: 111", "sum: setting, old: 11, new: 112",
        "sum: setting, old: 112, prior", "sum: setting, old: 112, new: 114",
        "sum: setting, old: 114, prior", "sum: setting, old: 114, new: 115",
      ])
    token.invalidate()
  }

  @Test("N8 A callback may change another element, or the same one again")
  func changesElements() {
    let tokens = [
      observe("one") { [ada, ben] _ in
        ben.salary = 20
        ada.salary = 3
      }
    ]
    ada.salary = 2
    #expect(
      log.take() == [
        "one: setting, old: 11, new: 12", "one: setting, old: 12, new: 22",
        "one: setting, old: 22, new: 23",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("N2 Removal in a callback ends the observation at once and detaches every element")
  func removesObservers() {
    var tokens: [KeyValueObservation] = []
    tokens = [
      observe("one") { _ in for token in tokens { token.invalidate() } }, observe("two"),
    ]
    ada.salary = 2
    #expect(log.take() == ["one: setting, old: 11, new: 12"])
    #expect(isIdle(division, ada, ben))
    tokens = [
      observe("one", [.prior]) { _ in for token in tokens { token.invalidate() } }, observe("two"),
    ]
    division.mutableArrayValue(for: \.employees).removeAll()
    #expect(log.take() == ["one: setting, prior"])
    #expect(isIdle(division, ada, ben))
  }

  @Test("N2 An observer added in a callback starts from the current collection")
  func addsObservers() {
    var late: KeyValueObservation?
    let token = observe("one", [.old, .new, .prior]) { [self] _ in late = observe("late") }
    division.mutableArrayValue(for: \.employees).append(ada)
    #expect(
      log.take() == ["one: setting, old: 11, prior", "one: setting, old: 11, new: 12"])
    ada.salary = 2
    #expect(
      log.take() == [
        "one: setting, old: 12, prior", "one: setting, old: 12, new: 14",
        "late: setting, old: 12, new: 14",
      ])
    withExtendedLifetime((token, late)) {}
  }

  @Test("P2 A callback may replace the owner of the collection")
  func replacesOwner() throws {
    let enterprise = Enterprise()
    enterprise.main = division
    let other = Division("two", [Employee("Cyd", salary: 100)])
    var isFirst = true
    let token = try enterprise.observe("main.employees.@sum.salary", options: [.old, .new]) {
      [log] enterprise, change in
      log.note("sum", change)
      if isFirst {
        isFirst = false
        enterprise.main = other
      }
    }
    ada.salary = 2
    ada.salary = 3
    other.employees[0].salary = 101
    #expect(
      log.take() == [
        "sum: setting, old: 11, new: 12", "sum: setting, old: 12, new: 100",
        "sum: setting, old: 100, new: 101",
      ])
    #expect(isIdle(division, ada, ben))
    token.invalidate()
  }

  // MARK: Deaths

  @Test("P5 The death of a weakly held element notifies, and the element stops counting")
  func dyingElements() throws {
    let meetup = Meetup()
    var guest: Employee? = Employee("Cyd", salary: 100)
    meetup.places = [.init(person: ada), .init(person: guest), .init(person: guest)]
    let tokens = [
      try meetup.observe(
        "people.@sum.salary", options: .new, changeHandler: log.handler("sum")),
      try meetup.observe("people.@max.salary", options: .new, changeHandler: log.handler("max")),
      try meetup.observe("people.name", options: .new, changeHandler: log.handler("names")),
    ]
    guest?.salary = 50
    _ = log.take()
    guest = nil
    #expect(
      log.take() == [
        "sum: setting, new: 1", "max: setting, new: 1", "names: setting, new: [\"Ada\"]",
      ])
    ada.salary = 2
    #expect(log.take() == ["sum: setting, new: 2", "max: setting, new: 2"])
    for token in tokens { token.invalidate() }
    #expect(isIdle(ada, meetup))
  }

  @Test("R5 Nothing along the path is retained, and deaths are safe in any order")
  func nothingRetained() throws {
    let tracker = LifetimeTracker()
    func guest() -> Employee {
      let employee = Employee(salary: 1)
      let crate = Crate()
      crate.cargo = tracker.instance()
      lifetimes.append((employee, crate))
      return employee
    }
    var lifetimes: [(Employee, Crate)] = []
    weak var removed: Employee?
    do {
      let temporary = Employee("temporary", salary: 5)
      removed = temporary
      division.employees.append(temporary)
    }
    let token = observe()
    division.mutableArrayValue(for: \.employees).removeLast()
    #expect(removed == nil)
    var owner: Division? = Division("short", [guest(), guest()])
    let ownerToken = try owner?.observe(
      "employees.@sum.salary", options: .new, changeHandler: log.handler("owner"))
    owner = nil
    #expect(ownerToken?.isValid == false)
    #expect(lifetimes.allSatisfy { isIdle($0.0) })
    lifetimes[0].0.salary = 2
    #expect(log.take() == ["sum: setting, old: 16, new: 11"])
    lifetimes = []
    #expect(tracker.liveCount == 0)
    token.invalidate()
  }

  @Test("R5 An element may die in the callback that reports its removal")
  func diesInCallback() {
    division.mutableArrayValue(for: \.employees).append(Employee("Cyd", salary: 100))
    weak let last = division.employees.last
    let token = division.observe(\.employees, options: [.old, .prior]) { [log] _, change in
      log.note("\(change.kind) \(last == nil ? "gone" : "there")")
    }
    let sum = observe()
    division.mutableArrayValue(for: \.employees).removeLast()
    #expect(last == nil)
    #expect(
      log.take() == ["removal there", "removal there", "sum: setting, old: 111, new: 11"])
    withExtendedLifetime((token, sum)) {}
  }
}
