/// What becomes of elements that are not taken as fast as they come.
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
  /// All are kept, which takes memory as long as nobody takes them.
  case unbounded
  /// The first so many that have not been taken are kept; further ones are dropped until one is taken.
  case bufferingOldest(Int)
  /// The last so many that have not been taken are kept.
  case bufferingNewest(Int)
}
