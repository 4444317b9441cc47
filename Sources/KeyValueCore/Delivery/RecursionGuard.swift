import Synchronization

/// Counts, per thread, how deep the observances are that are being delivered while they are being
/// delivered, and reports a loop before it becomes a stack overflow (Parity N9).
enum RecursionGuard {
  static let limit = 64

  private struct Frame {
    let sequence: UInt64
    let place: String
  }

  private struct Nesting {
    /// The nested deliveries, outermost first.
    var frames: [Frame] = []
    /// The observances of loops that were reported: silent until the thread is out of all nesting.
    var silenced: Set<UInt64> = []
  }

  private static let threads = LockedValue<[ThreadIdentity: Nesting]>([:])

  private enum Verdict {
    case entered
    case silenced
    case loop([String])
  }

  /// Notes one more nested delivery; false where it is to be left out, because the limit is passed.
  static func enter(_ observance: Observance, on root: AnyObject) -> Bool {
    let frame = Frame(
      sequence: observance.sequence,
      place: "\(name(of: type(of: root))).\(observance.keyPath)")
    let verdict = threads.withLock { threads -> Verdict in
      var nesting = threads[.current] ?? Nesting()
      defer { threads[.current] = nesting }
      if nesting.silenced.contains(frame.sequence) { return .silenced }
      guard nesting.frames.count(where: { $0.sequence == frame.sequence }) < limit else {
        let start = nesting.frames.lastIndex { $0.sequence == frame.sequence } ?? 0
        let loop = nesting.frames[start...]
        nesting.silenced.formUnion(loop.map(\.sequence))
        return .loop(loop.map(\.place) + [frame.place])
      }
      nesting.frames.append(frame)
      return .entered
    }
    switch verdict {
    case .entered: return true
    case .silenced: return false
    case .loop(let places):
      KeyValueViolation.report(
        .runawayRecursion,
        "Observing \(frame.place) leads back to itself more than \(limit) times: "
          + places.joined(separator: " -> ")
          + ". Change the value only where it differs, or break the loop.")
      return false
    }
  }

  static func leave() {
    threads.withLock { threads in
      threads[.current]?.frames.removeLast()
      if threads[.current]?.frames.isEmpty == true { threads[.current] = nil }
    }
  }
}
