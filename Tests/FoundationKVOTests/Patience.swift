import Dispatch
import Foundation
import Testing

/// How long a test waits for what another thread does.
///
/// A test that passes doesn't wait long. But a queue's operations may have to wait until other tests' jobs end, which
/// takes minutes under a sanitizer.
enum Patience {
  static let minutes = ProcessInfo.processInfo.environment["KVO_TESTS"] == "few" ? 60 : 1
}

extension DispatchSemaphore {
  func isSignalledInTime() -> Bool {
    wait(timeout: .now() + .seconds(60 * Patience.minutes)) == .success
  }
}
