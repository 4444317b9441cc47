import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("performChanges: changes of one collection are merged")
struct TransactionCollectionTests {
  private let log = ChangeLog()
  private let person = Person()

  private func watch(
    _ keyPath: String, of object: some KeyValueObservable,
    _ options: KeyValueObservingOptions = [.old, .new]
  ) throws -> KeyValueObservation {
    try object.observe(keyPath, options: options, changeHandler: log.handler(keyPath))
  }

  /// The changes delivered to observers of the books for changes made in one transaction.
  private func told(
    _ books: [String], _ options: KeyValueObservingOptions = [.old, .new],
    _ changes: (KeyValueMutableArray<String>, Person) -> Void
  ) throws -> [String] {
    person.books = books
    let token = try watch("books", of: person, options)
    let typed = person.observe(\.books, options: options, changeHandler: log.handler("books"))
    person.performChanges { changes($0.mutableArrayValue(for: \.books), $0) }
    typed.invalidate()
    token.invalidate()
    let lines = log.take()
    // Both observers receive the same changes, one after the other.
    let half = lines.count / 2
    #expect(Array(lines[..<half]) == Array(lines[half...]))
    return Array(lines[..<half]).map { String($0.dropFirst("books: ".count)) }
  }

  @Test("Insertions merge into one, with the elements' final indexes")
  func insertions() throws {
    let lines = try told(["A", "B"]) { books, _ in
      books.append("C")
      books.insert("0", at: 0)
      books.insert("1", at: 2)
    }
    #expect(person.books == ["0", "A", "1", "B", "C"])
    #expect(lines == ["insertion, indexes: 0, 2, 4, new: [\"0\", \"1\", \"C\"]"])
  }

  @Test("Removals merge into one, with the elements' original indexes")
  func removals() throws {
    let lines = try told(["A", "B", "C", "D", "E"]) { books, _ in
      books.remove(at: 1)
      books.remove(at: 1)
      books.removeLast()
    }
    #expect(person.books == ["A", "D"])
    #expect(lines == ["removal, indexes: 1–2, 4, old: [\"B\", \"C\", \"E\"]"])
  }

  @Test("Replacements merge into one, with the original and the final elements")
  func replacements() throws {
    let lines = try told(["A", "B", "C"]) { books, _ in
      books[0] = "x"
      books.swapAt(0, 2)
      books[2] = "y"
    }
    #expect(lines == ["replacement, indexes: 0, 2, old: [\"A\", \"C\"], new: [\"C\", \"y\"]"])
  }

