/// Tells whether a member of a value, or another thing that an object leads to, has changed since it was last read.
///
/// Any thread that changes the object asks, and several may at once.
///
/// Mutable state and its guard: `last`, `lastReading` and `readings`, under `lock`. No client code runs under it and
/// no client object dies under it.
// Not Sendable: the closures of one binding have it, which go where the binding's objects do.
final class MemberNews<Root, Value> {
  private let read: (Root) -> Value
  /// Whether two readings, the earlier one first, have read the same.
  private let isSame: (Value, Value) -> Bool
  /// Whether a reading that a later one has overtaken counts as new.
  private let isOvertakenNew: Bool
  private let lock = UnfairLock()
  /// The value of the latest reading, and that reading's number.
  @exclusivity(unchecked) private var last: Value
  @exclusivity(unchecked) private var lastReading: UInt64 = 0
  /// How many readings have begun.
  @exclusivity(unchecked) private var readings: UInt64 = 0

  init(
    _ read: @escaping (Root) -> Value, of object: Root, isOvertakenNew: Bool = true,
    isSame: @escaping (Value, Value) -> Bool = { isSameForBindings($0, $1) == true }
  ) {
    self.read = read
    self.isSame = isSame
    self.isOvertakenNew = isOvertakenNew
    last = read(object)
  }

  /// Reads the value and compares it with that of the latest reading.
  ///
  /// The value of a reading that a later one has overtaken may be outdated, and then so is the comparison. It counts
  /// as new where what follows reads the value again, and not where only the later reading's answer matters.
  func isNew(of object: Root) -> Bool {
    let reading = lock.withLock {
      readings += 1
      return readings
    }
    var other = read(object)
    let value = other
    let isLatest = lock.withLock {
      guard reading > lastReading else { return false }
      lastReading = reading
      swap(&last, &other)
      return true
    }
    return isLatest ? !isSame(other, value) : isOvertakenNew
  }
}
