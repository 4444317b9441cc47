import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("M. Manual notification of to-many keys")
struct ManualToManyTests {
  private let log = ChangeLog()
  private let ledger = Ledger()

  private func observe<Value>(
    _ keyPath: KeyPath<KeyValuePath<Ledger, Ledger>, KeyValuePath<Ledger, Value>>,
    options: KeyValueObservingOptions = [.old, .new, .prior]
  ) -> KeyValueObservation {
    ledger.observe(keyPath, options: options, changeHandler: log.handler("change"))
  }

  private func change(
    _ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>, _ body: (inout [String]) -> Void
  ) {
    ledger.willChange(kind, valuesAt: indexes, forKey: "entries")
    body(&ledger.entries)
    ledger.didChange(kind, valuesAt: indexes, forKey: "entries")
  }

  @Test("M1 An indexed pair reports its kind and indexes, also in the prior")
  func indexed() {
    let token = observe(\.entries)
    change(.insertion, RangeSet([0..<2])) { $0 = ["a", "b"] }
    change(.insertion, RangeSet([0..<1, 2..<3])) { $0 = ["x", "a", "y", "b"] }
    change(.replacement, RangeSet([1..<2])) { $0[1] = "A" }
    change(.removal, RangeSet([0..<1, 2..<4])) { $0 = ["A"] }
    change(.setting, RangeSet([0..<1])) { $0 = ["new"] }
    #expect(
      log.take() == [
        "change: insertion, indexes: 0–1, prior",
        "change: insertion, indexes: 0–1, new: [\"a\", \"b\"]",
        "change: insertion, indexes: 0, 2, prior",
        "change: insertion, indexes: 0, 2, new: [\"x\", \"y\"]",
        "change: replacement, indexes: 1, old: [\"a\"], prior",
        "change: replacement, indexes: 1, old: [\"a\"], new: [\"A\"]",
        "change: removal, indexes: 0, 2–3, old: [\"x\", \"y\", \"b\"], prior",
        "change: removal, indexes: 0, 2–3, old: [\"x\", \"y\", \"b\"]",
        "change: setting, old: [\"A\"], prior",
        "change: setting, old: [\"A\"], new: [\"new\"]",
      ])
    token.invalidate()
  }

  @Test("M1 A pair whose halves differ notifies of what was announced, and is reported")
  func different() {
    ViolationLog.record { violations in
      let log = ChangeLog()
      let ledger = Ledger()
      ledger.entries = ["b", "c"]
      let token = ledger.observe(
        \.entries, options: [.old, .new], changeHandler: log.handler("change"))
      ledger.willChangeValue(forKey: "entries")
      ledger.entries.append("d")
      ledger.didChange(.insertion, valuesAt: RangeSet([2..<3]), forKey: "entries")
      ledger.willChange(.insertion, valuesAt: RangeSet([3..<4]), forKey: "entries")
      ledger.entries.append("e")
      ledger.didChange(.insertion, valuesAt: RangeSet([0..<1]), forKey: "entries")
      ledger.willChange(.removal, valuesAt: RangeSet([0..<1]), forKey: "entries")
      ledger.entries.removeFirst()
      ledger.didChangeValue(forKey: "entries")
      #expect(
        log.take() == [
          #"change: setting, old: ["b", "c"], new: ["b", "c", "d"]"#,
          #"change: insertion, indexes: 3, new: ["e"]"#,
          #"change: removal, indexes: 0, old: ["b"]"#,
        ])
      #expect(
        violations.take()
          == [
            ("setting", "insertion at 2"), ("insertion at 3", "insertion at 0"),
            ("removal at 0", "setting"),
          ]
          .map { announced, ended in
            "tolerated: A change of Ledger.entries was announced as one of kind \(announced) and ended as "
              + "one of kind \(ended). Observers are notified of what was announced: pass both calls the "
              + "same kind, indexes and elements."
          })
      token.invalidate()
    }
  }

  @Test("M1 String observers and observer objects receive the same indexed changes")
  func untyped() throws {
    let observer = LoggingObserver("object", log)
    let token = try ledger.observe(
      "entries", options: [.old, .new], changeHandler: log.handler("string"))
    try ledger.addObserver(observer, forKeyPath: "entries", options: [])
    ledger.willChange(.insertion, valuesAt: RangeSet([0..<1]), for: \.entries)
    ledger.entries = ["a"]
    ledger.didChange(.insertion, valuesAt: RangeSet([0..<1]), for: \.entries)
    #expect(
      log.take() == [
        "string: insertion, indexes: 0, new: [\"a\"]", "object entries: insertion, indexes: 0",
      ])
    token.invalidate()
  }

  @Test("M1 Typed paths announce optional collections, and those behind an optional owner")
  func optionals() {
    let rack = Rack()
    rack.next = Rack()
    let tokens = [
      rack.observe(\.titles, options: [.old, .new], changeHandler: log.handler("titles")),
      rack.observe(\.labels, options: [.old, .new], changeHandler: log.handler("labels")),
      rack.observe(\.next.books, options: [.old, .new], changeHandler: log.handler("books")),
    ]
    let first = RangeSet(0..<1)
    rack.titles = []
    rack.willChange(.insertion, valuesAt: first, for: \.titles)
    rack.titles?.append("a")
    rack.didChange(.insertion, valuesAt: first, for: \.titles)
    rack.labels = ["x"]
    rack.willChangeValue(for: \.labels, withSetMutation: .union, using: ["x", "y"])
    rack.labels?.insert("y")
    rack.didChangeValue(for: \.labels, withSetMutation: .union, using: ["x", "y"])
    rack.willChange(.insertion, valuesAt: first, for: \.next.books)
    rack.next?.books.append("b")
    rack.didChange(.insertion, valuesAt: first, for: \.next.books)
    #expect(
      log.take() == [
        #"titles: insertion, indexes: 0, new: ["a"]"#, #"labels: insertion, new: ["y"]"#,
        #"books: insertion, indexes: 0, new: ["b"]"#,
      ])
    withExtendedLifetime(tokens) {}
  }

  /// A class whose optional collections notify manually.
  @KeyValueObservable
  final class Rack {
    @NotifiesManually var titles: [String]?
    @NotifiesManually var labels: Set<String>?
    @NotifiesManually var books: [String] = []
    var next: Rack?
  }

  @Test("M1 A key that depends on a to-many key reports element changes as whole-value changes")
  func dependent() throws {
    let shelf = Shelf()
    let token = shelf.observe(\.count, options: [.old, .new], changeHandler: log.handler("count"))
    shelf.willChange(.insertion, valuesAt: RangeSet([0..<2]), for: \.titles)
    shelf.titles = ["a", "b"]
    shelf.didChange(.insertion, valuesAt: RangeSet([0..<2]), for: \.titles)
    #expect(log.take() == ["count: setting, old: 0, new: 2"])
    token.invalidate()
  }

  /// A class whose to-many key notifies manually and has a dependent key.
  @KeyValueObservable
  final class Shelf {
    @NotifiesManually var titles: [String] = []
    @DependsOn("titles")
    var count: Int { titles.count }
  }

  @Test(
    "M1 A set mutation reports only the elements that it adds or removes",
    arguments: [
      (.union, ["b", "c"], "insertion, prior", "insertion, new: [\"c\"]", ["a", "b", "c"]),
      (.minus, ["b", "c"], "removal, old: [\"b\"], prior", "removal, old: [\"b\"]", ["a"]),
      (.intersect, ["b", "c"], "removal, old: [\"a\"], prior", "removal, old: [\"a\"]", ["b"]),
      (
        .set, ["b", "c"], "replacement, old: [\"a\"], prior",
        "replacement, old: [\"a\"], new: [\"c\"]", ["b", "c"]
      ),
      (.union, ["b"], "insertion, prior", "insertion, new: []", ["a", "b"]),
      (.minus, ["c"], "removal, old: [], prior", "removal, old: []", ["a", "b"]),
    ] as [(KeyValueSetMutationKind, Set<String>, String, String, Set<String>)])
  func sets(
    kind: KeyValueSetMutationKind, elements: Set<String>, prior: String, post: String,
    result: Set<String>
  ) throws {
    ledger.labels = ["a", "b"]
    let typed = observe(\.labels)
    let string = try ledger.observe(
      "labels", options: [.old, .new, .prior], changeHandler: log.handler("string"))
    for isTyped in [false, true] {
      ledger.labels = ["a", "b"]
      if isTyped {
        ledger.willChangeValue(for: \.labels, withSetMutation: kind, using: elements)
      } else {
        ledger.willChangeValue(forKey: "labels", withSetMutation: kind, using: elements)
      }
      ledger.labels = result
      if isTyped {
        ledger.didChangeValue(for: \.labels, withSetMutation: kind, using: elements)
      } else {
        ledger.didChangeValue(forKey: "labels", withSetMutation: kind, using: elements)
      }
      #expect(
        log.take() == [
          "change: \(prior)", "string: \(prior)", "change: \(post)", "string: \(post)",
        ])
    }
    withExtendedLifetime((typed, string)) {}
  }

  @Test("M1 Nested indexed pairs notify innermost first")
  func nested() {
    let token = observe(\.entries, options: [.old, .new])
    ledger.willChange(.insertion, valuesAt: RangeSet([0..<1]), forKey: "entries")
    ledger.entries = ["a"]
    change(.replacement, RangeSet([0..<1])) { $0 = ["b"] }
    ledger.didChange(.insertion, valuesAt: RangeSet([0..<1]), forKey: "entries")
    #expect(
      log.take() == [
        "change: replacement, indexes: 0, old: [\"a\"], new: [\"b\"]",
        "change: insertion, indexes: 0, new: [\"b\"]",
      ])
    token.invalidate()
  }

  @Test("M1 An announced index that does not exist traps before observers are notified")
  func badIndexes() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      let ledger = Ledger()
      let token = ledger.observe(\.entries, options: [.old, .prior]) { _, _ in print("told") }
      ledger.willChange(.removal, valuesAt: RangeSet([0..<1]), forKey: "entries")
      token.invalidate()
    }
    let outcome = try #require(result)
    let advice = "Announce the indexes of the elements concerned."
    try expectTrap(
      result,
      says: "Ledger.entries has 0 elements, so there can be no removal at 0. \(advice)")
    let output = String(decoding: outcome.standardOutputContent, as: UTF8.self)
    #expect(!output.contains("told"))
    let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let ledger = Ledger()
      ledger.entries = ["a"]
      let token = ledger.observe(\.entries, options: .old) { _, _ in }
      ledger.willChange(.replacement, valuesAt: RangeSet([-1..<1]), forKey: "entries")
      token.invalidate()
    }
    try expectTrap(
      negative,
      says: "Ledger.entries has 1 elements, so there can be no replacement at -1–0. \(advice)")
    let gap = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let ledger = Ledger()
      let token = ledger.observe(\.entries, options: .prior) { _, _ in }
      ledger.willChange(.insertion, valuesAt: RangeSet([1..<2]), forKey: "entries")
      token.invalidate()
    }
    try expectTrap(
      gap,
      says: "Ledger.entries has 0 elements, so there can be no insertion at 1. \(advice)")
    let broken = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let ledger = Ledger()
      let token = ledger.observe(\.entries, options: .new) { _, _ in }
      ledger.willChange(.insertion, valuesAt: RangeSet([0..<1]), forKey: "entries")
      ledger.didChange(.insertion, valuesAt: RangeSet([0..<1]), forKey: "entries")
      token.invalidate()
    }
    try expectTrap(
      broken,
      says: "Ledger.entries has 0 elements, so there can be no insertion at 0. \(advice)")
  }
}
