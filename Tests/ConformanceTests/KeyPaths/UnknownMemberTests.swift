import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("L3. Typed paths to members that aren't keys")
struct UnknownMemberTests {
  private let log = ChangeLog()

  @Test("P1 Overrides in final classes are observed, with and without the macro")
  func overrides() {
    let falcon = Falcon()
    let kite = Kite()
    let tokens = [
      falcon.observe(\.name, options: [.old, .new], changeHandler: log.handler("falcon")),
      kite.observe(\.wings, options: [.old, .new], changeHandler: log.handler("kite")),
    ]
    falcon.name = "f"
    falcon.name += "!"
    kite.wings = 3
    #expect(
      log.take() == [
        "falcon: setting, old: \"bird\", new: \"f\"", "falcon: setting, old: \"f\", new: \"f!\"",
        "kite: setting, old: 2, new: 3",
      ])
    #expect(falcon.seen == 2)
    #expect(tokens.map(\.keyPath) == ["name", "wings"])
    for token in tokens { token.invalidate() }
    #expect(isIdle(falcon, kite))
  }

  @Test("L3 A member that isn't a key is named where possible, with the cause and the remedy")
  func causes() {
    ViolationLog.record { violations in
      func said(_ token: KeyValueObservation) -> [String] {
        #expect(!token.isValid)
        return violations.take()
      }
      #expect(
        said(Kite().observe(\.tail) { _, _ in }) == [
          "unobservablePath: Component 1 of a key path, 'tail', is a member of Kite but not one of its "
            + "keys. Kite, which declares it, lacks @KeyValueObservable. Annotate Kite, or observe a "
            + "key that changes with it."
        ])
      #expect(
        said(Falcon().observe(\.memo) { _, _ in }) == [
          "unobservablePath: Component 1 of a key path is a member of Falcon, of type "
            + "Dictionary<String, Bool>, but not one of its keys; by its type it may be 'memo'. It is "
            + "marked @KeyValueIgnored in Bird. Remove the attribute, or observe a key that changes "
            + "with it."
        ])
      #expect(
        said(Penguin().observe(\.weight) { _, _ in }) == [
          "unobservablePath: Component 1 of a key path is a member of Penguin, of type Float, but not "
            + "one of its keys; by its type it may be 'weight'. Swimmer, which declares it, lacks "
            + "@KeyValueObservable. Annotate Swimmer, or observe a key that changes with it."
        ])
      #expect(
        said(Bird().observe(\.loudName) { _, _ in }) == [
          "unobservablePath: Component 1 of a key path is a member of Bird, of type Array<String>, but "
            + "not one of its keys. A member of an extension or of a protocol is no key, nor is one that "
            + "is marked @KeyValueIgnored: declare it in the class itself, observe the keys that it is "
            + "made of, or observe it by its name, as a string, if a key has that name. Reading it reads "
            + "'name' and 'wings'."
        ])
    }
  }

  @Test("L3 A member of an extension isn't taken for an ignored property of its type")
  func notIgnored() {
    ViolationLog.record { violations in
      func said(_ token: KeyValueObservation) -> [String] {
        #expect(!token.isValid)
        return violations.take()
      }
      func start(_ type: String, _ guess: String = "") -> String {
        "unobservablePath: Component 1 of a key path is a member of \(type), of type Dictionary<String, Bool>, "
          + "but not one of its keys\(guess). "
      }
      let elsewhere =
        "A member of an extension or of a protocol is no key, nor is one that is marked @KeyValueIgnored: declare "
        + "it in the class itself, observe the keys that it is made of, or observe it by its name, as a string, if "
        + "a key has that name."
      #expect(
        said(Bird().observe(\.shownMemo) { _, _ in })
          == [start("Bird") + elsewhere + " Reading it reads 'wings'."])
      #expect(
        said(Falcon().observe(\.shownMemo) { _, _ in })
          == [start("Falcon") + elsewhere + " Reading it reads 'wings'."])
      #expect(said(Wren().observe(\.shownMemo) { _, _ in }) == [start("Wren") + elsewhere])
      // An ignored property with observers has a getter and a setter, too.
      let guess = "; by its type it may be 'memo'"
      #expect(said(Wren().observe(\.setMemo) { _, _ in }) == [start("Wren", guess) + elsewhere])
      #expect(said(Wren().observe(\.memo) { _, _ in }) == [start("Wren", guess) + elsewhere])
      #expect(
        said(Bird().observe(\.memo) { _, _ in }) == [
          start("Bird", guess)
            + "It is marked @KeyValueIgnored in Bird. Remove the attribute, or observe a key "
            + "that changes with it."
        ])
    }
  }

  @Test("L3 A member of an extension is no key, even if its value is that of one")
  func equalValue() {
    ViolationLog.record { violations in
      let log = ChangeLog()
      let bird = Bird()
      let aviary = Aviary(bird)
      let tokens = [
        bird.observe(\.shownName, changeHandler: log.handler("bird")),
        bird.observe(\.ignoredName, changeHandler: log.handler("ignored")),
        aviary.observe(\.any.shown, changeHandler: log.handler("aviary")),
        aviary.observe(\.any.name, changeHandler: log.handler("name")),
      ]
      #expect(tokens.map(\.isValid) == [false, false, true, true])
      let elsewhere =
        "unobservablePath: Component 1 of a key path is a member of Bird, of type String, but not one of "
        + "its keys. A member of an extension or of a protocol is no key, nor is one that is marked "
        + "@KeyValueIgnored: declare it in the class itself, observe the keys that it is made of, or "
        + "observe it by its name, as a string, if a key has that name. Reading it reads 'name'."
      let said = violations.take()
      let behind =
        "tolerated: Aviary.any leads to an object of Bird of which the path reads a member that is not one "
        + "of its keys, or not known to be, so it is observed as far as 'any'. Observe the member by its "
        + "name, as the string \"any.<name>\", or declare any with the class instead of a protocol. "
        + "Reading it reads 'name'."
      #expect(Array(said.prefix(3)) == [elsewhere, elsewhere, behind])
      bird.name = "b"
      #expect(log.take() == ["name: setting"])
      withExtendedLifetime(tokens) {}
    }
  }

  @Test("L3 A path whose second component isn't a key isn't observed as far as its first")
  func secondComponent() {
    ViolationLog.record { violations in
      let log = ChangeLog()
      let bird = Bird()
      let token = bird.observe(
        \.nest.shells, options: .initial, changeHandler: log.handler("shells"))
      let reported = violations.take().map {
        $0.hasPrefix("unobservablePath: Component 2 of a key path")
      }
      #expect(reported == [true])
      #expect(!token.isValid && token.keyPath.hasPrefix("nest."))
      bird.nest = Nest()
      bird.nest?.eggs = 1
      #expect(log.take() == [] && isIdle(bird))
    }
  }

  @Test("P1 A protocol's requirement is observed in generic code")
  func requirement() {
    func observe<Root: Singing & KeyValueObservable>(_ object: Root) -> KeyValueObservation {
      object.observe(\.name, options: .new, changeHandler: log.handler("song"))
    }
    let birds = [Bird(), Falcon(), Kite()]
    let tokens = birds.map { observe($0) }
    for bird in birds { bird.name = "b" }
    #expect(log.take() == Array(repeating: "song: setting, new: \"b\"", count: 3))
    for token in tokens { token.invalidate() }
  }

  @Test("L3 Unhandled, a member that isn't a key traps with the same message")
  func traps() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Kite().observe(\.tail) { _, _ in }
    }
    try expectTrap(
      result,
      says:
        "Component 1 of a key path, 'tail', is a member of Kite but not one of its keys. Kite, which "
        + "declares it, lacks @KeyValueObservable. Annotate Kite, or observe a key that changes with it."
    )
  }

  @Test("R6 A plain key path of several components is quoted as far as it is known")
  func longPlainPaths() {
    ViolationLog.record { violations in
      _ = Bird().observe(\Bird.nest?.eggs) { _, _ in }
      _ = Bird().observe(\Bird.nest?.straws) { _, _ in }
      _ = Bird().observe(\Bird.perch.height) { _, _ in }
      let start = "unobservablePath: A plain key path of Bird names no key of it: "
      let way = "Only one property can be named this way; for a longer path write "
      #expect(
        violations.take() == [
          start + "\\Bird.nest?.eggs?. " + way + "\\.nest.eggs, without the root type.",
          start + "\\Bird.nest?.<Double>?. " + way
            + "\\.nest.<Double>, without the root type (a member whose name a key path does not know "
            + "shows its type in angle brackets).",
          start + "\\Bird.perch.height. " + way + "\\.perch.height, without the root type.",
        ])
    }
  }
}

