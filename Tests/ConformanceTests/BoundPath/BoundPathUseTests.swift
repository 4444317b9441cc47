import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("B. Bound paths of proxies, recorders and controllers")
struct BoundPathUseTests {
  private let log = ChangeLog()
  private let person = Person()
  private let screen = Screen()

  @Test("C1 A bound path has a proxy; behind an optional owner it is nil while the owner is nil")
  func proxies() throws {
    let office = Office()
    let token = office.kvo.next.staff.observe(
      options: .new, changeHandler: log.handler("staff"))
    office.kvo.staff.mutableArray().append(Clerk())
    office.kvo.bench.mutableSet().insert(office.staff[0])
    #expect(office.kvo.next.staff.mutableArray() == nil)
    office.kvo.pool.mutableArray()?.append(Clerk())
    #expect((office.staff.count, office.bench.count, office.pool?.count) == (1, 1, 1))
    office.next = Office()
    let clerk = Clerk()
    office.kvo.next.staff.mutableArray()?.insert(clerk, at: 0)
    #expect(
      log.take() == [
        "staff: setting, new: []", "staff: insertion, indexes: 0, new: [\(clerk)]",
      ])
    #expect(token.isValid)
  }

  @Test("U A recorder records bound paths of several objects, all or none")
  func recorder() throws {
    let recorder = KeyValueChangeRecorder()
    try recorder.record(person.kvo.age, screen.kvo.text, person.kvo.account.balance)
    person.account = Account(balance: 1)
    recorder.group {
      person.age = 1
      screen.text = "a"
      person.account?.balance = 2
    }
    try recorder.undo()
    #expect((person.age, screen.text, person.account?.balance) == (36, "", 1))
    recorder.stopRecording(person.kvo.age, screen.kvo.text)
    person.age = 9
    let isRedone = try recorder.redo()
    #expect(isRedone)
    #expect((person.age, screen.text, person.account?.balance) == (1, "a", 2))

    let other = KeyValueChangeRecorder()
    #expect(
      throws: KeyValueCodingError.readOnly(
        .init(
          type: "Screen", key: "frame.origin.x",
          reason: "it goes through a member of a value; record the key that holds the value"))
    ) {
      try other.record(person.kvo.firstName, screen.kvo.frame.origin.x)
    }
    person.firstName = "Grace"
    let isUndone = try other.undo()
    #expect(!isUndone)
    #expect(person.firstName == "Grace")
  }

  @Test(
    "X3 What several bindings set after one transaction of a form is a level each; in a group, it's one",
    arguments: [false, true])
  func answeredTogether(recordsGraph: Bool) throws {
    let firm = Firm()
    let recorder = KeyValueChangeRecorder()
    if recordsGraph {
      try recorder.record(graph: firm)
    } else {
      try recorder.record(firm.kvo.name, firm.kvo.watched)
    }
    let bindings = [
      firm.kvo.name.bindTwoWay(to: screen.kvo.text),
      firm.kvo.watched.bindTwoWay(to: screen.kvo.count),
    ]
    func fill(_ text: String, _ count: Int) {
      screen.performChanges {
        $0.text = text
        $0.count = count
      }
    }
    fill("A", 1)
    try recorder.undo()
    #expect((firm.name, firm.watched, screen.text, screen.count) == ("A", 0, "A", 0))
    try recorder.undo()
    #expect((firm.name, firm.watched, recorder.canUndo) == ("Engines", 0, false))

    recorder.group { fill("B", 2) }
    #expect((firm.name, firm.watched) == ("B", 2))
    try recorder.undo()
    #expect((firm.name, firm.watched, recorder.canUndo) == ("Engines", 0, false))
    #expect((screen.text, screen.count) == ("Engines", 0))
    try recorder.redo()
    #expect((firm.name, firm.watched, screen.text, screen.count) == ("B", 2, "B", 2))
    withExtendedLifetime(bindings) {}
  }

  @Test("U Elements are recorded while they are in the collection")
  func recordedElements() throws {
    let office = Office()
    let recorder = KeyValueChangeRecorder()
    try recorder.record(office.kvo.staff[each: \.pay])
    let clerk = Clerk()
    office.staff = [clerk]
    clerk.pay = 5
    try recorder.undo()
    #expect(clerk.pay == 1)
    office.staff = []
    clerk.pay = 6
    let isUndone = try recorder.undo()
    #expect(!isUndone)
  }

  @Test("O A controller returns a discardable token, and the same one for a second observation")
  func controller() {
    ViolationLog.record { violations in
      let (owner, person) = (Screen(), Person())
      let controller = KeyValueObserverController(owner: owner)
      let first = controller.observe(person.kvo.age) { screen, person, _ in
        screen.count = person.age
      }
      let second = controller.observe(person.kvo.age) { screen, _, _ in screen.count = -1 }
      #expect(first === second)
      #expect(violations.take().count == 1)
      controller.observe(person.kvo.firstName) { screen, person, _ in screen.text = person.firstName
      }
      person.age = 3
      person.firstName = "Grace"
      #expect((owner.count, owner.text) == (3, "Grace"))
      controller.unobserve(person.kvo.age)
      #expect(!first.isValid)
      person.age = 4
      #expect(owner.count == 3)
    }
  }

  @Test("C1 A collection of an object without the macro has no proxy, and nor has the object's key")
  func proxyOfMember() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Works().kvo.turbine.parts.mutableArray().removeAll()
    }
    try expectTrap(result, says: "'turbine.parts' of Works ends in no key that has a proxy.")
  }
}
