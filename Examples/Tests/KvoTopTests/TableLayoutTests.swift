import TerminalSupport
import Testing

@Suite("The layout of a table")
struct TableLayoutTests {
  private let columns = [
    TableColumn("ID", width: 4, alignment: .right, importance: 2),
    TableColumn("WHO", width: 6, alignment: .left, importance: 1),
    TableColumn("WHAT", width: 5, alignment: .left, importance: 3),
  ]

  @Test("The last column has the rest of the line")
  func wide() {
    let layout = TableLayout(columns: columns, lineWidth: 20)
    #expect(layout.header == "  ID WHO    WHAT")
    #expect(layout.line(["1", "somebody", "a long command"]) == "   1 somebo a long c")
  }

  @Test("A narrow line omits the least important columns")
  func narrow() {
    #expect(TableLayout(columns: columns, lineWidth: 17).header == "  ID WHO    WHAT")
    #expect(TableLayout(columns: columns, lineWidth: 16).header == "  ID WHAT")
    #expect(TableLayout(columns: columns, lineWidth: 9).header == "WHAT")
    #expect(TableLayout(columns: columns, lineWidth: 3).header == "WHA")
    #expect(TableLayout(columns: columns, lineWidth: 0).header == "")
  }

  @Test("Without a line width, the last column has any length")
  func endless() {
    let layout = TableLayout(columns: columns, lineWidth: nil)
    let text = String(repeating: "x", count: 500)
    #expect(layout.line(["1", "me", text]) == "   1 me     " + text)
  }

  @Test("A width is in columns of the terminal, not in characters")
  func wideCharacters() {
    let layout = TableLayout(columns: columns, lineWidth: 18)
    #expect(layout.line(["1", "日本語日本語", "日本語日本語"]) == "   1 日本語 日本語")
  }
}

@Suite("The layout of short texts in lines")
struct FlowLayoutTests {
  @Test("A text that doesn't fit begins a new line")
  func flow() {
    let texts = ["one", "two", "three"]
    #expect(
      FlowLayout.lines(texts, lineWidth: 9, lineLimit: nil) == ["one   two", "three"])
    #expect(
      FlowLayout.lines(texts, lineWidth: nil, lineLimit: nil) == ["one   two   three"])
    #expect(FlowLayout.lines(texts, lineWidth: 4, lineLimit: 2) == ["one", "two"])
    #expect(FlowLayout.lines(texts, lineWidth: 2, lineLimit: nil) == ["on", "tw", "th"])
    #expect(FlowLayout.lines([], lineWidth: 9, lineLimit: nil) == [])
  }
}
