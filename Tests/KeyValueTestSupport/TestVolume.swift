import Foundation

/// How much of what can be repeated without end a run of the tests repeats.
///
/// A plain `swift test` takes enough to notice what breaks. With `KVO_TESTS=full` in the environment, as
/// `Scripts/check --full` sets it, random tests take more seeds and tests of many objects more objects.
/// With `KVO_TESTS=few`, as it is set under a sanitizer, tests on one thread repeat less, because each
/// step takes ten times as long there. Tests of several threads repeat as often as without it.
public enum TestVolume {
  private static let wanted = ProcessInfo.processInfo.environment["KVO_TESTS"]

  /// The first number in a plain run, and the others where the environment asks for them.
  public static func either(_ plain: Int, few: Int? = nil, full: Int? = nil) -> Int {
    switch wanted {
    case "few": few ?? plain
    case "full": full ?? plain
    default: plain
    }
  }
}
