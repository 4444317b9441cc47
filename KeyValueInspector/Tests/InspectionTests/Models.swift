import KeyValueObserving

@testable import Inspection

@KeyValueObservable
final class Person {
  var name = "Ada"
  var age = 36
  var title: String { "Dr \(name)" }
  var mentor: Person?
}

@KeyValueObservable
final class Shelf {
  var people: [Person] = []
}

/// Returns an inspection of a closure's events.
func inspection(
  limits: Inspection.Limits = .init(), of body: () -> Void
) -> Inspection {
  var inspection = Inspection(limits: limits)
  inspection.take(KeyValueTrace.recording(body).events)
  return inspection
}

extension Cascade {
  /// The spans, indented by their depth, without times and numbers.
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
