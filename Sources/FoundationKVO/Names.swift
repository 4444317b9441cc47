/// A registration's token; see `KeyValueObservation`.
public typealias NSKeyValueObservation = KeyValueObservation

/// The values that a change carries, and the additional calls that are made.
public typealias NSKeyValueObservingOptions = KeyValueObservingOptions

/// What happened to a key.
public typealias NSKeyValueChange = KeyValueChangeKind

/// What happened to a set.
public typealias NSKeyValueSetMutationKind = KeyValueSetMutationKind

/// A validator's argument; a plain pointer, so `&value` converts to it.
public typealias AutoreleasingUnsafeMutablePointer = UnsafeMutablePointer

/// A key of the dictionary that describes a change.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
  /// The key's name.
  public let rawValue: String

  /// Creates a key by its name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The kind of the change, an `NSNumber` with the raw value of an ``NSKeyValueChange``.
  public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
  /// The new value, or the elements that were inserted or that replaced others.
  public static let newKey = NSKeyValueChangeKey(rawValue: "new")
  /// The old value, or the elements that were removed or replaced.
  public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
  /// The indexes of those elements, an `IndexSet`.
  public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
  /// Present before the change, if `prior` was requested.
  public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

extension NSKeyValueChangeKey: CustomStringConvertible {
  /// The text that Cocoa prints.
  public var description: String { "NSKeyValueChangeKey(_rawValue: \(rawValue))" }
}

/// The name of a collection operator, as written after `@` in a key path.
public struct NSKeyValueOperator: RawRepresentable, Hashable, Sendable {
  /// The operator's name, without `@`.
  public let rawValue: String

  /// Creates an operator's name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The mean of the values: `@avg`.
  public static let averageKeyValueOperator = NSKeyValueOperator(rawValue: "avg")
  /// The number of elements: `@count`.
  public static let countKeyValueOperator = NSKeyValueOperator(rawValue: "count")
  /// The elements of the arrays, each once: `@distinctUnionOfArrays`.
  public static let distinctUnionOfArraysKeyValueOperator = NSKeyValueOperator(
    rawValue: "distinctUnionOfArrays")
  /// The values, each once: `@distinctUnionOfObjects`.
  public static let distinctUnionOfObjectsKeyValueOperator = NSKeyValueOperator(
    rawValue: "distinctUnionOfObjects")
  /// The elements of the sets, each once: `@distinctUnionOfSets`.
  public static let distinctUnionOfSetsKeyValueOperator = NSKeyValueOperator(
    rawValue: "distinctUnionOfSets")
  /// The greatest value: `@max`.
  public static let maximumKeyValueOperator = NSKeyValueOperator(rawValue: "max")
  /// The least value: `@min`.
  public static let minimumKeyValueOperator = NSKeyValueOperator(rawValue: "min")
  /// The sum of the values: `@sum`.
  public static let sumKeyValueOperator = NSKeyValueOperator(rawValue: "sum")
  /// The elements of the arrays: `@unionOfArrays`.
  public static let unionOfArraysKeyValueOperator = NSKeyValueOperator(rawValue: "unionOfArrays")
  /// The values: `@unionOfObjects`.
  public static let unionOfObjectsKeyValueOperator = NSKeyValueOperator(rawValue: "unionOfObjects")
  /// The elements of the sets: `@unionOfSets`.
  public static let unionOfSetsKeyValueOperator = NSKeyValueOperator(rawValue: "unionOfSets")
}

/// Customisation points by key path, as in Foundation.
public protocol NSKeyValueObservingCustomization: NSObject {
  /// The key paths that a key depends on.
  static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath>
  /// Whether a key's changes are announced.
  static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool
}

/// A change as a handler receives it, with Foundation's `IndexSet`.
public struct NSKeyValueObservedChange<Value> {
  /// Cocoa's name of the kind's type.
  public typealias Kind = NSKeyValueChange
  /// What happened.
  public let kind: Kind
  /// The new value; nil if it wasn't requested.
  public let newValue: Value?
  /// The old value; nil if it wasn't requested.
  public let oldValue: Value?
  /// Where elements were inserted, removed or replaced; nil for anything but an ordered collection.
  public let indexes: IndexSet?
  /// Whether the change is about to happen.
  public let isPrior: Bool

  init(_ change: KeyValueObservedChange<Value>) {
    kind = change.kind
    newValue = change.newValue
    oldValue = change.oldValue
    isPrior = change.isPrior
    indexes = change.indexes.map { IndexSet($0) }
  }
}

extension NSKeyValueObservedChange: Sendable where Value: Sendable {}
