/// How a value changed, with the raw values of Cocoa's `NSKeyValueChange`.
///
/// An insertion carries no old value and a removal no new one. For an ordered to-many value,
/// insertions, removals and replacements carry indexes, for an unordered one none.
///
/// ```swift
/// let observation = person.kvo.books.observe { _, change in print(change.kind) }
/// person.books = []                                             // setting
/// person.mutableArrayValue(for: \.books).append("Dune")         // insertion
/// ```
public enum KeyValueChangeKind: UInt, Sendable, Hashable, CaseIterable {
  /// The value as a whole was set.
  case setting = 1
  /// Elements entered a to-many value.
  case insertion
  /// Elements left a to-many value.
  case removal
  /// Elements of a to-many value were exchanged.
  case replacement
}

/// What is done to an unordered to-many value, with the raw values of Cocoa's
/// `NSKeyValueSetMutationKind`.
public enum KeyValueSetMutationKind: UInt, Sendable, Hashable, CaseIterable {
  /// The given elements are added.
  case union = 1
  /// The given elements are removed.
  case minus
  /// Only the given elements stay.
  case intersect
  /// The given elements take the place of all others.
  case set
}

/// What an observer is told about one change.
///
/// A value that was not asked for is `nil`; for an optional `Value`, a value that was asked for and
/// is nil arrives as `.some(nil)`, so the two never look alike.
///
/// ```swift
/// let observation = person.kvo.nickname.observe(options: .new) { _, change in
///   print(change.newValue as Any)      // Optional(nil)     asked for, and nil
///   print(change.oldValue as Any)      // nil               not asked for
/// }
/// person.nickname = nil
/// ```
///
/// Source of the behaviour: Cocoa's change dictionary; the separation of nil from missing is ours.
public struct KeyValueObservedChange<Value> {
  /// How the value changed.
  public let kind: KeyValueChangeKind
  /// The value, or the inserted elements, after the mutation; nil where not asked for.
  public let newValue: Value?
  /// The value, or the removed elements, before the mutation; nil where not asked for.
  public let oldValue: Value?
  /// Whether this callback comes before the mutation.
  public let isPrior: Bool
  // The standard library's RangeSet has no fixed layout, so every change would be handled through
  // run-time metadata if it were stored.
  @usableFromInline let ranges: IndexRanges?

  /// The indexes concerned, for a change of some elements of an ordered to-many value: after the
  /// mutation for an insertion, before it for a removal.
  public var indexes: RangeSet<Int>? {
    ranges?.set
  }

  @inlinable
  package init(
    kind: KeyValueChangeKind, newValue: Value?, oldValue: Value?, ranges: IndexRanges?,
    isPrior: Bool
  ) {
    self.kind = kind
    self.newValue = newValue
    self.oldValue = oldValue
    self.ranges = ranges
    self.isPrior = isPrior
  }
}

extension KeyValueObservedChange: Sendable where Value: Sendable {}
extension KeyValueObservedChange: Equatable where Value: Equatable {}

extension KeyValueObservedChange: CustomStringConvertible {
  /// One line with what the change carries: `setting, old: 36, new: 37`.
  public var description: String {
    var parts = ["\(kind)"]
    if let indexes { parts.append("indexes: \(listing(indexes))") }
    if let oldValue { parts.append("old: \(plainDescription(oldValue))") }
    if let newValue { parts.append("new: \(plainDescription(newValue))") }
    if isPrior { parts.append("prior") }
    return parts.joined(separator: ", ")
  }
}
