import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P. Bound paths from strings")
struct BoundStringTests {
  private let log = ChangeLog()
  private let person = Person()

  /// The message of the error that making the path throws, or `nothing`.
  private func error<Value>(_ keyPath: String, as type: Value.Type = Any?.self) -> String {
    do {
      _ = try person.kvo(keyPath, as: type)
      return "nothing"
    } catch {
      return "\(error)"
    }
  }

  @Test("P2 A string that is certain to fail throws when the path is made, and registers nothing")
  func errors() {
    person.account = Account()
    let errors = [
      "", "account.", "nam", "account.balanc", "age.x", "age.@sum.x", "account.@foo", "books.title",
      "account.owner.nam",
    ].map { error($0) }
    #expect(
      errors == [
        "'' is not a key path: it is empty.",
        "'account.' is not a key path: component 2 is empty.",
        "Person has no key 'nam'.",
        "Account has no key 'balanc' (component 2 of 'account.balanc'). Did you mean 'balance'?",
        "Person.age (component 1 of 'age.x') cannot be observed: its value is of type Int, which is not "
          + "@KeyValueObservable.",
        "Int.@sum (component 2 of 'age.@sum.x') is not a collection.",
        "There is no collection operator '@foo' (component 2 of 'account.@foo').",
        "Person.books (component 1 of 'books.title') cannot be observed: its value is of type String, "
          + "which is not @KeyValueObservable.",
        "nothing",
      ])
    #expect(isIdle(person, person.account!))
  }

  @Test("P2 Making a path throws the same error as observing its string, and registers nothing")
  func sameErrors() {
    person.account = Account()
    person.account?.owner = person
    for keyPath in [
      "", "account.", "nam", "account.balanc", "age.x", "age.@sum.x", "account.@foo", "books.title",
      "account.owner.nam", "account.owner.account.x", "frame.origin", "self.nam", "books.@sum",
      "tags.@count.x", "fullName.x",
    ] {
      var registering = "nothing"
      do { _ = try person.observe(keyPath) { _, _ in } } catch { registering = "\(error)" }
      #expect(error(keyPath) == registering)
      #expect(isIdle(person, person.account!))
    }
    #expect(error("account.owner.account.balance") == "nothing")
    #expect(isIdle(person, person.account!))
  }

  @Test("K5 A type that the last key does not hold throws; an optional and an existential do not")
  func types() {
    person.account = Account()
    #expect(error("account.balance", as: Double?.self) == "nothing")
    #expect(error("account", as: Account?.self) == "nothing")
    #expect(error("age", as: Int?.self) == "nothing")
    #expect(error("age", as: Any.self) == "nothing")
    #expect(error("account", as: (any KeyValueObservable)?.self) == "nothing")
    #expect(error("books.@count", as: Int.self) == "nothing")
    #expect(
      error("account.balance", as: Double.self)
        == "Person.account.balance cannot be asked for in that type: its values are Double?, not "
        + "Double.")
    #expect(
      error("age", as: String.self)
        == "Person.age cannot be asked for in that type: its values are Int, not String.")
    #expect(
      error("manager", as: Person.self)
        == "Person.manager cannot be asked for in that type: its values are Person?, not Person.")
    #expect(
      error("books.@count", as: String.self)
        == "Person.books.@count cannot be asked for in that type: its values are Int, not String.")
  }

  @Test("K2 Values are delivered in the requested type, converted where necessary")
  func conversion() throws {
    let drawer = Drawer()
    drawer.content = 1
    let token = try drawer.kvo("content", as: Double?.self).observe(
      options: [.old, .new], changeHandler: log.handler("content"))
    drawer.content = 2.5
    drawer.content = nil
    #expect(
      log.take() == [
        "content: setting, old: 1.0, new: 2.5", "content: setting, old: 2.5, new: nil",
      ])
    #expect(token.isValid)
  }

  @Test("R6 A later value of another type is reported, and reads as nil")
  func laterMismatch() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      let drawer = Drawer()
      let token = try drawer.kvo("content", as: Int?.self).observe { _, _ in print("told") }
      let values = try drawer.kvo("content", as: Int?.self).observe(options: .new) { print($1) }
      drawer.content = 3.0
      drawer.content = "x"
      withExtendedLifetime((token, values)) {}
    }
    #expect(
      text(result?.standardOutputContent) == """
        told
        setting, new: 3
        told
        setting, new: nil

        """)
    let report = text(result?.standardErrorContent).split(separator: "\n").first.map(String.init)
    #expect(
      report
        == "KeyValueObserving: 'content' of Drawer is \"x\", and its values were asked for as "
        + "Optional<Int>. It reads as nil.")
  }

  @Test("R6 A type without nil is refused if a value could be nil, or of another type")
  func withoutNil() {
    let office = Office()
    func error<Value>(_ keyPath: String, as type: Value.Type) -> String {
      message { _ = try office.kvo(keyPath, as: type) }
    }
    let start = { (keyPath: String) in "Office.\(keyPath) cannot be asked for in that type: " }
    #expect(
      error("staff.@max.pay", as: Int.self)
        == start("staff.@max.pay") + "its values are Int?, not Int.")
    #expect(
      error("staff.@min.name", as: String.self)
        == start("staff.@min.name") + "its values are String?, not String.")
    #expect(
      error("staff.@sum.pay", as: Double.self)
        == start("staff.@sum.pay") + "its values are Int, not Double.")
    #expect(
      error("staff.name", as: [Int].self)
        == start("staff.name")
        + "its values are collections of String, of which not all are Array<Int>; ask for Array<Int>?."
    )
    #expect(
      error("staff.office.staff.name", as: [String].self)
        == start("staff.office.staff.name")
        + "the declared classes do not tell what its values are; ask for Array<String>?.")
    for fit in ["staff.@max.pay", "staff.@sum.pay", "staff.@count", "boss.pay"] {
      #expect(error(fit, as: Int?.self) == "")
    }
    #expect(error("staff.@sum.pay", as: Int.self) == "")
    #expect(error("staff.@avg.pay", as: Double.self) == "")
    #expect(error("staff.@count", as: Int.self) == "")
    #expect(error("staff.name", as: [String].self) == "")
    #expect(error("staff.@unionOfObjects.name", as: [String].self) == "")
    let drawer = Drawer()
    #expect(
      message { _ = try drawer.kvo("content.balance", as: Double.self) }
        == "Drawer.content.balance cannot be asked for in that type: the declared classes do not tell "
        + "what its values are; ask for Double?.")
  }

  @Test("R6 A subclass of the key's class may be asked for with nil")
  func subclass() throws {
    let (boss, worker) = (Boss("Bea"), Worker("Ada"))
    boss.partner = worker
    #expect(throws: KeyValueCodingError.self) { try boss.kvo("partner", as: Boss.self) }
    #expect(throws: KeyValueCodingError.self) { try boss.kvo("partner", as: Site?.self) }
    var found: [Boss?] = []
    let token = try boss.kvo("partner", as: Boss?.self).observe(options: .new) {
      found.append($1.newValue ?? nil)
    }
    boss.partner = boss
    boss.partner = nil
    token.invalidate()
    #expect(found.map { $0?.name } == ["Bea", nil])
  }

  @Test("P2 A string with an operator is kept up to date, typed and untyped")
  func operators() throws {
    let office = Office()
    let tokens = [
      try office.kvo("staff.@sum.pay", as: Int.self).observe(
        options: [.old, .new], changeHandler: log.handler("typed")),
      try office.kvo("staff.@sum.pay").observe(
        options: [.old, .new], changeHandler: log.handler("untyped")),
    ]
    let clerk = Clerk()
    office.staff = [clerk, clerk]
    clerk.pay = 3
    #expect(
      log.take() == [
        "typed: setting, old: 0, new: 2", "untyped: setting, old: 0, new: 2",
        "typed: setting, old: 2, new: 6", "untyped: setting, old: 2, new: 6",
      ])
    #expect(tokens.count == 2)
  }
}
