import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P. Key paths")
struct KeyPathTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test("P1 A change of any component notifies with the values of the whole path")
  func everyComponentNotifies() throws {
    let typed = person.observe(
      \.account.balance, options: [.old, .new], changeHandler: log.handler("typed"))
    let string = try person.observe(
      "account.balance", options: [.old, .new], changeHandler: log.handler("string"))
    person.account = Account(balance: 10)
    person.account?.balance = 20
    person.account = Account(balance: 30)
    person.account = nil
    #expect(
      log.take() == [
        "typed: setting, old: nil, new: 10.0", "string: setting, old: nil, new: 10.0",
        "typed: setting, old: 10.0, new: 20.0", "string: setting, old: 10.0, new: 20.0",
        "typed: setting, old: 20.0, new: 30.0", "string: setting, old: 20.0, new: 30.0",
        "typed: setting, old: 30.0, new: nil", "string: setting, old: 30.0, new: nil",
      ])
    typed.invalidate()
    string.invalidate()
  }

  @Test("P1 Each of four components notifies, and priors carry the old value of the whole path")
  func longPath() {
    let third = ChainLink("third", next: ChainLink("fourth"))
    let second = ChainLink("second", next: third)
    let first = ChainLink("first", next: second)
    let token = first.observe(
      \.next.next.next.name, options: [.old, .new, .prior], changeHandler: log.handler("name"))
    third.next?.name = "leaf"
    third.next = ChainLink("other leaf")
    second.next = ChainLink("middle", next: ChainLink("its leaf"))
    first.next = nil
    #expect(
      log.take() == [
        "name: setting, old: \"fourth\", prior", "name: setting, old: \"fourth\", new: \"leaf\"",
        "name: setting, old: \"leaf\", prior", "name: setting, old: \"leaf\", new: \"other leaf\"",
        "name: setting, old: \"other leaf\", prior",
        "name: setting, old: \"other leaf\", new: \"its leaf\"",
        "name: setting, old: \"its leaf\", prior", "name: setting, old: \"its leaf\", new: nil",
      ])
    token.invalidate()
  }

  @Test("R1 A path of very many components can be read, but not observed")
  func veryLong() throws {
    let link = ChainLink("a")
    link.next = link
    let log = ChangeLog()
    func path(_ count: Int) -> String {
      (Array(repeating: "next", count: count - 1) + ["name"]).joined(separator: ".")
    }
    let token = try link.observe(path(500), options: .new, changeHandler: log.handler("name"))
    link.name = "b"
    #expect(log.take() == ["name: setting, new: \"b\""])
    token.invalidate()
    let error = #expect(throws: KeyValueCodingError.self) {
      try link.observe(path(50_000)) { _, _ in }
    }
    #expect(
      "\(error!)"
        == "'\(path(50_000).prefix(40))…' is not a key path: it has 50000 components, and an observed one has at "
        + "most 500.")
    #expect(try link.value(forKeyPath: path(50_000)) as? String == "b")
    link.next = nil
  }

  @Test("P1 A change of a path carries only the values that were requested")
  func optionsOnAPath() throws {
    person.account = Account(balance: 1)
    let none = try person.observe("account.balance", changeHandler: log.handler("none"))
    let old = try person.observe(
      "account.balance", options: .old, changeHandler: log.handler("old"))
    let new = try person.observe(
      "account.balance", options: .new, changeHandler: log.handler("new"))
    person.account?.balance = 2
    person.account = Account(balance: 3)
    #expect(
      log.take() == [
        "none: setting", "old: setting, old: 1.0", "new: setting, new: 2.0",
        "none: setting", "old: setting, old: 2.0", "new: setting, new: 3.0",
      ])
    for token in [none, old, new] { token.invalidate() }
  }

  @Test("P1 The initial change of a path carries the value of the whole path")
  func initialOfAPath() throws {
    person.account = Account(balance: 7)
    let typed = person.observe(
      \.account.balance, options: [.initial, .new], changeHandler: log.handler("typed"))
    let string = try person.observe(
      "account.balance", options: [.initial, .new], changeHandler: log.handler("string"))
    let missing = try person.observe(
      "manager.account.balance", options: [.initial, .new], changeHandler: log.handler("missing"))
    #expect(
      log.take() == [
        "typed: setting, new: 7.0", "string: setting, new: 7.0", "missing: setting, new: nil",
      ])
    for token in [typed, string, missing] { token.invalidate() }
  }

  @Test("P1 N4 An equal value at the leaf notifies")
  func equalLeaf() {
    person.account = Account(balance: 1)
    let token = person.observe(
      \.account.balance, options: [.old, .new], changeHandler: log.handler("balance"))
    person.account?.balance = 1
    person.account?.balance += 0
    #expect(
      log.take() == [
        "balance: setting, old: 1.0, new: 1.0", "balance: setting, old: 1.0, new: 1.0",
      ])
    token.invalidate()
  }

  @Test("P1 A path and its first component, observed together, keep their own old values (trap 13)")
  func pathAndItsPrefix() throws {
    let first = Account(balance: 1)
    person.account = first
    let path = try person.observe(
      "account.balance", options: [.old, .new], changeHandler: log.handler("balance"))
    let prefix = person.observe(\.account, options: [.old, .new]) { [log] _, change in
      let values = [change.oldValue, change.newValue].map { $0.flatMap { $0 }?.balance ?? -1 }
      log.note("account: \(values)")
    }
    person.account = Account(balance: 2)
    #expect(log.take() == ["balance: setting, old: 1.0, new: 2.0", "account: [1.0, 2.0]"])
    person.account?.balance = 3
    first.balance = 9
    #expect(log.take() == ["balance: setting, old: 2.0, new: 3.0"])
    path.invalidate()
    prefix.invalidate()
  }

  @Test("P1 A value tail notifies for every change of the property before it")
  func valueTail() {
    let token = person.observe(
      \.frame.origin.x, options: [.old, .new, .prior], changeHandler: log.handler("x"))
    person.frame.origin.x = 1
    person.frame.origin.y = 5
    person.frame = Frame()
    #expect(
      log.take() == [
        "x: setting, old: 0.0, prior", "x: setting, old: 0.0, new: 1.0",
        "x: setting, old: 1.0, prior", "x: setting, old: 1.0, new: 1.0",
        "x: setting, old: 1.0, prior", "x: setting, old: 1.0, new: 0.0",
      ])
    token.invalidate()
    person.frame.origin.x = 2
    #expect(log.take() == [])
    #expect(isIdle(person))
  }

  @Test("P1 A value tail after a relationship notifies for changes of both, including nil")
  func valueTailBehindARelationship() {
    let manager = Person()
    manager.nickname = "Al"
    let token = person.observe(
      \.manager.nickname.count, options: [.old, .new], changeHandler: log.handler("count"))
    person.manager = manager
    manager.nickname = "Albert"
    manager.nickname = nil
    manager.nickname = ""
    person.manager = nil
    #expect(
      log.take() == [
        "count: setting, old: nil, new: 2", "count: setting, old: 2, new: 6",
        "count: setting, old: 6, new: nil", "count: setting, old: nil, new: 0",
        "count: setting, old: 0, new: nil",
      ])
    token.invalidate()
    #expect(isIdle(person) && isIdle(manager))
  }
}
