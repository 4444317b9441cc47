import Foundation
import KeyValueObserving
import Testing

/// What the compiler prints of `CodingIsolation.swift`.
@Suite("L3 An isolated class whose conformance is not isolated", .enabled(if: Compiler.isAvailable))
struct CodingIsolationTests {
  private let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "CodingIsolation.swift")

  private func errors(_ condition: String, _ options: String...) throws -> [String] {
    try Compiler.output(file, condition, options: options).split(separator: "\n")
      .compactMap { $0.firstMatch(of: /: (?:error|warning): (.*)/).map { String($0.output.1) } }
  }

  @Test("L3 The compiler's error says what to write, and doesn't name the hidden storage")
  func refused() throws {
    let witness = "unavailable instance method 'encode(to:)' was used to satisfy a requirement of "
    #expect(
      try errors("KVO_CODING_WRONG").sorted() == [
        "type 'Chair' does not conform to protocol 'Encodable'",
        "type 'Desk' does not conform to protocol 'Encodable'",
        witness + "protocol 'Encodable': Chair is isolated, and its conformance is not; write "
          + "'@MainActor Encodable'",
        witness + "protocol 'Encodable': Desk is isolated, and its conformance is not; write "
          + "'@MainActor Codable'",
      ])
  }

  @Test("L3 What compiles is not refused")
  func accepted() throws {
    #expect(try errors("KVO_CODING_RIGHT") == [])
    let condition = "KVO_CODING_WRONG"
    #expect(
      try errors(condition, "-enable-upcoming-feature", "InferIsolatedConformances") == [])
    #expect(try errors(condition, "-default-isolation", "MainActor") == [])
  }
}
