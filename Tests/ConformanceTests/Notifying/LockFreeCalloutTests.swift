import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Enough objects that each of the library's locks guards some of them: using them all while a lock
/// is held locks it twice, which traps.
private final class Crowd {
  private let people = (0..<TestVolume.either(1_000, full: 2_000)).map { _ in Person() }
  private let observations: [KeyValueObservation]
  private(set) var calls = 0

  init() {
    observations = people.map { $0.observe(\.firstName) { _, _ in } }
  }

  /// Observes, changes and stops observing every object.
  func use() {
    for person in people {
      let token = person.observe(\.fullName, options: [.prior, .old, .new]) { _, _ in
        self.calls += 1
      }
      person.firstName += "!"
      token.invalidate()
      person.willChangeValue(forKey: "age")
      person.didChangeValue(forKey: "age")
    }
  }

  /// Uses all objects; returns whether every callback ran.
  var isUsable: Bool {
    calls = 0
    use()
    return calls == 2 * people.count
  }
}

/// Calls `onUse` when a setter, a property observer or a comparison of its tiles runs.
@KeyValueObservable
private final class Knob {
  @KeyValueIgnored var onUse: (() -> Void)?
  var tiles: [Tile] = []
  var level = 0 {
    willSet { onUse?() }
    didSet { onUse?() }
  }

  var dial: Int {
    get { level }
    set {
      onUse?()
      level = newValue
    }
  }
}

private struct Tile: Hashable {
  let number: Int
  unowned let knob: Knob

  init(_ number: Int, _ knob: Knob) {
    self.number = number
    self.knob = knob
  }

  static func == (left: Tile, right: Tile) -> Bool {
    left.knob.onUse?()
    return left.number == right.number
  }

  func hash(into hasher: inout Hasher) {
    knob.onUse?()
    hasher.combine(number)
  }
}

/// Calls `onHash` when a path with it as an argument is looked up.
private struct PageID: Hashable {
  let number: Int
  nonisolated(unsafe) static var onHash: (() -> Void)?

  func hash(into hasher: inout Hasher) {
    PageID.onHash?()
    hasher.combine(number)
  }
}

private struct Pages {
  subscript(id: PageID) -> Int { id.number }
}

@KeyValueObservable
private final class Booklet {
  var pages = Pages()
}

