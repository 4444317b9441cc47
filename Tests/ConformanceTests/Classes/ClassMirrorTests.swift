import KeyValueObserving
import Synchronization
import Testing

@Suite("Mirrors of observable classes")
struct ClassMirrorTests {
  @Test("L2 dump shows stored properties under their own names, and no storage of the library")
  func dumped() {
    var text = ""
    dump(Envoy(), to: &text, name: "it")
    #expect(
      text.replacing(#/[A-Za-z]+\.\(unknown context at \$[0-9a-f]+\)\./#, with: "") == """
        ▿ it: Envoy #0
          ▿ super: Party
            - name: "Ada"
            - nick: nil
            ▿ level: Optional(3)
              - some: 3
            - friend: nil
          - tags: 0 elements

        """)
  }

  @Test("L2 the superclass's properties are in the superclass mirror")
  func superclass() throws {
    let mirror = Mirror(reflecting: Envoy())
    #expect(ObjectIdentifier(mirror.subjectType) == ObjectIdentifier(Envoy.self))
    #expect(mirror.displayStyle == .class)
    #expect(mirror.children.map(\.label) == ["tags"])
    let inherited = try #require(mirror.superclassMirror)
    #expect(ObjectIdentifier(inherited.subjectType) == ObjectIdentifier(Party.self))
    #expect(inherited.children.map(\.label) == ["name", "nick", "level", "friend"])
    #expect(inherited.children.first?.value as? String == "Ada")
    #expect(inherited.superclassMirror == nil)
  }

  @Test("L2 a mirror does not initialise lazy properties")
  func lazy() {
    let party = Party()
    _ = Mirror(reflecting: party).children.map(\.value)
    #expect(party.computations == 0)
    #expect(party.later == 1)
    #expect(party.computations == 1)
  }

  @Test("L2 Swift reflects a superclass without the macro")
  func plainSuperclass() {
    let mirror = Mirror(reflecting: Derived())
    #expect(mirror.children.map(\.label) == ["own"])
    #expect(mirror.superclassMirror?.children.map(\.label) == ["plain"])
  }

  @Test("L2 a class's own customMirror is used, and is not a key")
  func own() {
    #expect(Mirror(reflecting: SelfMade()).children.map(\.label) == ["made"])
    #expect(SelfMade.keyValueKeys == ["x"])
  }

  @Test("L2 a main-actor class is reflected on the main actor")
  @MainActor func mainActor() {
    #expect(Mirror(reflecting: MainModel()).children.map(\.label) == ["count"])
  }

  @Test("K1 a Mutex or an Atomic is not a key, and the class compiles")
  func noncopyable() {
    #expect(Guarded.keyValueKeys == ["count"])
    let guarded = Guarded()
    guarded.count = 2
    #expect(guarded.total == 2)
    #expect(throws: KeyValueCodingError.self) { try guarded.value(forKey: "state") }
  }

  @Test("L3 a Sendable class of constants can define its identity, equality and order")
  func protocols() {
    let (one, two) = (Ranked(1), Ranked(2))
    #expect(one < two && one != two && one == Ranked(1) && Set([one, Ranked(1)]).count == 1)
    #expect(one.id == 1)
    #expect(Ranked.keyValueKeys == ["id"])
  }
}

@KeyValueObservable
private class Party {
  var name = "Ada"
  var nick: String?
  let level: Int? = 3
  weak var friend: Party?
  @KeyValueIgnored lazy var computations = 0
  @NotifiesManually lazy var later = compute()
  var initial: String { String(name.prefix(1)) }
  /// By its shape the getter of a key, which comes after all properties.
  func greeting() -> String { "Hello, \(name)" }

  private func compute() -> Int {
    computations += 1
    return computations
  }
}

@KeyValueObservable
private final class Envoy: Party {
  var tags: [String] = []
}

private class Plain {
  var plain = 1
}

@KeyValueObservable
private final class Derived: Plain {
  var own = 2
}

@KeyValueObservable
private final class SelfMade: CustomReflectable {
  var x = 1
  var customMirror: Mirror { Mirror(self, children: ["made": x]) }
}

@MainActor @KeyValueObservable
private final class MainModel {
  var count = 0
}

@KeyValueObservable
private final class Guarded: @unchecked Sendable {
  private let state = Mutex(0)
  let hits: Atomic<Int>
  private let other: Synchronization.Mutex<[Int]> = .init([])
  var count = 0 {
    didSet { state.withLock { $0 += count } }
  }
  @KeyValueIgnored var total: Int { state.withLock { $0 } }
  init() { hits = .init(0) }
}

@KeyValueObservable
private final class Ranked: Sendable, Hashable, Comparable, Identifiable {
  let id: Int
  init(_ id: Int) { self.id = id }
  static func == (left: Ranked, right: Ranked) -> Bool { left.id == right.id }
  static func < (left: Ranked, right: Ranked) -> Bool { left.id < right.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
