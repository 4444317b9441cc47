/// A part of a whole, exact as long as its terms fit into 64 bits.
struct ProgressFraction {
  private enum Value {
    case exact(Int64, Int64)
    case rounded(Double)
  }
  private let value: Value

  static let zero = ProgressFraction(0, 1)

  /// A fraction; the whole isn't 0.
  init(_ part: Int64, _ whole: Int64) {
    var (larger, smaller) = (part.magnitude, whole.magnitude)
    while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
    guard let divisor = Int64(exactly: larger), divisor != 0 else {
      value = .rounded(Double(part) / Double(whole))
      return
    }
    value = .exact(part / divisor, whole / divisor)
  }

  /// A fraction as Foundation computes it, exact if it's whole.
  init(_ double: Double) {
    value = Int64(exactly: double).map { Value.exact($0, 1) } ?? Value.rounded(double)
  }

  var double: Double {
    switch value {
    case .exact(let part, let whole): Double(part) / Double(whole)
    case .rounded(let double): double
    }
  }

  static func + (left: Self, right: Self) -> Self {
    if case .exact(let part, let whole) = left.value,
      case .exact(let otherPart, let otherWhole) = right.value
    {
      let (first, firstOverflow) = part.multipliedReportingOverflow(by: otherWhole)
      let (second, secondOverflow) = otherPart.multipliedReportingOverflow(by: whole)
      let (sum, sumOverflow) = first.addingReportingOverflow(second)
      let (product, productOverflow) = whole.multipliedReportingOverflow(by: otherWhole)
      if !firstOverflow, !secondOverflow, !sumOverflow, !productOverflow {
        return Self(sum, product)
      }
    }
    return Self(left.double + right.double)
  }

  static func * (left: Self, right: Self) -> Self {
    if case .exact(let part, let whole) = left.value,
      case .exact(let otherPart, let otherWhole) = right.value
    {
      let (product, overflow) = part.multipliedReportingOverflow(by: otherPart)
      let (wholes, wholesOverflow) = whole.multipliedReportingOverflow(by: otherWhole)
      if !overflow, !wholesOverflow { return Self(product, wholes) }
    }
    return Self(left.double * right.double)
  }
}

/// The counts of a progress and its children.
struct ProgressState {
  struct Child {
    let progress: Progress
    let portion: Int64
  }

  var total: Int64 = 0
  var completed: Int64 = 0
  var children: [Child] = []
  /// Children of Foundation's own class, which don't notify.
  var foreign: [(progress: Foundation.Progress, portion: Int64)] = []
  /// Whether there is such a child here or below.
  var hasForeign = false

  /// Adds completed units, as many as can be counted.
  mutating func complete(_ count: Int64) {
    let (sum, isTooLarge) = completed.addingReportingOverflow(count)
    completed = isTooLarge ? (count < 0 ? .min : .max) : sum
  }

  /// Counts the children that have finished as completed units, and releases them.
  mutating func countFinished() {
    var portions: [Int64] = []
    // Most changes finish none, and removing none would copy the array. Each child is read once, because one of
    // Foundation's may finish on another thread.
    if children.contains(where: { $0.progress.countsAsFinished }) {
      children.removeAll { child in
        let isFinished = child.progress.countsAsFinished
        if isFinished { portions.append(child.portion) }
        return isFinished
      }
    }
    if foreign.contains(where: { $0.progress.isFinished }) {
      foreign.removeAll { child in
        let isFinished = child.progress.isFinished
        if isFinished { portions.append(child.portion) }
        return isFinished
      }
    }
    for portion in portions { complete(portion) }
    hasForeign = !foreign.isEmpty || children.contains { $0.progress.state.hasForeign }
  }

  var isIndeterminate: Bool { total < 0 || completed < 0 || (total == 0 && completed == 0) }

  var isFinished: Bool {
    (completed >= total && completed > 0 && total > 0) || (completed > 0 && total == 0)
  }

  /// How much is completed, children included; zero if that isn't known.
  var fraction: ProgressFraction {
    if isIndeterminate { return .zero }
    if total == 0 { return ProgressFraction(1, 1) }
    var sum = ProgressFraction(completed, total)
    for child in children where child.portion != 0 {
      sum = sum + ProgressFraction(child.portion, total) * child.progress.counted
    }
    for (child, portion) in foreign {
      sum = sum + ProgressFraction(portion, total) * ProgressFraction(child.fractionCompleted)
    }
    return sum
  }

  /// The general text for the completed part, empty if that isn't known.
  var generalDescription: String {
    if isIndeterminate { return "" }
    let percentage = (fraction.double * 100).rounded(.towardZero)
    let whole: Int = Int(exactly: percentage) ?? (percentage < 0 ? .min : .max)
    return "\(whole)% completed"
  }

  /// The general text for the completed units, empty if they aren't known.
  var generalAdditionalDescription: String {
    isIndeterminate ? "" : "\(completed) of \(total)"
  }

  /// The keys whose values differ.
  func keys(since old: ProgressState, _ fraction: Double, _ oldFraction: Double) -> [String] {
    var keys: [String] = []
    if total != old.total { keys.append("totalUnitCount") }
    if completed != old.completed { keys.append("completedUnitCount") }
    if fraction != oldFraction { keys.append("fractionCompleted") }
    if isIndeterminate != old.isIndeterminate { keys.append("isIndeterminate") }
    if isFinished != old.isFinished { keys.append("isFinished") }
    return keys
  }
}
