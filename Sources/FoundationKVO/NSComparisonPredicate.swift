/// A predicate that compares two expressions, as ``Foundation/NSPredicate/init(format:_:)`` makes it, too.
///
/// ```swift
/// let predicate = NSComparisonPredicate(
///   leftExpression: NSExpression(forKeyPath: "title"),
///   rightExpression: NSExpression(forConstantValue: "swift"),
///   modifier: .direct, type: .contains, options: [.caseInsensitive])
/// print(predicate)        // title CONTAINS[c] "swift"
/// ```
///
/// Source of the behaviour: Cocoa. Not there: comparisons by a selector of one's own.
open class NSComparisonPredicate: NSPredicate {
  /// Whether a comparison is of a value, or of a collection's elements.
  public enum Modifier: UInt, Sendable {
    /// Of the value.
    case direct
    /// Of all elements.
    case all
    /// Of at least one element.
    case any
  }

  /// How values are compared, with Cocoa's raw values.
  public enum Operator: UInt, Sendable {
    /// By `<`.
    case lessThan
    /// By `<=`.
    case lessThanOrEqualTo
    /// By `>`.
    case greaterThan
    /// By `>=`.
    case greaterThanOrEqualTo
    /// By `==`.
    case equalTo
    /// By `!=`.
    case notEqualTo
    /// By a regular expression.
    case matches
    /// By a pattern with `?` and `*`.
    case like
    /// Of a string's beginning.
    case beginsWith
    /// Of a string's end.
    case endsWith
    /// Whether the right side contains the left one.
    case `in`
    /// Whether the left side contains the right one.
    case contains = 99
    /// Whether the left side is between the two elements of the right one.
    case between = 100
  }

  /// How strings are compared.
  public struct Options: OptionSet, Hashable, Sendable {
    /// Cocoa's number.
    public let rawValue: UInt

    /// Creates options by Cocoa's number.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// `[c]`: without regard to case.
    public static let caseInsensitive = Options(rawValue: 1)
    /// `[d]`: without regard to accents.
    public static let diacriticInsensitive = Options(rawValue: 2)
    /// `[n]`: the strings have been folded before, so the other options do nothing.
    public static let normalized = Options(rawValue: 4)
    /// `[l]`: by the rules of the current locale.
    static let localeSensitive = Options(rawValue: 8)
  }

  final let comparison: PredicateComparison

  init(_ comparison: PredicateComparison) {
    self.comparison = comparison
    super.init { comparison.isTrue(of: $0, $1 ?? [:]) }
  }

  /// Creates a comparison of two expressions.
  public convenience init(
    leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier,
    type: Operator, options: Options = []
  ) {
    self.init(
      PredicateComparison(
        modifier: modifier, left: lhs.term, operation: type, options: options, right: rhs.term))
  }

  /// How the values are compared.
  open var predicateOperatorType: Operator { comparison.operation }
  /// Whether the comparison is of a value, or of a collection's elements.
  open var comparisonPredicateModifier: Modifier { comparison.modifier }
  /// The left side.
  open var leftExpression: NSExpression { NSExpression(comparison.left) }
  /// The right side.
  open var rightExpression: NSExpression { NSExpression(comparison.right) }
  /// How strings are compared.
  open var options: Options { comparison.options }

  open override var description: String { PredicateNode.comparison(comparison).format }
  open override var hash: Int { PredicateNode.comparison(comparison).hashValue }
  open override func isEqual(_ object: Any?) -> Bool { PredicateNode.areEqual(self, object) }
  open override func copy(with zone: NSZone? = nil) -> Any { self }
}

extension NSComparisonPredicate.Operator {
  private static let symbols: [NSComparisonPredicate.Operator: String] = [
    .lessThan: "<", .lessThanOrEqualTo: "<=", .greaterThan: ">", .greaterThanOrEqualTo: ">=",
    .equalTo: "==", .notEqualTo: "!=", .matches: "MATCHES", .like: "LIKE",
    .beginsWith: "BEGINSWITH", .endsWith: "ENDSWITH", .in: "IN", .contains: "CONTAINS",
    .between: "BETWEEN",
  ]

  /// As printed.
  var symbol: String { Self.symbols[self] ?? "" }

  /// By an operator's word.
  init?(word: String) {
    guard let found = Self.symbols.first(where: { $0.value == word })?.key else { return nil }
    self = found
  }
}

extension NSComparisonPredicate.Options {
  private static let letters: [(letter: Character, option: NSComparisonPredicate.Options)] = [
    ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized),
    ("l", .localeSensitive),
  ]

  init?(letter: Character) {
    guard let found = Self.letters.first(where: { $0.letter == letter }) else { return nil }
    self = found.option
  }

  /// `[cd]`; empty if there are none.
  var format: String {
    let letters = Self.letters.filter { contains($0.option) }.map(\.letter)
    return letters.isEmpty ? "" : "[\(String(letters))]"
  }
}

extension PredicateNode {
  static func areEqual(_ left: NSPredicate, _ right: Any?) -> Bool {
    guard let right = right as? NSPredicate else { return false }
    return left === right || PredicateNode(left) == PredicateNode(right)
  }
}
