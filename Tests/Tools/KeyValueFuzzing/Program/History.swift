import KeyValueObserving
import KeyValueTestSupport

/// A recorded event of a program's run; two runs are equal if their histories are.
package enum Occurrence: Hashable, Sendable {
  /// A step of the program began.
  case step(Int)
  case change(Told)
  case died(Int)
  /// A call threw this error, or returned this value.
  case answered(String)
  case violation(KeyValueViolation.Kind)
  /// A part of the final state.
  case state(String)

  /// One call to one observer.
  package struct Told: Hashable, Sendable {
    package var who: String
    package var object: Int
    package var kind: KeyValueChangeKind
    package var old: FuzzValue?
    package var new: FuzzValue?
    package var indexes: [Int]?
    package var isPrior: Bool
  }
}

extension Occurrence {
  /// Whether this is the expected occurrence, apart from values that the rules leave open.
  package func meets(_ expected: Occurrence) -> Bool {
    guard case .change(var told) = self, case .change(let expectedTold) = expected else {
      return self == expected
    }
    if expectedTold.old == .unsettled, told.old != nil { told.old = .unsettled }
    if expectedTold.new == .unsettled, told.new != nil { told.new = .unsettled }
    return told == expectedTold
  }
}

extension Occurrence {
  /// Whether this is a part of the final state rather than an event.
  var isState: Bool { if case .state = self { true } else { false } }
}

extension Occurrence: CustomStringConvertible {
  package var description: String {
    switch self {
    case .step(let index): "#\(index)"
    case .change(let told): "   \(told)"
    case .died(let object): "   n\(object) died"
    case .answered(let answer): "   -> \(answer)"
    case .violation(let kind): "   violation: \(kind)"
    case .state(let text): "   \(text)"
    }
  }
}

extension Occurrence.Told: CustomStringConvertible {
  package var description: String {
    var parts = ["\(who) of n\(object): \(kind)"]
    if let old { parts.append("old \(old)") }
    if let new { parts.append("new \(new)") }
    if let indexes { parts.append("at \(indexes)") }
    if isPrior { parts.append("prior") }
    return parts.joined(separator: ", ")
  }
}

/// A history that is being recorded; it has a lock because the violation handler appends to it, too.
final class HistoryLog: Sendable {
  private let occurrences = Lock<[Occurrence]>([])

  /// The log of the program that runs in this task.
  @TaskLocal static var current: HistoryLog?

  var all: [Occurrence] { occurrences.withLock { $0 } }

  func note(_ occurrence: Occurrence) {
    occurrences.withLock { $0.append(occurrence) }
  }

  /// Records violations in the log of the running program; others go to the previous handler.
  ///
  /// Programs release tokens and controllers at any time, and set in handlers what later observers are
  /// told of. Debug builds report both, the second once in a process; that isn't recorded.
  static let catchesViolations: Void = {
    let former = KeyValueViolation.handler
    KeyValueViolation.handler = { violation in
      if let log = HistoryLog.current {
        let isExpected = ["ended at once", "was given values out of date"].contains {
          violation.description.contains($0)
        }
        if !isExpected { log.note(.violation(violation.kind)) }
      } else {
        former(violation)
      }
    }
  }()
}
