/// A thread's nested deliveries of observances that are already being delivered; it detects a loop before
/// the loop overflows the stack (Parity N9).
struct DeliveryNesting {
  static let limit = 64

  private struct Frame {
    let number: UInt64
    let place: String
    let origin: SourcePlace

    /// The key path, and where it is observed.
    var description: String {
      KeyValueTrace.Place(origin).map { "\(place) (\($0))" } ?? place
    }
  }

  /// Outermost first.
  private var frames: [Frame] = []
  /// The observances of reported loops, which stay silent until the thread has left all nesting.
  private var silenced: Set<UInt64> = []

  /// Records one more nested delivery; false if it has to be skipped, because it exceeds the limit or belongs
  /// to a reported loop.
  static func enter(_ observance: Observance, on root: AnyObject) -> Bool {
    let frame = Frame(
      number: observance.number, place: "\(name(of: type(of: root))).\(observance.keyPath)",
      origin: observance.origin)
    let context = ThreadContext.ofThisThread
    if context.nesting.silenced.contains(frame.number) { return false }
    guard let loop = context.nesting.push(frame) else { return true }
    KeyValueViolation.report(
      .runawayRecursion,
      "Observing \(frame.place) leads back to itself more than \(limit) times: "
        + loop.joined(separator: " -> ")
        + ". Change the value only where it differs, or break the loop.")
    return false
  }

  /// Adds a delivery; returns the loop, each key path with its place, if that exceeds the limit.
  private mutating func push(_ frame: Frame) -> [String]? {
    guard frames.count(where: { $0.number == frame.number }) < DeliveryNesting.limit else {
      let start = frames.lastIndex { $0.number == frame.number } ?? 0
      silenced.formUnion(frames[start...].map(\.number))
      return frames[start...].map(\.description) + [frame.place]
    }
    frames.append(frame)
    return nil
  }

  static func leave() {
    let context = ThreadContext.ofThisThread
    context.nesting.frames.removeLast()
    if context.nesting.frames.isEmpty { context.nesting.silenced = [] }
  }
}
