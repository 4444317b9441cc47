/// The state of a progress other than its counts.
struct ProgressFlags {
  var isCancelled = false
  var isPaused = false
  var isCancellable = true
  var isPausable = false
  var kind: ProgressKind?
  var userInfo: [ProgressUserInfoKey: Any] = [:]
  var description: String?
  var additionalDescription: String?
  var cancellation: (@Sendable () -> Void)?
  var pausing: (@Sendable () -> Void)?
  var resuming: (@Sendable () -> Void)?
}
