/// How a sort descriptor compares two strings, in place of Cocoa's selectors.
public struct NSSortComparison: Sendable {
  let selector: String
  let compare: @Sendable (Any, Any) -> ComparisonResult

  private init(
    _ selector: String, _ compare: @escaping @Sendable (NSString, String) -> ComparisonResult
  ) {
    self.selector = selector
    self.compare = { left, right in
      guard let left = left as? String, let right = right as? String else {
        return Ordering.compare(left, right)
      }
      return compare(left as NSString, right)
    }
  }

  /// `compare:`, which numbers and dates have, too.
  public static let compare = NSSortComparison("compare:") { $0.compare($1) }
  /// `caseInsensitiveCompare:`.
  public static let caseInsensitiveCompare = NSSortComparison("caseInsensitiveCompare:") {
    $0.caseInsensitiveCompare($1)
  }
  /// `localizedCaseInsensitiveCompare:`.
  public static let localizedCaseInsensitiveCompare = NSSortComparison(
    "localizedCaseInsensitiveCompare:"
  ) {
    $0.localizedCaseInsensitiveCompare($1)
  }
  /// `localizedStandardCompare:`, as the Finder sorts.
  public static let localizedStandardCompare = NSSortComparison("localizedStandardCompare:") {
    $0.localizedStandardCompare($1)
  }
}

// Foundation on Linux has no descriptors by key: its initialisers of these names are unavailable.
extension NSSortDescriptor {
  /// Creates a descriptor that sorts by the value of a key or a key path; nil for the objects themselves.
  ///
  /// Nil comes first. Values without an order raise an `NSInvalidArgumentException`. Descriptors that sort by the same
  /// key in the same way are equal, as in Cocoa.
  public convenience init(key: String?, ascending: Bool) {
    self.init(key: key, ascending: ascending, selector: nil)
  }

  /// Creates a descriptor that compares the values of a key or a key path as a selector of Cocoa does.
  public convenience init(key: String?, ascending: Bool, selector: NSSortComparison?) {
    let comparison = selector ?? .compare
    if Self.self == NSSortDescriptor.self {
      self.init(made: ComparedSortDescriptor(key: key, ascending: ascending, by: comparison))
    } else {
      self.init(key: key, ascending: ascending, comparator: comparison.compare)
    }
  }

  /// Creates a descriptor that compares the values of a key or a key path with a closure.
  public convenience init(
    key: String?, ascending: Bool, comparator cmptr: @escaping Comparator
  ) {
    self.init(
      keyPath: \Any.self, ascending: ascending,
      comparator: NSSortDescriptor.comparator(of: key, by: cmptr))
  }

  /// Creates a descriptor that sorts by a property of observable objects.
  ///
  /// Descriptors of the same key path and order are equal, as in Cocoa.
  public convenience init<Root: KeyValueObservable, Value: Comparable>(
    keyPath: KeyPath<Root, Value>, ascending: Bool
  ) {
    if Self.self == NSSortDescriptor.self {
      self.init(made: ComparedSortDescriptor(keyPath, ascending: ascending))
    } else {
      self.init(plain: keyPath, ascending: ascending)
    }
  }

  /// Creates a descriptor that sorts by a property of observable objects whose type isn't `Comparable`, such as an
  /// optional one.
  ///
  /// The values are compared like those of a key: nil comes first, and values without an order raise an
  /// `NSInvalidArgumentException`. Descriptors of the same key path and order are equal, as in Cocoa.
  @_disfavoredOverload
  public convenience init<Root: KeyValueObservable, Value>(
    keyPath: KeyPath<Root, Value>, ascending: Bool
  ) {
    if Self.self == NSSortDescriptor.self {
      self.init(made: ComparedSortDescriptor(values: keyPath, ascending: ascending))
    } else {
      self.init(
        keyPath: keyPath, ascending: ascending, comparator: NSSortDescriptor.compareValues)
    }
  }

  /// Calls Foundation's initialiser for any root.
  private convenience init<Root, Value: Comparable>(
    plain keyPath: KeyPath<Root, Value>, ascending: Bool
  ) {
    self.init(keyPath: keyPath, ascending: ascending)
  }

  fileprivate static func comparator(
    of key: String?, by body: @escaping Comparator
  ) -> Comparator {
    { left, right in Ordering.compare(value(of: left, key), value(of: right, key), by: body) }
  }

  private static func value(of object: Any, _ keyPath: String?) -> Any? {
    guard let keyPath else { return object }
    return present(Bridging.value(of: object, forKeyPath: keyPath))
  }

  /// A value without its optionals; nil for `NSNull`.
  private static func present(_ value: Any?) -> Any? {
    let value = Bridging.flattened(value)
    return value is NSNull ? nil : value
  }

  /// Compares the values of a property of any type.
  fileprivate static func compareValues(_ left: Any, _ right: Any) -> ComparisonResult {
    Ordering.compare(present(left), present(right)) { Ordering.compare($0, $1) }
  }
}

extension NSSortDescriptor: Made {}

/// A descriptor that knows what it sorts by.
private final class ComparedSortDescriptor: NSSortDescriptor {
  private enum Criterion: Hashable {
    /// A key, and the name of a comparison.
    case key(String?, String)
    case keyPath(AnyKeyPath)
  }

  private let criterion: Criterion
  private let reversed: () -> NSSortDescriptor

  init(key: String?, ascending: Bool, by comparison: NSSortComparison) {
    criterion = .key(key, comparison.selector)
    reversed = { ComparedSortDescriptor(key: key, ascending: !ascending, by: comparison) }
    super.init(
      keyPath: \Any.self, ascending: ascending,
      comparator: NSSortDescriptor.comparator(of: key, by: comparison.compare))
  }

  init<Root, Value: Comparable>(_ keyPath: KeyPath<Root, Value>, ascending: Bool) {
    criterion = .keyPath(keyPath)
    reversed = { ComparedSortDescriptor(keyPath, ascending: !ascending) }
    super.init(keyPath: keyPath, ascending: ascending)
  }

  init<Root, Value>(values keyPath: KeyPath<Root, Value>, ascending: Bool) {
    criterion = .keyPath(keyPath)
    reversed = { ComparedSortDescriptor(values: keyPath, ascending: !ascending) }
    super.init(
      keyPath: keyPath, ascending: ascending, comparator: NSSortDescriptor.compareValues)
  }

  override var reversedSortDescriptor: Any { reversed() }
  override var hash: Int { criterion.hashValue }
  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? ComparedSortDescriptor else { return false }
    return other.criterion == criterion && other.ascending == ascending
  }
}
