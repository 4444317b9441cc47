import KeyValueObserving

@KeyValueObservable
private final class Employee {
  let name: String
  var salary: Int

  init(_ name: String, salary: Int) {
    self.name = name
    self.salary = salary
  }
}

/// The guide's way, without dependencies through a collection: the department itself observes each
/// employee, and adds up all salaries whenever one changes.
@KeyValueObservable
private final class ObservingDepartment: KeyValueObserver {
  private(set) var employees: [Employee] = []
  @NotifiesManually private(set) var totalSalary = 0

  func hire(_ employee: Employee) throws {
    employees.append(employee)
    try employee.addObserver(self, forKeyPath: "salary", context: Context.first)
    updateTotalSalary()
  }

  func dismiss(_ employee: Employee) throws {
    try employee.removeObserver(self, forKeyPath: "salary", context: Context.first)
    employees.removeAll { $0 === employee }
    updateTotalSalary()
  }

  func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {
    if context == Context.first { updateTotalSalary() }
  }

  private func updateTotalSalary() {
    let sum = employees.reduce(0) { $0 + $1.salary }
    guard sum != totalSalary else { return }
    willChangeValue(forKey: "totalSalary")
    totalSalary = sum
    didChangeValue(forKey: "totalSalary")
  }
}

/// The same in one line.
@KeyValueObservable
private final class DeclaringDepartment {
  var employees: [Employee] = []

  @DependsOn("employees.@sum.salary")
  var totalSalary: Int { employees.reduce(0) { $0 + $1.salary } }
}

extension Scenario {
  static let totalSalary = Scenario(
    "totalSalary", on: .dependentKeys,
    "a key that depends on all employees, by hand and by declaration"
  ) { printer in
    printer.remark("by hand: the department observes each employee's salary")
    let ada = Employee("Ada", salary: 100)
    let grace = Employee("Grace", salary: 80)
    let observing = ObservingDepartment()
    printer.step("observe totalSalary with old and new")
    let first = observing.kvo.totalSalary.observe(options: [.old, .new]) { _, change in
      printer.heard("totalSalary \(change)")
    }
    printer.step("hire(ada), hire(grace)")
    try observing.hire(ada)
    try observing.hire(grace)
    printer.step("ada.salary = 120")
    ada.salary = 120
    printer.step("dismiss(grace); grace.salary = 90")
    try observing.dismiss(grace)
    grace.salary = 90

    printer.remark("declared: @DependsOn(\"employees.@sum.salary\")")
    let barbara = Employee("Barbara", salary: 100)
    let radia = Employee("Radia", salary: 80)
    let declaring = DeclaringDepartment()
    let employees = declaring.mutableArrayValue(for: \.employees)
    printer.step("observe totalSalary with old and new")
    let second = declaring.kvo.totalSalary.observe(options: [.old, .new]) { _, change in
      printer.heard("totalSalary \(change)")
    }
    printer.step("employees.append(contentsOf: barbara and radia)")
    employees.append(contentsOf: [barbara, radia])
    printer.step("barbara.salary = 120")
    barbara.salary = 120
    printer.step("employees.removeLast(); radia.salary = 90")
    employees.removeLast()
    radia.salary = 90
    withExtendedLifetime((first, second)) {}
  }

  static let arrayRegistration = Scenario(
    "arrayRegistration", on: .observing,
    "one registration for a property of several objects in an array"
  ) { printer in
    let staff = [
      Employee("Ada", salary: 100), Employee("Grace", salary: 80), Employee("Radia", salary: 90),
    ]
    let listener = Listener("listener", printer)
    func raiseAll() {
      for employee in staff { employee.salary += 1 }
    }
    printer.step("observe salary of the objects at 0 and 2, with old and new")
    try staff.addObserver(
      listener, toObjectsAt: RangeSet([0..<1, 2..<3]), forKeyPath: "salary",
      options: [.old, .new], context: Context.first)
    printer.step("each of the three salaries += 1")
    raiseAll()
    printer.step("stop at 0; each += 1")
    try staff.removeObserver(
      listener, fromObjectsAt: RangeSet(0..<1), forKeyPath: "salary", context: Context.first)
    raiseAll()
    printer.step("stop at 0–2: not all are observed, so none is removed")
    do {
      try staff.removeObserver(
        listener, fromObjectsAt: RangeSet(0..<3), forKeyPath: "salary", context: Context.first)
    } catch {
      printer.heard("error: \(error)")
    }
    raiseAll()
    printer.step("observe at 3, which is out of range")
    do {
      try staff.addObserver(listener, toObjectsAt: RangeSet(3..<4), forKeyPath: "salary")
    } catch {
      printer.heard("error: \(error)")
    }
  }
}
