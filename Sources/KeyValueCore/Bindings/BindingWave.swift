import Synchronization

/// All that bindings set on one thread because one of them passes a change on.
///
/// In a graph with several ways between two objects, each way brings the same value. So a binding
/// passes on its first change of a wave in any case, but another only if its sides disagree.
/// Otherwise the work would double with each way.
struct BindingWave {
  private static let count = Atomic<UInt64>(0)

  let number: UInt64
  /// The thread's context, if the wave begins here; the thread keeps it.
  private let context: Unmanaged<ThreadContext>?

  /// The thread's wave, or a new one.
  static func begin() -> BindingWave {
    let context = ThreadContext.ofThisThread
    guard context.wave == 0 else { return BindingWave(number: context.wave, context: nil) }
    context.wave = count.add(1, ordering: .relaxed).newValue
    return BindingWave(number: context.wave, context: .passUnretained(context))
  }

  /// Ends the wave where it began.
  func end() {
    context?._withUnsafeGuaranteedRef { $0.wave = 0 }
  }
}
