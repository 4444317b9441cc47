// W15 to W18: several sets reported as one, assigned arrays reported by their elements, awaited values,
// and traces.

/// The arrays of W16: the second has one element more, in the middle.
public let shortAndLong: [[Int]] = {
  let short = Array(0..<1_000)
  var long = short
  long.insert(-1, at: 500)
  return [short, long]
}()

extension Workload {
  /// The number of sets in a transaction of W15.
  public static let setsTogether = 10

  /// W15: sets an `Int`, at first 0, ten times in one transaction, with one observer, which requests old
  /// and new and is called once.
  public static let transaction = Workload(
    "W15", "\(setsTogether) sets in a transaction, one observer, old and new",
    targets: [.value(atMost: 1_200)]
  ) { operations in
    var sum = 0
    for step in 1...operations {
      sum &+= Tally.weight(old: setsTogether * (step - 1), new: setsTogether * step)
    }
    return Expectation(notifications: operations, checksum: sum)
  }

  /// W16: assigns `shortAndLong` by turns, at first the short one, with one observer, which receives the
  /// inserted or removed element.
  ///
  /// It records the element's index as old, and as new what the element adds to the array's sum.
  public static let elementChanges = Workload(
    "W16", "an array of 1000 assigned, one element more or less", targets: [.value(atMost: 700)]
  ) { operations in
    var sum = 0
    for step in 1...operations {
      sum &+= Tally.weight(old: 500, new: step.isMultiple(of: 2) ? 1 : -1)
    }
    return Expectation(notifications: operations, checksum: sum)
  }

  /// W17: sets an `Int` and takes the new value from an asynchronous sequence of its values.
  ///
  /// The value at the beginning of the iteration is received before, untimed.
  public static let sequence = Workload(
    "W17", "set Int, its value taken from a sequence", targets: [.value(atMost: 1_200)]
  ) { Expectation(notifications: $0, checksum: $0 * ($0 + 1) / 2) }

  /// W18: sets an `Int` with one observer that requests old and new, while a closure counts the events of a
  /// trace; otherwise W3.
  public static let traced = Workload(
    "W18", "set Int, one observer, old and new, traced",
    targets: [.growth(from: intWithValues(.sameModule).name, atMost: 8)]
  ) { intWithValues(.sameModule).expected($0) }
}

/// The difference of two arrays, as one range of each: the elements between the longest common
/// beginning and the longest common end.
@inline(never)
public func changedRun(_ old: [Int], _ new: [Int]) -> (old: Range<Int>, new: Range<Int>) {
  let shorter = min(old.count, new.count)
  var start = 0
  while start < shorter, old[start] == new[start] { start += 1 }
  var end = 0
  while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
  return (start..<old.count - end, start..<new.count - end)
}

extension Tally {
  /// Records the difference of two arrays if elements were only inserted or only removed, as W16 expects.
  public func recordRun(_ old: [Int], _ new: [Int]) {
    let run = changedRun(old, new)
    if let element = new[run.new].first {
      record(old: run.new.lowerBound, new: element)
    } else if let element = old[run.old].first {
      record(old: run.old.lowerBound, new: -element)
    }
  }
}
