import BenchmarkSupport
import Observation

// W6 to W9 and W11.

@Observable
final class Leaf {
  var c: Int
  init(_ c: Int = 0) { self.c = c }
}

@Observable
final class Middle {
  var b: Leaf
  init(_ b: Leaf) { self.b = b }
}

@Observable
final class Root {
  var a: Middle
  init(_ a: Middle) { self.a = a }
}

@Observable
final class Person {
  var firstName: String
  var lastName: String
  var fullName: String { "\(firstName) \(lastName)" }

  init(_ firstName: String, _ lastName: String) {
    self.firstName = firstName
    self.lastName = lastName
  }
}

@Observable
final class NumberList {
  var numbers: [Int]
  init(_ numbers: [Int]) { self.numbers = numbers }
}

@Observable
final class Employee {
  var salary: Int
  init(_ salary: Int) { self.salary = salary }
}

@Observable
final class Department {
  var employees: [Employee]
  var totalSalary: Int { employees.reduce(0) { $0 + $1.salary } }

  init(_ employees: [Employee]) { self.employees = employees }
}

@inline(never) private func set(_ leaf: Leaf, _ value: Int) { leaf.c = value }
@inline(never) private func set(_ middle: Middle, _ leaf: Leaf) { middle.b = leaf }
@inline(never) private func set(_ root: Root, _ middle: Middle) { root.a = middle }
@inline(never) private func set(firstName: String, of person: Person) {
  person.firstName = firstName
}
@inline(never) private func set(lastName: String, of person: Person) { person.lastName = lastName }
@inline(never) private func append(_ list: NumberList, _ number: Int) {
  list.numbers.append(number)
}
@inline(never) private func set(_ employee: Employee, _ salary: Int) { employee.salary = salary }

private func observe(_ root: Root, _ tally: Tally) -> Tracker<Int> {
  Tracker({ root.a.b.c }, { tally.record(old: $0, new: $1) })
}

let relationContenders: [Contender] =
  [
    Contender(.setLeaf, observation) { operations, tally in
      let root = Root(Middle(Leaf()))
      let leaf = root.a.b
      let tracker = observe(root, tally)
      return nanoseconds {
        for step in 1...operations {
          set(leaf, step)
          tracker.renew()
        }
      }
    },
    Contender(.replaceMiddle, observation) { operations, tally in
      let leaves = [Leaf(1), Leaf(2)]
      let root = Root(Middle(leaves[0]))
      let middle = root.a
      let tracker = observe(root, tally)
      return nanoseconds {
        for step in 1...operations {
          set(middle, leaves[step & 1])
          tracker.renew()
        }
      }
    },
    Contender(.replaceFirst, observation) { operations, tally in
      let middles = [Middle(Leaf(1)), Middle(Leaf(2))]
      let root = Root(middles[0])
      let tracker = observe(root, tally)
      return nanoseconds {
        for step in 1...operations {
          set(root, middles[step & 1])
          tracker.renew()
        }
      }
    },
    Contender(.dependentKey, observation) { operations, tally in
      let texts = texts
      let person = Person(texts[0], texts[0])
      let tracker = Tracker({ person.fullName }) { _, name in
        tally.notifications &+= 1
        tally.checksum &+= name.utf8.count
      }
      return nanoseconds {
        for step in 1...operations {
          if step & 1 == 1 {
            set(firstName: text(texts, step), of: person)
          } else {
            set(lastName: text(texts, step), of: person)
          }
          tracker.renew()
        }
      }
    },
    Contender(.chain, observation) { operations, tally in
      let first = Root(Middle(Leaf()))
      let second = Root(Middle(Leaf()))
      let last = Root(Middle(Leaf()))
      let leaf = first.a.b
      func pass(_ source: Root, on target: Root) -> Tracker<Int> {
        Tracker({ source.a.b.c }) { _, value in
          tally.notifications &+= 1
          tally.checksum &+= value
          target.a.b.c = value
        }
      }
      let trackers = [pass(first, on: second), pass(second, on: last)]
      let time = nanoseconds {
        for step in 1...operations {
          set(leaf, step)
          for tracker in trackers { tracker.renew() }
        }
      }
      precondition(last.a.b.c == operations, "the last object has the last value")
      return time
    },
    Contender(.bindings(twoWay: false), observation) { operations, tally in
      let counters = [Counter(), Counter(), Counter()]
      let trackers = [bind(counters[0], to: counters[1]), bind(counters[1], to: counters[2])]
      return passOn(counters, trackers, operations, tally)
    },
    Contender(.bindings(twoWay: true), observation) { operations, tally in
      let counters = [Counter(), Counter(), Counter()]
      let trackers = [(counters[0], counters[1]), (counters[1], counters[2])].flatMap {
        [bind($0, to: $1), bind($1, to: $0)]
      }
      return passOn(counters, trackers, operations, tally)
    },
  ]
  + [1_000, 100_000].map { count in
    Contender(.append(to: count), observation) { operations, tally in
      let list = NumberList(Array(0..<count))
      let tracker = Tracker({ (list.numbers.count - 1, list.numbers[list.numbers.count - 1]) }) {
        tally.record(old: $1.0, new: $1.1)
      }
      return nanoseconds {
        for step in 1...operations {
          append(list, step)
          tracker.renew()
        }
      }
    }
  }
  + [1_000, 10_000, 100_000].map { count in
    Contender(.totalSalary(of: count), observation) {
      let tally = Tally()
      let employees = (0..<count).map(Employee.init)
      let department = Department(employees)
      let tracker = Tracker({ department.totalSalary }) { _, total in
        tally.notifications &+= 1
        tally.checksum = total
      }
      return { operations in
        // Observation doesn't report a salary that's set to an equal value, as the next sample
        // would.
        for (index, employee) in employees.enumerated() { employee.salary = index }
        tracker.renew()
        tally.reset()
        let time = nanoseconds {
          for step in 1...operations {
            set(employees[Salary.index(step, of: count)], Salary.amount(step))
            tracker.renew()
          }
        }
        return Reading(total: time, tally)
      }
    }
  }

/// Sets one counter when the other changes; Observation doesn't report the equal value that comes
/// back.
private func bind(_ source: Counter, to target: Counter) -> Tracker<Int> {
  Tracker({ source.value }) { _, value in target.value = value }
}

private func passOn(
  _ counters: [Counter], _ bindings: [Tracker<Int>], _ operations: Int, _ tally: Tally
) -> Double {
  let last = counters[2]
  let observer = Tracker({ last.value }) { _, value in
    tally.notifications &+= 1
    tally.checksum &+= value
  }
  let trackers = bindings + [observer]
  let first = counters[0]
  return nanoseconds {
    for step in 1...operations {
      set(first, step)
      for tracker in trackers { tracker.renew() }
    }
  }
}
