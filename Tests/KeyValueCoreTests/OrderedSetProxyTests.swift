#if OrderedCollections
  import KeyValueObserving
  import KeyValueTestSupport
  import OrderedCollections
  import Testing

  @KeyValueObservable
  private final class Shelf {
    var books: OrderedSet<String> = ["a", "b", "c", "d"]
    var spares: OrderedSet<String>?
    @NotifiesManually var sealed: OrderedSet<String> = ["a"]
  }

  @KeyValueObservable
  private final class ManualShelf {
    @NotifiesManually var books: OrderedSet<String> = []
    @NotifiesManually var spares: OrderedSet<String>?
  }

  @KeyValueObservable
  private final class Gaps {
    var names: OrderedSet<String?> = [nil, "a"]
    var list: [String?] = [nil, "a"]
  }

  @Suite("C1, C4. An ordered set through the proxy of an array")
  struct OrderedSetProxyTests {
    private let log = ChangeLog()
    private let shelf = Shelf()
    private let books: KeyValueMutableArray<Any>

    init() throws {
      books = try shelf.mutableArrayValue(forKey: "books")
    }

    /// What an observer receives for the change, without priors.
    private func history(_ change: () -> Void) -> [String] {
      let token = shelf.observe(
        \.books, options: [.old, .new, .prior], changeHandler: log.handler("books"))
      change()
      token.invalidate()
      return log.take().filter { !$0.hasSuffix("prior") }
    }

    @Test("C3 A proxy by key finds nil like any other element, in an ordered set and in an array")
    func nilElement() throws {
      let gaps = Gaps()
      for key in ["names", "list"] {
        let proxy = try gaps.mutableOrderedSetValue(forKey: key)
        #expect(proxy.firstIndex(of: AnyHashable(String?.none)) == 0)
        proxy.append(contentsOf: [AnyHashable(Int?.none), AnyHashable("b")])
        proxy.formIntersection([AnyHashable(String?.none), AnyHashable("b")])
      }
      #expect(gaps.names == [nil, "b"] && gaps.list == [nil, "b"])
    }

    @Test("M1 Typed paths announce changes of ordered sets, also of optional ones")
    func announced() {
      let manual = ManualShelf()
      let tokens = [
        manual.observe(\.books, options: [.old, .new], changeHandler: log.handler("books")),
        manual.observe(\.spares, options: [.old, .new], changeHandler: log.handler("spares")),
      ]
      let first = RangeSet(0..<1)
      manual.willChange(.insertion, valuesAt: first, for: \.books)
      manual.books.append("a")
      manual.didChange(.insertion, valuesAt: first, for: \.books)
      manual.spares = ["b"]
      manual.willChange(.removal, valuesAt: first, for: \.spares)
      manual.spares?.remove("b")
      manual.didChange(.removal, valuesAt: first, for: \.spares)
      #expect(
        log.take() == [
          #"books: insertion, indexes: 0, new: ["a"]"#, #"spares: removal, indexes: 0, old: ["b"]"#,
        ])
      withExtendedLifetime(tokens) {}
    }

    @Test("Exchanging elements, adjacent or apart, is one replacement")
    func swapping() {
      #expect(
        history { books.swapAt(0, 2) } == [
          "books: replacement, indexes: 0, 2, old: [\"a\", \"c\"], new: [\"c\", \"a\"]"
        ])
      #expect(shelf.books == ["c", "b", "a", "d"])
      #expect(
        history { books.swapAt(3, 2) } == [
          "books: replacement, indexes: 2–3, old: [\"a\", \"d\"], new: [\"d\", \"a\"]"
        ])
      #expect(shelf.books == ["c", "b", "d", "a"])
      #expect(
        history { books.sort { "\($0)" < "\($1)" } } == [
          "books: replacement, indexes: 0–3, old: [\"c\", \"b\", \"d\", \"a\"], "
            + "new: [\"a\", \"b\", \"c\", \"d\"]"
        ])
      #expect(history { books.reverse() }.count == 1)
      #expect(shelf.books == ["d", "c", "b", "a"])
    }

    @Test("An element may replace itself, and take the place of a removed element")
    func ownPlace() {
      #expect(
        history { books[1] = "b" } == [
          "books: replacement, indexes: 1, old: [\"b\"], new: [\"b\"]"
        ])
      #expect(
        history { books.replaceSubrange(0..<2, with: ["b", "x"]) } == [
          "books: replacement, indexes: 0–1, old: [\"a\", \"b\"], new: [\"b\", \"x\"]"
        ])
      #expect(
        history { books.replaceSubrange(0..<2, with: ["b"]) } == [
          "books: removal, indexes: 0–1, old: [\"b\", \"x\"]",
          "books: insertion, indexes: 0, new: [\"b\"]",
        ])
      #expect(shelf.books == ["b", "c", "d"])
      #expect(
        history { books.insert(contentsOf: ["y", "z"], at: RangeSet([0..<1, 4..<5])) } == [
          "books: insertion, indexes: 0, 4, new: [\"y\", \"z\"]"
        ])
      #expect(shelf.books == ["y", "b", "c", "d", "z"])
    }

    @Test("Many elements enter, take each other's places and leave as in an array")
    func several() {
      var generator = SeededGenerator(seed: 9)
      var next = 0
      func fresh(_ count: Int) -> [String] {
        next += count
        return (next - count..<next).map { "\($0)" }
      }
      for round in 0..<TestVolume.either(200, few: 30, full: 2_000) {
        var expected = fresh(Int.random(in: 1...12, using: &generator))
        shelf.books = OrderedSet(expected)
        let entering = fresh(Int.random(in: 1...12, using: &generator))
        var indexes = (0..<expected.count + entering.count).shuffled(using: &generator)
          .prefix(entering.count).sorted()
        for (index, book) in zip(indexes, entering) { expected.insert(book, at: index) }
        books.insert(contentsOf: entering as [Any], at: RangeSet(indexes.map { $0..<$0 + 1 }))
        #expect(Array(shelf.books) == expected, "insertion, round \(round)")

        indexes = expected.indices.shuffled(using: &generator).prefix(entering.count).sorted()
        let places = RangeSet(indexes.map { $0..<$0 + 1 })
        let replacing = indexes.map { expected[$0] }.shuffled(using: &generator)
        for (index, book) in zip(indexes, replacing) { expected[index] = book }
        books.replace(at: places, with: replacing as [Any])
        #expect(Array(shelf.books) == expected, "replacement, round \(round)")

        for index in indexes.reversed() { expected.remove(at: index) }
        books.remove(at: places)
        #expect(Array(shelf.books) == expected, "removal, round \(round)")
        #expect(expected.allSatisfy { shelf.books.contains($0) })
      }
    }

    @Test("Undoing an exchange exchanges the elements again")
    func undoing() throws {
      let recorder = KeyValueChangeRecorder()
      try recorder.record(shelf, "books")
      books.swapAt(0, 3)
      #expect(try recorder.undo() && shelf.books == ["a", "b", "c", "d"])
      #expect(try recorder.redo() && shelf.books == ["d", "b", "c", "a"])
      try recorder.undo()
      books.remove(at: 1)
      recorder.stopRecording(shelf)
      shelf.books.append("b")
      let error = #expect(throws: KeyValueCodingError.self) { try recorder.undo() }
      #expect(
        "\(error!)"
          == "Shelf.books has no such index: the recorded change was at 1, and \"b\" is there already; "
          + "something changed them without being recorded. Set them back, or begin "
          + "anew with the recorder's removeAll(), and record what else changes them.")
      #expect(shelf.books == ["a", "c", "d", "b"])
    }

    @Test("An observer of a removal may add the elements again that are about to enter")
    func addedAgain() async {
      await #expect(processExitsWith: .success) {
        let (shelf, log) = (Shelf(), ChangeLog())
        let token = shelf.observe(\.books, options: [.old, .new]) { shelf, change in
          log.note("books", change)
          if change.kind == .removal { shelf.books = ["a"] }
        }
        shelf.mutableOrderedSetValue(for: \.books).move(from: 0, to: 3)
        shelf.books = ["b", "c"]
        try shelf.mutableArrayValue(forKey: "books").replaceSubrange(0..<2, with: ["a", "x", "y"])
        #expect(
          log.take() == [
            #"books: removal, indexes: 0, old: ["a"]"#,
            #"books: setting, old: ["b", "c", "d"], new: ["a"]"#,
            #"books: setting, old: ["a"], new: ["b", "c"]"#,
            #"books: removal, indexes: 0–1, old: ["b", "c"]"#,
            #"books: setting, old: [], new: ["a"]"#,
            #"books: insertion, indexes: 0–1, new: ["x", "y"]"#,
          ])
        token.invalidate()
      }
    }

    @Test("C7 Elements that a prior's handler has put into the set aren't inserted a second time")
    func addedInPrior() async {
      await #expect(processExitsWith: .success) {
        let (shelf, log) = (Shelf(), ChangeLog())
        let token = shelf.observe(\.books, options: [.old, .new, .prior]) { shelf, change in
          if change.isPrior, change.kind != .setting { return shelf.books = ["z", "x"] }
          if change.kind != .setting { log.note("books", change) }
        }
        let books = shelf.mutableOrderedSetValue(for: \.books)
        #expect(books.append("x"))
        #expect(shelf.books == ["z", "x"])
        books.append(contentsOf: ["a", "b"])
        #expect(shelf.books == ["z", "x", "a", "b"])
        #expect(books.replace(at: 3, with: "y"))
        #expect(shelf.books == ["z", "x"])
        shelf.books = ["a", "b"]
        #expect(books.replace(at: 0, with: "x"))
        #expect(shelf.books == ["z", "x"])
        #expect(
          log.take() == [
            #"books: insertion, indexes: 4, new: []"#,
            #"books: insertion, indexes: 2–3, new: ["a", "b"]"#,
            #"books: replacement, indexes: 3, old: ["b"], new: []"#,
            #"books: replacement, indexes: 0, old: ["a"], new: []"#,
          ])
        token.invalidate()
      }
    }

    @Test("G3 an element that an observer of its removal has put back isn't inserted by a record")
    func appliedAgain() throws {
      let classes = [KeyValueLogClass(Shelf.self) { _ in Shelf() }]
      let original = try KeyValueChangeLog(of: shelf, classes: classes)
      let copy = try KeyValueChangeLog(
        restoring: original.snapshot(), as: Shelf.self, classes: classes)
      var records: [KeyValueTransactionRecord] = []
      let recording = original.observe { records.append($0) }
      shelf.mutableOrderedSetValue(for: \.books).move(from: 0, to: 3)
      recording.invalidate()
      let token = copy.root.observe(\.books) { shelf, change in
        if change.kind == .removal { shelf.books = ["a"] }
      }
      try copy.apply(try #require(records.first))
      #expect(copy.root.books == ["a"])
      token.invalidate()
    }

    // MARK: Refusals

    private static func refusal(_ element: String, _ key: String = "books") -> String {
      "\"\(element)\" was to enter Shelf.\(key), an ordered set that has it already or was given it "
        + "twice. mutableOrderedSetValue leaves out what is there."
    }

    /// The messages of the fatal errors in a process's output.
    private func said(_ result: ExitTest.Result?) throws -> [String] {
      let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      return output.split(separator: "\n").compactMap { line in
        line.firstRange(of: "Fatal error: ").map { String(line[$0.upperBound...]) }
      }
    }

    /// Makes a change that must not notify observers.
    private static func change(
      _ key: String = "books", _ body: (KeyValueMutableArray<Any>) -> Void
    ) throws {
      let shelf = Shelf()
      let token = shelf.observe(\.books, options: .prior) { _, _ in fatalError("told") }
      body(try shelf.mutableArrayValue(forKey: key))
      withExtendedLifetime(token) {}
    }

    @Test("An element that is already present is refused before observers are notified")
    func present() async throws {
      var result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try OrderedSetProxyTests.change { $0.append("a") }
      }
      #expect(try said(result) == [Self.refusal("a")])
      result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try OrderedSetProxyTests.change { $0.append(contentsOf: ["z", "b"]) }
      }
      #expect(try said(result) == [Self.refusal("b")])
      result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try OrderedSetProxyTests.change { $0[0] = "c" }
      }
      #expect(try said(result) == [Self.refusal("c")])
      result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try OrderedSetProxyTests.change { $0.replaceSubrange(0..<2, with: ["x", "d"]) }
      }
      #expect(try said(result) == [Self.refusal("d")])
      result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try OrderedSetProxyTests.change { $0.replaceSubrange(0..<1, with: ["x", "d"]) }
      }
      #expect(try said(result) == [Self.refusal("d")])
    }

    @Test(
      "A duplicate is refused, even if the set is nil or the key notifies manually"
    )
    func twice() async throws {
      var result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try OrderedSetProxyTests.change { $0.insert(contentsOf: ["x", "x"], at: 0) }
      }
      #expect(try said(result) == [Self.refusal("x")])
      result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try OrderedSetProxyTests.change("spares") { $0.append(contentsOf: ["x", "x"]) }
      }
      #expect(try said(result) == [Self.refusal("x", "spares")])
      result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try OrderedSetProxyTests.change("sealed") { $0.append("a") }
      }
      #expect(try said(result) == [Self.refusal("a", "sealed")])
    }
  }
#endif