@Suite("N10. No lock is held while user code runs")
struct LockFreeCalloutTests {
  @Test("N10 An argument of a path may spell paths of the same property while it's hashed")
  func arguments() async {
    await #expect(processExitsWith: .success) {
      let booklet = Booklet()
      var count = 0
      PageID.onHash = {
        count += 1
        if count == 1 { precondition(booklet.kvo.pages[PageID(number: 2)].value == 2) }
      }
      for _ in 1...2 {
        count = 0
        precondition(booklet.kvo.pages[PageID(number: 1)].value == 1 && count > 0)
      }
    }
  }

  @Test("N10 An argument of a path may use the controller that observes it while it's compared")
  func argumentsOfController() async {
    await #expect(processExitsWith: .success) {
      let booklet = Booklet()
      let owner = ObservingOwner(ChangeLog())
      let controller = owner.observer!
      func observe(_ number: Int) {
        controller.observe(booklet.kvo.pages[PageID(number: number)]) { _, _, _ in }
      }
      observe(1)
      var count = 0
      var isNested = false
      PageID.onHash = {
        precondition("\(controller)".hasSuffix(" observed)"))
        guard !isNested, count < 8 else { return }
        count += 1
        isNested = true
        observe(10 + count)
        isNested = false
      }
      observe(2)
      precondition("\(controller)".hasSuffix("(10 observed)"))
      controller.unobserve(booklet.kvo.pages[PageID(number: 2)])
      controller.unobserve(booklet.kvo.pages[PageID(number: 18)])
      precondition("\(controller)".hasSuffix("(8 observed)"))
      PageID.onHash = nil
    }
  }

  @Test("N10 Callbacks of every kind may use other objects")
  func callbacks() async {
    await #expect(processExitsWith: .success) {
      let crowd = Crowd()
      let person = Person()
      var seen: [Bool] = []
      let observer = LoggingObserver("observer", ChangeLog())
      observer.action = { _, _, _ in seen.append(crowd.isUsable) }
      let token = person.observe(\.age, options: [.initial, .prior]) { _, _ in
        seen.append(crowd.isUsable)
      }
      try person.addObserver(observer, forKeyPath: "account.balance", options: [.initial, .prior])
      person.age = 1
      person.age += 1
      person.account = Account()
      person.account?.balance = 1
      person.withChange(of: \.age) {}
      #expect(seen == Array(repeating: true, count: 12))
      token.invalidate()
    }
  }

  @Test("N10 Getters may use other objects")
  func getters() async {
    await #expect(processExitsWith: .success) {
      let crowd = Crowd()
      let probe = Probe()
      var isUsable = true
      probe.onRead = { isUsable = isUsable && crowd.isUsable }
      let tokens = (0...1).map { _ in
        probe.observe(\.reading, options: [.initial, .old, .new, .prior]) { _, _ in }
      }
      probe.level = 1
      _ = try probe.value(forKey: "reading")
      #expect(isUsable)
      withExtendedLifetime(tokens) {}
    }
  }

  @Test("N10 Setters, property observers and comparisons may use other objects")
  func settersAndComparisons() async {
    await #expect(processExitsWith: .success) {
      let crowd = Crowd()
      var uses = 0
      let knob = Knob()
      knob.onUse = {
        uses += 1
        #expect(crowd.isUsable)
      }
      let token = knob.observe(\.dial, options: [.old, .new, .prior]) { _, _ in }
      try knob.setValue(1, forKey: "dial")  // the setter, `willSet` and `didSet`
      #expect(uses == 3)
      uses = 0
      let changes = knob.observe(\.tiles, options: [.old, .new, .elementChanges]) { _, _ in }
      let distinct = try knob.observe("tiles.@distinctUnionOfObjects.self", options: .new) { _, _ in
      }
      let tiles = (0...2).map { Tile($0, knob) }
      knob.tiles = tiles
      knob.mutableArrayValue(for: \.tiles).append(Tile(1, knob))
      knob.tiles = tiles.reversed()
      #expect(uses > 0)
      for token in [token, changes, distinct] { token.invalidate() }
    }
  }

  @Test(
    "N10 Deinitializers of values, handlers, observers and observed objects may use other objects")
  func deaths() async {
    await #expect(processExitsWith: .success) {
      let crowd = Crowd()
      var deaths = 0
      func mortal() -> Undertaker {
        Undertaker {
          deaths += 1
          #expect(crowd.isUsable)
        }
      }
      do {
        // A replaced value, with its old value requested.
        let crate = Crate()
        let token = crate.observe(\.content, options: [.old, .new]) { _, _ in }
        crate.content = mortal()
        crate.content = nil
        #expect(deaths == 1)
        token.invalidate()
      }
      do {
        // A handler's captures, released by invalidation and by the death of the object.
        var person: Person? = Person()
        for keyPath in ["age", "fullName", "account.balance"] {
          let captured = mortal()
          let token = try person?.observe(keyPath) { _, _ in withExtendedLifetime(captured) {} }
          token?.invalidate()
        }
        let observer = LoggingObserver("observer", ChangeLog())
        let captured = mortal()
        observer.action = { _, _, _ in withExtendedLifetime(captured) {} }
        try person?.addObserver(observer, forKeyPath: "age")
        person = nil
        #expect(deaths == 4)
      }
      #expect(deaths == 5)
    }
  }

  @Test("N10 The old value of an unfinished pair is released without a lock held")
  func unfinishedPair() async {
    await #expect(processExitsWith: .success) {
      let crowd = Crowd()
      var deaths = 0
      do {
        let crate = Crate()
        crate.content = Undertaker {
          deaths += 1
          #expect(crowd.isUsable)
        }
        let token = crate.observe(\.content, options: .old) { _, _ in }
        crate.willChangeValue(forKey: "content")
        token.invalidate()
        crate.content = nil
        #expect(deaths == 0)
      }
      #expect(deaths == 1)
    }
  }

  @Test("N10 A replaced violation handler is released without a lock held")
  func violationHandler() async {
    await #expect(processExitsWith: .success) {
      var deaths = 0
      do {
        nonisolated(unsafe) let undertaker = Undertaker {
          // Reading the handler takes the lock that guards it.
          _ = KeyValueViolation.handler
          deaths += 1
        }
        KeyValueViolation.handler = { _ in withExtendedLifetime(undertaker) {} }
      }
      KeyValueViolation.handler = { _ in }
      #expect(deaths == 1)
    }
  }
}
