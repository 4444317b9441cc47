import BenchmarkSupport
import KeyValueObserving

@KeyValueObservable
final class Employee {
  var salary: Int

  init(salary: Int) {
    self.salary = salary
  }
}

@KeyValueObservable
final class Department {
  var employees: [Employee] = []
  var numbers: [Int] = []

  var totalSalary: Int { employees.reduce(0) { $0 + $1.salary } }
}

/// How the cost of observing collections grows with their size.
///
/// Each row is the cost of one operation at several sizes, and the ratio of the largest to the
/// smallest; for changes of an array in plain Swift, also the cost divided by the size. `growth TEXT`
/// measures only such changes, those whose names contain the text.
@main
struct Growth {
  static let sizes = [1_000, 10_000, 100_000]
  nonisolated(unsafe) static var checksum = 0  // one thread

  static func main() {
    let only = CommandLine.arguments.dropFirst().first
    print("ns per operation, medians of 7")
    let heads = sizes.map { padded("n = \($0)", 14) }.joined()
    print(padded("", 44) + heads + padded("growth", 10) + padded("for an element", 24))
    if only == nil { tables() }
    plainTables(only)
  }

  static func tables() {
    row("append through a proxy, old and new asked", append)
    row("one salary, observed @sum", { change($0, \.employees[sum: \.salary]) })
    row("one salary, observed @avg", { change($0, \.employees[average: \.salary]) })
    row("one salary, observed @max", { change($0, \.employees[maximum: \.salary]) })
    row("insert and remove one through a proxy, @sum", membership)
    row("register on the collection, for each element", register)
    row("remove the registration, for each element", remove)
  }

  static func row(_ name: String, forElement: Bool = false, _ measure: (Int) -> Sample) {
    let medians = sizes.map { measure($0).median }
    let growth = medians[medians.count - 1] / medians[0]
    let elements = zip(medians, sizes).map { padded(fixed($0 / Double($1)), 8) }.joined()
    print(
      padded(name, 44) + medians.map { padded(fixed($0), 14) }.joined()
        + padded("\(fixed(growth)) x", 10) + (forElement ? elements : ""))
  }

  static func department(_ size: Int) -> Department {
    let department = Department()
    department.employees = (0..<size).map { Employee(salary: $0) }
    return department
  }

  static func append(_ size: Int) -> Sample {
    let department = Department()
    var token: KeyValueObservation?
    let proxy = department.mutableArrayValue(for: \.numbers)
    let operations = 2_000
    let sample = Sample(
      operations: operations,
      prepare: {
        token = nil
        department.numbers = Array(0..<size)
        department.numbers.reserveCapacity(size + operations)
        token = department.observe(\.numbers, options: [.old, .new]) { _, change in
          checksum &+= change.newValue?.count ?? 0
        }
      },
      work: { for number in 0..<operations { proxy.append(number) } })
    token?.invalidate()
    return sample
  }

  static func change<Value>(
    _ size: Int,
    _ path: KeyPath<KeyValuePath<Department, Department>, KeyValuePath<Department, Value>>
  ) -> Sample {
    let department = department(size)
    var calls = 0
    let token = department.observe(path, options: .new) { _, change in
      if change.newValue != nil { calls += 1 }
    }
    let employees = department.employees
    let sample = Sample(operations: 10_000) {
      for step in 0..<10_000 {
        employees[step &* 7_919 % size].salary = step &* 104_729 % 1_000_003
      }
    }
    precondition(calls == 80_000, "every change is announced once")
    token.invalidate()
    return sample
  }

  static func membership(_ size: Int) -> Sample {
    let department = department(size)
    let token = department.observe(\.employees[sum: \.salary], options: .new) { _, change in
      checksum &+= change.newValue ?? 0
    }
    let proxy = department.mutableArrayValue(for: \.employees)
    let guest = Employee(salary: 5)
    let sample = Sample(operations: 4_000) {
      for _ in 0..<2_000 {
        proxy.append(guest)
        proxy.remove(at: proxy.count - 1)
      }
    }
    token.invalidate()
    return sample
  }

  static func register(_ size: Int) -> Sample {
    let department = department(size)
    var token: KeyValueObservation?
    return Sample(operations: size, prepare: { token = nil }) {
      token = department.observe(\.employees[sum: \.salary]) { _, _ in }
      precondition(token?.isValid == true)
    }
  }

  static func remove(_ size: Int) -> Sample {
    let department = department(size)
    var token: KeyValueObservation?
    return Sample(
      operations: size,
      prepare: { token = department.observe(\.employees[sum: \.salary]) { _, _ in } },
      work: {
        token?.invalidate()
        token = nil
      })
  }
}
