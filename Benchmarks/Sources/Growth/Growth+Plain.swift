import BenchmarkSupport
import KeyValueObserving

/// What is done to a department's employees, in plain Swift but for the last.
private enum Operation: String, CaseIterable {
  case append = "append"
  case removeLast = "removeLast"
  case swapEnds = "swapAt, the first and the last"
  case swapNeighbours = "swapAt, two neighbours"
  case replace = "employees[i] = x"
  case assign = "assigned, one more or one less, made before"
  case proxy = "append through a proxy"
}

/// What is observed meanwhile.
private enum Observed: String, CaseIterable {
  case employees = "the array, new"
  case sum = "the sum, new"
  case maximum = "the maximum, new"
  case getter = "a getter that adds up, no values"
  case getterWithValue = "a getter that adds up, new"
  case each = "each, no values"
}

@inline(never) private func add(_ department: Department, _ employee: Employee) {
  department.employees.append(employee)
}
@inline(never) private func removeLast(_ department: Department) {
  department.employees.removeLast()
}
@inline(never) private func swap(_ department: Department, _ first: Int, _ second: Int) {
  department.employees.swapAt(first, second)
}
@inline(never) private func replace(
  _ department: Department, _ index: Int, _ employee: Employee
) {
  department.employees[index] = employee
}
@inline(never) private func assign(_ department: Department, _ employees: [Employee]) {
  department.employees = employees
}

extension Growth {
  /// A table for each operation on an array that is looked through, with a row for each observer.
  static func plainTables(_ only: String?) {
    for operation in Operation.allCases {
      if let only, !operation.rawValue.contains(only) { continue }
      print("\n\(operation.rawValue)")
      for observed in Observed.allCases {
        row(observed.rawValue, forElement: true) { plain(operation, observed, $0) }
      }
    }
  }

  /// Times few operations, so that the array keeps about its size; it begins anew before each run,
  /// untimed.
  private static func plain(_ operation: Operation, _ observed: Observed, _ size: Int) -> Sample {
    let most = 50
    let employees = (0..<size).map(Employee.init)
    let guests = (size..<size + most).map(Employee.init)
    let longer = employees[..<(size / 2)] + guests[..<1] + employees[(size / 2)...]
    let arrays = [employees, Array(longer)]
    let department = Department()
    let proxy = department.mutableArrayValue(for: \.employees)
    var (calls, expected) = (0, 0)
    let token = observe(department, observed) { value in
      calls += 1
      checksum &+= value
    }

    func begin(_ operations: Int) {
      expected += 1
      if operation == .assign {
        // A run doesn't include releasing an array's elements.
        department.employees = employees
        return
      }
      var own: [Employee] = []
      own.reserveCapacity(size + most)
      own += employees
      if operation == .removeLast { own += guests[..<operations] }
      department.employees = own
    }
    func perform(_ operations: Int) {
      switch operation {
      case .append:
        for step in 0..<operations { add(department, guests[step]) }
      case .removeLast:
        for _ in 0..<operations { removeLast(department) }
      case .swapEnds:
        for _ in 0..<operations { swap(department, 0, size - 1) }
      case .swapNeighbours:
        for _ in 0..<operations { swap(department, size / 2, size / 2 + 1) }
      case .replace:
        for step in 0..<operations {
          replace(department, size / 2, step & 1 == 0 ? guests[0] : employees[size / 2])
        }
      case .assign:
        for step in 0..<operations { assign(department, arrays[step & 1 ^ 1]) }
      case .proxy:
        for step in 0..<operations { proxy.append(guests[step]) }
      }
      expected += operations
    }

    begin(1)
    let once = nanoseconds { perform(1) }
    let operations = max(2, min(most, Int(2e6 / once) / 2 * 2))
    let sample = Sample(
      operations: operations, prepare: { begin(operations) }, work: { perform(operations) })
    precondition(calls == expected, "every change is announced once")
    token.invalidate()
    return sample
  }

  private static func observe(
    _ department: Department, _ observed: Observed, _ told: @escaping (Int) -> Void
  ) -> KeyValueObservation {
    let kvo = department.kvo
    return switch observed {
    case .employees: kvo.employees.observe(options: .new) { told($1.newValue?.count ?? 0) }
    case .sum: kvo.employees[sum: \.salary].observe(options: .new) { told($1.newValue ?? 0) }
    case .maximum:
      kvo.employees[maximum: \.salary].observe(options: .new) { told(($1.newValue ?? nil) ?? 0) }
    case .getter: kvo.totalSalary.observe { _, _ in told(0) }
    case .getterWithValue: kvo.totalSalary.observe(options: .new) { told($1.newValue ?? 0) }
    case .each: kvo.employees[each: \.salary].observe { _, _ in told(0) }
    }
  }
}
