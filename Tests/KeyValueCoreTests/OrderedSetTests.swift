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

  private enum Paint: String { case red, green, blue }

  @KeyValueObservable
  private final class Palette {
    var paints: OrderedSet<Paint> = [.red]
    var list: [Paint] = [.red]
    var numbers: OrderedSet<Int> = []
    var rows: OrderedSet<[String: Int]> = []
  }

  /// Counts how often the elements of a collection are hashed.
  private final class HashCounter {
    var count = 0
  }

  private struct Counted: Hashable {
    let number: Int
    let counter: HashCounter

    static func == (left: Counted, right: Counted) -> Bool { left.number == right.number }

    func hash(into hasher: inout Hasher) {
      counter.count += 1
      hasher.combine(number)
    }
  }

  @KeyValueObservable
  private final class Tally {
    var items: OrderedSet<Counted> = []
  }

  /// Equal by its number, which a new one gets after it's made.
  @KeyValueObservable
  private final class Track: Hashable {
    var number = 0

    required init() {}

    init(_ number: Int) { self.number = number }

    static func == (left: Track, right: Track) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @KeyValueObservable
  private final class Record {
    var tracks: OrderedSet<Track> = []
    var spares: OrderedSet<Track>?

    required init() {}
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

    @Test("C2 A change of many elements costs as much for each, however many there are")
    func manyElements() throws {
      /// How often elements are hashed to insert at every other index, replace those elements and remove them.
      func hashes(_ count: Int) throws -> [Int] {
        let (tally, counter) = (Tally(), HashCounter())
        func elements(from start: Int) -> [Any] {
          (0..<count).map { Counted(number: start + $0, counter: counter) }
        }
        let items = try tally.mutableArrayValue(forKey: "items")
        items.append(contentsOf: elements(from: 0))
        let places = RangeSet((0..<count).map { 2 * $0..<2 * $0 + 1 })
        let changes: [() -> Void] = [
          { items.insert(contentsOf: elements(from: count), at: places) },
          { items.replace(at: places, with: elements(from: 2 * count)) },
          { items.remove(at: places) },
          { items.insert(contentsOf: elements(from: 3 * count), at: 1) },
        ]
        return changes.map { change in
          counter.count = 0
          change()
          return counter.count
        }
      }
      for (few, many) in zip(try hashes(2_000), try hashes(4_000)) { #expect(many <= 3 * few) }
    }

    @Test("K2 An array becomes an ordered set, with its elements converted, if none is repeated")
    func settingByKey() throws {
      let palette = Palette()
      try palette.setValue([1, 2.0] as [Any], forKey: "numbers")
      #expect(palette.numbers == [1, 2])
      try palette.setValue(["blue", "red"], forKey: "paints")
      #expect(palette.paints == [.blue, .red])
      for value in [[1, 1], [1, 2.5], Set([1])] as [Any] {
        #expect {
          try palette.setValue(value, forKey: "numbers")
        } throws: {
          if case .typeMismatch = $0 as? KeyValueCodingError { true } else { false }
        }
      }
      #expect(palette.numbers == [1, 2])
      palette.rows = [["size": 1], ["size": 2, "depth": 3]]
      try palette.setValue(5, forKeyPath: "rows.size")
      #expect(palette.rows == [["size": 5], ["size": 5, "depth": 3]])
    }

    @Test(
      "C4 An untyped proxy finds the element that a value is converted to",
      arguments: ["paints", "list"])
    func convertedElements(key: String) throws {
      let palette = Palette()
      let paints = try palette.mutableOrderedSetValue(forKey: key)
      #expect(paints.contains("red") && paints.firstIndex(of: "red") == 0)
      #expect(!paints.append("red"))
      #expect(paints.append("green"))
      paints.append(contentsOf: ["green", "blue", "blue"])
      #expect(!paints.replace(at: 0, with: "blue"))
      #expect(paints.remove("green")?.base as? Paint == Paint.green)
      paints.subtract(["red"])
      paints.formSymmetricDifference(["blue", "green", "red"])
      paints.formIntersection(["red", "blue"])
      #expect(paints.map { $0.base as? Paint } == [Paint.red])
      #expect(!paints.contains("violet"))
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

    @Test("G3 The objects of an ordered set have the values that distinguish them when it's made")
    func madeOfObjects() throws {
      let record = Record()
      record.tracks = [Track(1), Track(2), Track(3)]
      let log = try KeyValueChangeLog(of: record)
      let history = try KeyValueHistory(log)
      func check(_ numbers: [Int]) {
        let tracks = history.root.tracks
        #expect(tracks.map(\.number) == numbers)
        #expect(numbers.compactMap { tracks.firstIndex(of: Track($0)) } == Array(numbers.indices))
      }
      check([1, 2, 3])
      record.tracks = [Track(4), record.tracks[0], Track(5), Track(0)]
      check([4, 1, 5, 0])
      record.mutableOrderedSetValue(for: \.tracks).append(contentsOf: [Track(6), Track(7)])
      check([4, 1, 5, 0, 6, 7])
      record.spares = [Track(8), Track(9), record.tracks[0]]
      #expect(history.root.spares?.map(\.number) == [8, 9, 4])
      try history.go(to: 0)
      check([1, 2, 3])
      try history.go(to: 3)
      check([4, 1, 5, 0, 6, 7])
      #expect(history.root.spares?.map(\.number) == [8, 9, 4])
    }
  }
#endif
