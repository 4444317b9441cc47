import Testing

@testable import KeyValueCore

@Suite("The description of a value in a sentence")
struct PlainDescriptionTests {
  private let entries: [String: Int?] = ["b": 2, "a": nil, "c": 1]

  @Test("A dictionary's entries are sorted, and their optionals unwrapped")
  func dictionaries() {
    let nested: [Int: [String: [Int?]]] = [2: [:], 1: ["x": [1, nil]]]
    let descriptions = [entries, [String: Int](), nested] as [Any]
    #expect(
      descriptions.map { plainDescription($0) }
        == [#"["a": nil, "b": 2, "c": 1]"#, "[:]", #"[1: ["x": [1, nil]], 2: [:]]"#])
  }

  @Test("A trace shows a dictionary so, too")
  func traced() {
    #expect("\(KeyValueTrace.Value(of: entries))" == #"["a": nil, "b": 2, "c": 1]"#)
  }
}
