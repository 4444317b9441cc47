import Foundation

/// How often a run repeats the tests that can repeat without limit.
///
/// A plain `swift test` repeats enough to detect a regression. With `KVO_TESTS=full` in the environment, as
/// `Scripts/check --full` sets it, random tests use more seeds and tests of many objects use more objects.
/// With `KVO_TESTS=few`, which runs under a sanitizer set, single-threaded tests repeat less, because each
/// step takes ten times as long there. Multithreaded tests repeat as often as in a plain run.
public enum TestVolume {
  private static let wanted = ProcessInfo.processInfo.environment["KVO_TESTS"]

  /// The minutes after which a test stops whose steps cost more than they may.
  ///
  /// They begin when the test is started, so they include other tests' steps.
  public static let patience = either(20, few: 60)

  /// The first number in a plain run, or the one for the volume that the environment requests.
  public static func either(_ plain: Int, few: Int? = nil, full: Int? = nil) -> Int {
    switch wanted {
    case "few": few ?? plain
    case "full": full ?? plain
    default: plain
    }
  }
}
