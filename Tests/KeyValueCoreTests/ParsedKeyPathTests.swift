import Testing

@testable import KeyValueCore

@Suite("ParsedKeyPath")
struct ParsedKeyPathTests {
  @Test("Parsing returns the requested path, whether it's cached or evicted")
  func remembered() throws {
    let strings = (0..<5000).map { "account\($0).@sum.balance" }
    for string in strings + strings.reversed() + strings {
      let path = try ParsedKeyPath.parsed(string)
      #expect(path.string == string)
      #expect(path.components.map(\.name) == string.split(separator: ".").map(String.init))
      #expect(path.components.map(\.kind) == [.key, .operation(.sum), .key])
      #expect(path.firstOperator == 1)
    }
  }

  @Test("A path that's parsed again is the one from the cache")
  func cached() throws {
    func hasSameComponents(_ path: ParsedKeyPath, _ other: ParsedKeyPath) -> Bool {
      path.components.withUnsafeBufferPointer { components in
        other.components.withUnsafeBufferPointer { $0.baseAddress == components.baseAddress }
      }
    }
    for string in (0..<100).map({ "cached\($0).balance" }) {
      // Another test may replace the path in between, but not each time.
      let isCached = try (0..<10).contains { _ in
        let first = try ParsedKeyPath.parsed(string)
        return hasSameComponents(first, try ParsedKeyPath.parsed(string))
      }
      #expect(isCached, "\(string)")
    }
  }

  @Test("A malformed path is an error every time")
  func malformed() {
    for _ in 0..<3 {
      #expect(throws: KeyValueCodingError.self) { try ParsedKeyPath.parsed("account..balance") }
    }
  }

  @Test(
    "firstOperator is the index of the first operator, or the end",
    arguments: [("a.b", 2), ("@count", 0), ("a.@sum.b.@max.c", 1)])
  func operators(_ string: String, _ index: Int) throws {
    #expect(try ParsedKeyPath(string).firstOperator == index)
  }

  @Test(
    "Each component has its kind",
    arguments: [
      ("a.b", [.key, .key]), ("self", [.identity]), ("a.self.b", [.key, .key]),
      ("self.a", [.key]), ("a.self", [.key]), ("a.@sum.self", [.key, .operation(.sum), .identity]),
      ("@count.a", [.operation(.count)]), ("a.@total.b", [.key, .unknownOperator, .key]),
      ("a@b", [.key]),
    ] as [(String, [PathComponent.Kind])])
  func kinds(_ string: String, _ kinds: [PathComponent.Kind]) throws {
    #expect(try ParsedKeyPath(string).components.map(\.kind) == kinds)
  }

  @Test("A path's owner is the path without its last component")
  func owner() throws {
    #expect(try ParsedKeyPath("a.b.c").owner?.string == "a.b")
    #expect(try ParsedKeyPath("a.self.b").owner?.string == "a")
    #expect(try ParsedKeyPath("a").owner == nil)
    #expect(try ParsedKeyPath("self.a").owner == nil)
  }
}
