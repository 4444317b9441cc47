import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Shelf: @unchecked Sendable {
  var titles: [String] = []
  /// Keeps no more than two elements.
  var short: [String] = [] {
    didSet { if short.count > 2 { short.removeLast(short.count - 2) } }
  }
}

@KeyValueObservable
private final class Library {
  var shelf: Shelf?
}

private final class Count: Sendable {
  let value = Lock(0)
}

/// Changes through a proxy of an array with a single observance, which requests only values.
@Suite("C. To-many: a proxy and a sole observer")
struct ProxySoleObserverTests {
  private let log = ChangeLog()
  private let shelf = Shelf()

  /// Makes one change of each kind.
  private func changeEverything() {
    let titles = shelf.mutableArrayValue(for: \.titles)
    titles.append("a")
    titles.insert(contentsOf: ["b", "c"], at: 0)
    titles[1] = "d"
    titles.remove(at: 0)
    titles.removeAll()
  }

  @Test(
    "A sole observer receives the same changes as one of two",
    arguments: [[], [.old], [.new], [.old, .new]] as [KeyValueObservingOptions])
  func same(_ options: KeyValueObservingOptions) {
    let sole = shelf.observe(\.titles, options: options, changeHandler: log.handler("titles"))
    changeEverything()
    let alone = log.take()
    let other = shelf.observe(\.titles) { _, _ in }
    changeEverything()
    #expect(log.take() == alone)
    #expect(alone.count == 5)
    other.invalidate()
    sole.invalidate()
  }

  @Test("A sole observer receives kinds, indexes and elements")
  func history() {
    let token = shelf.observe(
      \.titles, options: [.old, .new], changeHandler: log.handler("titles"))
    changeEverything()
    #expect(
      log.take() == [
        "titles: insertion, indexes: 0, new: [\"a\"]",
        "titles: insertion, indexes: 0–1, new: [\"b\", \"c\"]",
        "titles: replacement, indexes: 1, old: [\"c\"], new: [\"d\"]",
        "titles: removal, indexes: 0, old: [\"b\"]",
        "titles: removal, indexes: 0–1, old: [\"d\", \"a\"]",
      ])
    token.invalidate()
  }

  @Test("A sole observer of a path to the array receives kinds, indexes and elements")
  func path() {
    let library = Library()
    library.shelf = shelf
    let token = library.observe(
      \.shelf.titles, options: [.old, .new], changeHandler: log.handler("titles"))
    let titles = shelf.mutableArrayValue(for: \.titles)
    titles.append("a")
    titles[0] = "b"
    #expect(
      log.take() == [
        "titles: insertion, indexes: 0, new: [\"a\"]",
        "titles: replacement, indexes: 0, old: [\"a\"], new: [\"b\"]",
      ])
    token.invalidate()
  }

  @Test("C1 A change that the property's didSet shortens is a setting, for one observer or several")
  func shortened() {
    let sole = shelf.observe(\.short, options: .new, changeHandler: log.handler("short"))
    let short = shelf.mutableArrayValue(for: \.short)
    short.append(contentsOf: ["a", "b", "c"])
    #expect(shelf.short == ["a", "b"])
    let alone = log.take()
    #expect(alone == [#"short: setting, new: ["a", "b"]"#])
    short.removeAll()
    _ = log.take()
    let other = shelf.observe(\.short) { _, _ in }
    short.append(contentsOf: ["a", "b", "c"])
    #expect(log.take() == alone)
    other.invalidate()
    sole.invalidate()
  }

  @Test("A change that the handler makes through the proxy is a separate change")
  func reentrant() {
    let titles = shelf.mutableArrayValue(for: \.titles)
    let token = shelf.observe(\.titles, options: .new) { [log] _, change in
      log.note("titles", change)
      if titles.count < 3 { titles.append("\(titles.count)") }
    }
    titles.append("0")
    #expect(
      log.take() == (0..<3).map { "titles: insertion, indexes: \($0), new: [\"\($0)\"]" })
    token.invalidate()
  }

  @Test("In a transaction, a sole observer is notified at the end")
  func transaction() {
    let token = shelf.observe(
      \.titles, options: [.old, .new], changeHandler: log.handler("titles"))
    shelf.performChanges {
      let titles = $0.mutableArrayValue(for: \.titles)
      titles.append("a")
      titles.append("b")
      log.note("in between")
    }
    #expect(log.take() == ["in between", "titles: insertion, indexes: 0–1, new: [\"a\", \"b\"]"])
    token.invalidate()
  }

  @Test("A change of an unobserved object leaves nothing behind")
  func unobserved() {
    let titles = shelf.mutableArrayValue(for: \.titles)
    titles.append("a")
    titles[0] = "b"
    #expect(shelf.titles == ["b"])
    #expect(shelf.observationInfo.isEmpty)
  }

  @Test("Other threads may register with the object during the changes")
  func late() async {
    let shelf = shelf
    let count = Count()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<200 {
            shelf.observe(\.short, options: .initial) { _, _ in count.value.withLock { $0 += 1 } }
              .invalidate()
          }
        }
      }
      let titles = shelf.mutableArrayValue(for: \.titles)
      let token = shelf.observe(\.titles, changeHandler: log.handler("titles"))
      for index in 0..<200 { titles.append("\(index)") }
      token.invalidate()
    }
    #expect(log.take() == (0..<200).map { "titles: insertion, indexes: \($0)" })
    #expect(count.value.withLock { $0 } == 800)
  }
}

/// Tests what a path keeps of the class that it first observed.
@Suite("A stored path and several classes")
struct KeptPathTests {
  @KeyValueObservable
  class Animal {
    var name = ""
  }

  @KeyValueObservable
  final class Dog: Animal {
    var owner = ""
    override var name: String {
      get { "dog \(super.name)" }
      set { super.name = newValue }
    }
  }

  @Test("A path made for a class observes objects of its subclasses, in either order")
  func subclass() {
    for animals in [[Animal(), Dog(), Animal()], [Dog(), Animal(), Dog()]] {
      let log = ChangeLog()
      let path = KeyValuePath<Animal, String>(\.name)
      let tokens = animals.map {
        $0.observe(path, options: .new, changeHandler: log.handler("\(type(of: $0))"))
      }
      for animal in animals { animal.name = "Rex" }
      #expect(
        log.take()
          == animals.map { "\(type(of: $0)): setting, new: \"\($0 is Dog ? "dog Rex" : "Rex")\"" })
      for token in tokens { token.invalidate() }
    }
  }
}
