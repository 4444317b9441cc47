import SwiftSyntax

/// A selector that Cocoa's key-value coding and observing find by name.
struct AccessorSelector: Hashable {
  /// `insertObject`, `inItemsAtIndex`.
  let pieces: [String]

  /// Nil for a selector that names no accessor; `addTags:` does if it takes a set.
  init?(_ selector: String, takesSet: Bool = false) {
    pieces = selector.split(separator: ":", omittingEmptySubsequences: true).map(String.init)
    guard let first = pieces.first else { return nil }
    let second = pieces.dropFirst().first
    let hasColon = selector.hasSuffix(":")
    let isAccessor =
      switch (pieces.count, hasColon) {
      case (1, false):
        Self.names(first, ["countOf", "enumeratorOf"])
          || Self.names(
            first, ["keyPathsForValuesAffecting", "automaticallyNotifiesObserversOf"])
      case (1, true):
        Self.isPlaced(first, "objectIn", "AtIndex")
          || Self.isPlaced(first, "removeObjectFrom", "AtIndex")
          || Self.isPlaced(first, "remove", "AtIndexes") || first.hasSuffix("AtIndexes")
          || Self.isPlaced(first, "add", "Object") || Self.isPlaced(first, "remove", "Object")
          || Self.names(first, ["memberOf", "intersect"])
          || takesSet && Self.names(first, ["add", "remove", "set"])
      case (2, true):
        first == "insertObject" && Self.isPlaced(second ?? "", "in", "AtIndex")
          || Self.names(first, ["insert"]) && second == "atIndexes"
          || Self.isPlaced(first, "replaceObjectIn", "AtIndex") && second == "withObject"
          || Self.isPlaced(first, "replace", "AtIndexes") && second?.hasPrefix("with") == true
          || Self.names(first, ["validate"]) && second == "error"
      default: false
      }
    guard isAccessor else { return nil }
  }

  /// Whether a name is one of the prefixes with a capitalised key.
  private static func names(_ name: String, _ prefixes: [String]) -> Bool {
    prefixes.contains { prefix in
      name.hasPrefix(prefix) && name.dropFirst(prefix.count).first?.isUppercase == true
    }
  }

  private static func isPlaced(_ name: String, _ prefix: String, _ suffix: String) -> Bool {
    names(name, [prefix]) && name.hasSuffix(suffix) && name.count > prefix.count + suffix.count
  }

  /// Whether the macro finds a method under the selector's key by the name that it has.
  func isFound(_ name: String, _ labels: [String]) -> Bool {
    guard let first = labels.first, let piece = pieces.first else { return name == pieces.first }
    // `objectInRows(at:)` and `objectInRowsAt(_:)` are read like `objectInRowsAtIndex(_:)`.
    let takesLabel = piece != Self.short(piece)
    guard first == "_" || takesLabel else { return false }
    let start = first == "_" ? name : name + first.prefix(1).uppercased() + first.dropFirst()
    guard Self.short(start) == Self.short(piece) else { return false }
    return zip(labels.dropFirst(), pieces.dropFirst()).allSatisfy { label, piece in
      Self.short(label) == Self.short(piece) || label == "with" && piece.hasPrefix("with")
    }
  }

  /// The text without what may be left out: `AtIndex` and `AtIndexes` may end in `At`, `atIndexes` is `at`.
  private static func short(_ piece: String) -> String {
    for ending in ["Index", "Indexes"]
    where piece.lowercased().hasSuffix("at" + ending.lowercased()) && piece.hasSuffix(ending) {
      return String(piece.dropLast(ending.count))
    }
    return piece
  }

  /// The method's name in Swift.
  var baseName: String { pieces[0] }

  /// The labels of this many parameters: a validator's error is thrown.
  func labels(_ count: Int) -> [String] {
    (["_"] + pieces.dropFirst()).prefix(count).map { $0 }
  }
}

extension Set<AccessorSelector?> {
  /// The name, if there's no other.
  var only: AccessorSelector? { count == 1 ? first ?? nil : nil }
}
