// Foundation on Linux parses no formats: its initialisers of these names are unavailable.
extension NSPredicate {
  /// Creates a predicate by its format: an ``NSComparisonPredicate`` or an ``NSCompoundPredicate``.
  ///
  /// ```swift
  /// let cheap = NSPredicate(format: "price < %d AND title CONTAINS[cd] %@", 10, "swift")
  /// print(cheap)            // price < 10 AND title CONTAINS[cd] "swift"
  /// print(books.filtered(using: cheap).count)
  /// ```
  ///
  /// Formats have comparisons with `==`, `!=`, `<`, `<=`, `>`, `>=`, `BETWEEN`, `IN`, `CONTAINS`, `BEGINSWITH`,
  /// `ENDSWITH`, `LIKE` and `MATCHES`, with `[cd]`, `[l]` and `[n]`; `AND`, `OR`, `NOT`, `ANY`, `ALL`, `NONE`;
  /// key paths with collection operators, `SELF`, `$variables`, literals, arithmetic, sets, indexes, `SUBQUERY`,
  /// `TERNARY`, `CAST` to a date, a number or a string, and Cocoa's functions by name, such as `uppercase(title)`
  /// and `now()`; `FUNCTION` with a key or one of a few selectors; `%@`, `%K` and the formats of numbers.
  ///
  /// A format that can't be read, or with something that's missing here, raises an `NSInvalidArgumentException`
  /// with the column.
  ///
  /// Source of the behaviour: Cocoa. Differs: `/` keeps the fraction of two integers.
  public convenience init(format predicateFormat: String, _ args: Any?...) {
    self.init(format: predicateFormat, argumentArray: args.map { $0 ?? NSNull() })
  }

  /// Creates a predicate by its format, with arguments from an array.
  public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    let node: PredicateNode
    do {
      node = try PredicateParser.parse(predicateFormat, arguments ?? [])
    } catch {
      Exception.invalidArgument.raise("\(error)")
    }
    if Self.self == NSPredicate.self {
      self.init(made: node.predicate)
    } else {
      self.init { object, variables in node.isTrue(of: object, variables ?? [:]) }
    }
  }

  /// Creates a predicate that's always true or always false, and prints itself as Cocoa's.
  @_disfavoredOverload
  public convenience init(value: Bool) {
    if Self.self == NSPredicate.self {
      self.init(made: ConstantPredicate(value))
    } else {
      self.init { _, _ in value }
    }
  }

  /// The predicate with values for its `$variables`; those without a value stay.
  public func withSubstitutionVariables(_ variables: [String: Any]) -> NSPredicate {
    PredicateNode(self).substituting(variables).predicate
  }
}

extension NSPredicate: Made {}

/// What gives a predicate its format: the compiler distinguishes a member of a protocol from Foundation's own of the
/// same name.
public protocol _FormattedPredicate {}

extension NSPredicate: _FormattedPredicate {}

extension _FormattedPredicate where Self: NSPredicate {
  /// The format that makes an equal predicate again, `title CONTAINS[c] "swift"`.
  ///
  /// A constant that's no string, number, date or collection of them, and a closure's predicate, only print
  /// themselves.
  public var predicateFormat: String {
    let node = PredicateNode(self)
    if case .other = node { return "BLOCKPREDICATE(\(Exception.address(of: self)))" }
    return node.format
  }
}

extension NSPredicate {
  /// Hides Foundation's `predicateFormat`, which Linux marks as unavailable.
  ///
  /// It has another type than Foundation's: with two getters of the same name and type in one class, a release build
  /// that makes an `NSCompoundPredicate` ends in a crash of the compiler.
  @_disfavoredOverload
  @_documentation(visibility: private)
  public var predicateFormat: Never {
    preconditionFailure("'predicateFormat' is a String: give the variable that type")
  }
}
