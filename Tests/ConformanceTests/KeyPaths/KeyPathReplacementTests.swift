import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P. Key paths: replaced, missing and changed objects")
struct KeyPathReplacementTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test("P2 A path registered in a prior follows the object that the change sets")
  func registeredInPrior() {
    checkRegistrationInPrior { person, new in person.account = new }
  }

  @Test("P2 A path registered in the prior of an in-place change follows the object that it sets")
  func registeredInPriorOfChangeInPlace() {
    checkRegistrationInPrior { person, new in
      var account: Account? = new
      swap(&person.account, &account)
    }
  }

  private func checkRegistrationInPrior(_ change: (Person, Account) -> Void) {
    let (old, new) = (Account(balance: 1), Account(balance: 2))
    person.account = old
    var late: KeyValueObservation?
    let early = person.observe(\.account, options: .prior) { [log] person, change in
      guard change.isPrior, late == nil else { return }
      late = person.observe(
        \.account.balance, options: [.old, .new], changeHandler: log.handler("late"))
    }
    change(person, new)
    old.balance = 10
    #expect(log.take() == [] && isIdle(old))
    new.balance = 20
    #expect(log.take() == ["late: setting, old: 2.0, new: 20.0"])
    early.invalidate()
    late?.invalidate()
    #expect(isIdle(person, new))
  }

  @Test("P2 The old object detaches after the prior, the new one attaches before the post (trap 8)")
  func orderOfReplacement() {
    let old = Account(balance: 10)
    let new = Account(balance: 30)
    person.account = old
    var stirred = 0
    let token = person.observe(\.account.balance, options: [.old, .new, .prior]) {
      [log] _, change in
      log.note("balance", change)
      stirred += 1
      if stirred == 1 { old.balance = 11 }
      if stirred == 4 {
        old.balance = 99
        new.balance = 31
      }
    }
    person.account = new
    #expect(
      log.take() == [
        "balance: setting, old: 10.0, prior",  // of the assignment; changes the old account
        "balance: setting, old: 10.0, prior", "balance: setting, old: 10.0, new: 11.0",
        "balance: setting, old: 10.0, new: 30.0",  // of the assignment; changes both
        "balance: setting, old: 30.0, prior", "balance: setting, old: 30.0, new: 31.0",
      ])
    token.invalidate()
  }

  @Test("P2 Assigning the same object again notifies and leaves it attached once")
  func sameObjectAgain() {
    let account = Account(balance: 1)
    person.account = account
    let token = person.observe(
      \.account.balance, options: [.old, .new], changeHandler: log.handler("balance"))
    person.account = account
    person.account = account
    account.balance = 2
    #expect(
      log.take() == [
        "balance: setting, old: 1.0, new: 1.0", "balance: setting, old: 1.0, new: 1.0",
        "balance: setting, old: 1.0, new: 2.0",
      ])
    token.invalidate()
    #expect(isIdle(account) && isIdle(person))
  }

  @Test("P2 Replacing an object in the middle detaches everything behind it (trap 8)")
  func replacedMiddle() {
    let oldTail = ChainLink("old tail")
    let oldMiddle = ChainLink("old middle", next: oldTail)
    let newTail = ChainLink("new tail")
    let newMiddle = ChainLink("new middle", next: newTail)
    let head = ChainLink("head", next: oldMiddle)
    let token = head.observe(
      \.next.next.name, options: .new, changeHandler: log.handler("name"))
    head.next = newMiddle
    oldTail.name = "silent"
    oldMiddle.next = ChainLink("silent")
    newTail.name = "heard"
    newMiddle.next = oldTail
    newTail.name = "silent"
    oldTail.name = "back again"
    #expect(
      log.take() == [
        "name: setting, new: \"new tail\"", "name: setting, new: \"heard\"",
        "name: setting, new: \"silent\"", "name: setting, new: \"back again\"",
      ])
    #expect(isIdle(oldMiddle) && isIdle(newTail))
    token.invalidate()
    #expect(isIdle(head, newMiddle, oldTail))
  }

  @Test("P2 Replacing an object detaches the sources of its dependent key (trap 8)")
  func replacedOwnerOfADependentKey() {
    let first = Person()
    let second = Person()
    second.firstName = "Grace"
    person.manager = first
    let token = person.observe(
      \.manager.fullName, options: [.old, .new], changeHandler: log.handler("boss"))
    person.manager = second
    first.firstName = "silent"
    second.lastName = "Hopper"
    #expect(
      log.take() == [
        "boss: setting, old: \"Ada Lovelace\", new: \"Grace Lovelace\"",
        "boss: setting, old: \"Grace Lovelace\", new: \"Grace Hopper\"",
      ])
    #expect(isIdle(first))
    token.invalidate()
    #expect(isIdle(second))
  }

  @Test(
    "P2 N8 A prior that replaces the same object is delivered at once; the outer change continues")
  func replacementInsideThePrior() {
    let (a, b, c) = (Account(balance: 1), Account(balance: 2), Account(balance: 3))
    person.account = a
    var isFirst = true
    let token = person.observe(\.account.balance, options: [.old, .new, .prior]) {
      [log] person, change in
      log.note("balance", change)
      if isFirst {
        isFirst = false
        person.account = c
      }
    }
    person.account = b
    #expect(
      log.take() == [
        "balance: setting, old: 1.0, prior", "balance: setting, old: 1.0, prior",
        "balance: setting, old: 1.0, new: 3.0", "balance: setting, old: 1.0, new: 2.0",
      ])
    a.balance = 9
    c.balance = 9
    b.balance = 4
    #expect(
      log.take() == ["balance: setting, old: 2.0, prior", "balance: setting, old: 2.0, new: 4.0"])
    token.invalidate()
    #expect(isIdle(a, b, c))
  }

  @Test("P2 N2 A path that ends in the prior of a replacement is attached to neither object")
  func endedInsideThePrior() {
    let (old, new) = (Account(balance: 1), Account(balance: 2))
    person.account = old
    var token: KeyValueObservation?
    token = person.observe(\.account.balance, options: [.prior]) { [log] _, change in
      log.note("balance", change)
      token?.invalidate()
    }
    person.account = new
    #expect(log.take() == ["balance: setting, prior"])
    #expect(isIdle(old) && isIdle(new) && isIdle(person))
    token = nil
  }

  @Test("P3 nil is legal at registration, along the path and again later, typed and by string")
  func nilAnywhere() throws {
    let typed = person.observe(
      \.manager.account.balance, options: [.old, .new], changeHandler: log.handler("typed"))
    let string = try person.observe(
      "manager.account.balance", options: [.old, .new], changeHandler: log.handler("string"))
    let manager = Person()
    person.manager = manager
    manager.account = Account(balance: 5)
    person.manager = nil
    manager.account = nil
    person.manager = manager
    manager.account = Account(balance: 6)
    manager.account?.balance = 7
    let expected = [
      "old: nil, new: nil", "old: nil, new: 5.0", "old: 5.0, new: nil", "old: nil, new: nil",
      "old: nil, new: 6.0", "old: 6.0, new: 7.0",
    ]
    #expect(log.take() == expected.flatMap { ["typed: setting, \($0)", "string: setting, \($0)"] })
    typed.invalidate()
    string.invalidate()
  }

  @Test("P3 A path can be removed while it is nil (trap 8)")
  func removedWhileNil() throws {
    let observer = LoggingObserver("observer", log)
    let token = person.observe(\.manager.account.balance, changeHandler: log.handler("closure"))
    try person.addObserver(observer, forKeyPath: "manager.account.balance")
    token.invalidate()
    try person.removeObserver(observer, forKeyPath: "manager.account.balance")
    #expect(isIdle(person))
    let manager = Person()
    person.manager = manager
    manager.account = Account()
    #expect(log.take() == [])
  }

  @Test("P4 A path whose object was replaced without notification can be removed (trap 9)")
  func changedBehindTheBack() throws {
    let purse = Purse()
    let (old, new) = (Account(), Account())
    purse.account = old
    let observer = LoggingObserver("observer", log)
    try purse.addObserver(observer, forKeyPath: "account.balance")
    let token = purse.observe(\.account.balance, changeHandler: log.handler("closure"))
    purse.account = new
    #expect(log.take() == [])
    try purse.removeObserver(observer, forKeyPath: "account.balance")
    token.invalidate()
    #expect(isIdle(old) && isIdle(new) && isIdle(purse))
    old.balance = 1
    new.balance = 1
    #expect(log.take() == [])
  }

  @Test("P4 A path that became nil without notification can be removed")
  func emptiedBehindTheBack() {
    let purse = Purse()
    let old = Account()
    purse.account = old
    let token = purse.observe(\.account.balance, changeHandler: log.handler("closure"))
    purse.account = nil
    token.invalidate()
    #expect(isIdle(old) && isIdle(purse))
  }

  @Test("P4 M3 A manual pair attaches the path to the object that is there at its did")
  func announcedAfterwards() {
    let purse = Purse()
    let (old, new) = (Account(balance: 1), Account(balance: 2))
    purse.account = old
    let token = purse.observe(
      \.account.balance, options: [.old, .new], changeHandler: log.handler("balance"))
    purse.willChangeValue(forKey: "account")
    purse.account = new
    purse.didChangeValue(forKey: "account")
    old.balance = 9
    new.balance = 3
    #expect(
      log.take() == [
        "balance: setting, old: 1.0, new: 2.0", "balance: setting, old: 2.0, new: 3.0",
      ])
    #expect(isIdle(old))
    token.invalidate()
  }
}
