#if OrderedCollections
  import KeyValueObserving
  import KeyValueTestSupport
  import OrderedCollections
  import Testing

  @KeyValueObservable
  private final class Book {
    var chapters: OrderedSet<String> = ["a", "b", "c", "d"]
    var pages: [String]? = ["a", "b", "c", "d"]
  }

  /// An ordered set that only methods reach.
  @KeyValueObservable
  private final class Shelf {
    @KeyValueIgnored private(set) var stored: OrderedSet<String> = ["a", "b", "c", "d"]
    @KeyValueIgnored private(set) var calls: [String] = []

    func take() -> [String] {
      defer { calls = [] }
      return calls
    }

    func countOfBooks() -> Int { stored.count }
    func objectInBooks(at index: Int) -> String { stored[index] }
    func insertObject(_ book: String, inBooksAt index: Int) {
      calls.append("insert \(book) at \(index)")
      stored.insert(book, at: index)
    }
    func removeObject(fromBooksAt index: Int) {
      calls.append("remove at \(index)")
      stored.remove(at: index)
    }
    func replaceObject(inBooksAt index: Int, with book: String) {
      calls.append("replace at \(index) with \(book)")
      stored.remove(at: index)
      stored.insert(book, at: index)
    }

    func countOfFilms() -> Int { stored.count }
    func objectInFilms(at index: Int) -> String { stored[index] }
    func insertFilms(_ films: [String], at indexes: RangeSet<Int>) {
      calls.append("insert \(films)")
      for (film, index) in zip(films, indexes.ranges.joined()) { stored.insert(film, at: index) }
    }
    func removeFilms(at indexes: RangeSet<Int>) {
      calls.append("remove \(indexes)")
      for range in indexes.ranges.reversed() { stored.removeSubrange(range) }
    }
    func replaceFilms(at indexes: RangeSet<Int>, with films: [String]) {
      calls.append("replace \(indexes) with \(films)")
      for range in indexes.ranges.reversed() { stored.removeSubrange(range) }
      for (film, index) in zip(films, indexes.ranges.joined()) { stored.insert(film, at: index) }
    }
  }

  @Suite("C1, C2, C4. The operations of an ordered set's proxy")
  struct OrderedSetAlgebraTests {
    private let log = ChangeLog()
    private let book = Book()

    private var typed: KeyValueMutableOrderedSet<String> {
      book.mutableOrderedSetValue(for: \.chapters)
    }

    private func history(_ change: () throws -> Void) rethrows -> [String] {
      let token = book.observe(\.chapters, options: [.old, .new], changeHandler: log.handler(""))
      try change()
      token.invalidate()
      return log.take().map { String($0.dropFirst(2)) }
    }

    @Test("Set algebra is one change for each direction, and none if nothing changes")
    func algebra() {
      let chapters = typed
      #expect(
        history {
          chapters.formUnion(["b", "e", "a", "f", "e"])
          chapters.formUnion(["f", "a"])
          chapters.formUnion([])
        } == ["insertion, indexes: 4–5, new: [\"e\", \"f\"]"])
      #expect(
        history {
          chapters.subtract(["f", "x", "a", "b", "f"])
          chapters.subtract(["x"])
        } == ["removal, indexes: 0–1, 5, old: [\"a\", \"b\", \"f\"]"])
      #expect(
        history {
          chapters.formSymmetricDifference(["z", "d", "y", "d", "z"])
          chapters.formSymmetricDifference(["x"])
          chapters.formSymmetricDifference(["x"])
          chapters.formSymmetricDifference([])
        } == [
          "removal, indexes: 1, old: [\"d\"]", "insertion, indexes: 2–3, new: [\"z\", \"y\"]",
          "insertion, indexes: 4, new: [\"x\"]", "removal, indexes: 4, old: [\"x\"]",
        ])
      #expect(
        history {
          chapters.formIntersection(["y", "c", "q"])
          chapters.formIntersection(["c", "y"])
          chapters.formIntersection([])
          chapters.formIntersection([])
        } == [
          "removal, indexes: 1–2, old: [\"e\", \"z\"]",
          "removal, indexes: 0–1, old: [\"c\", \"y\"]",
        ])
      #expect(book.chapters == [])
    }

    @Test("The proxy may be its own argument")
    func itself() {
      let chapters = typed
      #expect(history { chapters.formUnion(chapters) } == [])
      #expect(history { chapters.formIntersection(chapters) } == [])
      #expect(
        history { chapters.formSymmetricDifference(chapters) } == [
          "removal, indexes: 0–3, old: [\"a\", \"b\", \"c\", \"d\"]"
        ])
      #expect(history { chapters.subtract(chapters) } == [])
    }

    @Test("Elements that are present are left out of an insertion")
    func insertion() {
      let chapters = typed
      #expect(
        history {
          chapters.insert(contentsOf: ["x", "c", "y", "x"], at: 1)
          chapters.insert(contentsOf: ["x", "c"], at: 0)
        } == ["insertion, indexes: 1–2, new: [\"x\", \"y\"]"])
      #expect(book.chapters == ["a", "x", "y", "b", "c", "d"])
    }

    @Test("Elements are removed from the ends, in a range and by a condition, each in one change")
    func removal() throws {
      struct Refusal: Error {}
      let chapters = typed
      chapters.append(contentsOf: ["e", "f", "g", "h"])
      #expect(
        history {
          chapters.removeFirst()
          chapters.removeLast()
          chapters.removeFirst(2)
          chapters.removeLast(1)
          chapters.removeFirst(0)
          chapters.removeSubrange(...0)
          chapters.removeSubrange(1..<1)
          chapters.removeAll { $0 > "e" }
          chapters.removeAll { $0 > "z" }
        } == [
          "removal, indexes: 0, old: [\"a\"]", "removal, indexes: 6, old: [\"h\"]",
          "removal, indexes: 0–1, old: [\"b\", \"c\"]", "removal, indexes: 3, old: [\"g\"]",
          "removal, indexes: 0, old: [\"d\"]", "removal, indexes: 1, old: [\"f\"]",
        ])
      #expect(book.chapters == ["e"])
      let told = history {
        chapters.append("x")
        #expect(throws: Refusal.self) { try chapters.removeAll { _ in throw Refusal() } }
        #expect(throws: Refusal.self) { try chapters.sort { _, _ in throw Refusal() } }
      }
      #expect(told == ["insertion, indexes: 1, new: [\"x\"]"])
    }

    @Test("A new order is one replacement, and none if it's the same order")
    func order() {
      let chapters = typed
      #expect(
        history {
          chapters.swapAt(3, 1)
          chapters.swapAt(2, 2)
          chapters.sort()
          chapters.sort()
          chapters.sort(by: >)
          chapters.reverse()
        } == [
          "replacement, indexes: 1, 3, old: [\"b\", \"d\"], new: [\"d\", \"b\"]",
          "replacement, indexes: 0–3, old: [\"a\", \"d\", \"c\", \"b\"], "
            + "new: [\"a\", \"b\", \"c\", \"d\"]",
          "replacement, indexes: 0–3, old: [\"a\", \"b\", \"c\", \"d\"], "
            + "new: [\"d\", \"c\", \"b\", \"a\"]",
          "replacement, indexes: 0–3, old: [\"d\", \"c\", \"b\", \"a\"], "
            + "new: [\"a\", \"b\", \"c\", \"d\"]",
        ])
      var expected = Array(book.chapters)
      let start = expected.partition { $0 < "c" }
      var told = history { #expect(chapters.partition { $0 < "c" } == start) }
      #expect(Array(book.chapters) == expected && told.count == 1)
      var (generator, other) = (Counting(), Counting())
      expected.shuffle(using: &other)
      told = history { chapters.shuffle(using: &generator) }
      #expect(Array(book.chapters) == expected && told.count <= 1)
      #expect(Set(book.chapters) == ["a", "b", "c", "d"])
    }

    @Test(
      "Moving several elements is a removal and an insertion, and nothing if they are there already"
    )
    func moving() {
      let chapters = typed
      let told = history {
        #expect(chapters.moveSubranges(RangeSet([0..<1, 3..<4]), to: 2) == 1..<3)
        #expect(chapters.moveSubranges(RangeSet([1..<3]), to: 1) == 1..<3)
        #expect(chapters.moveSubranges(RangeSet([1..<3]), to: 3) == 1..<3)
        #expect(chapters.moveSubranges(RangeSet([]), to: 3) == 3..<3)
        #expect(chapters.moveSubranges(RangeSet([0..<2]), to: 4) == 2..<4)
      }
      #expect(
        told == [
          "removal, indexes: 0, 3, old: [\"a\", \"d\"]",
          "insertion, indexes: 1–2, new: [\"a\", \"d\"]",
          "removal, indexes: 0–1, old: [\"b\", \"a\"]",
          "insertion, indexes: 2–3, new: [\"b\", \"a\"]",
        ])
      #expect(book.chapters == ["d", "c", "b", "a"])
    }

    /// The same operations on an ordered set of each kind.
    private func everything(_ set: KeyValueMutableOrderedSet<AnyHashable>) {
      set.formUnion(["b", "e"])
      set.subtract(["a", "d"])
      set.insert(contentsOf: ["x", "c"], at: 0)
      set.formSymmetricDifference(["b", "y"])
      set.swapAt(0, 3)
      set.sort { "\($0)" < "\($1)" }
      set.moveSubranges(RangeSet(0..<1), to: 3)
      set.replace(at: 0, with: "q")
      set.replace(at: 0, with: "y")
      set.formIntersection(["x", "q"])
      set.removeAll()
    }

    private static let before = [
      "insertion, indexes: 4, new: [\"e\"]", "removal, indexes: 0, 3, old: [\"a\", \"d\"]",
      "insertion, indexes: 0, new: [\"x\"]", "removal, indexes: 1, old: [\"b\"]",
      "insertion, indexes: 3, new: [\"y\"]",
    ]
    private static let exchange = [
      "replacement, indexes: 0, 3, old: [\"x\", \"y\"], new: [\"y\", \"x\"]"
    ]
    private static let sorting = [
      "replacement, indexes: 0–3, old: [\"y\", \"c\", \"e\", \"x\"], "
        + "new: [\"c\", \"e\", \"x\", \"y\"]"
    ]
    private static let after = [
      "removal, indexes: 0, old: [\"c\"]", "insertion, indexes: 2, new: [\"c\"]",
      "replacement, indexes: 0, old: [\"e\"], new: [\"q\"]",
      "removal, indexes: 2–3, old: [\"c\", \"y\"]", "removal, indexes: 0–1, old: [\"q\", \"x\"]",
    ]

    @Test("A proxy by key, of an ordered set or of an array, makes the same changes")
    func byKey() throws {
      for key in ["chapters", "pages"] {
        let token = try book.observe(key, options: [.old, .new]) { [log] _, change in
          log.note("\(change)")
        }
        everything(try book.mutableOrderedSetValue(forKey: key))
        #expect(log.take() == Self.before + Self.exchange + Self.sorting + Self.after)
        token.invalidate()
      }
    }

    @Test("Accessors that replace several elements are called once for a new order")
    func accessorsForSeveral() throws {
      let shelf = Shelf()
      let token = try shelf.observe("films", options: [.old, .new]) { [log] _, change in
        log.note("\(change)")
      }
      everything(try shelf.mutableOrderedSetValue(forKey: "films"))
      #expect(log.take() == Self.before + Self.exchange + Self.sorting + Self.after)
      #expect(shelf.take().count == 12)
      token.invalidate()
    }

    @Test("With an accessor that replaces one element, a new order is a removal and an insertion")
    func accessorsForOne() throws {
      let shelf = Shelf()
      let token = try shelf.observe("books", options: [.old, .new]) { [log] _, change in
        log.note("\(change)")
      }
      let books = try shelf.mutableOrderedSetValue(forKey: "books")
      everything(books)
      #expect(
        log.take() == Self.before + [
          "removal, indexes: 0, 3, old: [\"x\", \"y\"]",
          "insertion, indexes: 0, 3, new: [\"y\", \"x\"]",
          "removal, indexes: 0–3, old: [\"y\", \"c\", \"e\", \"x\"]",
          "insertion, indexes: 0–3, new: [\"c\", \"e\", \"x\", \"y\"]",
        ] + Self.after)
      #expect(shelf.take().contains("replace at 0 with q"))
      #expect(shelf.stored == [])
      token.invalidate()
    }
  }

  /// Random numbers that are the same each time.
  private struct Counting: RandomNumberGenerator {
    var state: UInt64 = 7

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state
    }
  }
#endif
