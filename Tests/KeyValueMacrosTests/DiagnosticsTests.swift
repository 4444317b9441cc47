import SwiftParser
import SwiftSyntax
import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

@Suite("Diagnostics")
struct DiagnosticsTests {
  @Test("The annotated type", arguments: theAnnotatedTypeCases)
  func theAnnotatedType(_ example: DiagnosticCase) { example.check() }

  @Test("Properties that cannot be observed", arguments: propertiesThatCannotBeObservedCases)
  func propertiesThatCannotBeObserved(_ example: DiagnosticCase) { example.check() }

  @Test("Dependencies", arguments: dependenciesCases)
  func dependencies(_ example: DiagnosticCase) { example.check() }

  @Test("Manual notification", arguments: manualNotificationCases)
  func manualNotification(_ example: DiagnosticCase) { example.check() }

  @Test(
    "A marked assignment is found in a tree whose operators aren't folded, as in the compiler's",
    arguments: [
      "a = try f()", "try a = f()", "try await self.a[0] = f()", "unsafe a += f()",
      "try $a.limits = f()",
    ])
  func markedAssignments(_ source: String) {
    let finder = AssignmentFinder(key: "a", isWrapped: true)
    finder.walk(Parser.parse(source: source))
    #expect(finder.found?.description == source)
  }

  @Test("L3 members that resemble those that Cocoa finds by name", arguments: nearMissesCases)
  func nearMisses(_ example: DiagnosticCase) { example.check() }

  @Test("L3 changes that are partly announced or not at all", arguments: announcementsCases)
  func announcements(_ example: DiagnosticCase) { example.check() }

  @Test("Marks in the wrong place", arguments: marksInTheWrongPlaceCases)
  func marksInTheWrongPlace(_ example: DiagnosticCase) { example.check() }
}

/// A source, and everything that the macros report on it.
struct DiagnosticCase: CustomTestStringConvertible {
  let testDescription: String
  /// Whether the class is one of `FoundationKVO`, which inherits from `NSObject`.
  let cocoa: Bool
  let source: String
  let reports: String

  init(_ description: String, cocoa: Bool = false, _ source: String, _ reports: String) {
    testDescription = description
    self.cocoa = cocoa
    self.source = source
    self.reports = reports
  }

  func check() {
    #expect(
      KeyValueMacrosTests.reports(on: source, inheriting: cocoa, cocoa: cocoa) == reports)
  }
}
