import TerminalSupport
import Testing

@Suite("Text on a terminal")
struct DisplayTextTests {
  // This test and the one of keys have no arguments: the test runner would print them unescaped.
  @Test("Characters that move the cursor, hide or reorder text are replaced or removed")
  func harmless() {
    let texts = [
      ("plain text", "plain text"),
      ("a\u{1B}[2Jb", "a?[2Jb"),
      ("two\nlines\ttab\r", "two?lines?tab?"),
      ("\u{7F}\u{9B}", "??"),
      ("right\u{202E}left", "right?left"),
      ("zero\u{200B}width\u{FEFF}", "zero?width?"),
      ("line\u{2028}paragraph\u{2029}", "line?paragraph?"),
      ("\u{E000}", "?"),
      ("☎\u{FE0F}", "☎"),
      ("日本 é", "日本 é"),
    ]
    for (text, expected) in texts { #expect(text.harmless == expected) }
  }

  @Test(
    "A text's width is its number of columns",
    arguments: [("", 0), ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("한", 2), ("😀", 2), ("ｆｕ", 4)])
  func columns(_ text: String, _ expected: Int) {
    #expect(text.columnCount == expected)
  }

  @Test(
    "A text is cut between characters",
    arguments: [
      ("abc", 2, "ab"), ("abc", 5, "abc"), ("abc", 0, ""), ("日本", 3, "日"), ("日本", 1, ""),
      ("e\u{301}f", 1, "e\u{301}"),
    ])
  func prefix(_ text: String, _ columns: Int, _ expected: String) {
    #expect(text.prefix(columns: columns) == expected)
  }

  @Test("A text is filled with blanks, or cut, to a width")
  func fitted() {
    #expect("ab".fitted(columns: 4, alignment: .left) == "ab  ")
    #expect("ab".fitted(columns: 4, alignment: .right) == "  ab")
    #expect("日本".fitted(columns: 3, alignment: .left) == "日 ")
    #expect("abc".fitted(columns: 2, alignment: .right) == "ab")
  }
}

@Suite("Numbers as text")
struct NumberTextTests {
  @Test(
    "A number has a fixed number of decimals",
    arguments: [
      (0, 1, "0.0"), (0.05, 2, "0.05"), (1.25, 1, "1.3"), (99.96, 1, "100.0"), (-0.5, 1, "-0.5"),
      (-0.01, 1, "0.0"), (12, 0, "12"), (.nan, 1, "?"), (.infinity, 1, "?"), (1e300, 1, "?"),
    ])
  func fixed(_ number: Double, _ decimals: Int, _ expected: String) {
    #expect(NumberText.fixed(number, decimals: decimals) == expected)
  }

  @Test(
    "A number of bytes has a unit",
    arguments: [
      (0, "0B"), (1023, "1023B"), (1024, "1.0K"), (1536, "1.5K"), (1_048_575, "1.0M"),
      (25_276_514_304, "23.5G"), (1 << 50, "1.0P"), (.max, "8.0E"),
    ])
  func bytes(_ count: Int, _ expected: String) {
    #expect(NumberText.bytes(count) == expected)
  }

  @Test(
    "A number of seconds is formatted as a time",
    arguments: [
      (0, "00:00:00"), (59.9, "00:00:59"), (3661, "01:01:01"), (86_400, "1 d 00:00"),
      (273_900, "3 d 04:05"), (-1, "?"), (.nan, "?"),
    ])
  func duration(_ seconds: Double, _ expected: String) {
    #expect(NumberText.duration(seconds: seconds) == expected)
  }
}

@Suite("Typed keys")
struct KeysTests {
  @Test("Escape sequences are skipped")
  func typed() {
    let inputs = [
      ("q", "q"), ("cmq", "cmq"), ("\u{1B}[A", ""), ("\u{1B}[1;5Cq", "q"), ("\u{1B}OPm", "m"),
      ("\u{1B}q", ""), ("\u{1B}", "\u{1B}"), ("\u{03}", "\u{03}"), ("é", ""), ("\u{1B}[", ""),
    ]
    for (input, expected) in inputs {
      #expect(String(Keys.typed(Array(input.utf8))) == expected)
    }
  }
}
