import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("R. Registrations that fail")
struct RegistrationErrorTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test(
    "R6 A registration that can't succeed throws at once and names the component",
    arguments: [
      ("agee", "Person has no key 'agee'. Did you mean 'age'?"),
      ("zebra", "Person has no key 'zebra'."),
      (
        "acount.balance",
        "Person has no key 'acount' (component 1 of 'acount.balance'). Did you mean 'account'?"
      ),
      (
        "account.balanec",
        "Account has no key 'balanec' (component 2 of 'account.balanec'). Did you mean 'balance'?"
      ),
      (
        "account.owner.nmae",
        "Person has no key 'nmae' (component 3 of 'account.owner.nmae')."
      ),
      (
        "firstName.length",
        "Person.firstName (component 1 of 'firstName.length') cannot be observed: its value is of "
          + "type String, which is not @KeyValueObservable."
      ),
      (
        "account.balance.cents",
        "Account.balance (component 2 of 'account.balance.cents') cannot be observed: its value is "
          + "of type Double, which is not @KeyValueObservable."
      ),
      ("", "'' is not a key path: it is empty."),
      ("account.", "'account.' is not a key path: component 2 is empty."),
      (".balance", "'.balance' is not a key path: component 1 is empty."),
      ("account..balance", "'account..balance' is not a key path: component 2 is empty."),
    ])
  func errors(keyPath: String, message: String) throws {
    person.account = Account()
    person.account?.owner = person
    let observer = LoggingObserver("observer", log)
    let options: KeyValueObservingOptions = [.initial, .new, .prior]
    for round in 1...2 {
      let error = try #require(throws: KeyValueCodingError.self) {
        if round == 1 {
          _ = try person.observe(
            keyPath, options: options, changeHandler: log.handler("closure"))
        } else {
          try person.addObserver(observer, forKeyPath: keyPath, options: options)
        }
      }
      #expect(error.description == message)
    }

    // The attempt leaves nothing behind.
    #expect(person.observationInfo.isEmpty)
    #expect(person.account?.observationInfo.isEmpty == true)
    person.firstName = "Grace"
    person.account?.balance = 1
    person.account = nil
    #expect(log.take() == [])
    #expect(throws: KeyValueCodingError.self) {
      try person.removeObserver(observer, forKeyPath: keyPath)
    }
  }

  @Test("R6 An operator of what is no collection is refused as it is when read")
  func operatorOfOneValue() {
    let shelf = Shelf()
    shelf.people = [Person()]
    for keyPath in ["title.@count", "people.@sum.age", "people.@count"] {
      let reading = message { _ = try shelf.value(forKeyPath: keyPath) }
      #expect(message { _ = try shelf.observe(keyPath) { _, _ in } } == reading)
    }
    #expect(
      message { _ = try shelf.observe("title.@count") { _, _ in } }
        == "String.@count (component 2 of 'title.@count') is not a collection.")
    #expect(
      message { _ = try shelf.observe("subtitle.@count") { _, _ in } }
        == "String.@count (component 2 of 'subtitle.@count') is not a collection.")
  }

  @Test("R6 Where no path reaches a sequence's elements, the error names the collections to use")
  func otherSequences() {
    let shelf = Shelf()
    shelf.people = [Person()]
    #expect(
      message { _ = try shelf.observe("people.@sum.age") { _, _ in } }
        == "ContiguousArray<Person>.@sum (component 2 of 'people.@sum.age') is not a collection: no path "
        + "reaches its elements; declare an Array, a Set or an OrderedSet.")
    #expect(
      message { _ = try shelf.observe("people.age") { _, _ in } }
        == "Shelf.people (component 1 of 'people.age') cannot be observed: its value is of type "
        + "ContiguousArray<Person>; no path reaches its elements; declare an Array, a Set or an "
        + "OrderedSet.")
  }

  @Test("R6 A component whose type can never be observed is refused while its value is nil")
  func staticTypeOfNil() throws {
    #expect(
      message { _ = try person.observe("nickname.length", changeHandler: log.handler("closure")) }
        == "Person.nickname (component 1 of 'nickname.length') cannot be observed: its value is of "
        + "type String, which is not @KeyValueObservable.")
  }

  @Test(
    "R6 An unknown collection operator is refused",
    arguments: [
      "books.@bogus", "books.@bogus.length", "account.owner.books.@bogus",
    ])
  func unknownOperator(keyPath: String) throws {
    person.account = Account()
    person.account?.owner = person
    let position = keyPath.split(separator: ".").firstIndex(of: "@bogus")! + 1
    #expect(
      message { _ = try person.observe(keyPath, changeHandler: log.handler("closure")) }
        == "There is no collection operator '@bogus' (component \(position) of '\(keyPath)').")
    #expect(person.observationInfo.isEmpty)
  }

  @Test("R6 A later value that can't be observed is reported, and the path reads nil from then on")
  func laterValue() throws {
    try ViolationLog.record { violations in
      let log = ChangeLog()
      let crate = Crate()
      let token = try crate.observe(
        "content.balance", options: [.old, .new], fileID: "App/Crate.swift", line: 7,
        changeHandler: log.handler("balance"))
      crate.content = Account(balance: 1)
      #expect(log.take() == ["balance: setting, old: nil, new: 1.0"])
      #expect(violations.take() == [])

      crate.content = "nothing to observe"
      #expect(log.take() == ["balance: setting, old: 1.0, new: nil"])
      #expect(
        violations.take() == [
          "unobservableValue: Crate.content (component 1 of 'content.balance') cannot be observed: "
            + "its value is of type String, which is not @KeyValueObservable. 'content.balance' of "
            + "Crate reads as nil from there until the value is replaced. It was registered at "
            + "Crate.swift:7."
        ])

      crate.content = Person()
      #expect(log.take() == ["balance: setting, old: nil, new: nil"])
      #expect(
        violations.take() == [
          "unobservableValue: Person has no key 'balance' (component 2 of 'content.balance'). "
            + "'content.balance' of Crate reads as nil from there until the value is replaced. It was "
            + "registered at Crate.swift:7."
        ])

      crate.content = Account(balance: 2)
      #expect(log.take() == ["balance: setting, old: nil, new: 2.0"])
      (crate.content as? Account)?.balance = 3
      #expect(log.take() == ["balance: setting, old: 2.0, new: 3.0"])
      #expect(violations.take() == [])
      token.invalidate()
    }
  }

  @Test("R6 Unhandled, a later value that can't be observed is printed, and the program continues")
  func laterValueUnhandled() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      let crate = Crate()
      let token = try crate.observe(
        "content.balance", options: .new, fileID: "App/Crate.swift", line: 7
      ) { print($1) }
      crate.content = 1
      crate.content = Account(balance: 2)
      withExtendedLifetime(token) {}
    }
    #expect(text(result?.standardOutputContent) == "setting, new: nil\nsetting, new: 2.0\n")
    let lines = text(result?.standardErrorContent).split(separator: "\n").map(String.init)
    let report: String =
      "KeyValueObserving: Crate.content (component 1 of 'content.balance') cannot be observed: its "
      + "value is of type Int, which is not @KeyValueObservable. 'content.balance' of Crate reads as "
      + "nil from there until the value is replaced. It was registered at Crate.swift:7."
    let page: String =
      "KeyValueObserving: The page Nothing is called: why? (NothingIsCalled.md) has every such report "
      + "with its cause."
    #expect(lines == [report, page])
  }

  @Test("R6 A plain key path of several components is reported with the remedy")
  func longPlainKeyPath() {
    ViolationLog.record { violations in
      let person = Person()
      let token = person.observe(\Person.account?.balance) { _, _ in }
      let tail = person.observe(\Person.frame.origin) { _, _ in }
      #expect(!token.isValid)
      #expect(!tail.isValid)
      #expect(
        violations.take() == [
          "unobservablePath: A plain key path of Person names no key of it: "
            + "\\Person.account?.<Double>?. Only one property can be named this way; for a longer path "
            + "write \\.account.<Double>, without the root type (a member whose name a key path does "
            + "not know shows its type in angle brackets).",
          "unobservablePath: \(longPlainMessage)",
        ])
      #expect(person.observationInfo.isEmpty)
    }
  }

  @Test("R6 A plain key path of several components traps by default")
  func longPlainKeyPathTraps() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Person().observe(\Person.frame.origin) { _, _ in }
    }
    try expectTrap(result, says: longPlainMessage)
  }

  @Test("R6 A typed path to a member that isn't a key is reported with the class's name")
  func noKey() async throws {
    ViolationLog.record { violations in
      let visitor = Visitor()
      let token = visitor.observe(\.badge) { _, _ in }
      visitor.badge = 1
      #expect(violations.take() == ["unobservablePath: \(noKeyMessage)"])
      token.invalidate()
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Visitor().observe(\.badge) { _, _ in }
    }
    try expectTrap(result, says: noKeyMessage)
  }
}

private let longPlainMessage =
  "A plain key path of Person names no key of it: \\Person.frame.origin. Only one property can be "
  + "named this way; for a longer path write \\.frame.origin, without the root type."

private let noKeyMessage =
  "Component 1 of a key path, 'badge', is a member of Visitor but not one of its keys. Visitor, which "
  + "declares it, lacks @KeyValueObservable. Annotate Visitor, or observe a key that changes with it."

@KeyValueObservable
private final class Shelf {
  var title = "a"
  var subtitle: String?
  var people: ContiguousArray<Person> = []
}
