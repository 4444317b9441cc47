import KeyValueObserving

@KeyValueObservable
final class Employee {
  var name: String
  var salary: Int
  weak var mentor: Employee?

  init(_ name: String = "Ada", salary: Int = 100) {
    self.name = name
    self.salary = salary
  }
}

@KeyValueObservable
final class Company {
  var name = "Engines"
  var motto: String?
  var employees: [Employee] = []
  var tags: Set<String> = []
  var prices: [String: Int] = [:]
  var head: Employee?
  var place = Place(street: "Dorset Street", number: 1)

  var title: String { "\(name) Ltd." }
  var totalSalary: Int { employees.reduce(0) { $0 + $1.salary } }

  init() {}
}

/// A log of a company, whose employees take more than `init()` to make.
func log(of company: Company) throws -> KeyValueChangeLog<Company> {
  try KeyValueChangeLog(of: company, classes: [KeyValueLogClass(Employee.self) { _ in Employee() }])
}

/// A value that isn't `Equatable`.
struct Place: Codable {
  var street: String
  var number: Int
}

@MainActor
@KeyValueObservable
final class Window {
  var title = "Untitled"
}
