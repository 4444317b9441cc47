import KeyValueCore
import KeyValueObserving
import Synchronization

/// Records violations in place of the default handler, which traps.
///
/// The handler is shared by the whole process, so only exit tests, which run in a process of
/// their own, install a log.
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

  /// Installs a log that receives all violations from now on.
  public static func install() -> ViolationLog {
    let log = ViolationLog()
    #if DEBUG || KVO_AUDIT
      // A day, so that a token counts as short-lived even if the machine pauses.
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
