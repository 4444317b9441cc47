import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("Observing until a handler returns true")
struct UntilTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test("The handler is called until it returns true; then the token ends")
  func stops() {
    person.age = 16
    let token = person.kvo.age.observe(
      options: .new,
      until: { [log] person, change in
        log.note("age", change)
        return person.age >= 18
      })
    for age in 17...20 { person.age = age }
    #expect(log.take() == ["age: setting, new: 17", "age: setting, new: 18"])
    #expect(!token.isValid && isIdle(person))
    #expect("\(token)" == "KeyValueObservation(age, ended)")
  }

  @Test("Every spelling of a path accepts until:")
  func spellings() throws {
    func once<Value>(_ label: String) -> (Person, KeyValueObservedChange<Value>) -> Bool {
      { [log] _, change in
        log.note(label, change)
        return true
      }
    }
    let held = KeyValuePath<Person, Double?>(\.account.balance)
    let tokens = [
      person.kvo.account.balance.observe(options: .new, until: once("plain")),
      try person.kvo("account.balance", as: Double?.self)
        .observe(options: .new, until: once("typed")),
      person.kvo.account.owner.nickname.observe(options: .new, until: once("long")),
      person.kvo[held].observe(options: .new, until: once("held")),
      try person.kvo("account.balance").observe(options: .new, until: once("string")),
      person.kvo.account.observe(until: once("object")),
      person.kvo.nickname.observe(options: .new, until: { _, _ in true }),
    ]
    for balance in [1.0, 2.0] { person.account = Account(balance: balance) }
    person.nickname = "A"
    let labels = ["plain: setting, new: 1.0", "typed: setting, new: 1.0"]
    #expect(
      log.take() == labels + [
        "long: setting, new: nil", "held: setting, new: 1.0", "string: setting, new: 1.0",
        "object: setting",
      ])
    #expect(tokens.allSatisfy { !$0.isValid } && isIdle(person))
  }

  @Test("A trailing closure is a change handler")
  func trailingClosure() {
    var calls = Set<Int>()
    let token = person.kvo.age.observe { person, _ in calls.insert(person.age) }
    person.age = 1
    person.age = 2
    #expect(calls == [1, 2])
    token.invalidate()
  }

  @Test("The initial call may be the last")
  func initial() throws {
    let tokens = [
      person.kvo.age.observe(options: [.initial, .new], until: { _, _ in true }),
      person.kvo.account.balance.observe(options: [.initial, .new], until: { _, _ in true }),
      try person.kvo("fullName").observe(options: [.initial, .new], until: { _, _ in true }),
    ]
    #expect(tokens.allSatisfy { !$0.isValid } && isIdle(person))
  }

  @Test("A handler that has returned true isn't called again for the enclosing change")
  func nested() {
    let token = person.kvo.age.observe(
      options: .new,
      until: { [log] person, change in
        log.note("begin \(change)")
        if person.age < 3 { person.age += 1 }
        log.note("end \(person.age)")
        return person.age == 3
      })
    person.age = 1
    #expect(
      log.take() == [
        "begin setting, new: 1", "begin setting, new: 2", "begin setting, new: 3", "end 3",
        "end 3", "end 3",
      ])
    #expect(!token.isValid)
  }

  @Test("A prior for which the handler returns true is the last call")
  func prior() {
    let first = person.kvo.age.observe(
      options: .prior,
      until: { [log] _, change in
        log.note("first", change)
        return change.isPrior
      })
    person.age = 1
    #expect(log.take() == ["first: setting, prior"])
    #expect(!first.isValid)
    // An earlier observer changes the value again before this one receives the first change.
    let other = person.observe(\.age) { person, _ in if person.age == 2 { person.age = 3 } }
    let second = person.kvo.age.observe(
      options: .new,
      until: { [log] _, change in
        log.note("second", change)
        return true
      })
    person.age = 2
    #expect(log.take() == ["second: setting, new: 3"])
    #expect(!second.isValid)
    other.invalidate()
  }

  @Test("A handler that has returned true isn't called for later changes, including nested ones")
  func changeAfterwards() {
    var isEnough = false
    var calls = 0
    let token = person.kvo.age.observe(until: { _, _ in
      calls += 1
      isEnough = true
      return isEnough
    })
    let follower = person.observe(\.age) { person, _ in if person.age < 10 { person.age += 1 } }
    person.age = 1
    #expect(person.age == 10 && calls == 1)
    token.invalidate()
    follower.invalidate()
  }

  @Test("Releasing the token ends it before its handler returns true")
  func dropping() {
    var token: KeyValueObservation? = person.kvo.age.observe(until: { [log] _, _ in
      log.note("called")
      return false
    })
    person.age = 1
    #expect(token?.isValid == true)
    token = nil
    person.age = 2
    #expect(log.take() == ["called"])
  }

  @Test("The handler's captures are released once it has returned true and its token is released")
  func release() {
    let tracker = LifetimeTracker()
    var token: KeyValueObservation?
    do {
      let witness = tracker.instance()
      token = person.kvo.age.observe(until: { _, _ in withExtendedLifetime(witness) { true } })
    }
    person.age = 1
    #expect(token?.isValid == false)
    token = nil
    #expect(tracker.liveCount == 0)
  }
}
