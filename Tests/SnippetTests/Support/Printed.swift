import KeyValueTestSupport
import Testing

/// What the snippets of one test have printed and not compared yet.
final class Printed: Sendable {
  @TaskLocal static var current: Printed?
  private let lines = AtomicList()

  func append(_ line: String) { lines.append(line) }

  func take() -> [String] { lines.take() }
}

/// Takes the place of the standard library's `print` in this target, so that snippets are compiled
/// as they stand on their pages, and what they print is compared.
///
/// The parameters are those of the standard library's; another list would overload it, not hide it.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  let line = items.map { "\($0)" }.joined(separator: separator)
  if let printed = Printed.current {
    printed.append(line)
  } else {
    Issue.record("Printed outside of a test's task: \(line)")
  }
}

/// Runs what a page says that it throws.
func expectThrown(
  _ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) {
  do {
    try body()
    Issue.record("Nothing was thrown.", sourceLocation: sourceLocation)
  } catch {
    print("throws:", error)
  }
}

/// Compares what was printed since the last comparison with what a page says of a block.
///
/// Claims and lines are compared as one text each, so a page may wrap a long line. A comment that
/// begins with "(nothing" claims nothing, and ", then" stands between two lines of one comment.
///
/// `remarks` are the block's comments that say something else than what is printed.
func expectPrinted(
  _ page: String, _ number: Int, remarks: [String] = [],
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let snippet = try #require(
    try Page(page).snippet(number), "There is no such block.", sourceLocation: sourceLocation)
  var remarks = remarks
  let claims = snippet.claims.filter { claim in
    let claim = words(claim)
    if let index = remarks.firstIndex(of: claim) {
      remarks.remove(at: index)
      return false
    }
    return !claim.hasPrefix("(nothing")
  }
  #expect(remarks.isEmpty, "These remarks are not on the page.", sourceLocation: sourceLocation)
  let printed = try #require(Printed.current, "The suite lacks `.printing`.").take()
  #expect(
    words(printed.joined(separator: " "))
      == words(claims.joined(separator: " ")).replacing(", then ", with: " "),
    sourceLocation: sourceLocation)
}

private func words(_ text: String) -> String {
  text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
}

/// Gives each test of a suite its own place to print to.
struct PrintingTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Printed.$current.withValue(Printed(), operation: function)
  }
}

extension Trait where Self == PrintingTrait {
  static var printing: Self { Self() }
}
