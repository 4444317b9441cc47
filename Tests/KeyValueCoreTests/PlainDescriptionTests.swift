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

  @Test("A trace describes a few entries of a large dictionary, and their number")
  func tracedInPart() {
    final class Counter {
      var count = 0
    }
    struct Entry: CustomStringConvertible {
      let counter: Counter

      var description: String {
        counter.count += 1
        return "x"
      }
    }
    let counter = Counter()
    let large = Dictionary(uniqueKeysWithValues: (10...99).map { ($0, Entry(counter: counter)) })
    let text = "\(KeyValueTrace.Value(of: large))"
    #expect(text.replacing(#/\d\d: /#, with: "k: ") == "[k: x, k: x, k: x, … 90 elements]")
    #expect(counter.count == 3)
  }
}
