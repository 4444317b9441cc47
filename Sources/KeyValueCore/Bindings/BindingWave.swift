import Synchronization

/// All that bindings set on one thread because one of them passes a change on.
///
/// In a graph with several ways between two objects, each way brings the same value. So a binding
/// passes on its first change of a wave in any case, but another only if its sides disagree.
/// Otherwise the work would double with each way.
enum BindingWave {
  private static let count = Atomic<UInt64>(0)

  /// The number of this thread's wave; 0 if there is none.
  static var current: UInt64 { ThreadContext.ofThisThread.wave }

  /// Runs a passage as part of the thread's wave, or of a new one.
  static func join(_ passage: () -> Void) {
    let context = ThreadContext.ofThisThread
    guard context.wave == 0 else { return passage() }
    context.wave = count.add(1, ordering: .relaxed).newValue
    passage()
    context.wave = 0
  }
}
