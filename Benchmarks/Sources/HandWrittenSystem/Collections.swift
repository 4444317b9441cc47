import BenchmarkSupport

// W8: an array with an owner that reports insertions with their index. Unsupported: any other change,
// several ranges at once, and setting the array.
// W9: a total that follows each salary. Unsupported: adding and removing employees, removing observers,
// and exact sums of values other than `Int`.

final class NumberList {
  private(set) var numbers: [Int]
  private var observers: [(Range<Int>, [Int]) -> Void] = []

  init(_ numbers: [Int]) { self.numbers = numbers }

  func observe(_ observer: @escaping (Range<Int>, [Int]) -> Void) { observers.append(observer) }
  func reserve(_ count: Int) { numbers.reserveCapacity(count) }

  func append(_ number: Int) {
    let index = numbers.count
    numbers.append(number)
    for observer in observers { observer(index..<index + 1, [number]) }
  }
}

final class Employee {
  var salary: Int {
    didSet { for observer in observers { observer(oldValue, salary) } }
  }
  private var observers: [(Int, Int) -> Void] = []

  init(_ salary: Int) { self.salary = salary }

  func observe(_ observer: @escaping (Int, Int) -> Void) { observers.append(observer) }
}

final class Department {
  let employees: [Employee]
  private(set) var totalSalary: Int {
    didSet { for observer in observers { observer(totalSalary) } }
  }
  private var observers: [(Int) -> Void] = []

  init(_ employees: [Employee]) {
    self.employees = employees
    totalSalary = employees.reduce(0) { $0 + $1.salary }
    for employee in employees {
      employee.observe { [unowned self] old, new in totalSalary += new - old }
    }
  }

  func observe(_ observer: @escaping (Int) -> Void) { observers.append(observer) }
}

@inline(never) private func append(_ list: NumberList, _ number: Int) { list.append(number) }
@inline(never) private func set(_ employee: Employee, _ salary: Int) { employee.salary = salary }

let collectionContenders: [Contender] =
  [1_000, 100_000].map { count in
    Contender(.append(to: count), System.handWritten) { operations, tally in
      let list = NumberList(Array(0..<count))
      list.reserve(count + operations)
      list.observe { range, numbers in tally.record(old: range.lowerBound, new: numbers[0]) }
      return nanoseconds { for step in 1...operations { append(list, step) } }
    }
  }
  + [1_000, 10_000, 100_000].map { count in
    Contender(.totalSalary(of: count), System.handWritten) {
      let tally = Tally()
      let employees = (0..<count).map(Employee.init)
      let department = Department(employees)
      department.observe { total in
        tally.notifications &+= 1
        tally.checksum = total
      }
      return { operations in
        tally.reset()
        let time = nanoseconds {
          for step in 1...operations {
            set(employees[Salary.index(step, of: count)], Salary.amount(step))
          }
        }
        withExtendedLifetime(department) {}
        return Reading(total: time, tally)
      }
    }
  }
