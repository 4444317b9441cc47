import KeyValueObserving
import KeyValueTestSupport

/// What was seen while a program ran; two runs are equal where their histories are.
package enum Occurrence: Hashable, Sendable {
  /// A step of the program began.
  case step(Int)
  case change(Told)
  case died(Int)
  /// A call threw, or answered this.
  case answered(String)
  case violation(KeyValueViolation.Kind)
  /// How things are at the end.
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
  /// Whether this is what was expected, values that the rules leave open included.
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
  /// Whether this is about how things are, and not about what happened.
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

/// A history as it is being made, which the violation handler reaches, hence the lock.
final class HistoryLog: Sendable {
  private let occurrences = Lock<[Occurrence]>([])

  /// The log of the program that is being run here.
  @TaskLocal static var current: HistoryLog?

  var all: [Occurrence] { occurrences.withLock { $0 } }

  func note(_ occurrence: Occurrence) {
    occurrences.withLock { $0.append(occurrence) }
  }

  /// Violations while a program runs go to its log, and all others to where they went before.
  ///
  /// Programs let go of tokens and controllers wherever it occurs to them, which debug builds report.
  static let catchesViolations: Void = {
    let former = KeyValueViolation.handler
    KeyValueViolation.handler = { violation in
      if let log = HistoryLog.current {
        let isOfToken = violation.description.contains("ended where it began")
        if !isOfToken { log.note(.violation(violation.kind)) }
      } else {
        former(violation)
      }
    }
  }()
}
