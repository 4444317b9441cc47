import KeyValueCore
import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("The events of a trace")
struct TraceEventTests {
  @Test("A registration, a change with its delivery, and an end are recorded")
  func life() {
    let person = TracedPerson()
    let trace = KeyValueTrace.recording {
      let observation = person.kvo.firstName.observe(options: [.old, .new]) { _, _ in }
      person.firstName = "Grace"
      observation.invalidate()
    }
    #expect(
      trace.lines == [
        "TracedPerson.firstName: closure registered at TraceEventTests.swift:12, options: [.new, .old]",
        "TracedPerson.firstName is set, was \"Ada\"",
        "  TracedPerson.firstName: closure registered at TraceEventTests.swift:12 is told: \"Ada\" -> \"Grace\"",
        "    TracedPerson.firstName: closure returns",
        "  TracedPerson.firstName has changed: \"Ada\" -> \"Grace\"",
        "TracedPerson.firstName: closure registered at TraceEventTests.swift:12 ends",
      ])
    #expect(trace.deliveries(to: \TracedPerson.firstName).count == 1)
    #expect(trace.deliveries(to: "firstName").count == 1)
    #expect(trace.deliveries(to: person.kvo.firstName).count == 1)
    #expect(trace.deliveries(to: TracedPerson().kvo.firstName).isEmpty)
    #expect(trace.events.allSatisfy { $0.object == trace.events[0].object })
  }

  @Test("A change is delivered through a dependency, a binding and an observer, with their places")
  func way() {
    let department = TracedDepartment()
    let employee = TracedEmployee(100)
    department.employees = [employee]
    let field = TracedField()
    var causes: [String] = []
    let binding = department.kvo.totalSalary.bind(to: field.kvo.text) { "\($0)" }
    let observation = field.kvo.text.observe { _, _ in causes.append("\(KeyValueTrace.cause)") }
    let trace = KeyValueTrace.recording { employee.salary = 120 }
    #expect(
      causes == [
        """
        TracedEmployee.salary is set, was 100
          TracedDepartment.totalSalary through employees.salary
            binding to TracedField.text bound at TraceEventTests.swift:39
              TracedField.text is set, was "100"
                closure of TracedField.text registered at TraceEventTests.swift:40
        """
      ])
    let told = trace.deliveries(to: "text")
    #expect(told.count == 1)
    #expect(
      trace.cause(of: told[0]).events.map(\.kind) == [
        .changeBegan, .delivered, .changeBegan, .delivered,
      ])
    #expect(KeyValueTrace.cause.isEmpty)
    withExtendedLifetime((binding, observation)) {}
  }

  @Test("A call waits for the transaction's end, and its cause is the last change")
  func transaction() throws {
    struct Failure: Error {}
    let person = TracedPerson()
    let observation = person.kvo.age.observe(options: [.old, .new]) { _, _ in }
    let trace = KeyValueTrace.recording {
      person.performChanges { person in
        person.age = 37
        person.age = 38
      }
    }
    #expect(
      trace.events.map(\.kind) == [
        .changeBegan, .deferred, .changeEnded, .changeBegan, .deferred, .changeEnded, .delivered,
        .returned,
      ])
    #expect(trace.events[6].cause == trace.events[4].id)
    #expect("\(trace.events[6].oldValue!) -> \(trace.events[6].newValue!)" == "36 -> 38")
    withExtendedLifetime(observation) {}
  }

  @Test("A call for a change that is rolled back is skipped, once")
  func rollback() {
    struct Failure: Error {}
    let person = TracedPerson()
    let observation = person.kvo.age.observe(options: [.old, .new]) { _, _ in }
    let trace = KeyValueTrace.recording {
      try? person.performChanges(rollingBack: true) { person in
        person.age = 37
        throw Failure()
      }
    }
    #expect(trace.events.filter { $0.kind == .delivered }.isEmpty)
    #expect(
      trace.events.map(\.kind) == [
        .changeBegan, .deferred, .changeEnded, .changeBegan, .changeEnded, .skipped,
      ])
    #expect(trace.events[5].reason == .rolledBack)
    #expect(trace.events[5].cause == trace.events[1].id)
    withExtendedLifetime(observation) {}
  }

  @Test("A call to an observer that ended during the change is skipped")
  func skipped() {
    let person = TracedPerson()
    var second: KeyValueObservation?
    let first = person.kvo.age.observe { _, _ in second?.invalidate() }
    second = person.kvo.age.observe { _, _ in }
    let trace = KeyValueTrace.recording { person.age += 1 }
    #expect(
      trace.events.map(\.kind) == [
        .changeBegan, .delivered, .ended, .returned, .skipped, .changeEnded,
      ])
    #expect(trace.events[4].reason == .ended)
    withExtendedLifetime(first) {}
  }

  @Test("A refused set of a key that only the class answers ends, and nothing else is inside of it")
  func refused() throws {
    let pad = TracedPad()
    let observation = try pad.observe("size") { _, _ in }
    func set(_ value: Any) -> KeyValueTrace {
      KeyValueTrace.recording {
        try? (pad as any KeyValueObservable).setValue(value, forKey: "size")
      }
    }
    #expect(set("text").events.map(\.kind) == [.changeBegan, .changeEnded])
    let trace = set(2)
    #expect(trace.events.map(\.kind) == [.changeBegan, .delivered, .returned, .changeEnded])
    #expect(trace.events.first?.cause == nil)
    withExtendedLifetime(observation) {}
  }

  @Test("The initial call occurs inside the registration")
  func initial() {
    let person = TracedPerson()
    let trace = KeyValueTrace.recording {
      person.kvo.fullName.observe(options: [.initial, .new]) { _, _ in }.invalidate()
    }
    #expect(trace.events.map(\.kind) == [.registered, .delivered, .returned, .ended])
    #expect(trace.events[1].cause == trace.events[0].id)
    #expect(trace.events[1].isInitial)
    #expect(trace.events[1].newValue?.description == "\"Ada Lovelace\"")
  }

  @Test("An object's death ends its registrations and is the cause of their ends")
  func death() throws {
    // A property, because an optimized build may keep a local variable's object alive.
    let owner = TracedPerson()
    owner.account = TracedAccount()
    let trace = KeyValueTrace.recording {
      let observation = owner.account?.kvo.balance.observe { _, _ in }
      withExtendedLifetime(observation) { owner.account = nil }
    }
    try #require(trace.events.map(\.kind) == [.registered, .died, .ended])
    #expect(trace.events[2].cause == trace.events[1].id)
    #expect(trace.events[1].object == trace.events[0].object)
    #expect(trace.events[2].object == trace.events[0].object)
  }

  @Test("A log, and a recorder of a graph, change nothing in a trace of the graph")
  func logged() throws {
    let person = TracedPerson()
    let account = TracedAccount()
    person.account = account
    let names = person.kvo.fullName.observe(options: [.old, .new]) { _, _ in }
    let balances = person.kvo.account.balance.observe { _, _ in }
    func lines() -> [String] {
      KeyValueTrace.recording {
        person.firstName = "Grace"
        person.firstName += " B."
        person.age = 37
        account.balance += 5
        person.account = nil
        person.account = account
        person.performChanges { person in
          person.firstName = "Ada"
          person.lastName = "King"
        }
        person.mutableArrayValue(for: \.nicknames).append("A")
        (person.firstName, person.lastName, person.nicknames) = ("Ada", "Lovelace", [])
        account.balance -= 5
      }.lines
    }
    let before = lines()
    #expect(before.count > 30)
    let log = try KeyValueChangeLog(of: person)
    var records = 0
    let token = log.observe { _ in records += 1 }
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: person)
    #expect(lines() == before)
    #expect(records == 12)
    recorder.stopRecording(graph: person)
    token.invalidate()
    withExtendedLifetime((log, names, balances)) {}
  }

  @Test("No event contains a redacted key's value")
  func redacted() throws {
    let person = TracedPerson()
    let first = person.kvo.secret.observe(options: [.old, .new]) { _, _ in }
    let second = try person.observe("secret", options: [.old, .new]) { _, _ in }
    let trace = KeyValueTrace.recording { person.secret = "t0psecret" }
    let text = "\(trace)"
    #expect(!text.contains("s3cret") && !text.contains("t0psecret"))
    #expect(trace.deliveries(to: "secret").map { $0.newValue?.isRedacted } == [true, true])
    #expect(KeyValueTrace.isRedacted("secret") && !KeyValueTrace.isRedacted("firstName"))
    withExtendedLifetime((first, second)) {}
  }

  @Test("No event contains a redacted key's value that is observed through a path or a sum")
  func redactedPaths() {
    let wallet = TracedWallet()
    wallet.card = TracedCard(pin: 471_104_711)
    wallet.cards = [TracedCard(pin: 815_008_150)]
    let observations = [
      wallet.kvo.card.pin.observe(options: [.old, .new]) { _, _ in },
      wallet.kvo.cards[sum: \.pin].observe(options: [.old, .new]) { _, _ in },
    ]
    let trace = KeyValueTrace.recording {
      wallet.card = TracedCard(pin: 902_109_021)
      wallet.card?.pin = 307_403_074
      wallet.performChanges { $0.card = TracedCard(pin: 555_605_556) }
      wallet.cards[0].pin = 129_301_293
      wallet.cards = []
    }
    for observation in observations { observation.invalidate() }
    for path in ["card.pin", "cards.@sum.pin"] {
      let deliveries = trace.deliveries(to: path)
      #expect(deliveries.count == (path == "card.pin" ? 3 : 2))
      #expect(deliveries.allSatisfy { $0.oldValue?.isRedacted == true }, "\(path)")
      #expect(deliveries.allSatisfy { $0.newValue?.isRedacted == true }, "\(path)")
    }
    let text = "\(trace)"
    for start in ["4711", "8150", "9021", "3074", "5556", "1293"] {
      #expect(!text.contains("\(start)0\(start)"))
    }
  }

  @Test("No event contains a redacted key's value that is observed by a protocol's requirement")
  func redactedRequirement() {
    func observe(_ card: some HasPin & KeyValueObservable) -> KeyValueObservation {
      card.kvo.pin.observe(options: [.old, .new]) { _, _ in }
    }
    let card = TracedCard(pin: 471_104_711)
    let observation = observe(card)
    let trace = KeyValueTrace.recording { card.pin = 902_109_021 }
    let deliveries = trace.deliveries(to: "pin")
    #expect(deliveries.map { $0.oldValue?.isRedacted } == [true])
    #expect(deliveries.map { $0.newValue?.isRedacted } == [true])
    #expect(!"\(trace)".contains("471104711") && !"\(trace)".contains("902109021"))
    withExtendedLifetime(observation) {}
  }

  @Test("Changes outside a recording and in detached tasks aren't traced")
  func off() async {
    let person = TracedPerson()
    let observation = person.kvo.age.observe { _, _ in }
    let other = TracedPerson()
    let otherObservation = other.kvo.age.observe { _, _ in }
    let trace = await KeyValueTrace.recording {
      person.age += 1
      await Task.detached { @Sendable in TracedPerson().age += 1 }.value
      await Task {
        let person = TracedPerson()
        person.kvo.age.observe { _, _ in }.invalidate()
        withExtendedLifetime(person) {}
      }.value
    }
    other.age += 1
    #expect(
      trace.events.map(\.kind) == [
        .changeBegan, .delivered, .returned, .changeEnded, .registered, .ended,
      ])
    withExtendedLifetime((observation, otherObservation)) {}
  }
}
