import KeyValueObserving
import KeyValueTestSupport

// A company with to-many relationships of every kind.

@KeyValueObservable
final class Employee: Hashable {
  var name: String
  var salary: Int
  var rating = 1.0
  var bonus: Int?
  var isTrainee = false
  var frame = Frame()
  var account: Account?
  var skills: [String] = []
  @KeyValueIgnored let reads: ReadCounter?

  /// The salary, from a getter that counts its calls.
  @DependsOn("salary")
  var counted: Int {
    reads?.count += 1
    return salary
  }

  init(_ name: String = "", salary: Int = 0, reads: ReadCounter? = nil) {
    self.name = name
    self.salary = salary
    self.reads = reads
  }

  static func == (left: Employee, right: Employee) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Employee: CustomStringConvertible {
  var description: String { name }
}

/// Counts reads.
final class ReadCounter {
  var count = 0

  /// Returns the number of reads since the last call.
  func take() -> Int {
    defer { count = 0 }
    return count
  }
}

@KeyValueObservable
final class Division {
  var name: String
  var employees: [Employee]
  var deputies: [Employee] = []
  var interns: Set<Employee> = []
  var advisers: [Employee]?
  var patrons: Set<Employee>?
  var numbers: [Int] = []
  var info: [String: Any] = [:]

  @DependsOn("employees.@sum.salary")
  var totalSalary: Int { employees.reduce(0) { $0 + $1.salary } }

  @DependsOn("employees.name", "interns.name")
  var names: [String] { (employees + interns).map(\.name).sorted() }

  @DependsOn("employees.@sum.salary", "employees.@count")
  var typedSummary: String { "\(employees.count) for \(totalSalary)" }

  init(_ name: String = "", _ employees: [Employee] = []) {
    self.name = name
    self.employees = employees
  }
}

@KeyValueObservable
final class Enterprise {
  var divisions: [Division] = []
  var main: Division?
  var anything: [Any] = []
  var table: [[String: Any]] = []
  var grid: [[Employee]] = []
  var matrix: [[Int]] = []
}

/// Holds its members weakly, so that they can be deallocated while they are in the collection.
@KeyValueObservable
final class Meetup {
  struct Place {
    weak var person: Employee?
  }

  var places: [Place] = []

  @DependsOn("places")
  var people: [Employee] { places.compactMap(\.person) }
}

/// The plain description of a value, or `nil`.
func described(_ value: Any?) -> String {
  value.map { plainDescription($0) } ?? "nil"
}
