import FoundationKVO
import Testing

@Suite("FoundationKVO: MATCHES and LIKE")
struct PredicatePatternsTests {
  private func holds(_ text: String, _ comparison: String, _ pattern: String) -> Bool {
    NSPredicate(format: "SELF \(comparison) %@", pattern).evaluate(with: text)
  }

  @Test("a dot of MATCHES is any character, a line's end included, and anchors are those of lines")
  func lines() {
    #expect(holds("first\nsecond\nthird", "MATCHES", ".*second.*"))
    #expect(holds("Dear Ada,\r\nyour order", "MATCHES[c]", "dear.*ORDER"))
    #expect(holds("a\nb", "MATCHES", "^a$\\n^b$"))
    #expect(!holds("first\nsecond", "MATCHES", "first"))
    #expect(!holds("first\nsecond", "MATCHES", "^first$"))
    #expect(!holds("first\n", "MATCHES", "first"))
    // As LIKE already does.
    #expect(holds("first\nsecond", "LIKE", "f*d"))
  }

  @Test("letters are compared in one form, whether they're composed or not")
  func forms() {
    #expect(holds("cafe\u{301}", "LIKE", "caf\u{e9}"))
    #expect(holds("cafe\u{301}", "LIKE", "caf?"))
    #expect(holds("cafe\u{301} au lait", "MATCHES", "caf\u{e9}.*"))
    #expect(holds("caf\u{e9}", "MATCHES", "cafe\u{301}"))
    #expect(!holds("cafe\u{301}", "LIKE[n]", "caf?"))
  }

  @Test("nothing matches an empty pattern")
  func empty() {
    #expect(!holds("", "MATCHES", ""))
    #expect(!holds("", "LIKE", ""))
  }

  @Test("nil is in no collection, and no collection contains it")
  func membership() {
    let row: [String: Any] = ["tags": [NSNull(), "a"] as [Any]]
    #expect(!NSPredicate(format: "parent IN %@", [NSNull(), "a"] as [Any]).evaluate(with: row))
    #expect(!NSPredicate(format: "tags CONTAINS nil").evaluate(with: row))
    #expect(NSPredicate(format: "tags CONTAINS 'a'").evaluate(with: row))
  }
}
