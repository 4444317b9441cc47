// W14: properties that are modified in place, by `+=` or a mutating method.

extension Workload {
  /// W14: adds 1 to an `Int`, which was 0, with one observer, which requests old and new or no
  /// values.
  public static func addInPlace(withValues: Bool) -> Workload {
    Workload(
      "W14", "Int += 1 in place, one observer, \(withValues ? "old and new" : "no values")",
      targets: [.ratio(to: System.handWritten, atMost: 3.5)]
    ) { operations in
      Expectation(
        notifications: operations, checksum: withValues ? sumOfSteps(operations) : operations)
    }
  }

  /// W14: appends the number of the step to an array with one observer, which requests no values;
  /// the checksum is the sum of the elements.
  ///
  /// The array is empty at first and has room for all elements. Some systems copy the array at each
  /// step, so a sample appends few.
  public static let appendInPlace = Workload(
    "W14", "append to an array in place, one observer, no values", size: .fitted(maximum: 2_000),
    targets: [.ratio(to: System.handWritten, atMost: 3.5)]
  ) { Expectation(notifications: $0, checksum: $0 * ($0 + 1) / 2) }
}
