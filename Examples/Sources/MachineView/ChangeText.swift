import KeyValueObserving
import MachineModel
import TerminalSupport

/// A change as one line of the log.
enum ChangeText {
  /// Key path, kind, indexes if there are any, old → new.
  static func line(_ keyPath: String, _ change: KeyValueObservedChange<Any?>) -> String {
    var line = "\(keyPath)  \(change.kind)"
    if let indexes = change.indexes { line += " \(text(of: indexes))" }
    if change.isPrior { line += " (prior)" }
    // Values that this kind of change doesn't carry (an insertion has no old value) are omitted.
    let old = change.oldValue.map { text(of: $0) }
    let new = change.newValue.map { text(of: $0) }
    switch (old, new) {
    case (let old?, let new?): line += "  \(old) → \(new)"
    case (let old?, nil): line += "  \(old) →"
    case (nil, let new?): line += "  → \(new)"
    case (nil, nil): break
    }
    return line
  }

  private static func text(of value: Any?) -> String {
    switch value {
    case nil: "nil"
    case let text as String: "\"\(text.harmless)\""
    case let number as Double: NumberText.fixed(number, decimals: 4)
    case let processes as [ProcessEntry]:
      // All of them at the start, a few in a change with indexes.
      processes.count <= 4 ? "\(processes)".harmless : "\(processes.count) processes"
    case let value?: "\(value)".harmless
    }
  }

  private static func text(of indexes: RangeSet<Int>) -> String {
    let ranges = indexes.ranges.map { range in
      range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)...\(range.upperBound - 1)"
    }
    return "[\(ranges.joined(separator: ", "))]"
  }
}
