#if canImport(XCTest) && !canImport(ObjectiveC)
  import KeyValueObserving
  import KeyValueTesting
  import XCTest

  /// E8 An expectation in a test of XCTest fails that test, at the expectation's line.
  final class XCTestTests: XCTestCase {
    private var failures: [String] = []

    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      failures.append("\(filePath == #filePath) \(lineNumber): \(description)")
    }

    override func invokeTest() {
      expectNoViolation { super.invokeTest() }
    }

    /// Takes the failures so far, and fails this test unless they're the ones given.
    private func expectFailures(_ expected: [String], line: Int = #line) {
      let found = failures
      failures = []
      if found == expected { return }
      super.recordFailure(
        withDescription: "\(found)", inFile: #filePath, atLine: line, expected: true)
    }

    func testChanges() {
      let company = Company()
      expectChanges(of: company.kvo.name) {
        company.name = "A"
      } are: {
        change(company.kvo.name, old: "Engines", new: "A")
      }
      expectFailures([])
      let line = #line + 1
      expectChanges(of: company.kvo.name) {
        company.name = "B"
      } are: {
      }
      expectFailures([
        """
        true \(line): failed - The changes aren't the ones described (- described, + announced):
        + change(Company.name, old: "A", new: "B")
        """
      ])
    }

    func testViolations() {
      Company().didChangeValue(forKey: "name")
      expectFailures([
        """
        true 18: failed - A violation was reported:
        + tolerated: didChangeValue(forKey: "name") of Company was called without willChangeValue on this \
        thread, so no observer was notified. Call both, or use withChange(of:_:).
        """
      ])
    }
  }
#endif
