#if canImport(Testing)
  import Testing

  /// A trait of a suite or a test: each violation is a failure of the test that commits it.
  ///
  /// ```swift
  /// @Suite(.violationsFail)
  /// struct CompanyTests {
  ///   @Test func raise() { … }
  /// }
  /// ```
  ///
  /// Reports of mistakes that Cocoa tolerates count, which debug builds otherwise only print: a handler that
  /// nothing keeps, a dependent key without a source. They're made once for each class and key in each test,
  /// whatever ran before.
  ///
  /// Each test has a handler of its own, so tests may run in parallel. It gets the violations of the test's task
  /// and of those that it starts, except detached ones. `expectViolation` takes its place during its closure.
  public struct ViolationsFail: SuiteTrait, TestTrait, TestScoping {
    /// Whether it applies to all tests and suites of a suite: it does.
    public var isRecursive: Bool { true }

    /// Runs a test with its own handler of violations.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: Its case.
    ///   - function: Runs the test.
    /// - Throws: The test's error.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      try await KeyValueViolation.withHandler { violation in
        Issue.record(
          Comment(rawValue: "A violation was reported:\n+ \(text(violation))"),
          sourceLocation: test.sourceLocation)
      } perform: {
        try await function()
      }
    }
  }

  extension Trait where Self == ViolationsFail {
    /// Makes each violation a failure of the test that commits it.
    public static var violationsFail: ViolationsFail { ViolationsFail() }
  }
#endif
