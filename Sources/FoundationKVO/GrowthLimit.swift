/// When a collection drops its dead elements: once it has more than twice as many elements as were alive the last time,
/// and more than 16.
///
/// So adding an element takes O(1) on average.
struct GrowthLimit {
  private var limit = 16

  /// Whether a collection with this many elements drops the dead ones.
  func isExceeded(by count: Int) -> Bool { count > limit }

  /// Notes how many elements were alive.
  mutating func set(living count: Int) { limit = max(16, 2 * count) }
}
