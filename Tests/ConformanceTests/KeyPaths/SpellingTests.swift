import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P. Key paths: spellings")
struct SpellingTests {
  private let log = ChangeLog()
  private let person = Person()

  /// The changes that every spelling of the account's balance reports.
  private func stir() -> [String] {
    let account = Account(balance: 1)
    person.account = account
    account.balance = 2
    person.account = nil
    account.balance = 3
    return log.take()
  }

  private static let balanceHistory = [
    "x: setting, old: nil, new: 1.0", "x: setting, old: 1.0, new: 2.0",
    "x: setting, old: 2.0, new: nil",
  ]

  @Test("P1 A path through an optional is the same path with and without ?")
  func withAndWithoutQuestionMark() {
    let plain = person.observe(
      \.account.balance, options: [.old, .new], changeHandler: log.handler("x"))
    #expect(stir() == Self.balanceHistory)
    plain.invalidate()
    let marked = person.observe(
      \.account?.balance, options: [.old, .new], changeHandler: log.handler("x"))
    #expect(stir() == Self.balanceHistory)
    marked.invalidate()
    #expect([plain.keyPath, marked.keyPath] == ["account.balance", "account.balance"])
  }

  @Test("P1 In a trailing closure the value is optional once, with and without ?")
  func closureTypes() {
    let tokens = [
      person.observe(\.account.balance, options: .new) { [log] (_: Person, change) in
        let value: Double?? = change.newValue
        log.note("plain \(value as Any)")
      },
      person.observe(\.account?.balance, options: .new) { [log] (_: Person, change) in
        let value: Double?? = change.newValue
        log.note("marked \(value as Any)")
      },
      person.observe(\.manager?.nickname, options: .new) { [log] (_: Person, change) in
        let value: String?? = change.newValue
        log.note("nickname \(value as Any)")
      },
    ]
    person.account = Account(balance: 1)
    person.account = nil
    let manager = Person()
    person.manager = manager
    manager.nickname = "Al"
    #expect(
      log.take() == [
        "plain Optional(Optional(1.0))", "marked Optional(Optional(1.0))",
        "plain Optional(nil)", "marked Optional(nil)",
        "nickname Optional(nil)", "nickname Optional(Optional(\"Al\"))",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("P1 Every mixture of the two spellings over two optionals is the same path")
  func mixtures() throws {
    let options: KeyValueObservingOptions = [.old, .new]
    let account = Account()
    let tokens = [
      person.observe(\.account.owner.firstName, options: options, changeHandler: log.handler("1")),
      person.observe(\.account?.owner.firstName, options: options, changeHandler: log.handler("2")),
      person.observe(\.account.owner?.firstName, options: options, changeHandler: log.handler("3")),
      person.observe(
        \.account?.owner?.firstName, options: options, changeHandler: log.handler("4")),
      try person.observe(
        "account.owner.firstName", options: options, changeHandler: log.handler("5")),
    ]
    #expect(tokens.allSatisfy { $0.keyPath == "account.owner.firstName" })
    account.owner = person
    person.account = account
    person.firstName = "Grace"
    account.owner = nil
    let expected = [
      "old: nil, new: \"Ada\"", "old: \"Ada\", new: \"Grace\"", "old: \"Grace\", new: nil",
    ]
    #expect(log.take() == expected.flatMap { line in (1...5).map { "\($0): setting, \(line)" } })
    for token in tokens { token.invalidate() }
    #expect(isIdle(person, account))
  }

  @Test("P1 A path may end in an optional object, with and without ?")
  func endingInAnObject() {
    let account = Account()
    let plain = person.observe(\.account.owner, options: [.old, .new]) { [log] _, change in
      log.note("plain \((change.oldValue ?? nil) != nil) \((change.newValue ?? nil) != nil)")
    }
    let marked = person.observe(\.account?.owner, options: [.old, .new]) { [log] _, change in
      log.note("marked \((change.oldValue ?? nil) != nil) \((change.newValue ?? nil) != nil)")
    }
    person.account = account
    account.owner = person
    person.account = nil
    #expect(
      log.take() == [
        "plain false false", "marked false false", "plain false true", "marked false true",
        "plain true false", "marked true false",
      ])
    plain.invalidate()
    marked.invalidate()
  }

  @Test("P1 Long chains of weak objects and value tails resolve with, without and with some ?")
  func longChains() {
    let (first, second) = (Person(), Person())
    person.manager = first
    first.manager = second
    let tokens = [
      person.observe(
        \.manager?.manager?.frame.origin.x, options: .new, changeHandler: log.handler("1")),
      person.observe(
        \.manager.manager.frame.origin.x, options: .new, changeHandler: log.handler("2")),
      person.observe(
        \.manager.manager?.frame.origin.x, options: .new, changeHandler: log.handler("3")),
    ]
    second.frame.origin.x = 5
    first.manager = nil
    #expect(
      log.take() == [
        "1: setting, new: 5.0", "2: setting, new: 5.0", "3: setting, new: 5.0",
        "1: setting, new: nil", "2: setting, new: nil", "3: setting, new: nil",
      ])
    #expect(tokens.allSatisfy { $0.keyPath == "manager.manager.frame.origin.x" })
    for token in tokens { token.invalidate() }
  }

