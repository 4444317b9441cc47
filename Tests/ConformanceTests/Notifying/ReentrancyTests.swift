import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("N. Callbacks that change things")
struct ReentrancyTests {
  private let log = ChangeLog()
  private let person = Person()

  // MARK: N8

  @Test("N8 A nested change is delivered in full at once; then the outer change continues")
  func nested() throws {
    let all: KeyValueObservingOptions = [.old, .new, .prior]
    let observer = LoggingObserver("object", log)
    let first = person.observe(\.age, options: all) { person, change in
      log.note("first", change)
      if !change.isPrior, person.age == 37 { person.age = 100 }
    }
    let second = person.observe(\.age, options: all, changeHandler: log.handler("second"))
    try person.addObserver(observer, forKeyPath: "age", options: all)
    person.age = 37
    #expect(
      log.take() == [
        "first: setting, old: 36, prior", "second: setting, old: 36, prior",
        "object age: setting, old: 36, prior",
        "first: setting, old: 36, new: 37",
        "first: setting, old: 37, prior", "second: setting, old: 37, prior",
        "object age: setting, old: 37, prior",
        "first: setting, old: 37, new: 100", "second: setting, old: 37, new: 100",
        "object age: setting, old: 37, new: 100",
        "second: setting, old: 36, new: 37", "object age: setting, old: 36, new: 37",
      ])
    #expect(person.age == 100)
    withExtendedLifetime((first, second)) {}
  }

  @Test("N8 A change made by the replaced value's deinit is delivered when the value is released")
  func changeByReplacedValue() {
    let room = Lodge()
    let only = room.observe(\.guest, options: .new) { [log] _, change in
      log.note("\(change.newValue??.name ?? "nil")")
    }
    room.guest = Lodger("Ada") { [unowned room] in room.guest = Lodger("Alan") {} }
    room.guest = Lodger("Grace") {}
    #expect(log.take() == ["Ada", "Alan", "Alan"])
    only.invalidate()

    let both = room.observe(\.guest, options: [.old, .new]) { [log] _, change in
      log.note("\(change.oldValue??.name ?? "nil") to \(change.newValue??.name ?? "nil")")
    }
    room.guest = Lodger("Ada") { [unowned room] in room.guest = Lodger("Alan") {} }
    room.guest = Lodger("Grace") {}
    #expect(log.take() == ["Alan to Ada", "Ada to Grace", "Grace to Alan"])
    both.invalidate()
  }

  @Test("N8 Dependent keys and paths keep the outer change's values during a nested change")
  func nestedDependents() throws {
    person.account = Account(balance: 1)
    let observer = LoggingObserver("object", log)
    var tokens: Set<KeyValueObservation> = []
    person.observe(\.account.balance, options: []) { person, _ in
      if person.account?.balance == 2 { person.account = Account(balance: 3) }
    }.store(in: &tokens)
    person.observe(\.wealth, options: [.old, .new], changeHandler: log.handler("wealth"))
      .store(in: &tokens)
    person.observe(\.account.balance, options: [.old, .new], changeHandler: log.handler("path"))
      .store(in: &tokens)
    try person.addObserver(observer, forKeyPath: "account.balance", options: [.old, .new])
    person.account = Account(balance: 2)
    #expect(
      log.take() == [
        "wealth: setting, old: 2.0, new: 3.0", "path: setting, old: 2.0, new: 3.0",
        "object account.balance: setting, old: 2.0, new: 3.0",
        "wealth: setting, old: 1.0, new: 2.0", "path: setting, old: 1.0, new: 2.0",
        "object account.balance: setting, old: 1.0, new: 2.0",
      ])
  }

  @Test("N8 A set inside a prior is a separate change, and the outer value wins")
  func nestedInPrior() {
    var isNested = false
    let token = person.observe(\.age, options: [.old, .new, .prior]) { person, change in
      log.note("age", change)
      guard change.isPrior, !isNested else { return }
      isNested = true
      person.age = 100
    }
    person.age = 37
    #expect(
      log.take() == [
        "age: setting, old: 36, prior",
        "age: setting, old: 36, prior", "age: setting, old: 36, new: 100",
        "age: setting, old: 36, new: 37",
      ])
    #expect(person.age == 37)
    token.invalidate()
  }

  @Test("N8 In-place changes nest in priors and posts of the same property")
  func nestedInPlace() {
    var depth = 0
    let token = person.observe(\.books, options: [.old, .new, .prior]) { person, change in
      log.note("books", change)
      guard depth == 0 else { return }
      depth += 1
      person.books.append(change.isPrior ? "prior" : "post")
      depth -= 1
    }
    person.books.append("outer")
    #expect(
      log.take() == [
        "books: setting, old: [], prior",
        "books: setting, old: [], prior", "books: setting, old: [], new: [\"prior\"]",
        "books: setting, old: [], new: [\"prior\", \"outer\"]",
        "books: setting, old: [\"prior\", \"outer\"], prior",
        "books: setting, old: [\"prior\", \"outer\"], new: [\"prior\", \"outer\", \"post\"]",
      ])
    token.invalidate()
  }

  @Test("N8 Two objects may set each other in callbacks until they agree")
  func agreement() {
    let other = Person()
    let there = person.observe(\.age, options: .new) { person, change in
      log.note("there", change)
      if other.age != person.age { other.age = person.age }
    }
    let back = other.observe(\.age, options: .new) { [person] other, change in
      log.note("back", change)
      if person.age != other.age { person.age = other.age }
    }
    person.age = 1
    other.age = 2
    #expect(
      log.take() == [
        "there: setting, new: 1", "back: setting, new: 1", "back: setting, new: 2",
        "there: setting, new: 2",
      ])
    withExtendedLifetime((there, back)) {}
  }

  // MARK: N9

  @Test("N9 A callback may re-enter itself 64 levels deep")
  func deepButFinite() {
    var calls = 0
    let token = person.observe(\.age) { person, _ in
      calls += 1
      if person.age < 64 { person.age += 1 }
    }
    person.age = 0
    #expect(calls == 65)
    #expect(person.age == 64)
    token.invalidate()
  }

  @Test("N9 Deeper re-entry is reported once, with the loop, and isn't delivered")
  func runaway() {
    ViolationLog.record { violations in
      let person = Person()
      var calls = 0
      let line = #line
      let token = person.observe(\.age) { person, _ in
        calls += 1
        person.age += 1
      }
      person.age = 0
      #expect(calls == 65)
      #expect(person.age == 65)
      #expect(
        violations.take() == [
          "runawayRecursion: Observing Person.age leads back to itself more than 64 times: "
            + "Person.age (ReentrancyTests.swift:\(line + 1)) -> Person.age. "
            + "Change the value only where it differs, or break the loop."
        ])
      // The guard is reset afterwards.
      calls = 0
      token.invalidate()
      let again = person.observe(\.age) { person, _ in
        calls += 1
        if calls < 65 { person.age += 1 }
      }
      person.age = 0
      #expect(calls == 65)
      #expect(violations.take() == [])
      again.invalidate()
    }
  }

  @Test("N9 A branching loop is reported once and cut off until its first change is complete")
  func runawayBranches() {
    ViolationLog.record { violations in
      let person = Person()
      var calls = 0
      var isRunaway = true
      let token = person.observe(\.age) { person, _ in
        calls += 1
        // Ends in any case, so that a failing test doesn't run for ever.
        if isRunaway, calls < 500 {
          let isOutermost = calls == 1
          person.age += 1
          if !isOutermost { person.age += 1 }
        } else if person.age < 3 {
          person.age += 1
        }
      }
      person.age = 0
      #expect(calls == 65)
      #expect(violations.take().count == 1)
      isRunaway = false
      calls = 0
      person.age = 0
      #expect(calls == 4)
      #expect(person.age == 3)
      #expect(violations.take() == [])
      token.invalidate()
    }
  }

  @Test("N9 The report names each key of a loop over several objects, and where it is observed")
  func runawayLoop() {
    ViolationLog.record { violations in
      let person = Person()
      let account = Account()
      let line = #line
      let there = person.observe(\.fullName) { _, _ in account.balance += 1 }
      let back = account.observe(\.balance, options: .prior) { _, change in
        if change.isPrior { person.firstName += "!" }
      }
      person.firstName = "Grace"
      let lines = violations.take()
      #expect(lines.count == 1)
      #expect(
        lines == [
          "runawayRecursion: Observing Person.fullName leads back to itself more than 64 times: "
            + "Person.fullName (ReentrancyTests.swift:\(line + 1)) -> "
            + "Account.balance (ReentrancyTests.swift:\(line + 2)) -> Person.fullName. "
            + "Change the value only where it differs, or break the loop."
        ])
      withExtendedLifetime((there, back)) {}
    }
  }

  @Test("N9 By default, runaway recursion prints and traps before the stack overflows")
  func runawayTraps() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let person = Person()
      let token = person.observe(\.age) { person, _ in person.age += 1 }
      person.age = 0
      withExtendedLifetime(token) {}
    }
    try expectTrap(
      result,
      says:
        "Observing Person.age leads back to itself more than 64 times: "
        + "Person.age (ReentrancyTests.swift:\(#line - 12)) -> Person.age. "
        + "Change the value only where it differs, or break the loop.")
  }

  #if DEBUG || KVO_AUDIT
    @Test("N9 A getter that sets an observable property it depends on traps, with the remedy")
    func endlessGetter() async throws {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        let store = FillingStore()
        let token = store.kvo.total.observe(options: [.old, .new]) { _, _ in }
        store.cache = nil
        withExtendedLifetime(token) {}
      }
      try expectTrap(
        result,
        says:
          "Reading FillingStore.total sets a property that it depends on, and so reads itself again, "
          + "more than 64 times. A getter must not set an observable property: mark what it sets "
          + "@KeyValueIgnored, or set it elsewhere.")
    }
  #endif

  @Test("N9 A getter may set a property that isn't a key")
  func ignoredCache() {
    let store = IgnoringStore()
    var changes: [String] = []
    let token = store.kvo.total.observe(options: [.old, .new]) { _, change in
      changes.append("\(change)")
    }
    store.price = 3
    #expect(changes == ["setting, old: 2, new: 6"])
    withExtendedLifetime(token) {}
  }
}

@KeyValueObservable
private final class FillingStore {
  var cache: Int?

  var total: Int {
    if let cache { return cache }
    cache = 7
    return 7
  }
}

@KeyValueObservable
private final class IgnoringStore {
  var price = 1 {
    didSet { cache = nil }
  }
  @KeyValueIgnored private var cache: Int?

  @DependsOn("price")
  var total: Int {
    if let cache { return cache }
    cache = price * 2
    return price * 2
  }
}

/// Its observers see values whose `deinit` replaces it.
@KeyValueObservable
private final class Lodge {
  var guest: Lodger?
}

@KeyValueObservable
private final class Lodger {
  let name: String
  @KeyValueIgnored private let onEnd: () -> Void

  init(_ name: String, onEnd: @escaping () -> Void) {
    self.name = name
    self.onEnd = onEnd
  }

  deinit { onEnd() }
}
