import Synchronization

/// Counts, per thread, how deep the observances are that are being delivered while they are being
/// delivered, and reports a loop before it becomes a stack overflow (SEMANTICS N9).
enum RecursionGuard {
  static let limit = 64

  private struct Frame {
    let sequence: UInt64
    let place: String
  }

  /// The nested deliveries of each thread that has any; outermost first.
  private static let threads = Mutex<[ThreadIdentity: [Frame]]>([:])

  /// Notes one more nested delivery; false where the limit is passed, and then the delivery is left
  /// out.
  static func enter(_ observance: Observance, on root: AnyObject) -> Bool {
    let frame = Frame(
      sequence: observance.sequence,
      place: "\(name(of: type(of: root))).\(observance.keyPath)")
    let loop = threads.withLock { threads -> [String]? in
      let frames = threads[.current, default: []]
      guard frames.count(where: { $0.sequence == frame.sequence }) < limit else {
        let start = frames.lastIndex { $0.sequence == frame.sequence } ?? 0
        return frames[start...].map(\.place) + [frame.place]
      }
      threads[.current, default: []].append(frame)
      return nil
    }
    guard let loop else { return true }
    KeyValueViolation.report(
      .runawayRecursion,
      "Observing \(frame.place) leads back to itself more than \(limit) times: "
        + loop.joined(separator: " -> ")
        + ". Change the value only where it differs, or break the loop.")
    return false
  }

  static func leave() {
    threads.withLock { threads in
      threads[.current]?.removeLast()
      if threads[.current]?.isEmpty == true { threads[.current] = nil }
    }
  }
}
