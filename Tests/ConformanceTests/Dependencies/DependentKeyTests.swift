import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("D. Dependent keys")
struct DependentKeyTests {
  private let log = ChangeLog()

  @Test("D2 a key that depends on a key of another object follows every replacement and nil")
  func acrossOneRelationship() throws {
    let person = Person()
    let old = Account(balance: 1)
    let typed = person.observe(
      \.wealth, options: [.old, .new], changeHandler: log.handler("typed"))
    let string = try person.observe(
      "wealth", options: [.old, .new], changeHandler: log.handler("string"))
    person.account = old
    old.balance = 2
    person.account = Account(balance: 3)
    old.balance = 99
    person.account = nil
    let expected = [
      "old: 0.0, new: 1.0", "old: 1.0, new: 2.0", "old: 2.0, new: 3.0", "old: 3.0, new: 0.0",
    ]
    #expect(log.take() == expected.flatMap { ["typed: setting, \($0)", "string: setting, \($0)"] })
    #expect(isIdle(old))
    typed.invalidate()
    string.invalidate()
    #expect(isIdle(person))
  }

  @Test("D2 dependencies are transitive across two relationships as each object is replaced")
  func transitiveAcrossObjects() {
    let company = Company()
    let token = company.observe(
      \.slogan, options: [.old, .new], changeHandler: log.handler("slogan"))
    let department = Department()
    let ada = Person()
    company.department = department
    department.head = ada
    ada.firstName = "Grace"
    let successor = Department()
    company.department = successor
    department.head = nil
    ada.firstName = "silent"
    successor.head = ada
    ada.lastName = "Hopper"
    company.department = nil
    #expect(
      log.take() == [
        "slogan: setting, old: \"led by nobody\", new: \"led by a vacancy\"",
        "slogan: setting, old: \"led by a vacancy\", new: \"led by Ada Lovelace\"",
        "slogan: setting, old: \"led by Ada Lovelace\", new: \"led by Grace Lovelace\"",
        "slogan: setting, old: \"led by Grace Lovelace\", new: \"led by a vacancy\"",
        "slogan: setting, old: \"led by a vacancy\", new: \"led by silent Lovelace\"",
        "slogan: setting, old: \"led by silent Lovelace\", new: \"led by silent Hopper\"",
        "slogan: setting, old: \"led by silent Hopper\", new: \"led by nobody\"",
      ])
    #expect(isIdle(department, successor, ada))
    token.invalidate()
    #expect(isIdle(company))
  }

  @Test("D2 a path can lead through a computed object, and a key can depend on such a path")
  func computedIntermediate() throws {
    let board = Switchboard()
    let (first, second) = (Account(balance: 1), Account(balance: 2))
    (board.first, board.second) = (first, second)
    let path = try board.observe(
      "current.balance", options: [.old, .new], changeHandler: log.handler("path"))
    let key = board.observe(
      \.currentBalance, options: [.old, .new], changeHandler: log.handler("key"))
    first.balance = 10
    second.balance = 20
    board.usesSecond = true
    first.balance = 99
    second.balance = 21
    let expected = ["old: 1.0, new: 10.0", "old: 10.0, new: 20.0", "old: 20.0, new: 21.0"]
    #expect(log.take() == expected.flatMap { ["path: setting, \($0)", "key: setting, \($0)"] })
    // The board's `first` is still observed, but its account is not.
    #expect(isIdle(first))
    path.invalidate()
    key.invalidate()
    #expect(isIdle(board) && isIdle(second))
  }

  @Test("D3 the old values of all dependents are computed before a source changes (trap 13)")
  func oldBeforeAnySourceMoves() {
    let person = Person()
    person.account = Account(balance: 1)
    let treasury = Treasury()
    treasury.account = person.account
    let tokens = [
      treasury.observe(\.funds, options: [.old, .new], changeHandler: log.handler("funds")),
      treasury.observe(\.doubled, options: [.old, .new], changeHandler: log.handler("doubled")),
      treasury.observe(
        \.account.balance, options: [.old, .new], changeHandler: log.handler("balance")),
    ]
    person.account?.balance = 5
    #expect(
      log.take() == [
        "funds: setting, old: 1.0, new: 5.0", "doubled: setting, old: 2.0, new: 10.0",
        "balance: setting, old: 1.0, new: 5.0",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test(
    "D3 the getter runs once for each requested value",
    arguments: [
      ([], 0), (.old, 1), (.new, 1), ([.old, .new], 2), (.prior, 0), ([.old, .prior], 1),
    ] as [(KeyValueObservingOptions, Int)])
  func getterCalls(options: KeyValueObservingOptions, calls: Int) throws {
    let metered = Metered()
    let typed = metered.observe(\.sum, options: options) { _, _ in }
    metered.meter.count = 0
    metered.left += 1
    #expect(metered.meter.count == calls)
    typed.invalidate()
    let string = try metered.observe("sum", options: options) { _, _ in }
    metered.meter.count = 0
    metered.right = 5
    #expect(metered.meter.count == calls)
    string.invalidate()
  }

  @Test("D3 N6 a dependent key's prior carries its old value and precedes the source's change")
  func priorOfADependentKey() {
    let person = Person()
    let token = person.observe(\.fullName, options: [.old, .new, .prior]) { [log] person, change in
      log.note("\(person.firstName)", change)
    }
    person.firstName = "Grace"
    #expect(
      log.take() == [
        "Ada: setting, old: \"Ada Lovelace\", prior",
        "Grace: setting, old: \"Ada Lovelace\", new: \"Grace Lovelace\"",
      ])
    token.invalidate()
  }

  @Test("D2 a key that depends on a to-many key reports whole-value changes (trap 14)")
  func dependentOnAToMany() {
    let shelf = Shelf()
    let token = shelf.observe(
      \.titles, options: [.old, .new], changeHandler: log.handler("titles"))
    shelf.willChange(.insertion, valuesAt: RangeSet(1..<2), forKey: "books")
    shelf.books.insert("c", at: 1)
    shelf.didChange(.insertion, valuesAt: RangeSet(1..<2), forKey: "books")
    #expect(
      log.take() == ["titles: setting, old: [\"A\"], new: [\"A\", \"C\"]"])
    token.invalidate()
  }

  @Test("D1 D2 an element's key is followed that is called like a member of its collection")
  func keysLikeMembersOfCollections() {
    let tea = Jar(name: "tea", count: 1)
    let crate = Crate()
    crate.jars = [tea]
    let tokens = [
      crate.observe(\.total, options: [.old, .new], changeHandler: log.handler("total")),
      crate.observe(\.tea, options: [.old, .new], changeHandler: log.handler("tea")),
      crate.observe(\.size, options: [.old, .new], changeHandler: log.handler("size")),
    ]
    tea.count = 2
    #expect(log.take() == ["total: setting, old: 1, new: 2", "tea: setting, old: 1, new: 2"])
    tea.name = "coffee"
    #expect(log.take() == ["tea: setting, old: 2, new: 0"])
    crate.jars.append(Jar(name: "sugar", count: 5))
    #expect(
      log.take() == [
        "total: setting, old: 2, new: 7", "tea: setting, old: 0, new: 0",
        "size: setting, old: 1, new: 2",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(crate, tea))
  }

  @Test("D2 M1 a manual notification of a computed key carries the key's own values")
  func manualDependent() throws {
    let board = Switchboard()
    board.first = Account(balance: 1)
    let token = board.observe(
      \.currentBalance, options: [.old, .new, .prior], changeHandler: log.handler("balance"))
    board.withChange(of: \.currentBalance) {}
    #expect(
      log.take() == [
        "balance: setting, old: 1.0, prior", "balance: setting, old: 1.0, new: 1.0",
      ])
    token.invalidate()
  }
}

/// Counts how often a dependent key is read.
@KeyValueObservable
private final class Metered {
  final class Meter {
    var count = 0
  }

  @KeyValueIgnored let meter = Meter()
  var left = 1
  var right = 2
  var sum: Int {
    meter.count += 1
    return left + right
  }
}

@KeyValueObservable
private final class Shelf {
  @NotifiesManually var books = ["a"]
  var titles: [String] { books.map { $0.uppercased() } }
}

@KeyValueObservable
private final class Jar {
  var name: String
  var count: Int

  init(name: String, count: Int) {
    self.name = name
    self.count = count
  }
}

@KeyValueObservable
private final class Crate {
  var jars: [Jar] = []
  var total: Int { jars.reduce(0) { $0 + $1.count } }
  var tea: Int { jar("tea")?.count ?? 0 }
  var size: Int { jars.count }

  func jar(_ name: String) -> Jar? { jars.first { $0.name == name } }
}
