import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P. Key paths: one object reached several ways")
struct KeyPathIdentityTests {
  private let log = ChangeLog()

  @Test(
    "P8 A leaf reached by a path and by a dependency notifies each once, and detaches from each")
  func pathAndDependency() {
    let person = Person()
    let account = Account(balance: 1)
    person.account = account
    let path = person.observe(
      \.account.balance, options: .new, changeHandler: log.handler("path"))
    let dependent = person.observe(\.wealth, options: .new, changeHandler: log.handler("wealth"))
    account.balance = 2
    #expect(log.take() == ["path: setting, new: 2.0", "wealth: setting, new: 2.0"])
    dependent.invalidate()
    account.balance = 3
    #expect(log.take() == ["path: setting, new: 3.0"])
    path.invalidate()
    account.balance = 4
    #expect(log.take() == [])
    #expect(isIdle(account) && isIdle(person))
  }

  @Test("P8 A leaf that a key depends on in three ways notifies once and is detached (trap 12)")
  func threeWaysToOneLeaf() {
    let treasury = Treasury()
    let account = Account(balance: 1)
    treasury.account = account
    let token = treasury.observe(
      \.report, options: [.old, .new, .prior], changeHandler: log.handler("report"))
    account.balance = 2
    treasury.rate = 3
    treasury.account = nil
    #expect(
      log.take() == [
        "report: setting, old: \"1.0 1.0 2.0 1.0\", prior",
        "report: setting, old: \"1.0 1.0 2.0 1.0\", new: \"2.0 2.0 4.0 1.0\"",
        "report: setting, old: \"2.0 2.0 4.0 1.0\", prior",
        "report: setting, old: \"2.0 2.0 4.0 1.0\", new: \"2.0 2.0 4.0 3.0\"",
        "report: setting, old: \"2.0 2.0 4.0 3.0\", prior",
        "report: setting, old: \"2.0 2.0 4.0 3.0\", new: \"0.0 0.0 0.0 3.0\"",
      ])
    #expect(isIdle(account))
    token.invalidate()
    #expect(isIdle(treasury))
  }

  @Test("P8 Two paths to one leaf each notify once; removing one leaves the other (trap 12)")
  func twoPaths() throws {
    let shared = Account(balance: 1)
    let person = Person()
    let manager = Person()
    person.manager = manager
    person.account = shared
    manager.account = shared
    let direct = person.observe(\.account.balance, changeHandler: log.handler("direct"))
    let detour = person.observe(\.manager.account.balance, changeHandler: log.handler("detour"))
    shared.balance = 2
    #expect(log.take() == ["direct: setting", "detour: setting"])
    person.account = nil
    shared.balance = 3
    #expect(log.take() == ["direct: setting", "detour: setting"])
    direct.invalidate()
    shared.balance = 4
    #expect(log.take() == ["detour: setting"])
    detour.invalidate()
    #expect(isIdle(shared))
  }

  @Test("P8 An object that refers to itself notifies once per change and is detached completely")
  func selfLoop() {
    let loop = ChainLink("loop")
    loop.next = loop
    let token = loop.observe(
      \.next.next.next.name, options: [.old, .new], changeHandler: log.handler("name"))
    loop.name = "changed"
    #expect(log.take() == ["name: setting, old: \"loop\", new: \"changed\""])
    let other = ChainLink("other")
    loop.next = other
    #expect(log.take() == ["name: setting, old: \"changed\", new: nil"])
    loop.name = "silent"
    other.name = "silent"
    #expect(log.take() == [])
    other.next = ChainLink("third", next: ChainLink("fourth"))
    #expect(log.take() == ["name: setting, old: nil, new: \"fourth\""])
    token.invalidate()
    #expect(isIdle(loop) && isIdle(other))
  }

  @Test("P8 A property that is both a step and the end of a path reports the whole path's values")
  func stepAndEndAtOnce() throws {
    let loop = ChainLink("loop")
    loop.next = loop
    let typed = loop.observe(\.next.next, options: [.old, .new]) { [log] _, change in
      let names = [change.oldValue, change.newValue].map { ($0 ?? nil)?.name ?? "nil" }
      log.note("typed: \(names)")
    }
    let string = try loop.observe("next.next", options: [.old, .new]) { [log] _, change in
      let names = [change.oldValue, change.newValue].map {
        ($0.flatMap { $0 } as? ChainLink)?.name ?? "nil"
      }
      log.note("string: \(names)")
    }
    loop.next = ChainLink("other", next: ChainLink("third"))
    loop.next = loop
    loop.next = nil
    #expect(
      log.take() == [
        "typed: [\"loop\", \"third\"]", "string: [\"loop\", \"third\"]",
        "typed: [\"third\", \"loop\"]", "string: [\"third\", \"loop\"]",
        "typed: [\"loop\", \"nil\"]", "string: [\"loop\", \"nil\"]",
      ])
    typed.invalidate()
    string.invalidate()
  }

  @Test("P8 A path through two objects that refer to each other notifies once per change")
  func pair() {
    let person = Person()
    let account = Account()
    person.account = account
    account.owner = person
    let token = person.observe(
      \.account.owner.firstName, options: [.old, .new], changeHandler: log.handler("name"))
    person.firstName = "Grace"
    let other = Person()
    account.owner = other
    person.firstName = "silent"
    person.account = nil
    #expect(
      log.take() == [
        "name: setting, old: \"Ada\", new: \"Grace\"",
        "name: setting, old: \"Grace\", new: \"Ada\"",
        "name: setting, old: \"Ada\", new: nil",
      ])
    #expect(isIdle(account) && isIdle(other))
    token.invalidate()
    #expect(isIdle(person))
  }

  @Test("D2 P8 A key at the end of a path may depend on a path back through the same object")
  func dependencyThroughTheObservedPath() {
    let house = House()
    let tenant = Tenant("Ann")
    tenant.house = house
    house.tenant = tenant
    let near = tenant.observe(\.doorPlate, options: .new, changeHandler: log.handler("near"))
    let far = house.observe(\.tenant.doorPlate, options: .new, changeHandler: log.handler("far"))
    tenant.name = "Bob"
    #expect(log.take() == ["near: setting, new: \"Bob\"", "far: setting, new: \"Bob\""])
    house.tenant = nil
    #expect(log.take() == ["near: setting, new: \"nobody\"", "far: setting, new: nil"])
    near.invalidate()
    far.invalidate()
    #expect(isIdle(house) && isIdle(tenant))
  }

  @Test("D2 P8 A dependency may lead through one property of one object twice")
  func dependencyThroughASelfLoop() {
    let person = LoopedPerson()
    person.partner = person
    let token = person.observe(\.echo, options: .new, changeHandler: log.handler("echo"))
    person.name = "B"
    let other = LoopedPerson()
    other.partner = other
    person.partner = other
    other.name = "C"
    #expect(
      log.take() == [
        "echo: setting, new: \"B\"", "echo: setting, new: \"A\"", "echo: setting, new: \"C\"",
      ])
    token.invalidate()
    #expect(isIdle(person) && isIdle(other))
  }
}

/// A person with a key that depends on a path that reads one property twice.
@KeyValueObservable
private final class LoopedPerson {
  var name = "A"
  weak var partner: LoopedPerson?
  var echo: String { partner?.partner?.name ?? "-" }
}
