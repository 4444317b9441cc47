import Testing

@testable import KeyValueCore

@Suite("Nearest names")
struct NearestNamesTests {
  @Test(
    "A misspelt name finds the intended name",
    arguments: [
      ("acount", ["account"]), ("balanec", ["balance"]), ("Account", ["account"]),
      ("zebra", []), ("a", []), ("irsen", ["risen"]),
    ] as [(String, [String])])
  func finds(name: String, expected: [String]) {
    #expect(nearest(to: name, among: ["account", "balance", "firstName", "risen"]) == expected)
  }

  @Test("The nearest name comes first, and at most two names are suggested")
  func order() {
    #expect(
      nearest(to: "books", among: ["boats", "book", "looks", "rocks"]) == ["book", "looks"])
    #expect(nearest(to: "books", among: ["looks", "cooks", "book"]) == ["book", "cooks"])
    #expect(nearest(to: "interests", among: ["interns", "interest"]) == ["interest", "interns"])
  }
}
