import KeyValueObserving
import KeyValueReplicaTestSupport

/// What observers of a firm are notified of, as text that's the same in all processes.
@MainActor
final class History {
  private var lines: [String] = []
  private var observations: [KeyValueObservation] = []

  /// Keys, keys behind relationships, elements through collections, operators and computed keys.
  private static let paths = [
    "name", "motto", "workers", "past", "guests", "desks", "teams", "rooms", "tags", "budget",
    "deputy", "chief", "total", "chief.name", "deputy.salary", "deputy.skills", "workers.name",
    "workers.@sum.salary", "workers.@count", "workers.skills", "past.@max.salary",
    "guests.@sum.salary", "teams.name", "teams.members", "teams.lead.name", "teams.teams",
  ]

  init(of firm: Firm) throws {
    for path in Self.paths { try note(path, of: firm, [.old, .new]) }
    try note("rooms", of: firm, [.old, .new, .elementChanges])
    try note("budget", of: firm, [.old, .new, .prior])
  }

  private func note(_ path: String, of firm: Firm, _ options: KeyValueObservingOptions) throws {
    observations.append(
      try firm.observe(path, options: options) { [unowned self] _, change in
        var words = [path]
        if options.contains(.elementChanges) { words.append("by element") }
        if change.isPrior { words.append("prior") }
        words.append("\(change.kind)")
        if let indexes = change.indexes { words.append("\(Array(indexes.ranges))") }
        words.append(Self.text(change.oldValue as Any))
        words.append("->")
        words.append(Self.text(change.newValue as Any))
        lines.append(words.joined(separator: " "))
      })
  }

  /// The notifications since the last call.
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  private static func text(_ value: Any) -> String {
    switch value {
    case let worker as Worker: "\(worker.name)#\(worker.salary)"
    case let team as Team: "\(team.name)/\(team.members.count)"
    case let set as Set<AnyHashable>:
      "{\(set.map { text($0.base) }.sorted().joined(separator: ", "))}"
    case let array as [Any]: "[\(array.map(text).joined(separator: ", "))]"
    case let entries as [String: Any]:
      "[\(entries.map { "\($0.key): \(text($0.value))" }.sorted().joined(separator: ", "))]"
    case let text as String: text.debugDescription
    case let optional as any OptionalValue: optional.wrapped.map(text) ?? "nil"
    default: "\(value)"
    }
  }
}

private protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrapped: Any? { self }
}
