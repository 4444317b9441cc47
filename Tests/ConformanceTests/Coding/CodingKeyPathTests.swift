import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("K. Key-value coding: setting by key path, several keys, validation")
struct CodingKeyPathTests {
  private let log = ChangeLog()

  @Test("K3 setting a key path converts the value, sets the last key and notifies once")
  func settingAPath() throws {
    let person = Person()
    person.account = Account(balance: 1)
    let token = person.observe(
      \.account.balance, options: [.old, .new], changeHandler: log.handler("balance"))
    try person.setValue(5, forKeyPath: "account.balance")
    try person.setValue(Account(balance: 7), forKeyPath: "account")
    #expect(
      log.take() == [
        "balance: setting, old: 1.0, new: 5.0", "balance: setting, old: 5.0, new: 7.0",
      ])
    token.invalidate()
  }

  @Test("K3 P3 a path through an optional of an optional reads nil or the object's value")
  func optionalOfOptional() throws {
    let vault = Vault()
    #expect(try vault.value(forKeyPath: "cached.balance") == nil)
    let token = try vault.observe(
      "cached.balance", options: [.old, .new], changeHandler: log.handler("balance"))
    vault.cached = .some(nil)
    vault.cached = Account(balance: 5)
    vault.cached??.balance = 6
    vault.cached = nil
    #expect(
      log.take() == [
        "balance: setting, old: nil, new: nil", "balance: setting, old: nil, new: 5.0",
        "balance: setting, old: 5.0, new: 6.0", "balance: setting, old: 6.0, new: nil",
      ])
    token.invalidate()
  }

  @Test("K3 setting through nil does nothing, whatever components follow")
  func settingThroughNil() throws {
    let person = Person()
    let token = person.observe(\.manager.account.balance, changeHandler: log.handler("balance"))
    try person.setValue(5, forKeyPath: "account.balance")
    try person.setValue("nonsense", forKeyPath: "manager.account.balance")
    try person.setValue(nil, forKeyPath: "manager.bogus.key")
    #expect(log.take() == [])
    token.invalidate()
  }

  @Test(
    "K2 K3 every failure at the end of a path names the class, the key and the whole path",
    arguments: [
      (
        "account.balance", "a",
        "Account.balance (component 2 of 'account.balance') was given a value of the wrong type: "
          + "it holds Double, which cannot take \"a\" of type String exactly."
      ),
      (
        "account.balance", nil,
        "Account.balance (component 2 of 'account.balance') cannot be nil: it holds Double."
      ),
      (
        "account.owner.fullName", "a",
        "Person.fullName (component 3 of 'account.owner.fullName') can be read but not set."
      ),
      (
        "account.ballance", "a",
        "Account has no key 'ballance' (component 2 of 'account.ballance'). "
          + "Did you mean 'balance'?"
      ),
      (
        "frame.origin", "a",
        "Frame.origin (component 2 of 'frame.origin') cannot be read: a value of type Frame "
          + "has no keys; only @KeyValueObservable classes, collections of them and dictionaries do."
      ),
    ] as [(String, String?, String)])
  func failuresAtTheEnd(path: String, value: String?, expected: String) {
    let person = Person()
    let account = Account()
    person.account = account
    account.owner = person
    #expect(message { try person.setValue(value, forKeyPath: path) } == expected)
    #expect(account.balance == 0)
  }

  @Test("K7 several keys are set in sorted order, up to the first error, which names its key")
  func settingSeveral() throws {
    let person = Person()
    let tokens = try ["age", "firstName", "lastName", "nickname"].map {
      try person.observe($0, options: .new, changeHandler: log.handler($0))
    }
    try person.setValues(forKeys: ["nickname": nil, "lastName": "Hopper", "age": 40.0])
    #expect(
      log.take() == [
        "age: setting, new: 40", "lastName: setting, new: \"Hopper\"",
        "nickname: setting, new: nil",
      ])
    #expect(
      message {
        try person.setValues(forKeys: ["lastName": "L", "firstName": 5, "age": 41, "zap": 1])
      }
        == "Person.firstName was given a value of the wrong type: it holds String, which cannot "
        + "take 5 of type Int exactly.")
    #expect(log.take() == ["age: setting, new: 41"])
    #expect(person.lastName == "Hopper" && person.age == 41)
    for token in tokens { token.invalidate() }
  }

  @Test("K4 the method named after the key replaces, refuses or accepts a value")
  func validation() throws {
    let applicant = Applicant()
    var value: Any? = 200
    try applicant.validateValue(&value, forKey: "age")
    #expect(value as? Int == 150)
    value = 20.0
    try applicant.validateValue(&value, forKey: "age")
    #expect(value as? Int == 20)
    value = -1
    #expect(throws: Applicant.TooYoung.self) {
      try applicant.validateValue(&value, forKey: "age")
    }
    #expect(value as? Int == -1)
    #expect(applicant.age == 18)
  }

  @Test("K4 a validator of an optional or untyped value receives nil, and can return it")
  func validatingNil() throws {
    let applicant = Applicant()
    var value: Any?
    try applicant.validateValue(&value, forKey: "name")
    #expect(value == nil)
    value = ""
    try applicant.validateValue(&value, forKey: "name")
    #expect(value == nil)
    value = "b"
    try applicant.validateValue(&value, forKey: "name")
    #expect(value as? String == "b")
    value = nil
    try applicant.validateValue(&value, forKey: "note")
    #expect(value as? String == "filled in")
    value = 5
    try applicant.validateValue(&value, forKey: "note")
    #expect(value as? Int == 5)
  }

  @Test("K4 a value that the validator's type cannot hold is an error that names the key")
  func validatingTheWrongType() {
    let applicant = Applicant()
    var value: Any? = "old"
    #expect(
      message { try applicant.validateValue(&value, forKey: "age") }
        == "Applicant.age was given a value of the wrong type: it holds Int, which cannot take "
        + "\"old\" of type String exactly.")
    #expect(value as? String == "old")
    value = nil
    #expect(
      message { try applicant.validateValue(&value, forKey: "age") }
        == "Applicant.age cannot be nil: it holds Int.")
  }

  @Test("K4 a value of the wrong type is not nil to the method of an optional")
  func validatingTheWrongTypeOfAnOptional() throws {
    let survey = Survey()
    for (wrong, words) in [("x" as Any, "\"x\" of type String"), (3.5, "3.5 of type Double")] {
      var value: Any? = wrong
      #expect(
        message { try survey.validateValue(&value, forKey: "age") }
          == "Survey.age was given a value of the wrong type: it holds Optional<Int>, which cannot "
          + "take \(words) exactly.")
      #expect("\(value ?? "nil")" == "\(wrong)")
    }
    #expect(survey.calls == 0)
    var value: Any? = 3.0
    try survey.validateValue(&value, forKey: "age")
    #expect(value as? Int == 4)
    value = nil
    try survey.validateValue(&value, forKey: "age")
    #expect(value as? Int == 1 && survey.calls == 2)
  }

  @Test("K4 an error names the type that the validator takes, if the key has another one")
  func validatorOfAnotherType() {
    let ballot = Ballot()
    var value: Any? = 42
    #expect(
      message { try ballot.validateValue(&value, forKey: "years") }
        == "Ballot.years was given a value of the wrong type: its validator takes String, which cannot "
        + "take 42 of type Int exactly.")
    value = nil
    #expect(
      message { try ballot.validateValue(&value, forKey: "number") }
        == "Ballot.number cannot be nil: its validator takes Int.")
  }

  @Test("K4 without a validator every value is valid; setting never validates")
  func withoutAMethod() throws {
    let applicant = Applicant()
    var value: Any? = "anything"
    try applicant.validateValue(&value, forKey: "account")
    #expect(value as? String == "anything")
    try applicant.setValue(-5, forKey: "age")
    try applicant.setValues(forKeys: ["name": ""])
    #expect(applicant.age == -5 && applicant.name?.isEmpty == true)
  }

  @Test("K4 the last object of a path validates; nil along the path leaves the value unchanged")
  func validatingAPath() throws {
    let applicant = Applicant()
    var value: Any? = 200
    try applicant.validateValue(&value, forKeyPath: "friend.age")
    #expect(value as? Int == 200)
    let friend = StrictApplicant()
    applicant.friend = friend
    try applicant.validateValue(&value, forKeyPath: "friend.age")
    #expect(value as? Int == 150)
    value = 17
    try applicant.validateValue(&value, forKeyPath: "age")
    #expect(throws: Applicant.TooYoung.self) {
      try applicant.validateValue(&value, forKeyPath: "friend.age")
    }
    value = "old"
    #expect(
      message { try applicant.validateValue(&value, forKeyPath: "friend.age") }
        == "StrictApplicant.age (component 2 of 'friend.age') was given a value of the wrong type: it "
        + "holds Int, which cannot take \"old\" of type String exactly.")
    #expect(
      message { try applicant.validateValue(&value, forKeyPath: "friend.agee") }
        == "StrictApplicant has no key 'agee' (component 2 of 'friend.agee'). Did you mean 'age'?")
  }

  @Test("K4 an un-annotated subclass can override its superclass's validator")
  func validatorOfAPlainSubclass() throws {
    let applicant: Applicant = StrictApplicant()
    var value: Any? = 17
    #expect(throws: Applicant.TooYoung.self) {
      try applicant.validateValue(&value, forKey: "age")
    }
    value = 200
    try applicant.validateValue(&value, forKey: "age")
    #expect(value as? Int == 150)
  }
}

/// A class with a property of a doubly optional type.
@KeyValueObservable
private final class Vault {
  var cached: Account?? = nil
}

typealias BallotYears = Int

@KeyValueObservable
private final class Ballot {
  // The macro warns of a validator of another type if it knows both by their names.
  var years: BallotYears = 0
  var number: Int? = 1

  func validateYears(_ value: inout String) throws {}
  func validateNumber(_ value: inout Int) throws {}
}

/// Counts the calls of its validator.
@KeyValueObservable
private final class Survey {
  var age: Int?
  @KeyValueIgnored var calls = 0

  func validateAge(_ value: inout Int?) throws {
    calls += 1
    value = (value ?? 0) + 1
  }
}
