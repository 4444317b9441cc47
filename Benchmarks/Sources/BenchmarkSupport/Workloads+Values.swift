// W1 to W5: single properties. Every set writes the number of its step, counted from 1; a checksum
// without values is the property's value at the end.

/// The class's place relative to the code that uses it.
public enum Placement: String, Sendable, CaseIterable {
  /// In the same module.
  case sameModule = "same module"
  /// In another module, public.
  case otherModule = "other module"
}

extension Workload {
  /// W1: sets an unobserved `Int`.
  public static func setUnobserved(_ placement: Placement) -> Workload {
    Workload(
      "W1", "set Int, unobserved, \(placement.rawValue)",
      targets: [
        .ratio(to: System.plain, atMost: placement == .sameModule ? 1.5 : 0.5)
      ]
    ) { Expectation(notifications: 0, checksum: $0) }
  }

  /// W1r: reads an unobserved `Int`; it's 7.
  public static func readUnobserved(_ placement: Placement) -> Workload {
    Workload(
      "W1r", "read Int, unobserved, \(placement.rawValue)",
      targets: [.ratio(to: System.plain, atMost: 1.5)]
    ) { Expectation(notifications: 0, checksum: 7 * $0) }
  }

  /// W2: sets an `Int` with one observer without values.
  public static func oneObserver(_ placement: Placement) -> Workload {
    Workload(
      "W2", "set Int, one observer, no values, \(placement.rawValue)",
      targets: [.ratio(to: System.handWritten, atMost: 1.5)]
    ) { Expectation(notifications: $0, checksum: $0) }
  }

  /// W3: sets an `Int`, at first 0, with one observer that requests old and new.
  public static func intWithValues(_ placement: Placement) -> Workload {
    Workload(
      "W3", "set Int, one observer, old and new, \(placement.rawValue)",
      targets: [.ratio(to: System.handWritten, atMost: 1.6)]
    ) { operations in
      Expectation(notifications: operations, checksum: sumOfSteps(operations))
    }
  }

  /// W3: sets a `String`, at first empty, with one observer that requests old and new.
  public static func textWithValues(_ placement: Placement) -> Workload {
    Workload(
      "W3", "set String, one observer, old and new, \(placement.rawValue)",
      targets: [.ratio(to: System.handWritten, atMost: 1.5)]
    ) { operations in
      let tally = Tally()
      var old = ""
      for step in 1...operations {
        tally.record(old: old, new: text(texts, step))
        old = text(texts, step)
      }
      return Expectation(notifications: tally.notifications, checksum: tally.checksum)
    }
  }

  /// W4: sets an `Int` with several observers without values.
  public static func observers(_ count: Int) -> Workload {
    Workload("W4", "set Int, \(count) observers, no values") {
      Expectation(notifications: $0 * count, checksum: $0)
    }
  }

  /// W5: adds an observer and removes it.
  ///
  /// The target applies to the row with another observer, because an object with a single, short-lived
  /// one is rare.
  ///
  /// Afterwards, untimed: a set, an observer added, a set.
  public static func addAndRemove(besideAnother: Bool) -> Workload {
    Workload(
      "W5", "add and remove an observer, \(besideAnother ? "beside another" : "alone")",
      targets: besideAnother ? [.ratio(to: System.handWritten, atMost: 4.5)] : []
    ) { _ in Expectation(notifications: besideAnother ? 3 : 1, checksum: 2) }
  }

  /// W5: adds an observer of a path of three properties and removes it.
  ///
  /// Afterwards, untimed: a set of the path's end, an observer added, a set.
  public static let addAndRemovePath = Workload(
    "W5", "add and remove an observer of a.b.c"
  ) { _ in Expectation(notifications: 1, checksum: 2) }

  /// W5: adds an observer of a sum over one element and removes it.
  ///
  /// Afterwards, untimed: a set of the element's key, an observer added, a set.
  public static let addAndRemoveSum = Workload(
    "W5", "add and remove an observer of a sum"
  ) { _ in Expectation(notifications: 1, checksum: 2) }

  /// W5: adds many observers to one object and removes them, in the same order.
  ///
  /// Between adding and removing, and afterwards, there is an untimed set.
  public static func addAndRemoveMany(_ count: Int) -> Workload {
    Workload(
      "W5", "\(count) observers added, then removed, each", size: .fitted(unit: count),
      targets: count > 100 ? [.growth(from: addAndRemoveMany(100).name, atMost: 1.5)] : []
    ) { Expectation(notifications: $0, checksum: 2) }
  }

  /// The checksum of an `Int` that is set from 0 up to the count of steps.
  static func sumOfSteps(_ operations: Int) -> Int {
    var sum = 0
    for step in 1...operations { sum &+= Tally.weight(old: step - 1, new: step) }
    return sum
  }
}
