/// Which elements to keep if they arrive faster than they're taken.
///
/// ```swift
/// var ages = person.kvo.age.changes(options: .new, bufferingPolicy: .bufferingNewest(2))
///   .makeAsyncIterator()
/// for age in 1...5 { person.age = age }
/// print(await ages.next()!)         // setting, new: 4
/// print(ages.droppedCount)          // 3
/// ```
///
/// A limit below 1 counts as 1.
public enum KeyValueBufferingPolicy: Sendable, Hashable {
  /// Keeps all elements; memory grows until they're taken.
  case unbounded
  /// Keeps the oldest elements, up to the limit; drops new ones until one is taken.
  case bufferingOldest(Int)
  /// Keeps the newest elements, up to the limit.
  case bufferingNewest(Int)
}
