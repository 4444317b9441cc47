import KeyValueCore
import KeyValueObserving
import Synchronization

/// Takes down violations in place of the default handler, which traps.
///
/// The handler belongs to the whole process, so only exit tests, which have one of their own,
/// install a log.
///
/// ```swift
/// await #expect(processExitsWith: .success) {
///   let violations = ViolationLog.install()
///   person.didChangeValue(forKey: "age")
///   #expect(violations.take() == ["tolerated: didChangeValue(forKey: \"age\") of Person …"])
/// }
/// ```
public final class ViolationLog: Sendable {
  private let lines = Lock<[String]>([])

  private init() {}

  /// Makes a log that all violations go to from now on.
  public static func install() -> ViolationLog {
    let log = ViolationLog()
    #if DEBUG || KVO_AUDIT
      // A day, so that no pause of the machine makes a token's life long.
      TokenLifetime.shortestUse.store(86_400_000, ordering: .relaxed)
    #endif
    KeyValueViolation.handler = { violation in
      log.lines.withLock { $0.append("\(violation.kind): \(violation)") }
    }
    return log
  }

  /// The violations so far; the log is empty afterwards.
  public func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
