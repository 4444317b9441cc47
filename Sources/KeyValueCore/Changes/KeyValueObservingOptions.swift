/// What an observance asks to be told, with the raw values of Cocoa's `NSKeyValueObservingOptions`.
///
/// `new` and `old` decide only what a change carries, not whether it is delivered; `initial` and
/// `prior` add callbacks.
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
  /// The bits, equal to Cocoa's for the four options that Cocoa has.
  public let rawValue: UInt

  /// Creates the options with these bits.
  @inlinable
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// The change carries the value after the mutation.
  @inlinable public static var new: KeyValueObservingOptions { .init(rawValue: 1) }
  /// The change carries the value before the mutation.
  @inlinable public static var old: KeyValueObservingOptions { .init(rawValue: 2) }
  /// One callback with the current value comes before the registration returns.
  @inlinable public static var initial: KeyValueObservingOptions { .init(rawValue: 4) }
  /// One more callback comes before each mutation.
  @inlinable public static var prior: KeyValueObservingOptions { .init(rawValue: 8) }
  /// Plain assignment to a to-many key, and changing it in place, are reported as the insertions and
  /// removals they amount to; priors are settings.
  ///
  /// ```swift
  /// let observation = person.kvo.books.observe(options: [.new, .elementChanges]) { _, change in
  ///   print(change)
  /// }
  /// person.books.append("Dune")             // insertion, indexes: 2, new: ["Dune"]
  /// ```
  ///
  /// The old value is kept for it, so changing in place copies, and old and new are compared, O(n)
  /// where they have most in common. Elements that are neither equatable nor objects, and an optional
  /// collection that was or becomes nil, are told as a setting; so is no difference at all.
  @inlinable public static var elementChanges: KeyValueObservingOptions { .init(rawValue: 16) }
}

extension KeyValueObservingOptions: CustomStringConvertible {
  /// The option names in declaration order, as they are written: `[.new, .old]`.
  public var description: String {
    let names: [(KeyValueObservingOptions, String)] = [
      (.new, ".new"), (.old, ".old"), (.initial, ".initial"), (.prior, ".prior"),
      (.elementChanges, ".elementChanges"),
    ]
    return "[" + names.filter { contains($0.0) }.map(\.1).joined(separator: ", ") + "]"
  }
}
