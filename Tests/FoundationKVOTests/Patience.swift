import Dispatch
import Foundation
import Testing

/// How long a test waits for what another thread does.
///
/// A test that passes doesn't wait long. But its time includes that of the tests that run beside it, which is minutes on
/// a busy machine, and more under a sanitizer.
enum Patience {
  static let minutes = ProcessInfo.processInfo.environment["KVO_TESTS"] == "few" ? 60 : 10
}

extension DispatchSemaphore {
  func isSignalledInTime() -> Bool {
    wait(timeout: .now() + .seconds(60 * Patience.minutes)) == .success
  }
}
