import FoundationKVO

/// A queue that lets its jobs evaluate their conditions once they are in it.
@KeyValueObservable
class JobQueue: FoundationKVO.OperationQueue, @unchecked Sendable {
  dynamic private(set) var added: [String] = []

  override func addOperation(_ operation: FoundationKVO.Operation) {
    added.append(operation.name ?? "?")
    super.addOperation(operation)
    if let job = operation as? Job { job.willEnqueue() }
  }
}

/// Prints what happens to jobs, and which values of a key differ.
@KeyValueObservable
class Log: NSObject, JobObserver {
  private static var context = 0

  func jobDidStart(_ job: Job) { print("\(job.name ?? "?") starts") }
  func jobDidCancel(_ job: Job) { print("\(job.name ?? "?") is cancelled") }
  func jobDidFinish(_ job: Job) { print("\(job.name ?? "?") finishes, \(job.failed) failed") }

  func follow(_ queue: JobQueue) {
    queue.addObserver(
      self, forKeyPath: "added", options: [.old, .new], context: &Log.context)
  }

  func leave(_ queue: JobQueue) {
    queue.removeObserver(self, forKeyPath: "added", context: &Log.context)
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard context == &Log.context else {
      return super.observeValue(
        forKeyPath: keyPath, of: object, change: change, context: context)
    }
    let old = change?[.oldKey] as? Foundation.NSObject
    let new = change?[.newKey] as? Foundation.NSObject
    if new != old { print("added: \((new as? [String] ?? []).joined(separator: ", "))") }
  }
}
