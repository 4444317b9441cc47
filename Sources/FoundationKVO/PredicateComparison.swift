/// A comparison of two terms, or of a collection's elements with a term.
struct PredicateComparison: Equatable {
  let modifier: NSComparisonPredicate.Modifier
  let left: PredicateTerm
  let operation: NSComparisonPredicate.Operator
  let options: NSComparisonPredicate.Options
  let right: PredicateTerm

  func isTrue(of object: Any?, _ variables: [String: Any]) -> Bool {
    let (left, right) = (left.value(of: object, variables), right.value(of: object, variables))
    if modifier == .direct { return compare(left, right) }
    guard let left else { return modifier == .all }
    guard let elements = PredicateTerm.elements(of: left) else {
      Exception.invalidArgument.raise(
        "The left hand side for an ANY or ALL operator must be either an NSArray or an NSSet, and is "
          + "\(type(of: left)).")
    }
    let values = elements.map { $0 is NSNull ? nil : Bridging.flattened($0) }
    return modifier == .all
      ? values.allSatisfy { compare($0, right) } : values.contains { compare($0, right) }
  }

  private func compare(_ left: Any?, _ right: Any?) -> Bool {
    switch operation {
    case .equalTo: return areEqual(left, right)
    case .notEqualTo: return !areEqual(left, right)
    case .lessThan: return order(left, right) == .orderedAscending
    case .lessThanOrEqualTo: return isOrdered(left, right)
    case .greaterThan: return order(left, right) == .orderedDescending
    case .greaterThanOrEqualTo: return isOrdered(right, left)
    case .between:
      guard let left, let right else { return false }
      guard let bounds = PredicateTerm.elements(of: right), bounds.count == 2 else {
        Exception.invalidArgument.raise("BETWEEN takes two values in braces, {low, high}.")
      }
      if bounds.contains(where: { $0 is NSNull }) { return false }
      // Either bound may be the lower one.
      let (low, high) =
        isOrdered(bounds[0], bounds[1]) ? (bounds[0], bounds[1]) : (bounds[1], bounds[0])
      return isOrdered(low, left) && isOrdered(left, high)
    case .in: return contains(right, left)
    case .contains: return contains(left, right)
    case .beginsWith: return texts(left, right).map { !$1.isEmpty && $0.hasPrefix($1) } ?? false
    case .endsWith: return texts(left, right).map { !$1.isEmpty && $0.hasSuffix($1) } ?? false
    case .like: return texts(left, right).map { matches($0, Self.pattern(like: $1)) } ?? false
    case .matches: return texts(left, right).map { matches($0, $1) } ?? false
    }
  }

  // MARK: Values

  private func areEqual(_ left: Any?, _ right: Any?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    if let (first, second) = strings(left, right) { return folded(first) == folded(second) }
    if let first = PredicateNumber.number(left), let second = PredicateNumber.number(right) {
      return Ordering.compare(first, second) == .orderedSame
    }
    return Bridging.areEqual(
      Bridging.object(left) ?? NSNull(), Bridging.object(right) ?? NSNull())
  }

  /// Whether a value is at most another one; true if both are nil, false if one is.
  private func isOrdered(_ left: Any?, _ right: Any?) -> Bool {
    guard let order = order(left, right) else { return left == nil && right == nil }
    return order != .orderedDescending
  }

  /// The order of two values; nil if one of them is.
  private func order(_ left: Any?, _ right: Any?) -> ComparisonResult? {
    guard let left, let right else { return nil }
    if let (first, second) = strings(left, right) {
      return (folded(first) as NSString).compare(folded(second))
    }
    return Ordering.compare(left, right)
  }

  /// Whether a collection has an element, or a string a part.
  private func contains(_ container: Any?, _ element: Any?) -> Bool {
    guard let container, let element else { return false }
    if let text = container as? String {
      guard let part = element as? String else { return false }
      return part.isEmpty ? false : folded(text).contains(folded(part))
    }
    guard let elements = PredicateTerm.elements(of: container) else {
      Exception.invalidArgument.raise(
        "Can't use in/contains operator with collection \(container) (not a collection).")
    }
    return elements.contains { !($0 is NSNull) && areEqual($0, element) }
  }

  private func strings(_ left: Any, _ right: Any) -> (String, String)? {
    guard let left = left as? String, let right = right as? String else { return nil }
    return (left, right)
  }

  /// Both values as folded strings; nil if one of them is nil.
  private func texts(_ left: Any?, _ right: Any?) -> (String, String)? {
    guard let left, let right else { return nil }
    guard let (first, second) = strings(left, right) else {
      Exception.invalidArgument.raise(
        "Can't do \(operation.symbol) with \(left) and \(right), which are not both strings.")
    }
    // A pattern's classes, `\\D`, differ by case.
    let isPattern = operation == .matches || operation == .like
    return (folded(first, isPattern: isPattern), folded(second, isPattern: isPattern))
  }

