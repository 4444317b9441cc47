import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("K. Key-value coding: error messages")
struct CodingErrorTests {
  typealias Details = KeyValueCodingError.Details

  private static let path = Details(
    type: "Person", key: "age", keyPath: "manager.age", position: 2)
  private static let reasoned = Details(type: "Person", key: "age", reason: "because")

  @Test(
    "K2 every error names its type, key, position and reason",
    arguments: [
      (.undefinedKey(path), "Person has no key 'age' (component 2 of 'manager.age')."),
      (
        .undefinedKey(.init(type: "Person", key: "aeg", suggestions: ["age", "age2"])),
        "Person has no key 'aeg'. Did you mean 'age' or 'age2'?"
      ),
      (.undefinedKey(reasoned), "Person has no key 'age': because."),
      (.nilValue(path), "Person.age (component 2 of 'manager.age') cannot be nil."),
      (.nilValue(reasoned), "Person.age cannot be nil: because."),
      (
        .typeMismatch(path),
        "Person.age (component 2 of 'manager.age') was given a value of the wrong type."
      ),
      (.typeMismatch(reasoned), "Person.age was given a value of the wrong type: because."),
      (.readOnly(path), "Person.age (component 2 of 'manager.age') can be read but not set."),
      (.notRegistered(reasoned), "Person has no such observer for 'age' to remove: because."),
      (
        .malformedKeyPath(.init(type: "", key: "a..b", keyPath: "a..b", reason: "because")),
        "'a..b' is not a key path: because."
      ),
      (
        .unknownOperator(
          .init(type: "Array", key: "@total", keyPath: "books.@total", position: 2)),
        "There is no collection operator '@total' (component 2 of 'books.@total')."
      ),
      (.notACollection(reasoned), "Person.age is not a collection: because."),
      (
        .notKeyValueObservable(path),
        "Person.age (component 2 of 'manager.age') cannot be observed."
      ),
      (.indexOutOfRange(reasoned), "Person.age has no such index: because."),
      // A class may have the name that an operator's errors have as their type.
      (
        .readOnly(
          .init(
            type: "Collection", key: "@sum", keyPath: "items.@sum.price", position: 2,
            reason: "it is an operator")),
        "Collection.@sum (component 2 of 'items.@sum.price') can be read but not set: it is an operator."
      ),
      // The path is not repeated if it consists of the key alone.
      (
        .readOnly(.init(type: "Person", key: "age", keyPath: "age")),
        "Person.age can be read but not set."
      ),
    ] as [(KeyValueCodingError, String)])
  func messages(error: KeyValueCodingError, expected: String) {
    #expect("\(error)" == expected)
  }

  @Test("K3 an error equals one that's created with its details, whatever was attempted")
  func attempted() throws {
    let person = Person()
    for attempt in [
      { _ = try person.value(forKeyPath: "age.days") },
      { _ = try person.kvo("age", as: String.self) },
    ] {
      let error = #expect(throws: KeyValueCodingError.self) { try attempt() }
      let details = try #require(error?.details)
      let same = Details(
        type: details.type, key: details.key, keyPath: details.keyPath, position: details.position,
        suggestions: details.suggestions, reason: details.reason)
      #expect(details == same)
    }
  }

  @Test("K2 errors are equal if their case and details are equal")
  func equality() {
    #expect(KeyValueCodingError.readOnly(Self.path) == .readOnly(Self.path))
    #expect(KeyValueCodingError.readOnly(Self.path) != .nilValue(Self.path))
    #expect(KeyValueCodingError.readOnly(Self.path) != .readOnly(Self.reasoned))
    #expect(KeyValueCodingError.readOnly(Self.path).details == Self.path)
  }

  @Test("K2 the default errors of hooks name the object's own class")
  func defaults() {
    let manager: Person = Manager()
    #expect(
      KeyValueCodingError.undefinedKey("levl", of: manager).description
        == "Manager has no key 'levl'. Did you mean 'level'?")
    #expect(
      KeyValueCodingError.nilValue("age", of: manager).description
        == "Manager.age cannot be nil: it holds Int.")
    #expect(
      KeyValueCodingError.readOnly("title", of: manager).description
        == "Manager.title can be read but not set.")
    #expect(
      KeyValueCodingError.undefinedKey("vale", of: Box(1)).description
        == "Box<Int> has no key 'vale'. Did you mean 'value'?")
  }

  @Test("K4 nil inside of an Any is nil for a validator, as for a set")
  func nilInsideOfAny() throws {
    let applicant = Applicant()
    let none = String?.none as Any
    var value: Any? = none
    for error in [
      message { try applicant.validateValue(&value, forKey: "age") },
      message { try applicant.setValue(none, forKey: "age") },
    ] {
      #expect(error == "Applicant.age cannot be nil: it holds Int.")
    }
    try applicant.validateValue(&value, forKey: "note")
    #expect(value as? String == "filled in")
  }

  @Test("K3 the details contain the parts of the message")
  func details() {
    let person = Person()
    person.account = Account()
    let error = #expect(throws: KeyValueCodingError.self) {
      try person.value(forKeyPath: "account.balnce")
    }
    #expect(
      error
        == .undefinedKey(
          .init(
            type: "Account", key: "balnce", keyPath: "account.balnce", position: 2,
            suggestions: ["balance"])))
  }

  @Test(
    "R6 K3 an unobservable string path throws, names the component and attaches nothing",
    arguments: [
      (
        "acount.balance",
        "Person has no key 'acount' (component 1 of 'acount.balance'). Did you mean 'account'?"
      ),
      (
        "account.owner.agee",
        "Person has no key 'agee' (component 3 of 'account.owner.agee'). Did you mean 'age'?"
      ),
      ("agee", "Person has no key 'agee'. Did you mean 'age'?"),
      ("", "'' is not a key path: it is empty."),
      ("account..balance", "'account..balance' is not a key path: component 2 is empty."),
      (
        "account.balance.digits",
        "Account.balance (component 2 of 'account.balance.digits') cannot be observed: its value "
          + "is of type Double, which is not @KeyValueObservable."
      ),
    ])
  func unobservablePaths(path: String, expected: String) {
    let log = ChangeLog()
    let person = Person()
    let account = Account()
    person.account = account
    account.owner = person
    #expect(
      message { _ = try person.observe(path, options: .initial, changeHandler: log.handler("x")) }
        == expected)
    let observer = LoggingObserver("observer", log)
    #expect(message { try person.addObserver(observer, forKeyPath: path) } == expected)
    #expect(isIdle(person, account))
    #expect(log.take() == [])
  }

  @Test("R6 P3 a later value that is not observable is reported to the violation handler")
  func laterNotObservable() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      KeyValueViolation.handler = { print("violation: \($0.kind)\n\($0)") }
      let drawer = Drawer()
      let token = try drawer.observe(
        "content.balance", options: .new, fileID: "App/Drawer.swift", line: 7
      ) { print($1) }
      drawer.content = Account(balance: 1)
      drawer.content = 5
      drawer.content = Account(balance: 2)
      token.invalidate()
    }
    #expect(
      text(result?.standardOutputContent) == """
        setting, new: 1.0
        violation: unobservableValue
        Drawer.content (component 1 of 'content.balance') cannot be observed: its value is of type \
        Int, which is not @KeyValueObservable. 'content.balance' of Drawer reads as nil from there \
        until the value is replaced. It was registered at Drawer.swift:7.
        setting, new: nil
        setting, new: 2.0

        """)
  }
}
