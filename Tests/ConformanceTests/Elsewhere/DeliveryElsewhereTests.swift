import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Testing

/// An actor that records the lines it receives.
private actor Historian {
  private(set) var lines: [String] = []
  private let signal: AsyncStream<Void>.Continuation

  init(_ signal: AsyncStream<Void>.Continuation) {
    self.signal = signal
  }

  func note(_ line: String, isLast: Bool) {
    lines.append(line)
    if isLast { signal.finish() }
  }
}

@Suite("Delivery elsewhere")
struct DeliveryElsewhereTests {
  private let person = Person()
  private let lines = AtomicList()
  /// Ends when the last expected change has arrived.
  private let arrivals = AsyncStream<Void>.makeStream()

  // MARK: Destinations

  @Test(".mainActor delivers later and in order, with each change's values, the initial one first")
  @MainActor func mainActor() async {
    var told: [String] = []
    let token = person.kvo.age.observe(options: [.initial, .old, .new], on: .mainActor) {
      [signal = arrivals.continuation] change in
      MainActor.assertIsolated()
      told.append("\(change)")
      if change.newValue == 3 { signal.finish() }
    }
    for age in 1...3 { person.age = age }
    #expect(told == [])
    for await _ in arrivals.stream {}
    #expect(
      told == [
        "setting, new: 36", "setting, old: 36, new: 1", "setting, old: 1, new: 2",
        "setting, old: 2, new: 3",
      ])
    token.invalidate()
  }

  @Test(".actor delivers on the actor, and passes it as isolated")
  func actor() async {
    let historian = Historian(arrivals.continuation)
    let token = person.kvo.age.observe(options: .new, on: .actor(historian)) { historian, change in
      historian.note("\(change)", isLast: change.newValue == 3)
    }
    for age in 1...3 { person.age = age }
    for await _ in arrivals.stream {}
    #expect(await historian.lines == (1...3).map { "setting, new: \($0)" })
    token.invalidate()
  }

  @Test(
    ".queue delivers one call at a time, in order, on serial and concurrent queues",
    arguments: [false, true])
  func queue(isConcurrent: Bool) async {
    let queue = DispatchQueue(label: "delivery", attributes: isConcurrent ? .concurrent : [])
    let ages = Lock<[Int]>([])
    let token = person.kvo.age.observe(options: .new, on: .queue(queue)) {
      [signal = arrivals.continuation] change in
      dispatchPrecondition(condition: .onQueue(queue))
      ages.withLock { $0.append(change.newValue ?? -1) }
      if change.newValue == 2_000 { signal.finish() }
    }
    for age in 1...2_000 { person.age = age }
    for await _ in arrivals.stream {}
    #expect(ages.withLock { $0 } == Array(1...2_000))
    token.invalidate()
  }

  @Test(".immediate delivers on the thread of the change, before and after it")
  func immediate() {
    let token = person.kvo.age.observe(options: [.initial, .prior, .old, .new], on: .immediate) {
      [lines] change in lines.append("\(change)")
    }
    person.age = 1
    #expect(
      lines.take() == ["setting, new: 36", "setting, old: 36, prior", "setting, old: 36, new: 1"])
    token.invalidate()
    person.age = 2
    #expect(lines.take() == [])
  }

  @Test("A path in every spelling can be observed with on:, a string with a type")
  func spellings() async throws {
    let queue = DispatchQueue(label: "delivery")
    let held = KeyValuePath<Person, Double?>(\.account.balance)
    let tokens = [
      person.kvo.account.balance.observe(options: .new, on: .queue(queue)) { [lines] change in
        lines.append("plain: \(change)")
      },
      try person.kvo("account.balance", as: Double?.self)
        .observe(options: .new, on: .queue(queue)) { [lines] change in
          lines.append("string: \(change)")
        },
      person.kvo[held].observe(options: .new, on: .queue(queue)) { [lines] change in
        lines.append("held: \(change)")
      },
      person.kvo[\Person.age].observe(options: .new, on: .queue(queue)) { [lines] change in
        lines.append("key path: \(change)")
      },
      person.kvo.fullName.observe(options: .new, on: .queue(queue)) { [lines] change in
        lines.append("dependent: \(change)")
      },
    ]
    person.account = Account(balance: 7)
    person.age = 37
    person.firstName = "Grace"
    queue.sync {}
    #expect(
      lines.take() == [
        "plain: setting, new: 7.0", "string: setting, new: 7.0", "held: setting, new: 7.0",
        "key path: setting, new: 37", "dependent: setting, new: \"Grace Lovelace\"",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("Delivered changes have their kinds and indexes, and only the requested values")
  func kinds() {
    let queue = DispatchQueue(label: "delivery")
    let token = person.kvo.books.observe(options: [.old, .new], on: .queue(queue)) {
      [lines] change in lines.append("\(change)")
    }
    let bare = person.kvo.books.observe(on: .queue(queue)) { [lines] in lines.append("\($0)") }
    // Suspended, so that each observation delivers all its changes at once.
    queue.suspend()
    let books = person.mutableArrayValue(for: \.books)
    books.append("Dune")
    books[0] = "Emma"
    queue.resume()
    queue.sync {}
    #expect(
      lines.take() == [
        "insertion, indexes: 0, new: [\"Dune\"]",
        "replacement, indexes: 0, old: [\"Dune\"], new: [\"Emma\"]",
        "insertion, indexes: 0", "replacement, indexes: 0",
      ])
    token.invalidate()
    bare.invalidate()
  }

  @Test("A change that a handler makes is delivered after the handler returns")
  @MainActor func again() async {
    var told: [String] = []
    let token = person.kvo.age.observe(options: .new, on: .mainActor) {
      [person, signal = arrivals.continuation] change in
      told.append("begin \(change)")
      if person.age < 3 { person.age += 1 } else { signal.finish() }
      told.append("end")
    }
    person.age = 1
    for await _ in arrivals.stream {}
    #expect(
      told == [
        "begin setting, new: 1", "end", "begin setting, new: 2", "end", "begin setting, new: 3",
        "end",
      ])
    token.invalidate()
  }

  // MARK: Refusals

  @Test(".prior is refused with a report, and the token is not valid")
  func prior() async {
    await #expect(processExitsWith: .success) {
      let violations = ViolationLog.install()
      let person = Person()
      let queue = DispatchQueue(label: "delivery")
      let token = person.kvo.age.observe(options: [.new, .prior], on: .queue(queue)) { _ in
        fatalError("told")
      }
      person.age = 1
      queue.sync {}
      #expect(!token.isValid && token.keyPath == "age" && isIdle(person))
      #expect(violations.take() == ["unsupportedOption: \(priorElsewhereMessage)"])
    }
  }

  @Test(".prior traps by default")
  func priorTraps() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Person().kvo.age.observe(options: .prior, on: .mainActor) { _ in }
    }
    try expectTrap(result, says: priorElsewhereMessage)
  }
}

/// The message when `age` is observed with `.prior` and delivered elsewhere or later.
let priorElsewhereMessage =
  "'age' is observed with the option .prior and delivered elsewhere or later, when the change "
  + "will long have happened. Leave .prior out and ask for .old, or observe with "
  + "observe(_:options:changeHandler:), which calls where the change is made."
