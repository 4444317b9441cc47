import CGtk4
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

/// Has GLib's main loop do all that waits, unless that has no end.
@MainActor func runMainLoop() {
  for _ in 0..<10_000 where g_main_context_iteration(nil, 0) == 0 { break }
}
