import KeyValueObserving
import Testing

@Suite("C. To-many: methods spelled like Objective-C's selectors")
struct SelectorSpellingTests {
  /// The calls and the delivered changes of a fixed series of changes through a key's proxy.
  private func edit(_ key: String) throws -> (calls: [String], heard: [String]) {
    let shelf = Shelf()
    var heard: [String] = []
    let token = try shelf.observe(key, options: [.old, .new]) { heard.append("\($1)") }
    let books = try shelf.mutableArrayValue(forKey: key)
    books.append("a")
    books.insert(contentsOf: ["b", "c"], at: RangeSet([0..<1, 2..<3]))
    books[1] = "A"
    books.remove(at: 0)
    #expect(try shelf.value(forKey: key) as? [String] == ["A", "c"])
    books.removeAll()
    token.invalidate()
    return (shelf.calls, heard)
  }

  private let told = [
    #"insertion, indexes: 0, new: ["a"]"#, #"insertion, indexes: 0, 2, new: ["b", "c"]"#,
    #"replacement, indexes: 1, old: ["a"], new: ["A"]"#, #"removal, indexes: 0, old: ["b"]"#,
    #"removal, indexes: 0–1, old: ["A", "c"]"#,
  ]

  @Test("C4 A proxy calls methods with labels that end in AtIndex")
  func labels() throws {
    let (calls, heard) = try edit("books")
    #expect(
      calls == [
        "insert a 0", "insert b 0", "insert c 2", "replace 1 A", "remove 0", "remove 1", "remove 0",
      ])
    #expect(heard == told)
  }

  @Test("C4 A proxy calls methods named like a selector's first part")
  func names() throws {
    let (calls, heard) = try edit("discs")
    #expect(
      calls == [
        "insert a 0", "insert b 0", "insert c 2", "replace 1 A", "remove 0", "remove 1", "remove 0",
      ])
    #expect(heard == told)
  }

  @Test("C4 A proxy calls batch methods with labels that end in AtIndexes")
  func severalByLabel() throws {
    let (calls, heard) = try edit("films")
    #expect(
      calls == [
        #"insert ["a"] [0]"#, #"insert ["b", "c"] [0, 2]"#, #"replace [1] ["A"]"#, "remove [0]",
        "remove [0, 1]",
      ])
    #expect(heard == told)
  }

  @Test("C4 A proxy calls batch methods with names that end in AtIndexes")
  func severalByName() throws {
    let (calls, heard) = try edit("tapes")
    #expect(
      calls == [
        #"insert ["a"] [0]"#, #"insert ["b", "c"] [0, 2]"#, #"replace [1] ["A"]"#, "remove [0]",
        "remove [0, 1]",
      ])
    #expect(heard == told)
  }
}

/// Four keys that only methods implement, all over the same list.
@KeyValueObservable
private final class Shelf {
  @KeyValueIgnored var list: [String] = []
  @KeyValueIgnored var calls: [String] = []

  private func insert(_ element: String, _ index: Int) {
    calls.append("insert \(element) \(index)")
    list.insert(element, at: index)
  }

  private func remove(_ index: Int) {
    calls.append("remove \(index)")
    list.remove(at: index)
  }

  private func replace(_ index: Int, _ element: String) {
    calls.append("replace \(index) \(element)")
    list[index] = element
  }

  private func insertAll(_ elements: [String], _ indexes: RangeSet<Int>) {
    calls.append("insert \(elements) \(indexes.ranges.flatMap { $0 })")
    for (element, index) in zip(elements, indexes.ranges.flatMap { $0 }) {
      list.insert(element, at: index)
    }
  }

  private func removeAll(_ indexes: RangeSet<Int>) {
    calls.append("remove \(indexes.ranges.flatMap { $0 })")
    list.removeSubranges(indexes)
  }

  private func replaceAll(_ indexes: RangeSet<Int>, _ elements: [String]) {
    calls.append("replace \(indexes.ranges.flatMap { $0 }) \(elements)")
    for (element, index) in zip(elements, indexes.ranges.flatMap { $0 }) { list[index] = element }
  }

  func countOfBooks() -> Int { list.count }
  func objectInBooksAtIndex(_ index: Int) -> String { list[index] }
  func insertObject(_ book: String, inBooksAtIndex index: Int) { insert(book, index) }
  func removeObject(fromBooksAtIndex index: Int) { remove(index) }
  func replaceObject(inBooksAtIndex index: Int, with book: String) { replace(index, book) }

  func countOfDiscs() -> Int { list.count }
  func objectInDiscs(atIndex index: Int) -> String { list[index] }
  func insertObject(_ disc: String, inDiscsAtIndex index: Int) { insert(disc, index) }
  func removeObjectFromDiscsAtIndex(_ index: Int) { remove(index) }
  func replaceObjectInDiscsAtIndex(_ index: Int, withObject disc: String) { replace(index, disc) }

  func countOfFilms() -> Int { list.count }
  func objectInFilmsAtIndex(_ index: Int) -> String { list[index] }
  func insertFilms(_ films: [String], atIndexes indexes: RangeSet<Int>) {
    insertAll(films, indexes)
  }
  func removeFilms(atIndexes indexes: RangeSet<Int>) { removeAll(indexes) }
  func replaceFilms(atIndexes indexes: RangeSet<Int>, with films: [String]) {
    replaceAll(indexes, films)
  }

  func countOfTapes() -> Int { list.count }
  func objectInTapesAtIndex(_ index: Int) -> String { list[index] }
  func insertTapes(_ tapes: [String], atIndexes indexes: RangeSet<Int>) {
    insertAll(tapes, indexes)
  }
  func removeTapesAtIndexes(_ indexes: RangeSet<Int>) { removeAll(indexes) }
  func replaceTapesAtIndexes(_ indexes: RangeSet<Int>, withTapes tapes: [String]) {
    replaceAll(indexes, tapes)
  }
}