  private func folded(_ text: String, isPattern: Bool = false) -> String {
    // The strings are what they'd be folded to.
    if options.contains(.normalized) { return text }
    var comparing: String.CompareOptions = []
    if options.contains(.caseInsensitive), !isPattern { comparing.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { comparing.insert(.diacriticInsensitive) }
    let locale = options.contains(.localeSensitive) ? Locale.current : nil
    return comparing.isEmpty ? text : text.folding(options: comparing, locale: locale)
  }

  // MARK: Patterns

  private static func pattern(like text: String) -> String {
    var pattern = ""
    var isEscaped = false
    for character in text {
      switch character {
      case "\\" where !isEscaped:
        isEscaped = true
        continue
      case "*" where !isEscaped: pattern += ".*"
      case "?" where !isEscaped: pattern += "."
      default: pattern += NSRegularExpression.escapedPattern(for: String(character))
      }
      isEscaped = false
    }
    return pattern
  }

  /// Whether a pattern matches the whole text.
  ///
  /// A dot matches a line's end, too, and the anchors are those of lines. What doesn't match as it's written may match
  /// with its letters composed, unless the option says that they are. Nothing matches an empty pattern.
  private func matches(_ text: String, _ pattern: String) -> Bool {
    if pattern.isEmpty { return false }
    if matchesAsWritten(text, pattern) { return true }
    if options.contains(.normalized) { return false }
    let (composedText, composedPattern) = (
      text.precomposedStringWithCanonicalMapping, pattern.precomposedStringWithCanonicalMapping
    )
    let isComposed =
      text.utf16.elementsEqual(composedText.utf16)
      && pattern.utf16.elementsEqual(composedPattern.utf16)
    return isComposed ? false : matchesAsWritten(composedText, composedPattern)
  }

  private func matchesAsWritten(_ text: String, _ pattern: String) -> Bool {
    var matching: NSRegularExpression.Options = [.dotMatchesLineSeparators, .anchorsMatchLines]
    if options.contains(.caseInsensitive), !options.contains(.normalized) {
      matching.insert(.caseInsensitive)
    }
    let whole = "\\A(?:\(pattern))\\z"
    guard let expression = try? NSRegularExpression(pattern: whole, options: matching) else {
      Exception.invalidArgument.raise("Can't do regex matching, reason: can't read \(pattern).")
    }
    let range = NSRange(location: 0, length: (text as NSString).length)
    return expression.firstMatch(in: text, options: [], range: range)?.range == range
  }
}

/// The order in which Cocoa's `compare:` puts values, and that of `Comparable` for values which it doesn't know.
enum Ordering {
  static func compare(_ left: Any, _ right: Any) -> ComparisonResult {
    switch (Bridging.object(left) ?? left, Bridging.object(right) ?? right) {
    case (let left as NSNumber, let right as NSNumber): return compare(left, right)
    case (let left as Date, let right as Date): return left.compare(right)
    case (let left as String, let right as String): return (left as NSString).compare(right)
    default:
      guard let isLess = isOrderedBefore(left, right), let isGreater = isOrderedBefore(right, left)
      else {
        Exception.invalidArgument.raise(
          "\(type(of: left)) and \(type(of: right)) have no order, because they are not of one type that is "
            + "Comparable. Conform their type to Comparable, or compare values of another key.")
      }
      return isLess ? .orderedAscending : isGreater ? .orderedDescending : .orderedSame
    }
  }

  /// The order of two numbers.
  ///
  /// Foundation for Linux reverses the order of an `NSDecimalNumber` and a number of another type.
  static func compare(_ left: NSNumber, _ right: NSNumber) -> ComparisonResult {
    guard left is NSDecimalNumber || right is NSDecimalNumber else { return left.compare(right) }
    guard let first = DecimalArithmetic.exactly(left), let second = DecimalArithmetic.exactly(right)
    else {
      return NSNumber(value: left.doubleValue).compare(NSNumber(value: right.doubleValue))
    }
    return first < second ? .orderedAscending : first == second ? .orderedSame : .orderedDescending
  }

  /// The same with nil, which comes first.
  static func compare(
    _ left: Any?, _ right: Any?, by body: (Any, Any) -> ComparisonResult
  ) -> ComparisonResult {
    switch (left, right) {
    case (nil, nil): .orderedSame
    case (nil, _): .orderedAscending
    case (_, nil): .orderedDescending
    case (let left?, let right?): body(left, right)
    }
  }
}
