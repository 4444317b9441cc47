#if canImport(Combine) || OpenCombine
  import Dispatch
  import KeyValueObserving
  import KeyValueTestSupport
  import OpenCombineKVO
  import Synchronization
  import Testing

  /// A subscriber that requests as many elements as a test specifies, and records what it receives.
  private final class SlowSubscriber<Input>: Subscriber {
    typealias Failure = Never
    private(set) var lines: [String] = []
    private(set) var subscription: (any Subscription)?
    /// The demand that each received element adds.
    var further = Subscribers.Demand.none
    var onInput: () -> Void = {}

    func receive(subscription: any Subscription) {
      self.subscription = subscription
      lines.append("subscribed")
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      lines.append("\(input)")
      onInput()
      return further
    }

    func receive(completion: Subscribers.Completion<Never>) {
      lines.append("finished")
    }

    func request(_ count: Int) {
      subscription?.request(.max(count))
    }

    func cancel() {
      subscription?.cancel()
      subscription = nil
    }
  }

  @Suite("Publishers, with the trait OpenCombine")
  struct PublisherTests {
    private let person = Person()
    private let log = ChangeLog()

    private func isIdle(_ object: any KeyValueObservable) -> Bool {
      object._$kvoWithRegistrar { $0.isIdle }
    }

    private func sink<Output>(_ publisher: KeyValuePublisher<Output>) -> AnyCancellable {
      publisher.sink(
        receiveCompletion: { [log] _ in log.note("finished") },
        receiveValue: { [log] in log.note("\($0)") })
    }

    // MARK: Elements

    @Test("Values begin with the current one, then one for each change, synchronously")
    func values() {
      let subscription = sink(person.publisher(for: \.age))
      #expect(log.take() == ["36"])
      person.age = 37
      person.age = 37
      #expect(log.take() == ["37", "37"])
      subscription.cancel()
      person.age = 38
      #expect(log.take() == [] && isIdle(person))
    }

    @Test("Without initial, values begin with the first change")
    func withoutInitial() {
      let subscription = sink(person.publisher(for: \.age, options: .new))
      #expect(log.take() == [])
      person.age = 37
      #expect(log.take() == ["37"])
      subscription.cancel()
    }

    @Test("Every spelling of a path has publishers")
    func spellings() throws {
      let held = KeyValuePath<Person, Double?>(\.account.balance)
      let typed = try person.kvo("account.balance", as: Double?.self)
      let subscriptions = [
        sink(person.publisher(for: \.account.balance, options: [])),
        sink(person.publisher(for: \.account?.balance, options: [])),
        sink(person.kvo.account.balance.publisher(options: [])),
        sink(person.kvo[held].publisher(options: [])),
        sink(person.kvo.account.balance.publisher(changes: .new)),
        sink(typed.publisher(changes: .new)),
        sink(person.kvo[held].publisher(changes: .new)),
      ]
      person.account = Account(balance: 7)
      #expect(
        log.take() == Array(repeating: "Optional(7.0)", count: 4)
          + Array(repeating: "setting, new: 7.0", count: 3))
      for subscription in subscriptions { subscription.cancel() }
    }

    @Test("A publisher of changes delivers the changes that an observer receives")
    func changes() {
      let subscription = sink(
        person.kvo.books.publisher(changes: [.initial, .old, .new]))
      let books = person.mutableArrayValue(for: \.books)
      books.append("Dune")
      books.remove(at: 0)
      #expect(
        log.take() == [
          "setting, new: []", "insertion, indexes: 0, new: [\"Dune\"]",
          "removal, indexes: 0, old: [\"Dune\"]",
        ])
      subscription.cancel()
    }

    // MARK: Demand

    @Test("Values are delivered on demand; only the newest value waits")
    func demand() {
      let subscriber = SlowSubscriber<Int>()
      person.publisher(for: \.age).subscribe(subscriber)
      for age in 1...3 { person.age = age }
      #expect(subscriber.lines == ["subscribed"])
      subscriber.request(2)
      #expect(subscriber.lines == ["subscribed", "3"])
      person.age = 4
      person.age = 5
      person.age = 6
      #expect(subscriber.lines == ["subscribed", "3", "4"])
      subscriber.further = .max(1)
      subscriber.request(1)
      person.age = 7
      #expect(subscriber.lines == ["subscribed", "3", "4", "6", "7"])
      subscriber.cancel()
      #expect(isIdle(person))
    }

    @Test("No change is lost without demand")
    func demandForChanges() {
      let subscriber = SlowSubscriber<KeyValueObservedChange<Int>>()
      person.kvo.age.publisher(changes: .new).subscribe(subscriber)
      for age in 1...3 { person.age = age }
      subscriber.request(1)
      #expect(subscriber.lines == ["subscribed", "setting, new: 1"])
      subscriber.request(5)
      #expect(
        subscriber.lines
          == ["subscribed", "setting, new: 1", "setting, new: 2", "setting, new: 3"])
      subscriber.cancel()
    }

    @Test("A subscriber that changes the value receives the change after it returns")
    func reentrancy() {
      let subscription = person.kvo.age.publisher(changes: .new).sink {
        [log, person] change in
        log.note("begin \(change)")
        if person.age < 3 { person.age += 1 }
        log.note("end")
      }
      person.age = 1
      #expect(
        log.take() == [
          "begin setting, new: 1", "end", "begin setting, new: 2", "end", "begin setting, new: 3",
          "end",
        ])
      subscription.cancel()
    }

    @Test("A publisher works with operators, also with one that finishes on the first value")
    func operators() {
      let first = person.publisher(for: \.age).first().sink(
        receiveCompletion: { [log] _ in log.note("first finished") },
        receiveValue: { [log] in log.note("first \($0)") })
      let doubled = person.publisher(for: \.age).map { $0 * 2 }.removeDuplicates()
        .sink { [log] in log.note("doubled \($0)") }
      person.age = 36
      person.age = 37
      #expect(
        log.take() == ["first 36", "first finished", "doubled 72", "doubled 74"])
      doubled.cancel()
      #expect(isIdle(person))
      first.cancel()
    }

    // MARK: Ends

    @Test("The object isn't retained; its death finishes subscriptions, and later ones at once")
    func death() {
      var mortal: Person? = Person()
      weak let witness = mortal
      guard let publisher = mortal?.publisher(for: \.age) else { return }
      let subscription = sink(publisher)
      mortal?.age = 1
      mortal = nil
      #expect(witness == nil)
      #expect(log.take() == ["36", "1", "finished"])
      let late = sink(publisher)
      #expect(log.take() == ["finished"])
      subscription.cancel()
      late.cancel()
    }

    @Test("P5 R5 A subscription doesn't keep a weak key's object alive, and receives its death")
    func weakKey() {
      var boss: Person? = Person()
      weak let witness = boss
      let manager = person.kvo.manager
      let subscriptions = [
        manager.publisher().sink { [log] in log.note("value: \($0?.age ?? 0)") },
        manager.publisher(options: []).sink { [log] in log.note("later: \($0?.age ?? 0)") },
        manager.publisher(changes: [.initial, .new]).sink { [log] change in
          log.note("change: \((change.newValue ?? nil)?.age ?? 0)")
        },
      ]
      #expect(log.take() == ["value: 0", "change: 0"])
      person.manager = boss
      #expect(log.take() == ["value: 36", "later: 36", "change: 36"])
      boss = nil
      #expect(witness == nil)
      #expect(log.take() == ["value: 0", "later: 0", "change: 0"])
      for subscription in subscriptions { subscription.cancel() }
      #expect(isIdle(person))
    }

    @Test("Values from before the object's death are received on demand, then the completion")
    func deathBeforeDemand() {
      var mortal: Person? = Person()
      let subscriber = SlowSubscriber<Int>()
      mortal?.publisher(for: \.age).subscribe(subscriber)
      mortal?.age = 1
      mortal = nil
      #expect(subscriber.lines == ["subscribed"])
      subscriber.request(1)
      #expect(subscriber.lines == ["subscribed", "1", "finished"])
      let other = SlowSubscriber<Int>()
      mortal = Person()
      mortal?.publisher(for: \.age, options: []).subscribe(other)
      mortal = nil
      #expect(other.lines == ["subscribed", "finished"])
    }

    @Test("The object may die, or the subscription be cancelled, during a delivery")
    func endsInside() {
      var mortal: Person? = Person()
      let subscriber = SlowSubscriber<Int>()
      subscriber.further = .unlimited
      subscriber.onInput = { mortal = nil }
      mortal?.publisher(for: \.age).subscribe(subscriber)
      subscriber.request(1)
      #expect(subscriber.lines == ["subscribed", "36", "finished"])
      let canceller = SlowSubscriber<Int>()
      canceller.further = .unlimited
      canceller.onInput = { [weak canceller] in canceller?.cancel() }
      person.publisher(for: \.age).subscribe(canceller)
      canceller.request(1)
      person.age = 1
      #expect(canceller.lines == ["subscribed", "36"])
      #expect(isIdle(person))
    }

    @Test("Cancelling releases the subscriber and the waiting element")
    func release() {
      let tracker = LifetimeTracker()
      let subscriber = SlowSubscriber<Int>()
      do {
        let witness = tracker.instance()
        subscriber.onInput = { withExtendedLifetime(witness) {} }
      }
      person.publisher(for: \.age).subscribe(subscriber)
      person.age = 1
      subscriber.cancel()
      subscriber.onInput = {}
      #expect(tracker.liveCount == 0 && isIdle(person))
      weak var gone: SlowSubscriber<Int>?
      do {
        let other = SlowSubscriber<Int>()
        gone = other
        person.publisher(for: \.age).subscribe(other)
        other.cancel()
      }
      #expect(gone == nil)
    }

    @Test("The option prior is refused, and the subscription finishes at once")
    func refused() {
      ViolationLog.record { violations in
        let person = Person()
        var isFinished = false
        let subscription = person.kvo.age.publisher(changes: .prior)
          .sink(receiveCompletion: { _ in isFinished = true }, receiveValue: { _ in })
        #expect(isFinished)
        #expect(
          violations.take() == [
            "unsupportedOption: 'age' is observed with the option .prior and delivered elsewhere or "
              + "later, when the change will long have happened. Leave .prior out and ask for .old, "
              + "or observe with observe(_:options:changeHandler:), which calls where the change is "
              + "made."
          ])
        subscription.cancel()
      }
    }

    // MARK: Threads

    @Test("T1 Concurrent changes are delivered once each, one at a time")
    func concurrentSets() {
      let gauge = Gauge()
      let calls = Atomic<Int>(0)
      let running = Atomic<Int>(0)
      let overlaps = Atomic<Int>(0)
      let subscription = gauge.kvo.level.publisher(changes: []).sink { _ in
        if running.add(1, ordering: .sequentiallyConsistent).newValue > 1 {
          overlaps.add(1, ordering: .relaxed)
        }
        calls.add(1, ordering: .relaxed)
        running.subtract(1, ordering: .sequentiallyConsistent)
      }
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for step in 0..<5_000 { gauge.level = step }
      }
      #expect(calls.load(ordering: .relaxed) == 20_000)
      #expect(overlaps.load(ordering: .relaxed) == 0)
      subscription.cancel()
    }
  }
#endif
