import Synchronization

/// Keeps observances that are told of a mutation as a whole from being told of its parts.
///
/// A proxy announces what it does, and then lets the class's own accessors do it; whatever they announce
/// in turn, on the same thread, would tell the same observances twice (Parity C4, N5).
enum Muting {
  /// The muted observances of each thread that has any, as often as they are muted.
  private static let threads = LockedValue<[ThreadIdentity: [UInt64: Int]]>([:])

  /// Runs a mutation whose observances these are.
  static func mute(_ watches: WatchList..., during body: () -> Void) {
    let thread = ThreadIdentity.current
    var sequences: [UInt64] = []
    for list in watches { list.forEach { sequences.append($0.observance.sequence) } }
    ThreadActivity.begin()
    threads.withLock { threads in
      for sequence in sequences { threads[thread, default: [:]][sequence, default: 0] += 1 }
    }
    defer {
      threads.withLock { threads in
        for sequence in sequences {
          let depth = (threads[thread]?[sequence] ?? 1) - 1
          threads[thread]?[sequence] = depth == 0 ? nil : depth
        }
        if threads[thread]?.isEmpty == true { threads[thread] = nil }
      }
      ThreadActivity.end()
    }
    body()
  }

  /// Runs a callback: what it changes is no part of the mutation that it was called in the middle of.
  @inline(__always)
  static func suspended(_ body: () -> Void) {
    if ThreadActivity.isNone { body() } else { suspendedOnThisThread(body) }
  }

  private static func suspendedOnThisThread(_ body: () -> Void) {
    let thread = ThreadIdentity.current
    let muted = threads.withLock { $0.removeValue(forKey: thread) }
    #if DEBUG || KVO_AUDIT
      ReadRecording.pausing(body)
    #else
      body()
    #endif
    threads.withLock { $0[thread] = muted }
  }

  /// The observances that are muted on this thread; nil where none is.
  ///
  /// They are not called, but what they are attached to follows the change all the same.
  @inline(__always)
  static var current: Set<UInt64>? {
    ThreadActivity.isNone ? nil : mutedOnThisThread
  }

  private static var mutedOnThisThread: Set<UInt64>? {
    threads.withLock { threads in threads[.current].map { Set($0.keys) } }
  }
}
