import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P. Key paths: objects that die")
struct KeyPathDeathTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test("P5 The death of a weakly held object is one change to nil (trap 10)")
  func weakObjectDies() throws {
    var manager: Person? = Person()
    person.manager = manager
    let typed = person.observe(
      \.manager.firstName, options: .new, changeHandler: log.handler("typed"))
    let string = try person.observe(
      "manager.firstName", options: .new, changeHandler: log.handler("string"))
    manager?.firstName = "Grace"
    manager = nil
    #expect(
      log.take() == [
        "typed: setting, new: \"Grace\"", "string: setting, new: \"Grace\"",
        "typed: setting, new: nil", "string: setting, new: nil",
      ])
    let successor = Person()
    person.manager = successor
    successor.firstName = "Mary"
    #expect(
      log.take() == [
        "typed: setting, new: \"Ada\"", "string: setting, new: \"Ada\"",
        "typed: setting, new: \"Mary\"", "string: setting, new: \"Mary\"",
      ])
    typed.invalidate()
    string.invalidate()
    #expect(isIdle(person) && isIdle(successor))
  }

  @Test("P5 The death of a weakly held object in the middle is one change to nil")
  func weakMiddleDies() {
    let top = Person()
    top.firstName = "Top"
    var middle: Person? = Person()
    middle?.manager = top
    person.manager = middle
    let token = person.observe(
      \.manager.manager.firstName, options: .new, changeHandler: log.handler("name"))
    middle = nil
    top.firstName = "silent"
    #expect(log.take() == ["name: setting, new: nil"])
    #expect(isIdle(top))
    token.invalidate()
  }

  @Test("P5 The death of a weakly held object after its replacement doesn't notify again")
  func letGoBeforeItDies() {
    var first: Person? = Person()
    var second: Person? = Person()
    person.manager = first
    let token = person.observe(
      \.manager.firstName, options: .new, changeHandler: log.handler("name"))
    person.manager = second
    first = nil
    person.manager = nil
    second = nil
    #expect(log.take() == ["name: setting, new: \"Ada\"", "name: setting, new: nil"])
    #expect(first == nil && second == nil)
    token.invalidate()
  }

  @Test("P5 The last reference may be released in the callback for the dying object's own change")
  func diesInsideTheCallback() {
    var manager: Person? = Person()
    person.manager = manager
    let token = person.observe(\.manager.firstName, options: .new) { [log] _, change in
      log.note("name", change)
      manager = nil
    }
    manager?.firstName = "Grace"
    #expect(log.take() == ["name: setting, new: \"Grace\"", "name: setting, new: nil"])
    #expect(manager == nil && person.manager == nil)
    token.invalidate()
  }

  @Test("P5 A key that depends on a weakly held object changes with its death")
  func dependentOnADyingObject() {
    let link = ChainLink("link")
    var back: ChainLink? = ChainLink("back")
    link.back = back
    let token = link.observe(\.origin, options: .new, changeHandler: log.handler("origin"))
    back?.name = "front"
    back = nil
    #expect(
      log.take() == [
        "origin: setting, new: \"from front\"", "origin: setting, new: \"from nowhere\"",
      ])
    token.invalidate()
    #expect(isIdle(link))
  }

  @Test("P5 N5 Replacing a strongly held object notifies once, although the object dies")
  func strongObjectDiesOfItsReplacement() throws {
    person.account = Account(balance: 1)
    let path = person.observe(
      \.account.balance, options: .new, changeHandler: log.handler("path"))
    let bare = try person.observe("account.balance", changeHandler: log.handler("bare"))
    let dependent = person.observe(\.wealth, changeHandler: log.handler("wealth"))
    person.account = Account(balance: 2)
    person.account = nil
    #expect(
      log.take() == [
        "path: setting, new: 2.0", "bare: setting", "wealth: setting",
        "path: setting, new: nil", "bare: setting", "wealth: setting",
      ])
    for token in [path, bare, dependent] { token.invalidate() }
  }

  @Test("P5 N5 Replacing an object behind a computed key notifies once, although the object dies")
  func objectBehindAComputedKeyDies() throws {
    let board = Switchboard()
    board.first = Account(balance: 1)
    let path = board.observe(
      \.current.balance, options: .new, changeHandler: log.handler("path"))
    board.first = Account(balance: 2)
    #expect(log.take() == ["path: setting, new: 2.0"])
    path.invalidate()

    let bare = try board.observe("current.balance", changeHandler: log.handler("bare"))
    board.first = Account(balance: 3)
    #expect(log.take() == ["bare: setting"])
    bare.invalidate()

    let dependent = board.observe(\.currentBalance, changeHandler: log.handler("dependent"))
    board.first = Account(balance: 4)
    #expect(log.take() == ["dependent: setting"])
    dependent.invalidate()
  }

  @Test("P5 R5 Objects of a path may die in any order, including the observed one first")
  func anyOrderOfDeaths() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0], [0, 2, 1], [2, 0, 1]] {
      let tracker = LifetimeTracker()
      var links: [ChainLink?] = ["a", "b", "c"].map { ChainLink($0) }
      var witnesses: [LifetimeTracker.Instance?] = links.map { _ in tracker.instance() }
      links[0]?.back = links[1]
      links[1]?.back = links[2]
      let token = links[0]?.observe(\.back.back.name, options: .new) { _, _ in }
      #expect(token?.isValid == true)
      for index in order {
        links[index] = nil
        witnesses[index] = nil
        #expect(token?.isValid == (links[0] != nil))
      }
      token?.invalidate()
      #expect(tracker.liveCount == 0)
    }
  }

  @Test("R5 A path retains none of its objects")
  func nothingAlongThePathIsRetained() {
    let token: KeyValueObservation
    weak var weakAccount: Account?
    weak var weakPerson: Person?
    do {
      let owner = Person()
      let account = Account()
      owner.account = account
      account.owner = owner
      (weakPerson, weakAccount) = (owner, account)
      token = owner.observe(
        \.account.owner.account.balance, options: [.old, .new], changeHandler: log.handler("x"))
      account.balance = 1
    }
    #expect(weakPerson == nil && weakAccount == nil)
    #expect(!token.isValid)
    #expect(log.take() == ["x: setting, old: 0.0, new: 1.0"])
  }

  @Test("R5 An object at a recycled address inherits no observances (trap 26)")
  func recycledAddresses() {
    var tokens: [KeyValueObservation] = []
    var addresses: Set<ObjectIdentifier> = []
    var recycled = 0
    for index in 0..<1000 {
      // Later objects reuse the memory that the removed tokens free, in optimised builds too.
      if index % 100 == 99 { tokens.removeFirst(tokens.count / 2) }
      let link = ChainLink("link")
      if !addresses.insert(ObjectIdentifier(link)).inserted { recycled += 1 }
      #expect(isIdle(link) && link.observationInfo.isEmpty)
      link.name = "changed"
      #expect(log.take() == [])
      tokens.append(link.observe(\.name, changeHandler: log.handler("name")))
      tokens.append(link.observe(\.next.name, changeHandler: log.handler("next")))
      link.name = "changed again"
      #expect(log.take() == ["name: setting"])
    }
    if allocatorReusesAddresses() {
      #expect(recycled > 0, "no address was used twice, so this shows nothing")
    }
    #expect(tokens.allSatisfy { !$0.isValid })
    for token in tokens { token.invalidate() }
  }
}
