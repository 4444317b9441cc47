/// What an observation delivers, with the raw values of Cocoa's `NSKeyValueObservingOptions`.
///
/// `new` and `old` determine only what a change carries, not whether it's delivered; `initial` and
/// `prior` add calls.
///
/// ```swift
/// let observation = person.kvo.age.observe(options: [.old, .new]) { _, change in
///   print(change.oldValue ?? -1, "->", change.newValue ?? -1)   // 36 -> 37
/// }
/// person.age = 37
/// ```
///
/// Source of the behaviour: Cocoa, except `elementChanges`, which is this library's.
public struct KeyValueObservingOptions: OptionSet, Sendable, Hashable {
  /// The bits; Cocoa's four options have Cocoa's bits.
  public let rawValue: UInt

  /// Creates options with these bits.
  @inlinable
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// The change carries the value after the mutation.
  @inlinable public static var new: KeyValueObservingOptions { .init(rawValue: 1) }
  /// The change carries the value before the mutation.
  @inlinable public static var old: KeyValueObservingOptions { .init(rawValue: 2) }
  /// An additional call with the current value, before the registration returns.
  @inlinable public static var initial: KeyValueObservingOptions { .init(rawValue: 4) }
  /// An additional call before each mutation.
  @inlinable public static var prior: KeyValueObservingOptions { .init(rawValue: 8) }
  /// Reports assignments and in-place changes of a to-many key as insertions and removals.
  ///
  /// Priors are settings.
  ///
  /// ```swift
  /// let observation = person.kvo.books.observe(options: [.new, .elementChanges]) { _, change in
  ///   print(change)
  /// }
  /// person.books.append("Dune")             // insertion, indexes: 2, new: ["Dune"]
  /// ```
  ///
  /// On a path through a collection, the change of an element says which one it is instead:
  /// ``KeyValueObservedChange/elements``.
  ///
  /// The observation of a to-many key keeps the old value, so changing in place copies the collection. It compares
  /// old and new, in O(n) if they have most elements in common. Between the elements that an old and a new array
  /// both begin and end with, it looks for those that stay, unless the others make more than four million pairs of
  /// an old and a new element: then the old ones are reported as removed and the new ones as inserted. The change is
  /// a setting if the elements are neither equatable nor objects, if an optional collection was or becomes nil, or
  /// if there is no difference.
  @inlinable public static var elementChanges: KeyValueObservingOptions { .init(rawValue: 16) }
}

extension KeyValueObservingOptions {
  /// The observance has a `ChangeScope`.
  static let scope = KeyValueObservingOptions(rawValue: 128)
  /// The observance is a journal's, of a property that may have `willSet` or `didSet`.
  static let propertyObservers = KeyValueObservingOptions(rawValue: 64)
  /// The observance's number makes it the last one that a change calls; not kept with the others.
  package static let last = KeyValueObservingOptions(rawValue: 256)
}

extension KeyValueObservingOptions: CustomStringConvertible {
  /// The options' names, as written: `[.new, .old]`; other bits as `rawValue: 64`.
  public var description: String {
    let names: [(KeyValueObservingOptions, String)] = [
      (.new, ".new"), (.old, ".old"), (.initial, ".initial"), (.prior, ".prior"),
      (.elementChanges, ".elementChanges"),
    ]
    let known = names.filter { contains($0.0) }
    let rest = rawValue & ~known.reduce(0) { $0 | $1.0.rawValue }
    let parts = known.map(\.1) + (rest == 0 ? [] : ["rawValue: \(rest)"])
    return "[" + parts.joined(separator: ", ") + "]"
  }
}
