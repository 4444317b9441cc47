import KeyValueCore
import KeyValueObserving
import Synchronization

/// Records violations in place of a handler.
///
/// ```swift
/// ViolationLog.record { violations in
///   person.didChangeValue(forKey: "age")
///   #expect(violations.take() == ["tolerated: didChangeValue(forKey: \"age\") of Person …"])
/// }
/// ```
public final class ViolationLog: Sendable {
  private let lines = Lock<[String]>([])

  private init() {}

  /// Calls a closure with a log of the violations that its task commits meanwhile.
  public static func record<Result>(_ body: (ViolationLog) throws -> Result) rethrows -> Result {
    let log = ViolationLog()
    return try KeyValueViolation.withHandler({ log.note($0) }, perform: { try body(log) })
  }

  /// Installs a log that receives the violations of all threads from now on.
  ///
  /// The process's handler is shared, so only an exit test, which runs in a process of its own, installs a log.
  public static func install() -> ViolationLog {
    let log = ViolationLog()
    #if DEBUG || KVO_AUDIT
      // A day, so that a token counts as short-lived even if the machine pauses.
      TokenLifetime.shortestUse.store(86_400_000, ordering: .relaxed)
    #endif
    KeyValueViolation.handler = { log.note($0) }
    return log
  }

  private func note(_ violation: KeyValueViolation) {
    lines.withLock { $0.append("\(violation.kind): \(violation)") }
  }

  /// The violations so far; the log is empty afterwards.
  public func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
