import Foundation
import KeyValueObserving
import Testing

// The target's default isolation is the main actor: nothing here says so.

// snippet AModelInSwift6 3
@KeyValueObservable
final class Shelf: Codable {
  var books: [String] = []
  var count: Int { books.count }
  init() {}
}

func observed(_ shelf: Shelf) -> KeyValueObservation {
  shelf.kvo.count.observe(options: [.old, .new]) { shelf, change in
    print(shelf.books, change)
  }
}
// end

/// What the handler has printed.
private var printed: [String] = []

private func print(_ items: Any...) {
  printed.append(items.map { "\($0)" }.joined(separator: " "))
}

@Suite("A target with default isolation")
struct DefaultIsolationTests {
  @Test("A class and its conformances are isolated, and its handlers run on its actor")
  func isolated() throws {
    let shelf = Shelf()
    let observation = observed(shelf)
    shelf.books.append("Emma")
    #expect(printed == [#"["Emma"] setting, old: 0, new: 1"#])
    observation.invalidate()
    let data = try JSONEncoder().encode(shelf)
    #expect(String(decoding: data, as: UTF8.self) == #"{"books":["Emma"]}"#)
    #expect(try JSONDecoder().decode(Shelf.self, from: data).books == ["Emma"])
    #expect(throws: KeyValueCodingError.self) { try shelf.setValue(1, forKey: "books") }
  }
}
