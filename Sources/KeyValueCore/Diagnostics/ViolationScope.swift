/// What receives the violations of a task in place of the process's handler.
final class ViolationScope: Sendable {
  /// The scope of the current task, or of the thread outside of tasks.
  ///
  /// It's read where a violation is reported, and by the audits of debug builds; no change reads it.
  @TaskLocal static var current: ViolationScope?

  let handle: @Sendable (KeyValueViolation) -> Void
  /// What was reported once in this scope, so that a test's reports don't depend on other tests.
  let reported = LockedValue<Set<ReportOnce.Subject>>([])

  init(_ handle: @escaping @Sendable (KeyValueViolation) -> Void) {
    self.handle = handle
  }
}

extension KeyValueViolation {
  /// Calls a closure, during which the violations of the current task go to a handler of its own.
  ///
  /// ```swift
  /// KeyValueViolation.withHandler { violation in
  ///   print(violation.kind)                           // tolerated
  /// } perform: {
  ///   person.didChangeValue(forKey: "firstName")
  /// }
  /// ```
  ///
  /// Other tasks and threads keep the process's ``handler``, so tests that run in parallel don't share one.
  /// Tasks that the closure starts inherit its handler, except detached ones. A handler that's installed inside
  /// the closure replaces this one until its own closure returns. Reports that are made once for each class and
  /// key are made once more in the closure.
  ///
  /// - Parameters:
  ///   - handler: Called with each violation, on the thread that committed it. If it returns, the program
  ///     continues where that's safe.
  ///   - body: The closure.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  ///
  /// Source of the behaviour: this library's.
  public static func withHandler<Result>(
    _ handler: @escaping @Sendable (KeyValueViolation) -> Void, perform body: () throws -> Result
  ) rethrows -> Result {
    try ViolationScope.$current.withValue(ViolationScope(handler)) { try body() }
  }

  /// Calls an asynchronous closure, during which the violations of the current task go to a handler of its own.
  ///
  /// Otherwise like `withHandler` with a closure that isn't asynchronous.
  ///
  /// - Parameters:
  ///   - handler: Called with each violation, on the thread that committed it.
  ///   - isolation: The actor on which the closure runs.
  ///   - body: The closure.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  public static func withHandler<Result>(
    _ handler: @escaping @Sendable (KeyValueViolation) -> Void,
    isolation: isolated (any Actor)? = #isolation, perform body: () async throws -> Result
  ) async rethrows -> Result {
    try await ViolationScope.$current.withValue(ViolationScope(handler)) { try await body() }
  }
}
