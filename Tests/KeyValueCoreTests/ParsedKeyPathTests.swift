import Testing

@testable import KeyValueCore

@Suite("ParsedKeyPath")
struct ParsedKeyPathTests {
  @Test("Each path is the one that was asked for, however many are remembered or forgotten")
  func remembered() throws {
    let strings = (0..<5000).map { "account\($0).@sum.balance" }
    for string in strings + strings.reversed() + strings {
      let path = try ParsedKeyPath.parsed(string)
      #expect(path.string == string)
      #expect(path.components == string.split(separator: ".").map(String.init))
      #expect(path.firstOperator == 1)
    }
  }

  @Test("What is no path is an error each time")
  func malformed() {
    for _ in 0..<3 {
      #expect(throws: KeyValueCodingError.self) { try ParsedKeyPath.parsed("account..balance") }
    }
  }

  @Test(
    "The first operator is found, or the end",
    arguments: [("a.b", 2), ("@count", 0), ("a.@sum.b.@max.c", 1)])
  func operators(_ string: String, _ index: Int) throws {
    #expect(try ParsedKeyPath(string).firstOperator == index)
  }
}
