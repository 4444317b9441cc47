/// A value in the form that the library and the reference both record, with objects as numbers.
package indirect enum FuzzValue: Hashable, Sendable {
  case none
  case int(Int)
  case double(Double)
  case text(String)
  case object(Int)
  /// A number, and data that equality leaves out.
  case tag(Int, Int)
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

  /// What the equality of an element's own type compares.
  var likeness: FuzzValue {
    switch self {
    case .tag(let number, _): .int(number)
    case .object(let id) where FuzzCoin.isCoin(id): .int(FuzzCoin.kind(of: id))
    default: self
    }
  }

  /// Whether the values' own equality finds them equal.
  func isEqual(to other: FuzzValue) -> Bool {
    switch (self, other) {
    case (.list(let left), .list(let right)): left.map(\.likeness) == right.map(\.likeness)
    case (.bag(let left), .bag(let right)): Set(left.map(\.likeness)) == Set(right.map(\.likeness))
    default: likeness == other.likeness
    }
  }

  var integer: Int { if case .int(let value) = self { value } else { 0 } }

  var string: String { if case .text(let text) = self { text } else { "" } }

  var objectNumber: Int? { if case .object(let number) = self { number } else { nil } }

  /// The number by which an element is sorted and removed.
  var elementNumber: Int {
    if case .tag(let number, _) = self { number } else { objectNumber ?? integer }
  }
}

extension Sequence<FuzzValue> {
  /// The elements that equal no earlier one.
  var withoutEqual: [FuzzValue] {
    var seen: Set<FuzzValue> = []
    return filter { seen.insert($0.likeness).inserted }
  }
}

// Sets of elements that may equal others that hold something else.
extension Set<FuzzValue> {
  /// The elements that equal one of the others.
  func equalTo(_ others: some Sequence<FuzzValue>) -> Set<FuzzValue> {
    let likenesses = Set(others.map(\.likeness))
    return filter { likenesses.contains($0.likeness) }
  }

  /// The elements that equal none of the others.
  func equalToNone(of others: some Sequence<FuzzValue>) -> Set<FuzzValue> {
    subtracting(equalTo(others))
  }
}

extension FuzzValue: CustomStringConvertible {
  package var description: String {
    switch self {
    case .none: "nil"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .text(let value): "\"\(value)\""
    case .object(let number): "n\(number)"
    case .tag(let number, let data): "\(number)/\(data)"
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
