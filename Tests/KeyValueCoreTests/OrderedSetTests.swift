#if OrderedCollections
  import KeyValueObserving
  import KeyValueTestSupport
  import OrderedCollections
  import Testing

  @KeyValueObservable
  private final class Book {
    var chapters: OrderedSet<String> = []
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
  }
#endif
