/// Fails unless a closure commits exactly one violation, of this kind.
///
/// ```swift
/// expectViolation(.undefinedKey) {
///   person.willChangeValue(forKey: "fullNme")
/// }
/// ```
///
/// The violations of the closure's task come here and don't reach the process's handler, so tests may run in
/// parallel. Detached tasks and other threads keep that.
///
/// - Parameters:
///   - kind: The kind of the violation.
///   - description: The violation's whole text; any text without it.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Commits the violation.
/// - Returns: The violation; nil if there's none, or if there are others.
/// - Throws: The closure's error.
@discardableResult
public func expectViolation(
  _ kind: KeyValueViolation.Kind, _ description: String? = nil, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: () throws -> Void
) rethrows -> KeyValueViolation? {
  let violations = Arrivals<KeyValueViolation>()
  try KeyValueViolation.withHandler({ violations.append($0) }, perform: body)
  return check(
    violations, kind, description,
    TestPlace(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Fails unless an asynchronous closure leads to exactly one violation, of this kind.
///
/// When the closure has returned, this waits for the violation until the limit has passed. Otherwise like the
/// expectation without a limit.
///
/// - Parameters:
///   - kind: The kind of the violation.
///   - description: The violation's whole text; any text without it.
///   - limit: How long to wait after the closure.
///   - isolation: The actor on which the closure runs.
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: Commits the violation, or starts what commits it.
/// - Returns: The violation; nil if there's none, or if there are others.
/// - Throws: The closure's error.
@discardableResult
public func expectViolation(
  _ kind: KeyValueViolation.Kind, _ description: String? = nil, within limit: Duration,
  isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: () async throws -> Void
) async rethrows -> KeyValueViolation? {
  let violations = Arrivals<KeyValueViolation>()
  try await KeyValueViolation.withHandler({ violations.append($0) }, perform: body)
  await violations.wait(for: 1, within: limit)
  return check(
    violations, kind, description,
    TestPlace(fileID: fileID, filePath: filePath, line: line, column: column))
}

private func check(
  _ violations: Arrivals<KeyValueViolation>, _ kind: KeyValueViolation.Kind,
  _ description: String?, _ place: TestPlace
) -> KeyValueViolation? {
  let violations = violations.all
  let expected = description.map { "\(kind): \($0)" }
  func isExpected(_ violation: KeyValueViolation) -> Bool {
    violation.kind == kind && (description == nil || violation.description == description)
  }
  if violations.count == 1, isExpected(violations[0]) { return violations[0] }
  var lines: [String] = []
  let index = violations.firstIndex(where: isExpected)
  if index == nil { lines.append("- \(expected ?? "\(kind)")") }
  for (number, violation) in violations.enumerated() {
    lines.append("\(number == index ? " " : "+") \(text(violation))")
  }
  place.fail(
    "The violation isn't the one described (- described, + reported):\n"
      + lines.joined(separator: "\n"))
  return nil
}

/// Fails for each violation of a closure.
///
/// For XCTest; a suite of Swift Testing has the trait `violationsFail`:
///
/// ```swift
/// final class PersonTests: XCTestCase {
///   override func invokeTest() {
///     expectNoViolation { super.invokeTest() }
///   }
/// }
/// ```
///
/// - Parameters:
///   - fileID: The file of the expectation.
///   - filePath: The same file's path.
///   - line: The line there.
///   - column: The column there.
///   - body: The closure.
/// - Returns: The closure's result.
/// - Throws: The closure's error.
@discardableResult
public func expectNoViolation<Result>(
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, _ body: () throws -> Result
) rethrows -> Result {
  let place = TestPlace(fileID: fileID, filePath: filePath, line: line, column: column)
  return try KeyValueViolation.withHandler(
    { place.fail("A violation was reported:\n+ \(text($0))") }, perform: body)
}

/// A violation's kind and text, and where the observer was registered if the text doesn't say so.
func text(_ violation: KeyValueViolation) -> String {
  let place = KeyValueTrace.Place(violation.place).map { "  // \($0)" } ?? ""
  return "\(violation.kind): \(violation)\(place)"
}
