/// How a sort descriptor compares two strings, in place of Cocoa's selectors.
public struct NSSortComparison: Sendable {
  let compare: @Sendable (Any, Any) -> ComparisonResult

  private init(_ compare: @escaping @Sendable (NSString, String) -> ComparisonResult) {
    self.compare = { left, right in
      guard let left = left as? String, let right = right as? String else {
        return Ordering.compare(left, right)
      }
      return compare(left as NSString, right)
    }
  }

  /// `compare:`, which numbers and dates have, too.
  public static let compare = NSSortComparison { $0.compare($1) }
  /// `caseInsensitiveCompare:`.
  public static let caseInsensitiveCompare = NSSortComparison { $0.caseInsensitiveCompare($1) }
  /// `localizedCaseInsensitiveCompare:`.
  public static let localizedCaseInsensitiveCompare = NSSortComparison {
    $0.localizedCaseInsensitiveCompare($1)
  }
  /// `localizedStandardCompare:`, as the Finder sorts.
  public static let localizedStandardCompare = NSSortComparison { $0.localizedStandardCompare($1) }
}

// Foundation on Linux has no descriptors by key: its initialisers of these names are unavailable.
extension NSSortDescriptor {
  /// Creates a descriptor that sorts by the value of a key or a key path; nil for the objects themselves.
  ///
  /// Nil comes first. Values without an order raise an `NSInvalidArgumentException`.
  public convenience init(key: String?, ascending: Bool) {
    self.init(key: key, ascending: ascending) { Ordering.compare($0, $1) }
  }

  /// Creates a descriptor that compares the values of a key or a key path as a selector of Cocoa does.
  public convenience init(key: String?, ascending: Bool, selector: NSSortComparison?) {
    self.init(
      key: key, ascending: ascending,
      comparator: selector?.compare ?? { Ordering.compare($0, $1) })
  }

  /// Creates a descriptor that compares the values of a key or a key path with a closure.
  public convenience init(
    key: String?, ascending: Bool, comparator cmptr: @escaping Comparator
  ) {
    self.init(keyPath: \Any.self, ascending: ascending) { left, right in
      Ordering.compare(
        NSSortDescriptor.value(of: left, key), NSSortDescriptor.value(of: right, key), by: cmptr)
    }
  }

  private static func value(of object: Any, _ keyPath: String?) -> Any? {
    guard let keyPath else { return object }
    let value = Bridging.flattened(Bridging.value(of: object, forKeyPath: keyPath))
    return value is NSNull ? nil : value
  }
}
