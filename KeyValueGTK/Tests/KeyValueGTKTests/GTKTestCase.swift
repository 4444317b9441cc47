import CGtk4
import Foundation
import KeyValueGTKTestSupport
import XCTest

/// A test that uses GTK.
///
/// The tests are XCTest's, because GTK runs on the process's first thread only. XCTest runs synchronous
/// tests there. Swift Testing runs tests of the main actor on another thread, on Linux. The test methods
/// aren't isolated, because XCTest on Linux finds no isolated ones; ``gtk(_:)`` is.
class GTKTestCase: XCTestCase {
  /// Runs a test on the main actor, after GTK has started; skips it where there's no display.
  func gtk(_ body: @MainActor () throws -> Void) throws {
    try MainActor.assumeIsolated {
      if let reason = Display.failure { throw XCTSkip(reason) }
      try body()
    }
  }
}

/// Runs GLib's main loop until a condition holds, at most two minutes.
///
/// - Parameter isDone: The condition.
/// - Returns: Whether it holds.
@MainActor func runMainLoop(until isDone: () -> Bool) -> Bool {
  let deadline = ContinuousClock.now + .seconds(120)
  while !isDone() {
    guard ContinuousClock.now < deadline else { return false }
    // An iteration that waited would have no end without an event.
    if g_main_context_iteration(nil, 0) == 0 { usleep(1000) }
  }
  return true
}

/// Has GLib's main loop do all that waits, unless that has no end.
@MainActor func runMainLoop() {
  for _ in 0..<10_000 where g_main_context_iteration(nil, 0) == 0 { break }
}
