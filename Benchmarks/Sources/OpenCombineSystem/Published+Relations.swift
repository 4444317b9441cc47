import BenchmarkSupport
import OpenCombine

// W6 to W9 and W11 with `@Published`.

final class Leaf {
  @Published var c: Int
  init(_ c: Int = 0) { self.c = c }
}

final class Middle {
  @Published var b: Leaf
  init(_ b: Leaf) { self.b = b }
}

final class Root {
  @Published var a: Middle
  init(_ a: Middle) { self.a = a }

  var abc: some OpenCombine.Publisher<Int, Never> {
    $a.map { $0.$b }.switchToLatest().map { $0.$c }.switchToLatest()
  }
}

/// Each name has a sink, because OpenCombine has no `combineLatest`.
///
/// A sink is called before the set, so it combines its value with the other name's current one.
final class Person {
  @Published var firstName: String
  @Published var lastName: String

  init(_ firstName: String, _ lastName: String) {
    self.firstName = firstName
    self.lastName = lastName
  }

  func observeFullName(_ handler: @escaping (String) -> Void) -> [AnyCancellable] {
    [
      $firstName.sink { [unowned self] in handler("\($0) \(lastName)") },
      $lastName.sink { [unowned self] in handler("\(firstName) \($0)") },
    ]
  }
}

final class NumberList {
  @Published var numbers: [Int]
  init(_ numbers: [Int]) { self.numbers = numbers }
}

final class Employee {
  @Published var salary: Int
  init(_ salary: Int) { self.salary = salary }
}

/// The salary still has its old value when the sink is called.
final class Department {
  @Published private(set) var totalSalary: Int
  private var tokens: [AnyCancellable] = []

  init(_ employees: [Employee]) {
    totalSalary = employees.reduce(0) { $0 + $1.salary }
    tokens = employees.map { employee in
      employee.$salary.sink { [unowned self, unowned employee] salary in
        totalSalary += salary - employee.salary
      }
    }
  }
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

private func observe(_ root: Root, _ tally: Tally) -> AnyCancellable {
  let token = root.abc.withPrevious(root.a.b.c).sink { tally.record(old: $0.old, new: $0.new) }
  tally.reset()
  return token
}

let publishedRelationContenders: [Contender] =
  [
    Contender(.setLeaf, published) { operations, tally in
      let root = Root(Middle(Leaf()))
      let leaf = root.a.b
      let token = observe(root, tally)
      let time = nanoseconds { for step in 1...operations { set(leaf, step) } }
      token.cancel()
      return time
    },
    Contender(.replaceMiddle, published) { operations, tally in
      let leaves = [Leaf(1), Leaf(2)]
      let root = Root(Middle(leaves[0]))
      let middle = root.a
      let token = observe(root, tally)
      let time = nanoseconds { for step in 1...operations { set(middle, leaves[step & 1]) } }
      token.cancel()
      return time
    },
    Contender(.replaceFirst, published) { operations, tally in
      let middles = [Middle(Leaf(1)), Middle(Leaf(2))]
      let root = Root(middles[0])
      let token = observe(root, tally)
      let time = nanoseconds { for step in 1...operations { set(root, middles[step & 1]) } }
      token.cancel()
      return time
    },
    Contender(.dependentKey, published) { operations, tally in
      let texts = texts
      let person = Person(texts[0], texts[0])
      let tokens = person.observeFullName { name in
        tally.notifications &+= 1
        tally.checksum &+= name.utf8.count
      }
      tally.reset()
      let time = nanoseconds {
        for step in 1...operations {
          if step & 1 == 1 {
            set(firstName: text(texts, step), of: person)
          } else {
            set(lastName: text(texts, step), of: person)
          }
        }
      }
      withExtendedLifetime(tokens) {}
      return time
    },
    Contender(.chain, published) { operations, tally in
      let first = Root(Middle(Leaf()))
      let second = Root(Middle(Leaf()))
      let last = Root(Middle(Leaf()))
      let leaf = first.a.b
      func pass(_ source: Root, on target: Root) -> AnyCancellable {
        source.abc.sink { value in
          tally.notifications &+= 1
          tally.checksum &+= value
          target.a.b.c = value
        }
      }
      let tokens = [pass(first, on: second), pass(second, on: last)]
      tally.reset()
      let time = nanoseconds { for step in 1...operations { set(leaf, step) } }
      withExtendedLifetime(tokens) {}
      precondition(last.a.b.c == operations, "the last object has the last value")
      return time
    },
    Contender(.bindings(twoWay: false), published) { operations, tally in
      let counters = [Counter(), Counter(), Counter()]
      let tokens = [bind(counters[0], to: counters[1]), bind(counters[1], to: counters[2])]
      return passOn(counters, tokens, operations, tally)
    },
    Contender(.bindings(twoWay: true), published) { operations, tally in
      let counters = [Counter(), Counter(), Counter()]
      let tokens = [(counters[0], counters[1]), (counters[1], counters[2])].flatMap {
        [bind($0, to: $1), bind($1, to: $0)]
      }
      return passOn(counters, tokens, operations, tally)
    },
  ]
  + [1_000, 100_000].map { count in
    Contender(.append(to: count), published) { operations, tally in
      let list = NumberList(Array(0..<count))
      let token = list.$numbers.sink { numbers in
        tally.record(old: numbers.count - 1, new: numbers[numbers.count - 1])
      }
      tally.reset()
      let time = nanoseconds { for step in 1...operations { append(list, step) } }
      token.cancel()
      return time
    }
  }
  + [1_000, 10_000, 100_000].map { count in
    Contender(.totalSalary(of: count), published) {
      let tally = Tally()
      let employees = (0..<count).map(Employee.init)
      let department = Department(employees)
      let token = department.$totalSalary.sink { total in
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
        withExtendedLifetime((department, token)) {}
        return Reading(total: time, tally)
      }
    }
  }

/// Sets one counter when the other changes; an equal value ends the echo.
private func bind(_ source: Counter, to target: Counter) -> AnyCancellable {
  source.$value.removeDuplicates().sink { [weak target] in target?.value = $0 }
}

private func passOn(
  _ counters: [Counter], _ tokens: [AnyCancellable], _ operations: Int, _ tally: Tally
) -> Double {
  let last = counters[2].$value.sink { value in
    tally.notifications &+= 1
    tally.checksum &+= value
  }
  tally.reset()
  let first = counters[0]
  let time = nanoseconds { for step in 1...operations { set(first, step) } }
  last.cancel()
  withExtendedLifetime((counters, tokens)) {}
  return time
}
