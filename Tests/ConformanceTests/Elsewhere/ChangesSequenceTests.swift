import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("Sequences of changes")
struct ChangesSequenceTests {
  private let person = Person()

  /// Takes up to `count` elements and describes each in a line.
  private func take<Value>(
    _ count: Int, _ iterator: inout KeyValueChanges<Value>.Iterator
  ) async -> [String] {
    var lines: [String] = []
    while lines.count < count, let change = await iterator.next() { lines.append("\(change)") }
    return lines
  }

  @Test("A sequence observes from its creation on, and begins with the initial change")
  func beginning() async {
    let changes = person.kvo.age.changes(options: [.initial, .old, .new])
    person.age = 37
    var iterator = changes.makeAsyncIterator()
    person.age = 38
    #expect(
      await take(3, &iterator) == [
        "setting, new: 36", "setting, old: 36, new: 37", "setting, old: 37, new: 38",
      ])
    #expect(iterator.droppedCount == 0 && changes.droppedCount == 0)
  }

  @Test("A path in every spelling has a sequence of changes")
  func spellings() async throws {
    let held = KeyValuePath<Person, Double?>(\.account.balance)
    var plain = person.kvo.account.balance.changes(options: .new).makeAsyncIterator()
    var typed = try person.kvo("account.balance", as: Double?.self).changes(options: .new)
      .makeAsyncIterator()
    var value = person.kvo[held].changes(options: .new).makeAsyncIterator()
    var keyPath = person.kvo[\Person.account].changes(options: .new).makeAsyncIterator()
    var string = try person.kvo("account.balance").changes(options: [.initial, .new])
      .makeAsyncIterator()
    var bare = person.kvo.account.changes().makeAsyncIterator()
    person.account = Account(balance: 7)
    #expect(await take(1, &plain) == ["setting, new: 7.0"])
    #expect(await take(1, &typed) == ["setting, new: 7.0"])
    #expect(await take(1, &value) == ["setting, new: 7.0"])
    #expect(await keyPath.next()?.newValue??.balance == 7)
    #expect(await take(2, &string) == ["setting, new: nil", "setting, new: 7.0"])
    #expect(await take(1, &bare) == ["setting"])
  }

  @Test("A string path that cannot be observed throws")
  func unknownKey() {
    let expected = "Person has no key 'agge'. Did you mean 'age'?"
    #expect(message { _ = try person.kvo("agge").changes() } == expected)
    #expect(message { _ = try person.kvo("agge").values() } == expected)
    #expect(isIdle(person))
  }

  @Test("Elements carry the kind and the indexes of the change")
  func kinds() async {
    var iterator = person.kvo.books.changes(options: [.old, .new]).makeAsyncIterator()
    let books = person.mutableArrayValue(for: \.books)
    books.append("Dune")
    books[0] = "Emma"
    books.removeAll()
    #expect(
      await take(3, &iterator) == [
        "insertion, indexes: 0, new: [\"Dune\"]",
        "replacement, indexes: 0, old: [\"Dune\"], new: [\"Emma\"]",
        "removal, indexes: 0, old: [\"Emma\"]",
      ])
  }

  // MARK: Buffers

  @Test("Each buffering policy counts the elements that it drops")
  func policies() async {
    func changes(_ policy: KeyValueBufferingPolicy) -> KeyValueChanges<Int> {
      person.kvo.age.changes(options: .new, bufferingPolicy: policy)
    }
    let sequences = [
      changes(.unbounded), changes(.bufferingNewest(2)), changes(.bufferingOldest(2)),
      changes(.bufferingNewest(0)), changes(.bufferingOldest(-1)),
    ]
    for age in 1...5 { person.age = age }
    var taken: [[Int]] = []
    for sequence in sequences {
      let dropped = sequence.droppedCount
      var ages = [dropped]
      var iterator = sequence.makeAsyncIterator()
      for _ in 0..<5 - dropped { ages.append(await iterator.next()?.newValue ?? -1) }
      #expect(iterator.droppedCount == dropped)
      taken.append(ages)
    }
    #expect(taken == [[0, 1, 2, 3, 4, 5], [3, 4, 5], [3, 1, 2], [4, 5], [4, 1]])
  }

  @Test("Taking an element frees its place in the buffer")
  func room() async {
    let sequence = person.kvo.age.changes(options: .new, bufferingPolicy: .bufferingOldest(1))
    var iterator = sequence.makeAsyncIterator()
    var ages: [Int?] = []
    for age in 1...3 {
      person.age = age * 10
      person.age = age * 10 + 1
      ages.append(await iterator.next()?.newValue)
    }
    #expect(ages == [10, 20, 30])
    #expect(sequence.droppedCount == 3)
  }

  // MARK: Several iterators

  @Test("The first iterator receives earlier changes; a later one begins with the current value")
  func severalIterators() async {
    let changes = person.kvo.age.changes(options: [.initial, .new])
    person.age = 1
    var first = changes.makeAsyncIterator()
    var second = changes.makeAsyncIterator()
    person.age = 2
    var third = changes.makeAsyncIterator()
    person.age = 3
    #expect(
      await take(4, &first) == [
        "setting, new: 36", "setting, new: 1", "setting, new: 2", "setting, new: 3",
      ])
    #expect(
      await take(3, &second) == ["setting, new: 1", "setting, new: 2", "setting, new: 3"])
    #expect(await take(2, &third) == ["setting, new: 2", "setting, new: 3"])
  }

  @Test("Without .initial, a later iterator receives only the changes after its creation")
  func severalWithoutInitial() async {
    let changes = person.kvo.age.changes(options: .new)
    person.age = 1
    var first = changes.makeAsyncIterator()
    var second = changes.makeAsyncIterator()
    person.age = 2
    #expect(await take(2, &first) == ["setting, new: 1", "setting, new: 2"])
    #expect(await take(1, &second) == ["setting, new: 2"])
  }

  @Test("A later iterator of a collection's changes begins with the whole collection")
  func severalOfCollection() async {
    let changes = person.kvo.books.changes(options: [.initial, .new])
    let books = person.mutableArrayValue(for: \.books)
    books.append("Dune")
    books.append("Emma")
    var first = changes.makeAsyncIterator()
    var second = changes.makeAsyncIterator()
    books.remove(at: 0)
    #expect(
      await take(4, &first) == [
        "setting, new: []", "insertion, indexes: 0, new: [\"Dune\"]",
        "insertion, indexes: 1, new: [\"Emma\"]", "removal, indexes: 0",
      ])
    #expect(
      await take(2, &second) == ["setting, new: [\"Dune\", \"Emma\"]", "removal, indexes: 0"])
  }

  @Test("A later iterator never begins with a value that a nested change has replaced")
  func severalAfterNested() async throws {
    let clamp = person.observe(\.age) { person, _ in if person.age > 100 { person.age = 100 } }
    let changes = person.kvo.age.changes(options: [.initial, .new])
    let untyped = try person.kvo("age").changes(options: [.initial, .new])
    let plain = person.observe(\.age) { _, _ in }
    person.age = 150
    var iterators = (changes.makeAsyncIterator(), changes.makeAsyncIterator())
    var untypedIterators = (untyped.makeAsyncIterator(), untyped.makeAsyncIterator())
    person.age = 7
    // Each change keeps its values, in the order in which observers are notified (N8).
    let told = ["setting, new: 36", "setting, new: 100", "setting, new: 150", "setting, new: 7"]
    #expect(await take(4, &iterators.0) == told)
    #expect(await take(4, &untypedIterators.0) == told)
    #expect(await take(2, &iterators.1) == ["setting, new: 100", "setting, new: 7"])
    #expect(await take(2, &untypedIterators.1) == ["setting, new: 100", "setting, new: 7"])
    clamp.invalidate()
    plain.invalidate()
  }

  @Test("A later iterator of a dependent key or an operator never begins with a replaced value")
  func severalAfterNestedOfDependents() async throws {
    let clamp = person.observe(\.books) { person, _ in
      if person.books.count > 1 { person.books = ["Dune"] }
    }
    let rename = person.observe(\.firstName) { person, _ in
      if person.firstName == "G" { person.firstName = "Grace" }
    }
    let counts = try person.kvo("books.@count").changes(options: [.initial, .new])
    let names = person.kvo.fullName.changes(options: [.initial, .new])
    let others = (person.observe(\.fullName) { _, _ in }, person.observe(\.books) { _, _ in })
    person.books = ["A", "B", "C"]
    person.firstName = "G"
    var count = (counts.makeAsyncIterator(), counts.makeAsyncIterator())
    var name = (names.makeAsyncIterator(), names.makeAsyncIterator())
    person.books = []
    person.firstName = "Joan"
    #expect(await take(2, &count.1) == ["setting, new: 1", "setting, new: 0"])
    #expect(
      await take(2, &name.1) == [
        "setting, new: \"Grace Lovelace\"", "setting, new: \"Joan Lovelace\"",
      ])
    for token in [clamp, rename, others.0, others.1] { token.invalidate() }
  }

  @Test("Making a later iterator does not read a dependent value again")
  func readings() async {
    let probe = Probe()
    let changes = probe.kvo.reading.changes(options: [.initial, .new])
    var readings = 0
    probe.onRead = { readings += 1 }
    for level in 1...3 { probe.level = level }
    #expect(readings == 3)
    var iterators = (changes.makeAsyncIterator(), changes.makeAsyncIterator())
    #expect(readings == 3)
    probe.onRead = nil
    #expect(
      await take(4, &iterators.0) == (0...3).map { "setting, new: \($0)" })
    #expect(await take(1, &iterators.1) == ["setting, new: 3"])
  }

  // MARK: Ends

  @Test("A sequence does not retain its object, and ends after the changes before its deallocation")
  func death() async {
    var mortal: Person? = Person()
    weak let witness = mortal
    let changes = mortal?.kvo.age.changes(options: [.initial, .new])
    mortal?.age = 1
    mortal = nil
    #expect(witness == nil)
    var lines: [String] = []
    if let changes {
      for await change in changes { lines.append("\(change)") }
      #expect("\(changes)" == "KeyValueChanges(age, ended)")
      var late = changes.makeAsyncIterator()
      #expect(await late.next() == nil)
    }
    #expect(lines == ["setting, new: 36", "setting, new: 1"])
  }

  @Test("Deallocating the object ends an iteration that is waiting")
  @MainActor func deathWhileWaiting() async {
    var mortal: Person? = Person()
    let changes = mortal?.kvo.age.changes(options: [.initial, .new])
    let (arrivals, signal) = AsyncStream<Void>.makeStream()
    let task = Task {
      var count = 0
      if let changes {
        for await _ in changes {
          count += 1
          signal.finish()
        }
      }
      return count
    }
    for await _ in arrivals {}
    // The task runs on this actor: it is waiting for the next change, or will be.
    mortal = nil
    #expect(await task.value == 1)
  }

  @Test("The object can be deallocated inside a loop over its changes")
  @MainActor func deathInside() async {
    var mortal: Person? = Person()
    guard let changes = mortal?.kvo.age.changes(options: [.initial, .new]) else { return }
    var count = 0
    for await _ in changes {
      count += 1
      mortal = nil
    }
    #expect(count == 1)
  }

  @Test("Leaving the loop ends the observation, if nothing else holds the sequence")
  func leaving() async {
    person.age = 1
    for await change in person.kvo.age.changes(options: [.initial, .new]) {
      #expect("\(change)" == "setting, new: 1")
      break
    }
    #expect(isIdle(person))
  }

  @Test("Releasing a sequence without iterators ends the observation")
  func dropping() {
    let tracker = LifetimeTracker()
    let holder = DeliveryLifetimeTests.Holder()
    var changes: KeyValueChanges<LifetimeTracker.Instance?>? = holder.kvo.content.changes(
      options: .new)
    for _ in 1...3 { holder.content = tracker.instance() }
    #expect(tracker.liveCount == 3 && changes?.description == "KeyValueChanges(content, observing)")
    changes = nil
    #expect(tracker.liveCount == 1 && isIdle(holder))
  }

  @Test("Dropped changes, and the pending changes of a released iterator, are released")
  func release() {
    let tracker = LifetimeTracker()
    let holder = DeliveryLifetimeTests.Holder()
    let changes = holder.kvo.content.changes(options: .new, bufferingPolicy: .bufferingNewest(2))
    var iterator: KeyValueChanges<LifetimeTracker.Instance?>.Iterator? = changes.makeAsyncIterator()
    for _ in 1...5 { holder.content = tracker.instance() }
    #expect(tracker.liveCount == 2 && iterator?.droppedCount == 3)
    iterator = nil
    #expect(tracker.liveCount == 1 && changes.droppedCount == 3)
    holder.content = nil
    #expect(tracker.liveCount == 0)
  }

  @Test("A sequence with .prior or of an unobservable path is refused, and ends at once")
  func refused() async {
    await #expect(processExitsWith: .success) {
      let violations = ViolationLog.install()
      let person = Person()
      for await _ in person.kvo.age.changes(options: .prior) { fatalError("told") }
      for await _ in person.kvo[\Person.frame.origin.x].changes() { fatalError("told") }
      for await _ in person.kvo[\Person.frame.origin.x].values() { fatalError("told") }
      let plain =
        "unobservablePath: A plain key path of Person names no key of it: \\Person.frame.origin.x. Only "
        + "one property can be named this way; for a longer path write .frame.origin.x, without "
        + "brackets."
      #expect(violations.take() == ["unsupportedOption: \(priorElsewhereMessage)", plain, plain])
      #expect(isIdle(person))
    }
  }
}
