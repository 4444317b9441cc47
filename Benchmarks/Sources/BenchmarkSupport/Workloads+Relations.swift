// W6 to W9: paths, dependent keys and collections.

extension Workload {
  /// W6: sets the end of an observed path `a.b.c`, at first 0.
  public static let setLeaf = Workload(
    "W6", "path a.b.c, the leaf set", targets: [.ratio(to: System.handWritten, atMost: 2.2)]
  ) { Expectation(notifications: $0, checksum: sumOfSteps($0)) }

  /// W6: replaces the middle of an observed path `a.b.c`.
  ///
  /// Odd steps set an object with 2 in `c`, even ones the first again, with 1.
  public static let replaceMiddle = Workload(
    "W6", "path a.b.c, b replaced", targets: [.ratio(to: System.handWritten, atMost: 3.5)],
    expected: { alternating($0) })

  /// W6: replaces the first object of an observed path `a.b.c`, in the same way.
  public static let replaceFirst = Workload(
    "W6", "path a.b.c, a replaced", targets: [.ratio(to: System.handWritten, atMost: 3.5)],
    expected: { alternating($0) })

  private static func alternating(_ operations: Int) -> Expectation {
    let tally = Tally()
    for step in 1...operations {
      tally.record(old: step & 1 == 1 ? 1 : 2, new: step & 1 == 1 ? 2 : 1)
    }
    return Expectation(notifications: tally.notifications, checksum: tally.checksum)
  }

  /// W7: sets the sources of a full name alternately, the first name at odd steps.
  ///
  /// The observer requests new. Both names begin as the first text.
  public static let dependentKey = Workload(
    "W7", "dependent key with two sources, new",
    targets: [.ratio(to: System.handWritten, atMost: 1.7)]
  ) { operations in
    var names = [texts[0], texts[0]]
    var sum = 0
    for step in 1...operations {
      names[step & 1] = text(texts, step)
      sum &+= names[0].utf8.count + 1 + names[1].utf8.count
    }
    return Expectation(notifications: operations, checksum: sum)
  }

  /// W8: appends the step's number to an observed array.
  ///
  /// The observer requests old, new and indexes. A sample appends few elements, so that the array
  /// keeps about its size.
  public static func append(to count: Int) -> Workload {
    Workload(
      "W8", "append through a kept proxy, \(count) elements", size: .fitted(maximum: 2_000),
      targets: [.ratio(to: System.handWritten, atMost: 4)]
        + (count > 1_000 ? [.growth(from: append(to: 1_000).name, atMost: 1.5)] : [])
    ) { operations in
      var sum = 0
      for step in 1...operations { sum &+= Tally.weight(old: count + step - 1, new: step) }
      return Expectation(notifications: operations, checksum: sum)
    }
  }

  /// W9: changes one salary after another; the checksum is the last reported total.
  ///
  /// Employee number i begins with the salary i.
  public static func totalSalary(of count: Int) -> Workload {
    Workload(
      "W9", "totalSalary of \(count), one salary changed", size: .fitted(maximum: 1_000_000),
      targets: [.ratio(to: System.handWritten, atMost: count > 1_000 ? 2.5 : 3)]
        + (count > 1_000 ? [.growth(from: totalSalary(of: 1_000).name, atMost: 2)] : [])
    ) { operations in
      var salaries = Array(0..<count)
      for step in 1...operations { salaries[Salary.index(step, of: count)] = Salary.amount(step) }
      return Expectation(notifications: operations, checksum: salaries.reduce(0, +))
    }
  }
}

/// The employee and the salary of a step of W9.
///
/// They depend only on the step, so samples of growing length end with the same salaries whatever
/// samples preceded them.
public enum Salary {
  /// The number of the employee.
  @inlinable @inline(__always)
  public static func index(_ step: Int, of count: Int) -> Int { step &* 7_919 % count }

  /// The new salary.
  @inlinable @inline(__always)
  public static func amount(_ step: Int) -> Int { step &* 104_729 % 1_000_003 }
}
