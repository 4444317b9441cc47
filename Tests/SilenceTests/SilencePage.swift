import Foundation
import Testing

/// The page *Nothing is called: why?*, whose tables are generated from the rows in this folder.
///
/// A table follows the line `<!-- rows: NAME -->`. With `KVO_WRITE_PAGE` in the environment, the tests
/// write the tables instead of comparing them.
struct SilencePage {
  private static let folder = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent()
  private static let file = folder.appending(
    path: "../../Sources/KeyValueObserving/KeyValueObserving.docc/NothingIsCalled.md"
  ).standardized

  private var lines: [String]

  init() throws {
    let text = try String(contentsOf: SilencePage.file, encoding: .utf8)
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The names of the tables, in order.
  var tables: [String] {
    lines.compactMap { line in
      line.hasPrefix("<!-- rows: ") ? String(line.dropFirst(11).dropLast(4)) : nil
    }
  }

  /// The rows of a table, without its heading.
  func rows(_ name: String) throws -> [String] {
    try Array(lines[extent(of: name)].dropFirst(2))
  }

  /// The code quoted in the second column of the table of the commonest causes.
  var causes: [String] {
    lines.drop { !$0.hasPrefix("| Cause |") }.prefix { $0.hasPrefix("|") }.dropFirst(2)
      .flatMap { line in
        line.split(separator: " | ")[1].matches(of: /`([^`]+)`/).map { String($0.output.1) }
      }
  }

  /// Whether a row that the tests compare contains the words.
  func answers(_ words: String) throws -> Bool {
    try tables.contains { try rows($0).contains { $0.contains(words) } }
  }

  /// The compiler's diagnostics that the page *From Cocoa* quotes.
  static func quotedFromCocoa() throws -> [String] {
    let file = SilencePage.file.deletingLastPathComponent().appending(path: "FromCocoa.md")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .compactMap { $0.wholeMatch(of: /> (?:error|warning): (.*)/).map { String($0.output.1) } }
  }

  /// Compares a table with the tests' rows, or writes it.
  mutating func check(_ name: String, _ rows: [String]) throws {
    if ProcessInfo.processInfo.environment["KVO_WRITE_PAGE"] != nil {
      try lines.replaceSubrange(
        extent(of: name), with: ["| Construct | Answer |", "| --- | --- |"] + rows)
      try lines.joined(separator: "\n").write(
        to: SilencePage.file, atomically: true, encoding: .utf8)
    }
    let page = try self.rows(name)
    for (row, shown) in zip(rows, page) {
      #expect(row == shown, "The page has another answer than \(row)")
    }
    #expect(rows.count == page.count)
  }

  private func extent(of name: String) throws -> Range<Int> {
    let marker = try #require(lines.firstIndex(of: "<!-- rows: \(name) -->"), "no table \(name)")
    let end = lines[(marker + 2)...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
    return marker + 2..<end
  }

  /// A line of a table, with the text after an answer's kind formatted as code.
  static func row(_ title: String, _ code: String, _ answers: [String]) -> String {
    let shown = answers.map { answer in
      guard let colon = answer.firstRange(of: ": ") else { return answer }
      return "\(answer[..<colon.lowerBound]): `\(cell(String(answer[colon.upperBound...])))`"
    }
    return "| \(cell(title)): `\(cell(code))` | "
      + (shown.isEmpty ? "not told" : shown.joined(separator: ", ")) + " |"
  }

  private static func cell(_ text: String) -> String {
    text.replacing("|", with: "\\|").replacing("\n", with: " ")
  }
}

/// The source files in this folder.
enum SilenceSources {
  /// Whether the row's file contains each piece of the row's code.
  static func shows(_ row: SilenceRow) throws -> Bool {
    let text = try String(contentsOf: URL(filePath: row.file), encoding: .utf8)
    // Without the string literals of the rows themselves.
    let code = text.replacing(/#".*?"#/, with: "").filter { !$0.isWhitespace }
    return row.code.split(whereSeparator: { "…;".contains($0) }).allSatisfy { piece in
      code.contains(piece.filter { !$0.isWhitespace })
    }
  }
}