  @Test("Mixed changes become a removal and an insertion, or a replacement at the same indexes")
  func mixed() throws {
    var lines = try told(["A", "B", "C"]) { books, _ in
      books.append("D")
      books.remove(at: 0)
      books[0] = "x"
      books.insert("0", at: 0)
      books.remove(at: 3)
    }
    #expect(person.books == ["0", "x", "C"])
    #expect(lines == ["replacement, indexes: 0–1, old: [\"A\", \"B\"], new: [\"0\", \"x\"]"])
    lines = try told(["A", "B", "C"]) { books, _ in
      books.move(from: 0, to: 2)
      books.append("D")
    }
    #expect(
      lines == [
        "removal, indexes: 0, old: [\"A\"]", "insertion, indexes: 2–3, new: [\"A\", \"D\"]",
      ])
  }

  @Test("An element inserted and removed isn't reported; changes that cancel out are one setting")
  func cancelled() throws {
    var lines = try told(["A"]) { books, _ in
      books.append("B")
      books.removeLast()
    }
    #expect(lines == ["setting, old: [\"A\"], new: [\"A\"]"])
    lines = try told(["A"]) { books, _ in
      books.append("B")
      books.append("C")
      books.remove(at: 1)
    }
    #expect(lines == ["insertion, indexes: 1, new: [\"C\"]"])
  }

  @Test("X1 N7 The old value of a collection that was nil is nil, although a proxy made it")
  func createdFromNil() throws {
    let cabinet = Cabinet()
    let tokens = [
      try watch("list", of: cabinet),
      cabinet.observe(\.list, options: [.old, .new], changeHandler: log.handler("typed")),
    ]
    let list = try cabinet.mutableArrayValue(forKey: "list")
    func told(_ changes: (Cabinet) -> Void) -> [String] {
      cabinet.list = nil
      _ = log.take()
      cabinet.performChanges { changes($0) }
      return log.take()
    }
    #expect(
      told {
        list.append("a")
        $0.list = ["b"]
      } == [#"list: setting, old: nil, new: ["b"]"#, #"typed: setting, old: nil, new: ["b"]"#])
    #expect(
      told { _ in
        list.append("a")
        list.remove(at: 0)
      } == ["list: setting, old: nil, new: []", "typed: setting, old: nil, new: []"])
    #expect(
      told { _ in list.append("a") } == [
        #"list: insertion, indexes: 0, new: ["a"]"#, #"typed: insertion, indexes: 0, new: ["a"]"#,
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("Changes mixed with an assignment become one setting, in either order")
  func settings() throws {
    var lines = try told(["A", "B"]) { books, person in
      books.append("C")
      books.insert("0", at: 0)
      person.books = ["X"]
      books.append("Y")
    }
    #expect(lines == ["setting, old: [\"A\", \"B\"], new: [\"X\", \"Y\"]"])
    lines = try told(["A", "B"]) { books, person in
      person.books.append("C")
      books.append("D")
    }
    #expect(lines == ["setting, old: [\"A\", \"B\"], new: [\"A\", \"B\", \"C\", \"D\"]"])
    lines = try told(["A", "B"], []) { books, person in
      books.append("C")
      person.books.append("D")
    }
    #expect(lines == ["setting"])
  }

  @Test("With element changes, assignments are reported as their difference")
  func elementChanges() throws {
    let lines = try told(["A", "B"], [.old, .new, .elementChanges]) { _, person in
      person.books = []
      person.books = ["A", "B", "C", "D"]
      person.books.removeFirst()
    }
    #expect(
      lines == [
        "removal, indexes: 0, old: [\"A\"]", "insertion, indexes: 1–2, new: [\"C\", \"D\"]",
      ])
  }

  @Test("Many scattered changes become one setting")
  func fragmented() throws {
    var lines = try told((0..<3000).map(String.init)) { books, _ in
      for index in 0..<1000 { books.insert("x", at: index * 3) }
    }
    #expect(lines.map { String($0.prefix(25)) } == ["setting, old: [\"0\", \"1\", "])
    #expect(person.books.count == 4000)
    lines = try told((0..<3000).map(String.init), .new) { books, _ in
      for index in 0..<1000 { books.append("\(index)") }
    }
    #expect(lines.map { String($0.prefix(36)) } == ["insertion, indexes: 3000–3999, new: "])
  }

  @Test("Set changes report the elements that entered and left in the end")
  func sets() throws {
    person.tags = ["a", "b"]
    let tokens = [try watch("tags", of: person), try watch("tags", of: person, [])]
    let tags = person.mutableSetValue(for: \.tags)
    person.performChanges { _ in
      tags.insert("c")
      tags.insert("d")
      tags.remove("d")
    }
    #expect(log.take() == ["tags: insertion, new: [\"c\"]", "tags: insertion"])
    person.performChanges { _ in
      tags.remove("c")
      tags.remove("b")
      tags.insert("b")
    }
    #expect(log.take() == ["tags: removal, old: [\"c\"]", "tags: removal"])
    person.performChanges { _ in
      tags.remove("a")
      tags.insert("x")
    }
    #expect(
      log.take() == ["tags: replacement, old: [\"a\"], new: [\"x\"]", "tags: replacement"])
    person.performChanges { _ in
      tags.remove("x")
      tags.insert("x")
    }
    #expect(log.take().map { $0.prefix(13) } == ["tags: setting", "tags: setting"])
    person.performChanges { person in
      tags.removeAll()
      person.tags = ["z"]
    }
    #expect(log.take()[1] == "tags: setting")
    withExtendedLifetime(tokens) {}
  }

  @Test(
    "C7 X1 What a prior's handler leaves of an operation is merged with the indexes that it has")
  func fittedAfterPriors() {
    let books = person.mutableArrayValue(for: \.books)
    func told(_ change: (KeyValueMutableArray<String>) -> Void) -> [String] {
      person.books = ["a", "b", "c"]
      let token = person.observe(\.books, options: [.old, .new, .prior]) { [log] _, change in
        log.note("books", change)
        if change.isPrior { books.removeLast(2) }
      }
      person.performChanges { _ in change(books) }
      token.invalidate()
      return log.take()
    }
    let beginning = [
      #"books: setting, old: ["a", "b", "c"], prior"#,
      #"books: removal, indexes: 1–2, old: ["b", "c"]"#,
    ]
    #expect(
      told { $0.append("d") } == beginning + [#"books: insertion, indexes: 1, new: ["d"]"#])
    #expect(
      told { $0.insert(contentsOf: ["d", "e"], at: RangeSet([0..<1, 4..<5])) }
        == beginning + [#"books: insertion, indexes: 0, 2, new: ["d", "e"]"#])
    #expect(
      told { $0.remove(at: RangeSet([0..<1, 2..<3])) } == [
        #"books: setting, old: ["a", "b", "c"], prior"#,
        #"books: removal, indexes: 0–2, old: ["a", "b", "c"]"#,
      ])
  }

  @Test("Changes through a proxy over accessors notify once, with the proxy's indexes")
  func accessors() throws {
    let cabinet = Cabinet()
    let texts = try cabinet.mutableArrayValue(forKey: "texts")
    let tokens = [try watch("texts", of: cabinet), try watch("numbers", of: cabinet)]
    cabinet.performChanges { _ in
      texts.append("1")
      texts.append("2")
      texts.remove(at: 0)
    }
    #expect(
      log.take() == [
        "texts: insertion, indexes: 0, new: [\"2\"]", "numbers: setting, old: [], new: [2]",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("An append through a proxy copies nothing, whatever values are requested")
  func copies() throws {
    let count = 20_000
    person.books = Array(repeating: "A", count: count)
    let token = try watch("books", of: person, [.old, .new])
    func address() -> UInt {
      person.books.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }
    person.books.reserveCapacity(2 * count)
    let books = person.mutableArrayValue(for: \.books)
    let before = address()
    for _ in 0..<100 {
      person.performChanges { _ in
        books.append("B")
        books.append("C")
      }
    }
    #expect(address() == before)
    withExtendedLifetime(token) {}
  }
}