private struct Perch {
  var height: Float = 1
}

@KeyValueObservable
private final class Nest {
  var eggs = 0
  var straws = 1.0
  var leaves = 2.0
}

extension Nest {
  fileprivate var shells: Int { eggs }
}

private protocol Singing { var name: String { get } }

extension Singing {
  fileprivate var shown: String { name }
}

@KeyValueObservable
private final class Aviary {
  var any: any Singing
  init(_ any: any Singing) { self.any = any }
}

@KeyValueObservable
private class Bird: Singing {
  var name = "bird"
  var wings = 2
  var nest: Nest?
  var perch = Perch()
  @KeyValueIgnored var memo: [String: Bool] = [:]
  @KeyValueIgnored var ignoredName: String { name }
}

extension Bird {
  fileprivate var loudName: [String] { Array(repeating: name, count: wings) }
  fileprivate var shownName: String { name }
  fileprivate var shownMemo: [String: Bool] { ["": wings > 0] }
}

@KeyValueObservable
private final class Wren {
  var eggs = 0
  @KeyValueIgnored var memo: [String: Bool] = [:] { didSet {} }
}

extension Wren {
  fileprivate var shownMemo: [String: Bool] { memo }
  fileprivate var setMemo: [String: Bool] {
    get { memo }
    set { memo = newValue }
  }
}

@KeyValueObservable
private final class Falcon: Bird {
  var seen = 0
  override var name: String { didSet { seen += 1 } }
}

private final class Kite: Bird {
  var tail = 1
  override var wings: Int { didSet {} }
}

private class Swimmer {
  var weight: Float = 1
}

@KeyValueObservable
private final class Penguin: Swimmer {
  var fish = 1
}
