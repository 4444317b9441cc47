/// A value in the form that the library and the reference both record, with objects as numbers.
package indirect enum FuzzValue: Hashable, Sendable {
  case none
  case int(Int)
  case double(Double)
  case text(String)
  case object(Int)
  case list([FuzzValue])
  case bag(Set<FuzzValue>)
  /// A dictionary, by its keys.
  case map([String: FuzzValue])
  /// A value that no program should produce; it appears in the history.
  case other(String)
  /// A value that the rules leave open; only the reference records it.
  case unsettled
}

extension FuzzValue {
  /// The elements of a collection, in sorted order for a set; nil for any other value.
  var elements: [FuzzValue]? {
    switch self {
    case .list(let elements): elements
    case .bag(let elements): elements.sorted { "\($0)" < "\($1)" }
    default: nil
    }
  }

  var entries: [String: FuzzValue]? { if case .map(let entries) = self { entries } else { nil } }

  var integer: Int { if case .int(let value) = self { value } else { 0 } }

  var string: String { if case .text(let text) = self { text } else { "" } }

  var objectNumber: Int? { if case .object(let number) = self { number } else { nil } }

  /// The number by which an element is sorted and removed.
  var elementNumber: Int { objectNumber ?? integer }
}

extension FuzzValue: CustomStringConvertible {
  package var description: String {
    switch self {
    case .none: "nil"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .text(let value): "\"\(value)\""
    case .object(let number): "n\(number)"
    case .list(let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
    case .bag(let elements):
      "{" + elements.map(\.description).sorted().joined(separator: ", ") + "}"
    case .map(let entries):
      "(" + entries.map { "\($0.key): \($0.value)" }.sorted().joined(separator: ", ") + ")"
    case .other(let text): "<\(text)>"
    case .unsettled: "<anything>"
    }
  }
}
