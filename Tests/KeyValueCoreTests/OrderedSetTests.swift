#if OrderedCollections
  import KeyValueObserving
  import KeyValueTestSupport
  import OrderedCollections
  import Testing

  @KeyValueObservable
  private final class Book {
    var chapters: OrderedSet<String> = []
  }

  @KeyValueObservable
  private final class Chapter: Hashable {
    var length: Int

    init(_ length: Int) {
      self.length = length
    }

    static func == (left: Chapter, right: Chapter) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  @KeyValueObservable
  private final class Novel {
    var chapters: OrderedSet<Chapter> = []
    var total: Int { chapters.reduce(0) { $0 + $1.length } }
  }

  @Suite("C1, C4, C8. Ordered sets, with the trait OrderedCollections")
  struct OrderedSetTests {
    private let log = ChangeLog()

    @Test("A proxy announces kinds and indexes, and nothing for elements already present")
    func proxy() throws {
      let book = Book()
      let token = book.observe(
        \.chapters, options: [.old, .new], changeHandler: log.handler("chapters"))
      let chapters = book.mutableOrderedSetValue(for: \.chapters)
      chapters.append("One")
      chapters.append(contentsOf: ["One", "Two", "Three", "Two"])
      chapters.append("Two")
      chapters.replace(at: 0, with: "Zero")
      chapters.move(from: 0, to: 2)
      // The elements are there already.
      chapters.move(from: 1, to: 1)
      chapters.moveSubranges(RangeSet(0..<2), to: 0)
      chapters.remove("Three")
      #expect(
        log.take() == [
          "chapters: insertion, indexes: 0, new: [\"One\"]",
          "chapters: insertion, indexes: 1–2, new: [\"Two\", \"Three\"]",
          "chapters: replacement, indexes: 0, old: [\"One\"], new: [\"Zero\"]",
          "chapters: removal, indexes: 0, old: [\"Zero\"]",
          "chapters: insertion, indexes: 2, new: [\"Zero\"]",
          "chapters: removal, indexes: 1, old: [\"Three\"]",
        ])
      #expect(book.chapters == ["Two", "Zero"])
      #expect(chapters.description == "[\"Two\", \"Zero\"]")
      let untyped = try book.mutableOrderedSetValue(forKey: "chapters")
      #expect(!untyped.append("Two"))
      token.invalidate()
    }

    @Test("With elementChanges, direct mutation is delivered element by element")
    func elementChanges() {
      let book = Book()
      let token = book.observe(
        \.chapters, options: [.old, .new, .elementChanges], changeHandler: log.handler("chapters"))
      book.chapters.append("One")
      book.chapters = ["Two", "One"]
      #expect(
        log.take() == [
          "chapters: insertion, indexes: 0, new: [\"One\"]",
          "chapters: insertion, indexes: 0, new: [\"Two\"]",
        ])
      token.invalidate()
    }

    private let novel = Novel()

    /// Makes changes and compares what four observers receive with the elements, counted again.
    private func follow(_ steps: [(String, (Novel) -> Void)]) throws {
      let tokens = try ["chapters.@sum.length", "chapters.@max.length", "chapters.length", "total"]
        .map { path in
          try novel.observe(path, options: .new) { [log] _, change in
            log.note("\(path) \((change.newValue ?? nil).map { "\($0)" } ?? "nil")")
          }
        }
      for (name, step) in steps {
        step(novel)
        let lengths = novel.chapters.map(\.length)
        let sum = lengths.reduce(0, +)
        #expect(
          log.take() == [
            "chapters.@sum.length \(sum)",
            "chapters.@max.length \(lengths.max().map { "\($0)" } ?? "nil")",
            "chapters.length \(OrderedSet(lengths))", "total \(sum)",
          ], "\(name)")
      }
      for token in tokens { token.invalidate() }
    }

    @Test("P7 Paths through an ordered set follow its changes in plain Swift")
    func elementsInPlace() throws {
      let (one, two, three) = (Chapter(1), Chapter(2), Chapter(3))
      try follow([
        ("append", { $0.chapters.append(one) }), ("append again", { $0.chapters.append(one) }),
        ("append(contentsOf:)", { $0.chapters.append(contentsOf: [two, one, three]) }),
        ("length", { _ in two.length = 20 }), ("swapAt", { $0.chapters.swapAt(0, 2) }),
        ("remove(at:)", { $0.chapters.remove(at: 1) }),
        ("mortal", { $0.chapters.insert(Chapter(7), at: 0) }),
        ("new at once", { replaceFirst(in: &$0.chapters, with: Chapter(8)) }),
        ("reverse", { $0.chapters.reverse() }),
        ("sort", { $0.chapters.sort { $0.length < $1.length } }),
        ("formUnion", { $0.chapters.formUnion([two, Chapter(9)]) }),
        ("subtract", { $0.chapters.subtract([one, three]) }),
        ("removeLast", { $0.chapters.removeLast() }),
        ("assigned", { $0.chapters = [three, one] }), ("removeAll", { $0.chapters.removeAll() }),
      ])
      one.length = 10
      #expect(log.take() == [])
    }

    private func replaceFirst(in chapters: inout OrderedSet<Chapter>, with chapter: Chapter) {
      chapters.remove(at: 0)
      chapters.insert(chapter, at: 0)
    }

    @Test("P6 Every operator accepts ordered sets")
    func typed() {
      let (one, two) = (Chapter(1), Chapter(2))
      novel.chapters = [one, two]
      let options: KeyValueObservingOptions = .new
      let tokens = [
        novel.kvo.chapters[sum: \.length].observe(
          options: options, changeHandler: log.handler("sum")),
        novel.kvo.chapters[average: \.length].observe(
          options: options, changeHandler: log.handler("average")),
        novel.kvo.chapters[minimum: \.length].observe(
          options: options, changeHandler: log.handler("minimum")),
        novel.kvo.chapters[maximum: \.length].observe(
          options: options, changeHandler: log.handler("maximum")),
        novel.kvo.chapters[each: \.length].observe(
          options: options, changeHandler: log.handler("each")),
        novel.kvo.chapters.count.observe(options: options, changeHandler: log.handler("count")),
      ]
      one.length = 4
      novel.chapters.append(Chapter(9))
      #expect(
        log.take() == [
          "sum: setting, new: 6", "average: setting, new: 3.0", "minimum: setting, new: 2",
          "maximum: setting, new: 4", "each: setting, new: [4, 2]",
          "sum: setting, new: 15", "average: setting, new: 5.0", "minimum: setting, new: 2",
          "maximum: setting, new: 9", "each: setting, new: [4, 2, 9]", "count: setting, new: 3",
        ])
      #expect(novel.kvo.chapters[each: \.length].value == [4, 2, 9])
      for token in tokens { token.invalidate() }
      one.length = 5
      #expect(log.take() == [])
    }

    @Test("X4 In a transaction, an ordered set is compared at the end")
    func elementsInTransaction() throws {
      let (one, passing) = (Chapter(1), Chapter(2))
      try follow([
        (
          "transaction",
          { novel in
            novel.performChanges {
              $0.chapters.append(passing)
              $0.chapters.append(one)
              $0.chapters.append(passing)
              $0.chapters.removeFirst()
              one.length = 5
            }
          }
        ), ("length", { _ in one.length = 6 }), ("removeLast", { $0.chapters.removeLast() }),
      ])
      passing.length = 3
      #expect(log.take() == [])
    }
  }
#endif
