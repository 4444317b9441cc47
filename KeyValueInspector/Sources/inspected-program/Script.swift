import Dispatch
import KeyValueInspector
import KeyValueObserving

final class Script {
  var inspector: KeyValueInspector?
  private let department = Department()
  private let branch = Department()
  private let thermostat = Thermostat()
  private let catalog = Catalog()
  private var items: [Item] = []
  private var observations: Set<KeyValueObservation> = []
  private var visits: [KeyValueObservation] = []
  private var guests: [Person] = []
  private var shownTitles: [String] = []

  private lazy var log = try? KeyValueChangeLog(
    of: department,
    classes: [
      KeyValueLogClass(Person.self) { Person(try $0.value("firstName"), try $0.value("lastName")) }
    ])

  /// Hands a log over, and makes three records of it.
  func keepLog() throws {
    guard let log else { return }
    try inspector?.showHistory(of: log)
    department.name = "Machines"
    department.people.append(Person("Grace", "Hopper"))
    department.performChanges { department in
      department.people.removeFirst()
      department.people[0].salary = 130
      department.people[0].badge = "4711"
    }
  }

  func payMore() { department.people[0].salary += 1 }

  func work() {
    nameAndPay()
    warmUp()
    raiseRate()
    for _ in 1...30 { openScreen() }
  }

  /// Enough people that their salaries are one node.
  func hire() {
    let people = ["Grace", "Edsger", "Barbara", "Edgar"].map { Person($0, "") }
    department.people += people
    for person in people { person.salary = 130 }
  }

  func rename() { department.people[0].firstName = "Grace" }

  private func nameAndPay() {
    let ada = Person("Ada", "Lovelace")
    department.people = [ada, Person("Alan", "Turing")]
    department.kvo.totalSalary.observe { [unowned self] department, _ in
      shownTitles.append("\(department.name): \(department.totalSalary)")
    }
    .store(in: &observations)
    ada.kvo.fullName.observe(options: [.old, .new]) { [unowned self] _, change in
      shownTitles.append(change.newValue ?? "")
    }
    .store(in: &observations)
    branch.people = department.people
    // Its key is longer than the page's column.
    (try? branch.observe("people.@distinctUnionOfObjects.firstName", options: .new) { _, _ in })?
      .store(in: &observations)
    department.people[1].firstName = "Alan Mathison"
    ada.salary = 120
    ada.firstName = "Augusta"
  }

  /// The cycle: reading follows target, and target stays one above reading.
  private func warmUp() {
    thermostat.kvo.target.observe { thermostat, _ in thermostat.reading = thermostat.target }
      .store(in: &observations)
    thermostat.kvo.reading.observe { thermostat, _ in
      if thermostat.reading < 24 { thermostat.target = thermostat.reading + 1 }
    }
    .store(in: &observations)
    thermostat.target = 19
  }

  /// The avalanche: one assignment, many calls.
  private func raiseRate() {
    items = (1...60).map { Item(of: catalog, base: Double($0)) }
    for item in items {
      item.kvo.price.observe { [unowned self] item, _ in shownTitles.append("\(item.price)") }
        .store(in: &observations)
    }
    catalog.rate = 1.25
  }

  /// The leak: a screen that observes and never stops.
  private func openScreen() {
    visits.append(department.kvo.name.observe { _, _ in })
  }

  /// Ten thousand changes with their deliveries, as fast as possible.
  func burst() {
    let person = department.people[1]
    let observation = person.kvo.lastName.observe { _, _ in }
    for number in 1...10_000 { person.lastName = "Turing \(number)" }
    observation.invalidate()
  }

  /// More observed objects than the inspector remembers.
  func crowd() {
    guests = (1...4_000).map { Person("Guest", "\($0)") }
    for guest in guests {
      guest.kvo.salary.observe { _, _ in }.store(in: &observations)
    }
  }

  func workElsewhere() {
    let thread = DispatchQueue(label: "elsewhere")
    let done = DispatchSemaphore(value: 0)
    thread.async {
      let counter = Person("Someone", "Else")
      let observation = counter.kvo.salary.observe { _, _ in }
      counter.salary = 7
      observation.invalidate()
      done.signal()
    }
    done.wait()
  }
}
