import BenchmarkSupport
import OpenCombine

// W6 to W9 and W11 with `CurrentValueSubject`.

final class LeafSignal {
  let c: CurrentValueSubject<Int, Never>
  init(_ c: Int = 0) { self.c = CurrentValueSubject(c) }
}

final class MiddleSignal {
  let b: CurrentValueSubject<LeafSignal, Never>
  init(_ b: LeafSignal) { self.b = CurrentValueSubject(b) }
}

final class RootSignal {
  let a: CurrentValueSubject<MiddleSignal, Never>
  init(_ a: MiddleSignal) { self.a = CurrentValueSubject(a) }

  var abc: some OpenCombine.Publisher<Int, Never> {
    a.map { $0.b }.switchToLatest().map { $0.c }.switchToLatest()
  }
}

/// Each name has a sink, because OpenCombine has no `combineLatest`.
final class PersonSignal {
  let firstName: CurrentValueSubject<String, Never>
  let lastName: CurrentValueSubject<String, Never>

  init(_ firstName: String, _ lastName: String) {
    self.firstName = CurrentValueSubject(firstName)
    self.lastName = CurrentValueSubject(lastName)
  }

  func observeFullName(_ handler: @escaping (String) -> Void) -> [AnyCancellable] {
    [
      firstName.sink { [unowned self] in handler("\($0) \(lastName.value)") },
      lastName.sink { [unowned self] in handler("\(firstName.value) \($0)") },
    ]
  }
}

final class NumberSignal {
  let numbers: CurrentValueSubject<[Int], Never>
  init(_ numbers: [Int]) { self.numbers = CurrentValueSubject(numbers) }
}

final class EmployeeSignal {
  let salary: CurrentValueSubject<Int, Never>
  init(_ salary: Int) { self.salary = CurrentValueSubject(salary) }
}

/// The subject has its new value when the sink is called, so the total is summed again.
final class DepartmentSignal {
  let totalSalary = CurrentValueSubject<Int, Never>(0)
  private var tokens: [AnyCancellable] = []

  init(_ employees: [EmployeeSignal]) {
    tokens = employees.map { employee in
      // A new sink is called with the current value, which is dropped here: it would make the
      // preparation quadratic.
      employee.salary.dropFirst().sink { [unowned self] _ in
        totalSalary.value = employees.reduce(0) { $0 + $1.salary.value }
      }
    }
  }
}

@inline(never) private func set(_ leaf: LeafSignal, _ value: Int) { leaf.c.value = value }
@inline(never) private func set(_ middle: MiddleSignal, _ leaf: LeafSignal) {
  middle.b.value = leaf
}
@inline(never) private func set(_ root: RootSignal, _ middle: MiddleSignal) {
  root.a.value = middle
}
@inline(never) private func set(firstName: String, of person: PersonSignal) {
  person.firstName.value = firstName
}
@inline(never) private func set(lastName: String, of person: PersonSignal) {
  person.lastName.value = lastName
}
@inline(never) private func append(_ list: NumberSignal, _ number: Int) {
  list.numbers.value.append(number)
}
@inline(never) private func set(_ employee: EmployeeSignal, _ salary: Int) {
  employee.salary.value = salary
}

private func observe(_ root: RootSignal, _ tally: Tally) -> AnyCancellable {
  let token = root.abc.withPrevious(root.a.value.b.value.c.value).sink {
    tally.record(old: $0.old, new: $0.new)
  }
  tally.reset()
  return token
}

let currentValueRelationContenders: [Contender] =
  [
    Contender(.setLeaf, currentValue) { operations, tally in
      let root = RootSignal(MiddleSignal(LeafSignal()))
      let leaf = root.a.value.b.value
      let token = observe(root, tally)
      let time = nanoseconds { for step in 1...operations { set(leaf, step) } }
      token.cancel()
      return time
    },
    Contender(.replaceMiddle, currentValue) { operations, tally in
      let leaves = [LeafSignal(1), LeafSignal(2)]
      let root = RootSignal(MiddleSignal(leaves[0]))
      let middle = root.a.value
      let token = observe(root, tally)
      let time = nanoseconds { for step in 1...operations { set(middle, leaves[step & 1]) } }
      token.cancel()
      return time
    },
    Contender(.replaceFirst, currentValue) { operations, tally in
      let middles = [MiddleSignal(LeafSignal(1)), MiddleSignal(LeafSignal(2))]
      let root = RootSignal(middles[0])
      let token = observe(root, tally)
      let time = nanoseconds { for step in 1...operations { set(root, middles[step & 1]) } }
      token.cancel()
      return time
    },
    Contender(.dependentKey, currentValue) { operations, tally in
      let texts = texts
      let person = PersonSignal(texts[0], texts[0])
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
    Contender(.chain, currentValue) { operations, tally in
      let first = RootSignal(MiddleSignal(LeafSignal()))
      let second = RootSignal(MiddleSignal(LeafSignal()))
      let last = RootSignal(MiddleSignal(LeafSignal()))
      let leaf = first.a.value.b.value
      func pass(_ source: RootSignal, on target: RootSignal) -> AnyCancellable {
        source.abc.sink { value in
          tally.notifications &+= 1
          tally.checksum &+= value
          target.a.value.b.value.c.value = value
        }
      }
      let tokens = [pass(first, on: second), pass(second, on: last)]
      tally.reset()
      let time = nanoseconds { for step in 1...operations { set(leaf, step) } }
      withExtendedLifetime(tokens) {}
      precondition(last.a.value.b.value.c.value == operations, "the last object has the last value")
      return time
    },
    Contender(.bindings(twoWay: false), currentValue) { operations, tally in
      let counters = [Signal(), Signal(), Signal()]
      let tokens = [bind(counters[0], to: counters[1]), bind(counters[1], to: counters[2])]
      return passOn(counters, tokens, operations, tally)
    },
    Contender(.bindings(twoWay: true), currentValue) { operations, tally in
      let counters = [Signal(), Signal(), Signal()]
      let tokens = [(counters[0], counters[1]), (counters[1], counters[2])].flatMap {
        [bind($0, to: $1), bind($1, to: $0)]
      }
      return passOn(counters, tokens, operations, tally)
    },
  ]
  + [1_000, 100_000].map { count in
    Contender(.append(to: count), currentValue) { operations, tally in
      let list = NumberSignal(Array(0..<count))
      let token = list.numbers.sink { numbers in
        tally.record(old: numbers.count - 1, new: numbers[numbers.count - 1])
      }
      tally.reset()
      let time = nanoseconds { for step in 1...operations { append(list, step) } }
      token.cancel()
      return time
    }
  }
  + [1_000, 10_000, 100_000].map { count in
    Contender(.totalSalary(of: count), currentValue) {
      let tally = Tally()
      let employees = (0..<count).map(EmployeeSignal.init)
      let department = DepartmentSignal(employees)
      let token = department.totalSalary.sink { total in
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

/// Sets one signal when the other changes; an equal value ends the echo.
private func bind(_ source: Signal, to target: Signal) -> AnyCancellable {
  source.value.removeDuplicates().sink { [weak target] in target?.value.value = $0 }
}

private func passOn(
  _ counters: [Signal], _ tokens: [AnyCancellable], _ operations: Int, _ tally: Tally
) -> Double {
  let last = counters[2].value.sink { value in
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
