import BenchmarkSupport

// W12: each class compares the key with its own; a path is parsed by hand. Unsupported: reporting an
// unknown key, converting values, and operators; the sum is a loop over one property.

protocol Keyed: AnyObject {
  func value(forKey key: String) -> Any?
}

extension Keyed {
  func value(forKeyPath path: String) -> Any? {
    var object: any Keyed = self
    var rest = path[...]
    while let dot = rest.firstIndex(of: ".") {
      guard let next = object.value(forKey: String(rest[..<dot])) as? any Keyed else { return nil }
      object = next
      rest = rest[rest.index(after: dot)...]
    }
    return object.value(forKey: String(rest))
  }
}

extension Level: Keyed {
  func value(forKey key: String) -> Any? { key == "value" ? value : nil }
  func setValue(_ newValue: Any?, forKey key: String) {
    if key == "value", let newValue = newValue as? Int { value = newValue }
  }
}
extension Leaf: Keyed {
  func value(forKey key: String) -> Any? { key == "c" ? c : nil }
}
extension Middle: Keyed {
  func value(forKey key: String) -> Any? { key == "b" ? b : nil }
}
extension Root: Keyed {
  func value(forKey key: String) -> Any? { key == "a" ? a : nil }
}

@inline(never) private func value(_ level: Level, _ key: String) -> Any? {
  level.value(forKey: key)
}
@inline(never) private func setValue(_ level: Level, _ value: Int, _ key: String) {
  level.setValue(value, forKey: key)
}
@inline(never) private func value(_ root: Root, path: String) -> Any? {
  root.value(forKeyPath: path)
}
@inline(never) private func sum(_ employees: [Employee]) -> Any? {
  employees.reduce(0) { $0 + $1.salary }
}

let stringContenders: [Contender] = [
  Contender(.valueForKey, System.handWritten) { operations, tally in
    let level = Level()
    set(level, 7)
    return reading(operations, tally) { value(level, "value") }
  },
  Contender(.setValueForKey, System.handWritten) { operations, tally in
    let level = Level()
    let time = nanoseconds { for step in 1...operations { setValue(level, step, "value") } }
    tally.checksum = level.value
    return time
  },
  Contender(.valueForKeyPath, System.handWritten) { operations, tally in
    let root = Root(Middle(Leaf(7)))
    return reading(operations, tally) { value(root, path: "a.b.c") }
  },
  Contender(.sumOperator, System.handWritten) {
    let employees = (0..<10_000).map(Employee.init)
    return { operations in
      let tally = Tally()
      let time = reading(operations, tally) { sum(employees) }
      return Reading(total: time, tally)
    }
  },
]

@inline(__always)
private func reading(_ operations: Int, _ tally: Tally, _ read: () -> Any?) -> Double {
  var sum = 0
  let time = nanoseconds { for _ in 0..<operations { sum &+= read() as? Int ?? 0 } }
  tally.checksum = sum
  return time
}
