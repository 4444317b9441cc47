#if canImport(Testing)
  import Testing
#endif
#if canImport(XCTest)
  import XCTest
#endif

/// A line of a test, where an expectation is written and its failure is reported.
struct TestPlace: Sendable {
  let fileID: StaticString
  let filePath: StaticString
  let line: UInt
  let column: UInt

  /// Reports a failure of the running test, of Swift Testing or of XCTest.
  ///
  /// Only Swift Testing says whether one of its tests is running. Outside of one, both libraries get the
  /// failure: the one that doesn't run tests in this process ignores it.
  func fail(_ message: String) {
    #if canImport(Testing)
      Issue.record(Comment(rawValue: message), sourceLocation: sourceLocation)
      if Test.current != nil { return }
    #endif
    #if canImport(XCTest)
      XCTFail(message, file: filePath, line: line)
    #endif
    if !TestPlace.isInTestProcess { StandardError.report("\(fileID):\(line): \(message)\n") }
  }

  #if canImport(Testing)
    private var sourceLocation: SourceLocation {
      SourceLocation(
        fileID: "\(fileID)", filePath: "\(filePath)", line: max(1, Int(line)),
        column: max(1, Int(column)))
    }
  #endif

  /// Whether a test runner started the process; elsewhere neither library would show a failure.
  private static let isInTestProcess = CommandLine.arguments.contains {
    $0.contains("xctest") || $0 == "--testing-library"
  }
}
