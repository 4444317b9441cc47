/// How a value changed, with the raw values of Cocoa's `NSKeyValueChange`.
///
/// An insertion has no old value and a removal no new one. Insertions, removals and replacements
/// have indexes if the to-many value is ordered.
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
  /// Elements of a to-many value were replaced.
  case replacement
}

// A misspelt case in the `switch` of a handler gets a message about the handler's path instead. These are the
// names that an edit of a change log has.
extension KeyValueChangeKind {
  /// The case is `setting`.
  @available(*, unavailable, renamed: "setting")
  public static var set: KeyValueChangeKind { .setting }

  /// The case is `insertion`.
  @available(*, unavailable, renamed: "insertion")
  public static var insert: KeyValueChangeKind { .insertion }

  /// The case is `removal`.
  @available(*, unavailable, renamed: "removal")
  public static var remove: KeyValueChangeKind { .removal }

  /// The case is `replacement`.
  @available(*, unavailable, renamed: "replacement")
  public static var replace: KeyValueChangeKind { .replacement }
}

/// A change to an unordered to-many value, with the raw values of Cocoa's
/// `NSKeyValueSetMutationKind`.
public enum KeyValueSetMutationKind: UInt, Sendable, Hashable, CaseIterable {
  /// Adds the given elements.
  case union = 1
  /// Removes the given elements.
  case minus
  /// Removes all other elements.
  case intersect
  /// Replaces all elements with the given ones.
  case set
}

/// One change, as an observer receives it.
///
/// A value that the options don't include is `nil`. For an optional `Value`, an included value that
/// is nil is `.some(nil)`, so the two differ.
///
/// ```swift
/// let observation = person.kvo.nickname.observe(options: .new) { _, change in
///   print(change.newValue as Any)      // Optional(nil)     asked for, and nil
///   print(change.oldValue as Any)      // nil               not asked for
/// }
/// person.nickname = nil
/// ```
///
/// Source of the behaviour: Cocoa's change dictionary; distinguishing nil from missing is this
/// library's.
public struct KeyValueObservedChange<Value> {
  /// How the value changed.
  public let kind: KeyValueChangeKind
  /// The value, or the inserted elements, after the mutation; nil if the options don't include it.
  public let newValue: Value?
  /// The value, or the removed elements, before the mutation; nil if the options don't include it.
  public let oldValue: Value?
  @usableFromInline let mark: ChangeMark
  // The standard library's RangeSet has no fixed layout; storing one would handle every change
  // through run-time metadata.
  @usableFromInline let ranges: IndexRanges?

  /// Whether this call precedes the mutation.
  @inlinable
  public var isPrior: Bool { mark.isPrior }

  /// Where the change was made: in this program, or by the writer of a record that is being applied.
  ///
  /// ```swift
  /// let observation = company.kvo.name.observe(options: .new) { company, change in
  ///   if change.origin == .local { save(company) }
  /// }
  /// ```
  ///
  /// What observers change in answer to a record is of the record's origin, too.
  public var origin: KeyValueChangeOrigin { mark.origin }

  /// The indexes of the changed elements of an ordered to-many value: after the mutation for an
  /// insertion, before it for a removal.
  public var indexes: RangeSet<Int>? {
    ranges?.ofChange
  }

  @inlinable
  package init(
    kind: KeyValueChangeKind, newValue: Value? = nil, oldValue: Value? = nil,
    ranges: IndexRanges? = nil, mark: ChangeMark = ChangeMark()
  ) {
    self.kind = kind
    self.newValue = newValue
    self.oldValue = oldValue
    self.ranges = ranges
    self.mark = mark
  }
}

extension KeyValueObservedChange {
  /// The change that reverts this one.
  var inverse: KeyValueObservedChange {
    KeyValueObservedChange(
      kind: kind.inverse, newValue: oldValue, oldValue: newValue, ranges: ranges, mark: mark)
  }

  /// The same change with elements that the observer may read while it's called.
  func telling(_ elements: IndexRanges) -> KeyValueObservedChange {
    KeyValueObservedChange(
      kind: kind, newValue: newValue, oldValue: oldValue, ranges: elements, mark: mark)
  }

  /// The same change with transformed values.
  func mapValues<Other>(_ transform: (Value) -> Other) -> KeyValueObservedChange<Other> {
    KeyValueObservedChange<Other>(
      kind: kind, newValue: newValue.map(transform), oldValue: oldValue.map(transform),
      ranges: ranges, mark: mark)
  }
}

extension KeyValueObservedChange: Sendable where Value: Sendable {}
extension KeyValueObservedChange: Equatable where Value: Equatable {}

/// Where a change was made.
public enum KeyValueChangeOrigin: Hashable, Sendable {
  /// In this graph.
  case local
  /// Elsewhere: the name of a writer.
  case remote(String)
}
