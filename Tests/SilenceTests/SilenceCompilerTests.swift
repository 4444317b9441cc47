import Foundation
import KeyValueObserving
import Testing

/// The compiler's diagnostics for the constructs that it rejects or warns of.
@Suite("L3. Nothing is silent: what the compiler diagnoses", .enabled(if: Compiler.isAvailable))
struct SilenceCompilerTests {
  @Test("L3 the compiler diagnoses each construct in the words of the page")
  func answered() throws {
    let source = try RefusedRows.read()
    let said = try Compiler.check(RefusedRows.file, "KVO_REFUSED_ROWS")
    // Lines outside the rows have no diagnostics.
    #expect(
      said.filter { line in !source.contains { $0.lines.contains(line.number) } }.map(\.text) == [])
    for table in RefusedRows.tables {
      let rows = source.filter { $0.table == table }
      #expect(!rows.isEmpty)
      let shown = rows.map { row in
        var answers = said.filter { row.lines.contains($0.number) }.map(\.text)
        #expect(!answers.isEmpty, "\(row.title)")
        if row.isSwifts, let kind = answers.first?.prefix(while: { $0 != ":" }) {
          answers = ["\(kind), in Swift's own words"]
        }
        return SilencePage.row(row.title, row.code, answers)
      }
      var page = try SilencePage()
      try page.check(table, shown)
    }
  }
}

/// A row of `SilenceRefused.swift`, which the compiler diagnoses.
struct RefusedRows {
  let table: String
  let title: String
  let code: String
  let lines: Range<Int>
  /// Whether the diagnostic is Swift's own, so that other compilers may word it differently.
  let isSwifts: Bool

  static let tables = ["warned-getters", "customisation", "refused"]

  static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "SilenceRefused.swift")

  static func read() throws -> [RefusedRows] {
    let source = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    var (table, rows) = ("", [RefusedRows]())
    for (index, line) in source.enumerated() {
      if line.hasPrefix("// rows: ") { table = String(line.dropFirst(9)) }
      guard let row = line.wholeMatch(of: /\/\/ row( of Swift's)?: (.*)/) else { continue }
      let end = source[index...].firstIndex(of: "") ?? source.endIndex
      rows.append(
        RefusedRows(
          table: table, title: String(row.output.2),
          code: statements(source[(index + 1)..<end]), lines: (index + 2)..<(end + 1),
          isSwifts: row.output.1 != nil))
    }
    return rows
  }

  /// Joins several lines of Swift into one.
  private static func statements(_ lines: ArraySlice<String>) -> String {
    lines.reduce("") { text, line in
      let joins = text.isEmpty || text.hasSuffix("{") || line.hasPrefix("}")
      let isAttribute = text.hasSuffix("KeyValueObservable")
      return text + (text.isEmpty ? "" : joins || isAttribute ? " " : "; ") + line
    }
  }
}
