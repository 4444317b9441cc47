import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("C. To-many: proxies over the class's methods")
struct AccessorProxyTests {
  private let log = ChangeLog()
  private let playlist = Playlist()

  /// The log of a fixed series of changes through the proxy of one key.
  private func edit(_ key: String) throws -> [String] {
    let token = try playlist.observe(
      key, options: [.old, .new], changeHandler: log.handler("heard"))
    let songs = try playlist.mutableArrayValue(forKey: key)
    func note() {
      for call in playlist.takeCalls() { log.note(call) }
    }
    playlist.list = []
    songs.append("a")
    note()
    songs.insert(contentsOf: ["b", "c"], at: RangeSet([0..<1, 2..<3]))
    note()
    #expect(playlist.list == ["b", "a", "c"])
    songs[1] = "A"
    note()
    #expect(playlist.list == ["b", "A", "c"])
    songs.swapAt(0, 2)
    note()
    #expect(playlist.list == ["c", "A", "b"])
    songs.remove(at: 1)
    note()
    songs.removeAll()
    note()
    #expect(playlist.list == [])
    token.invalidate()
    return log.take()
  }

  @Test("C4 Single-element methods: several calls are one notification, replacing is two")
  func single() throws {
    #expect(
      try edit("single") == [
        "heard: insertion, indexes: 0, new: [\"a\"]", "insert a at 0",
        "heard: insertion, indexes: 0, 2, new: [\"b\", \"c\"]", "insert b at 0", "insert c at 2",
        "heard: removal, indexes: 1, old: [\"a\"]",
        "heard: insertion, indexes: 1, new: [\"A\"]", "remove 1", "insert A at 1",
        "heard: removal, indexes: 0, 2, old: [\"b\", \"c\"]",
        "heard: insertion, indexes: 0, 2, new: [\"c\", \"b\"]",
        "remove 2", "remove 0", "insert c at 0", "insert b at 2",
        "heard: removal, indexes: 1, old: [\"A\"]", "remove 1",
        "heard: removal, indexes: 0–1, old: [\"c\", \"b\"]", "remove 1", "remove 0",
      ])
  }

  @Test("C4 Single-element methods with a replacement method: replacing is one notification")
  func replacing() throws {
    #expect(
      try edit("replacing") == [
        "heard: insertion, indexes: 0, new: [\"a\"]", "insert a at 0",
        "heard: insertion, indexes: 0, 2, new: [\"b\", \"c\"]", "insert b at 0", "insert c at 2",
        "heard: replacement, indexes: 1, old: [\"a\"], new: [\"A\"]", "replace 1 by A",
        "heard: replacement, indexes: 0, 2, old: [\"b\", \"c\"], new: [\"c\", \"b\"]",
        "replace 0 by c", "replace 2 by b",
        "heard: removal, indexes: 1, old: [\"A\"]", "remove 1",
        "heard: removal, indexes: 0–1, old: [\"c\", \"b\"]", "remove 1", "remove 0",
      ])
  }

  @Test("C4 Batch methods: each notification is one call, replacing is two")
  func batch() throws {
    #expect(
      try edit("batch") == [
        "heard: insertion, indexes: 0, new: [\"a\"]", "insert [\"a\"] at [0]",
        "heard: insertion, indexes: 0, 2, new: [\"b\", \"c\"]", "insert [\"b\", \"c\"] at [0, 2]",
        "heard: removal, indexes: 1, old: [\"a\"]",
        "heard: insertion, indexes: 1, new: [\"A\"]", "remove [1]", "insert [\"A\"] at [1]",
        "heard: removal, indexes: 0, 2, old: [\"b\", \"c\"]",
        "heard: insertion, indexes: 0, 2, new: [\"c\", \"b\"]",
        "remove [0, 2]", "insert [\"c\", \"b\"] at [0, 2]",
        "heard: removal, indexes: 1, old: [\"A\"]", "remove [1]",
        "heard: removal, indexes: 0–1, old: [\"c\", \"b\"]", "remove [0, 1]",
      ])
  }

  @Test("C4 Batch methods with a replacement method: replacing is one notification")
  func exchange() throws {
    #expect(
      try edit("exchange") == [
        "heard: insertion, indexes: 0, new: [\"a\"]", "insert [\"a\"] at [0]",
        "heard: insertion, indexes: 0, 2, new: [\"b\", \"c\"]", "insert [\"b\", \"c\"] at [0, 2]",
        "heard: replacement, indexes: 1, old: [\"a\"], new: [\"A\"]", "replace [1] by [\"A\"]",
        "heard: replacement, indexes: 0, 2, old: [\"b\", \"c\"], new: [\"c\", \"b\"]",
        "replace [0, 2] by [\"c\", \"b\"]",
        "heard: removal, indexes: 1, old: [\"A\"]", "remove [1]",
        "heard: removal, indexes: 0–1, old: [\"c\", \"b\"]", "remove [0, 1]",
      ])
  }

  @Test("C4 With single-element and batch methods, the fitting one is called once")
  func full() throws {
    #expect(
      try edit("full") == [
        "heard: insertion, indexes: 0, new: [\"a\"]", "insert a at 0",
        "heard: insertion, indexes: 0, 2, new: [\"b\", \"c\"]", "insert [\"b\", \"c\"] at [0, 2]",
        "heard: replacement, indexes: 1, old: [\"a\"], new: [\"A\"]", "replace 1 by A",
        "heard: replacement, indexes: 0, 2, old: [\"b\", \"c\"], new: [\"c\", \"b\"]",
        "replace [0, 2] by [\"c\", \"b\"]",
        "heard: removal, indexes: 1, old: [\"A\"]", "remove 1",
        "heard: removal, indexes: 0–1, old: [\"c\", \"b\"]", "remove [0, 1]",
      ])
  }

  @Test("C4 Unequal counts and moves are a removal, then an insertion, each with its prior")
  func two() throws {
    playlist.list = ["a", "b", "c"]
    let token = try playlist.observe(
      "full", options: [.old, .new, .prior], changeHandler: log.handler("full"))
    let songs = try playlist.mutableArrayValue(forKey: "full")
    songs.replaceSubrange(0..<2, with: ["x"])
    songs.move(from: 1, to: 0)
    #expect(playlist.list == ["c", "x"])
    #expect(
      log.take() == [
        "full: removal, indexes: 0–1, old: [\"a\", \"b\"], prior",
        "full: removal, indexes: 0–1, old: [\"a\", \"b\"]",
        "full: insertion, indexes: 0, prior", "full: insertion, indexes: 0, new: [\"x\"]",
        "full: removal, indexes: 1, old: [\"c\"], prior", "full: removal, indexes: 1, old: [\"c\"]",
        "full: insertion, indexes: 0, prior", "full: insertion, indexes: 0, new: [\"c\"]",
      ])
    token.invalidate()
  }

  @Test("C7 An element that the methods can't take traps before an observer or a method is called")
  func wrongElement() async throws {
    // Both would be called for the first element, and the method would trap for the second.
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let playlist = Playlist()
      let token = try playlist.observe("single", options: .prior) { _, _ in fatalError("told") }
      let songs = try playlist.mutableArrayValue(forKey: "single")
      songs.insert(contentsOf: ["a", 1] as [Any], at: RangeSet(0..<2))
      token.invalidate()
    }
    try expectTrap(
      result,
      says: "1 was given to Playlist.single, a collection of String; convert it to String first.")
  }

  @Test("C4 Without an observer, the methods are called too")
  func unobserved() throws {
    let songs = try playlist.mutableArrayValue(forKey: "replacing")
    songs.append("a")
    songs[0] = "b"
    songs.remove(at: 0)
    #expect(playlist.takeCalls() == ["insert a at 0", "replace 0 by b", "remove 0"])
  }

  @Test("C4 A method called directly doesn't notify by itself")
  func direct() throws {
    let token = try playlist.observe("single", changeHandler: log.handler("single"))
    playlist.insertObject("a", inSingleAt: 0)
    playlist.removeObject(fromSingleAt: 0)
    #expect(log.take() == [])
    token.invalidate()
  }

  @Test("C4 A key that is read-only, isn't a collection or doesn't exist has no proxy")
  func refusals() {
    let person = Person()
    let cabinet = Cabinet()
    #expect(
      message { _ = try playlist.mutableArrayValue(forKey: "sealed") }
        == "Playlist.sealed can be read but not set: it has no setter, and the class has no "
        + "insertObject(_:inSealedAt:) and removeObject(fromSealedAt:) to change it through.")
    #expect(
      message { _ = try cabinet.mutableArrayValue(forKey: "sealed") }
        == "Cabinet.sealed can be read but not set: it has no setter, and the class has no "
        + "insertObject(_:inSealedAt:) and removeObject(fromSealedAt:) to change it through.")
    #expect(
      message { _ = try cabinet.mutableArrayValue(forKey: "guarded") }
        == "Cabinet.guarded can be read but not set: its setter is private, and the class has no "
        + "insertObject(_:inGuardedAt:) and removeObject(fromGuardedAt:) to change it through.")
    #expect(
      message { _ = try cabinet.mutableSetValue(forKey: "marks") }
        == "Cabinet.marks can be read but not set: its setter is fileprivate, and the class has no "
        + "addMarksObject(_:) and removeMarksObject(_:) to change it through.")
    #expect(
      message { try LockedCabinet().setValue(["a"], forKey: "guarded") }
        == "LockedCabinet.guarded can be read but not set: its setter is private.")
    #expect(
      message { _ = try person.mutableArrayValue(forKey: "firstName") }
        == "Person.firstName is not a collection: it holds String, and the class has no "
        + "countOf and objectIn methods for it.")
    #expect(
      message { _ = try person.mutableArrayValue(forKey: "tags") }
        == "Person.tags is not a collection: it holds Set<String>, and the class has no "
        + "countOf and objectIn methods for it.")
    #expect(
      message { _ = try person.mutableSetValue(forKey: "books") }
        == "Person.books is not a collection: it holds Array<String>, and the class has no "
        + "add and remove methods for it.")
    #expect(
      message { _ = try person.mutableArrayValue(forKey: "bookz") }
        == "Person has no key 'bookz'. Did you mean 'books'?")
  }

  @Test("C6 An append through methods doesn't read the existing elements")
  func cost() throws {
    playlist.list = (0..<1_000).map { "\($0)" }
    let token = try playlist.observe(
      "full", options: [.old, .new, .prior], changeHandler: log.handler("full"))
    let songs = try playlist.mutableArrayValue(forKey: "full")
    playlist.reads = 0
    songs.append("x")
    #expect(playlist.reads <= 1)
    #expect(
      log.take() == [
        "full: insertion, indexes: 1000, prior", "full: insertion, indexes: 1000, new: [\"x\"]",
      ]
    )
    token.invalidate()
  }
}
