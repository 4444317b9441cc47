// snippet SeveralProcesses 1
import KeyValueObserving

@MainActor @KeyValueObservable
final class Company {
  var name = "Engines"
  var employees: [Employee] = []

  var payroll: Int { employees.reduce(0) { $0 + $1.salary } }
}

@MainActor @KeyValueObservable
final class Employee {
  var name = ""
  var salary = 0
}
// end
