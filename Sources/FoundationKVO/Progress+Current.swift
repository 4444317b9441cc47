extension Progress {
  /// Runs code with this progress as the thread's current one.
  public func performAsCurrent<ReturnType>(
    withPendingUnitCount unitCount: Int64, using work: () throws -> ReturnType
  ) rethrows -> ReturnType {
    becomeCurrent(withPendingUnitCount: unitCount)
    defer { resignCurrent() }
    return try work()
  }
}

/// A progress that is current on a thread.
final class CurrentProgress {
  let progress: Progress
  let pending: Int64
  var hasChild = false

  init(_ progress: Progress, _ pending: Int64) {
    self.progress = progress
    self.pending = pending
  }

  private static let key = "FoundationKVO.Progress.current"

  /// Those of this thread, the current one last.
  static var all: [CurrentProgress] {
    get { Thread.current.threadDictionary[key] as? [CurrentProgress] ?? [] }
    set { Thread.current.threadDictionary[key] = newValue.isEmpty ? nil : newValue }
  }
}
