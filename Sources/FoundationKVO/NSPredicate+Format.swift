// Foundation on Linux parses no formats: its initialisers of these names are unavailable.
extension NSPredicate {
  /// Creates a predicate by its format.
  ///
  /// ```swift
  /// let cheap = NSPredicate(format: "price < %d AND title CONTAINS[cd] %@", 10, "swift")
  /// print(books.filtered(using: cheap).count)
  /// ```
  ///
  /// Formats have comparisons with `==`, `!=`, `<`, `<=`, `>`, `>=`, `BETWEEN`, `IN`, `CONTAINS`, `BEGINSWITH`,
  /// `ENDSWITH`, `LIKE` and `MATCHES`, the last six and `==` with `[cd]`; `AND`, `OR`, `NOT`, `ANY`, `ALL`, `NONE`;
  /// key paths with collection operators, `SELF`, `$variables`, literals, arithmetic, indexes and `SUBQUERY`;
  /// `%@`, `%K` and the formats of numbers. Functions and `CAST` are missing.
  ///
  /// A format that can't be read raises an `NSInvalidArgumentException` with the column.
  ///
  /// Source of the behaviour: Cocoa.
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
    self.init { object, variables in node.isTrue(of: object, variables ?? [:]) }
  }

  /// The predicate with values for its `$variables`.
  public func withSubstitutionVariables(_ variables: [String: Any]) -> NSPredicate {
    NSPredicate { object, others in
      self.evaluate(
        with: object, substitutionVariables: variables.merging(others ?? [:]) { $1 })
    }
  }
}
