import Foundation
import KeyValueObserving
import Testing

/// The compiler's diagnostics for the likeliest mistakes with a bound path.
@Suite("The likeliest mistakes are diagnosed by name", .enabled(if: Compiler.isAvailable))
struct MistakeTests {
  @Test("Each diagnostic names the member or the types at fault, or the page explains it")
  func answered() throws {
    let mistakes = try Mistake.read()
    #expect(mistakes.count == 38)
    let said = try Compiler.check(Mistake.file, "KVO_LIKELY_MISTAKES")
    // Correct code has no diagnostics, nor has any other line.
    #expect(said.filter { line in !mistakes.contains { $0.line == line.number } }.map(\.text) == [])
    let page = try Mistake.page()
    for mistake in mistakes {
      let answers = said.filter { $0.number == mistake.line }.map(\.text)
      let answer = answers.joined(separator: " / ")
      #expect(!answers.isEmpty, "\(mistake.title)")
      for words in mistake.words {
        #expect(answer.contains(words), "\(mistake.title): \(answer)")
      }
      guard mistake.isOnPage else { continue }
      #expect(page.contains("`\(mistake.code)`"), "\(mistake.title)")
      // Users search for the first line of the diagnostic.
      let first = String(answers[0].dropFirst("error: ".count))
      #expect(page.contains(first), "\(mistake.title): \(first)")
    }
  }
}

/// A mistake in `LikelyMistakes.swift`.
private struct Mistake {
  let title: String
  let words: [String]
  let isOnPage: Bool
  let code: String
  let line: Int

  static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "LikelyMistakes.swift")

  static func page() throws -> String {
    let root = file.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(
      contentsOf: root.appending(
        path: "Sources/KeyValueObserving/KeyValueObserving.docc/Observing.md"), encoding: .utf8)
  }

  static func read() throws -> [Mistake] {
    let lines = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    var mistakes: [Mistake] = []
    for (index, line) in lines.enumerated() {
      guard let match = line.wholeMatch(of: /\/\/ (.*) \| says: (.*)/) else { continue }
      let isOnPage = lines[index + 1] == "// on the page"
      let row = isOnPage ? index + 2 : index + 1
      mistakes.append(
        Mistake(
          title: String(match.output.1),
          words: match.output.2.split(separator: " + ").map(String.init),
          isOnPage: isOnPage, code: lines[row].replacing("_ = ", with: ""), line: row + 1))
    }
    return mistakes
  }
}
