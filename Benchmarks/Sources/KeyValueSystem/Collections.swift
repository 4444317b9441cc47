import BenchmarkSupport
import KeyValueObserving

// W8: appending through a proxy. W9: a maintained total.

@KeyValueObservable
final class NumberList {
  var numbers: [Int] = []
}

@KeyValueObservable
final class Employee {
  var salary: Int

  init(_ salary: Int) { self.salary = salary }
}

@KeyValueObservable
final class Department {
  var employees: [Employee]

  init(_ employees: [Employee]) { self.employees = employees }
}

@inline(never) private func append(_ proxy: KeyValueMutableArray<Int>, _ number: Int) {
  proxy.append(number)
}
@inline(never) private func set(_ employee: Employee, _ salary: Int) { employee.salary = salary }

let collectionContenders: [Contender] =
  [1_000, 100_000].map { count in
    Contender(.append(to: count), System.keyValue) { operations, tally in
      let list = NumberList()
      list.numbers.reserveCapacity(count + operations)
      list.numbers.append(contentsOf: 0..<count)
      let token = list.observe(\.numbers, options: [.old, .new]) { _, change in
        tally.record(
          old: change.indexes?.ranges[0].lowerBound ?? 0, new: change.newValue?.first ?? 0)
      }
      let proxy = list.mutableArrayValue(for: \.numbers)
      let time = nanoseconds { for step in 1...operations { append(proxy, step) } }
      token.invalidate()
      return time
    }
  }
  + [1_000, 10_000, 100_000].map { count in
    Contender(.totalSalary(of: count), System.keyValue) {
      let tally = Tally()
      let employees = (0..<count).map(Employee.init)
      let department = Department(employees)
      let token = department.observe(\.employees[sum: \.salary], options: .new) { _, change in
        tally.notifications &+= 1
        tally.checksum = change.newValue ?? 0
      }
      return { operations in
        tally.reset()
        let time = nanoseconds {
          for step in 1...operations {
            set(employees[Salary.index(step, of: count)], Salary.amount(step))
          }
        }
        withExtendedLifetime((department, token)) {}
        return Reading(total: time, tally)
      }
    }
  }
