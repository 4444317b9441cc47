import KeyValueObserving

@testable import Inspection

@KeyValueObservable
final class Person {
  var name = "Ada"
  var age = 36
  var title: String { "Dr \(name)" }
  var mentor: Person?
}

/// An inspection that took what a closure brings about.
func inspection(
  limits: Inspection.Limits = .init(), of body: () -> Void
) -> Inspection {
  var inspection = Inspection(limits: limits)
  inspection.take(KeyValueTrace.recording(body).events)
  return inspection
}

extension Cascade {
  /// Its spans, indented by what they are inside of, without times and numbers.
  var lines: [String] {
    var depths: [UInt64: Int] = [:]
    return spans.map { span in
      let depth = span.parent.flatMap { depths[$0] }.map { $0 + 1 } ?? 0
      depths[span.id] = depth
      return String(repeating: "  ", count: depth) + span.kind.rawValue + ": " + span.subject
    }
  }
}

extension Span {
  var subject: String { "\(`class` ?? "").\(key ?? "")" }
}
