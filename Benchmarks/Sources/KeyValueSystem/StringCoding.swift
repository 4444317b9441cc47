import BenchmarkSupport
import KeyValueObserving

// W12: values by strings. An error of a call ends the sample, and so the run.

@inline(never) private func value(_ counter: Counter, _ key: String) throws -> Any? {
  try counter.value(forKey: key)
}
@inline(never) private func setValue(_ counter: Counter, _ value: Int, _ key: String) throws {
  try counter.setValue(value, forKey: key)
}
@inline(never) private func value(_ root: Root, path: String) throws -> Any? {
  try root.value(forKeyPath: path)
}
@inline(never) private func value(_ department: Department, path: String) throws -> Any? {
  try department.value(forKeyPath: path)
}

let stringContenders: [Contender] = [
  Contender(.valueForKey, System.keyValue) { operations, tally in
    let counter = Counter()
    set(counter, 7)
    return try reading(operations, tally) { try value(counter, "value") }
  },
  Contender(.setValueForKey, System.keyValue) { operations, tally in
    let counter = Counter()
    let time = try nanoseconds {
      for step in 1...operations { try setValue(counter, step, "value") }
    }
    tally.checksum = counter.value
    return time
  },
  Contender(.valueForKeyPath, System.keyValue) { operations, tally in
    let root = Root(Middle(Leaf(7)))
    return try reading(operations, tally) { try value(root, path: "a.b.c") }
  },
  Contender(.sumOperator, System.keyValue) {
    let department = Department((0..<10_000).map(Employee.init))
    return { operations in
      let tally = Tally()
      let time = try reading(operations, tally) {
        try value(department, path: "employees.@sum.salary")
      }
      return Reading(total: time, tally)
    }
  },
  sumElement(ofDoubles: false),
  sumElement(ofDoubles: true),
]

@KeyValueObservable
private final class Bonus {
  var salary: Int
  var bonus: Double

  init(_ salary: Int) {
    self.salary = salary
    bonus = Double(salary) / 2
  }
}

@KeyValueObservable
private final class Payroll {
  var bonuses = (0..<1_000).map(Bonus.init)

  init() {}
}

@inline(never) private func value(_ payroll: Payroll, path: String) throws -> Any? {
  try payroll.value(forKeyPath: path)
}

/// One operation for each element.
private func sumElement(ofDoubles: Bool) -> Contender {
  Contender(.sumElement(ofDoubles: ofDoubles), System.keyValue) {
    let payroll = Payroll()
    let path = ofDoubles ? "bonuses.@sum.bonus" : "bonuses.@sum.salary"
    return { operations in
      var sum = 0.0
      let time = try nanoseconds {
        for _ in 0..<operations / 1_000 {
          let total = try value(payroll, path: path)
          sum += total as? Double ?? Double(total as? Int ?? 0)
        }
      }
      return Reading(total: time, notifications: 0, checksum: Int(sum))
    }
  }
}

@inline(__always)
private func reading(
  _ operations: Int, _ tally: Tally, _ read: () throws -> Any?
) throws -> Double {
  var sum = 0
  let time = try nanoseconds { for _ in 0..<operations { sum &+= try read() as? Int ?? 0 } }
  tally.checksum = sum
  return time
}
