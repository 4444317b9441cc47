import Foundation

/// How much of what can be repeated without end a run of the tests repeats.
///
/// A plain `swift test` takes enough to notice what breaks; with `KVO_TESTS=full` in the environment, as
/// `Scripts/check --full` sets it, random tests take more seeds and tests of many objects more objects.
public enum TestVolume {
  /// Whether the environment asks for all of it.
  public static let isFull = ProcessInfo.processInfo.environment["KVO_TESTS"] == "full"

  /// The first number in a plain run, the second in a full one.
  public static func either(_ plain: Int, full: Int) -> Int { isFull ? full : plain }
}