  @Test("P1 A stored path is observed like the literal that it was made from")
  func heldInAValue() {
    let plain = KeyValuePath<Person, Double?>(\.account.balance)
    let marked = KeyValuePath<Person, Double?>(\.account?.balance)
    for path in [plain, marked] {
      let token = person.observe(path, options: [.old, .new], changeHandler: log.handler("x"))
      #expect(stir() == Self.balanceHistory)
      #expect(token.keyPath == "account.balance")
      token.invalidate()
    }
  }

  @Test("P1 Paths with the same components are equal and print as they are written")
  func pathIdentity() {
    let balance = KeyValuePath<Person, Double?>(\.account.balance)
    let marked = KeyValuePath<Person, Double?>(\.account?.balance)
    let rate = KeyValuePath<Person, Double?>(\.account.interestRate)
    #expect(balance == marked && balance.hashValue == marked.hashValue)
    #expect(balance != rate)
    #expect(Set([balance, marked, rate]).count == 2)
    #expect(String(balance) == "account.balance" && "\(rate)" == "account.interestRate")
    #expect(String(KeyValuePath<Person, Double>(\.frame.origin.x)) == "frame.origin.x")
    #expect(String(KeyValuePath<Person, String>(\.fullName)) == "fullName")
    #expect(
      KeyValuePath<Person, Double>(\.frame.origin.x)
        != KeyValuePath<Person, Double>(\.frame.origin.y))
  }

  @Test("P1 Generic code observes a path value or a plain key path")
  func genericCode() {
    func follow<Root: KeyValueObservable, Value>(
      _ object: Root, _ path: KeyValuePath<Root, Value>
    ) -> KeyValueObservation {
      object.observe(path, options: [.old, .new], changeHandler: log.handler("path"))
    }
    func follow<Root: KeyValueObservable, Value>(
      _ object: Root, plain keyPath: KeyPath<Root, Value>
    ) -> KeyValueObservation {
      object.observe(keyPath, options: [.old, .new], changeHandler: log.handler("plain"))
    }
    let tokens = [
      follow(person, KeyValuePath(\.fullName)), follow(person, plain: \.fullName),
      follow(person, plain: \.nickname),
    ]
    person.firstName = "Grace"
    person.nickname = "G"
    #expect(
      log.take() == [
        "path: setting, old: \"Ada Lovelace\", new: \"Grace Lovelace\"",
        "plain: setting, old: \"Ada Lovelace\", new: \"Grace Lovelace\"",
        "plain: setting, old: nil, new: \"G\"",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("P1 A plain key path with an explicit root names one property, settable or not")
  func explicitRoot() {
    let writable: ReferenceWritableKeyPath<Person, Int> = \Person.age
    let tokens = [
      person.observe(\Person.firstName, options: .new, changeHandler: log.handler("literal")),
      person.observe(writable, options: .new, changeHandler: log.handler("writable")),
      person.observe(\Person.account, options: .prior, changeHandler: log.handler("optional")),
    ]
    person.firstName = "Grace"
    person.age += 1
    person.account = nil
    #expect(
      log.take() == [
        "literal: setting, new: \"Grace\"", "writable: setting, new: 37",
        "optional: setting, prior", "optional: setting",
      ])
    #expect(tokens.map(\.keyPath) == ["firstName", "age", "account"])
    for token in tokens { token.invalidate() }
  }

  @Test("P1 A plain key path of several components is reported to the violation handler")
  func longPlainKeyPath() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let keyPath: KeyPath<Person, Double?> = \Person.account?.balance
      _ = Person().observe(keyPath) { _, _ in }
    }
    try expectTrap(
      result,
      says: longPlainMessage("account?.<Double>?", write: "account.<Double>")
        .replacing(
          "the root type.",
          with:
            "the root type (a member whose name a key path does not know shows its type in angle "
            + "brackets)."))
  }

  @Test("P1 If the handler returns, such a registration is invalid and has no effect")
  func longPlainKeyPathGoesOn() {
    ViolationLog.record { violations in
      let person = Person()
      let token = person.observe(\Person.frame.origin) { _, _ in fatalError("called") }
      #expect(violations.take() == ["unobservablePath: \(longPlainMessage("frame.origin"))"])
      #expect(!token.isValid && isIdle(person))
      person.frame = Frame()
      token.invalidate()
    }
  }
}

private func longPlainMessage(_ path: String, write way: String? = nil) -> String {
  "A plain key path of Person names no key of it: \\Person.\(path). Only one property can be named this "
    + "way; for a longer path write \\.\(way ?? path), without the root type."
}
