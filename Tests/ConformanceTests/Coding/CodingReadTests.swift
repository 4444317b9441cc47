import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("K. Key-value coding: reading")
struct CodingReadTests {
  @Test("K1 a property of any kind can be read; an optional is unwrapped")
  func properties() throws {
    let person = Person()
    person.nickname = "Al"
    person.account = Account()
    #expect(try person.value(forKey: "firstName") as? String == "Ada")
    #expect(try person.value(forKey: "age") as? Int == 36)
    #expect(try person.value(forKey: "fullName") as? String == "Ada Lovelace")
    #expect(try person.value(forKey: "account") as? Account === person.account)
    #expect(try person.value(forKey: "books") as? [String] == [])
    #expect(try person.value(forKey: "manager") == nil)
    let nickname = try person.value(forKey: "nickname")
    #expect(nickname.map { type(of: $0) == String.self } == true)
    person.nickname = nil
    #expect(try person.value(forKey: "nickname") == nil)
    let form = Form()
    #expect(try form.value(forKey: "constant") as? Int == 7)
    #expect(try form.value(forKey: "guarded") as? Int == 1)
    #expect(try form.value(forKey: "colour") as? Colour == .red)
    #expect(try form.value(forKey: "forced") == nil)
    form.anything = Int??.some(.some(5)) as Any
    #expect(try form.value(forKey: "anything") as? Int == 5)
    form.anything = Int??.some(.none) as Any
    #expect(try form.value(forKey: "anything") == nil)
  }

  @Test(
    "K1 without a property, accessors are found in Cocoa's order",
    arguments: [
      ("all", "getAll"), ("both", "both"), ("mixed", "getMixed"), ("title", "property"),
    ])
  func accessorOrder(key: String, expected: String) throws {
    #expect(try Catalogue().value(forKey: key) as? String == expected)
  }

  @Test("K1 is<Key>, ordered and optional accessors are found by name")
  func otherAccessors() throws {
    let catalogue = Catalogue()
    #expect(try catalogue.value(forKey: "open") as? Bool == true)
    #expect(try catalogue.value(forKey: "entries") as? [String] == ["x", "y"])
    #expect(try catalogue.value(forKey: "nothing") == nil)
    #expect(
      message { _ = try catalogue.value(forKey: "half") } == "Catalogue has no key 'half'.")
  }

  @Test("K1 a property is<Key> is read as <key> too, but observed and set only by its own name")
  func propertyNamedIs() throws {
    let employee = Employee()
    employee.isTrainee = true
    #expect(try employee.value(forKey: "trainee") as? Bool == true)
    let division = Division("", [employee])
    #expect(try division.value(forKeyPath: "employees.trainee") as? [Bool] == [true])
    #expect(
      message { try employee.setValue(false, forKey: "trainee") }
        == "Employee has no key 'trainee'. Did you mean 'isTrainee'?")
    #expect(
      message { _ = try employee.observe("trainee") { _, _ in } }
        == "Employee has no key 'trainee'. Did you mean 'isTrainee'?")
    #expect(try Catalogue().value(forKey: "both") as? String == "both")
  }

  @Test("K1 an unknown key calls the undefined-key hook, which throws with the nearest keys")
  func undefinedKey() {
    let person = Person()
    #expect(
      message { _ = try person.value(forKey: "firstname") }
        == "Person has no key 'firstname'. Did you mean 'firstName' or 'lastName'?")
    #expect(
      message { _ = try person.value(forKey: "acount") }
        == "Person has no key 'acount'. Did you mean 'account'?")
    #expect(message { _ = try person.value(forKey: "zzz") } == "Person has no key 'zzz'.")
    #expect(message { _ = try person.value(forKey: "") } == "Person has no key ''.")
    #expect(message { _ = try Form().value(forKey: "ignored") } == "Form has no key 'ignored'.")
    #expect(
      message { _ = try Visitor().value(forKey: "badge") }
        == "Visitor has no key 'badge': Visitor, which declares it, lacks @KeyValueObservable.")
  }

  @Test("K1 a key with a dot or an at sign is one key, never a path (trap 23)")
  func oddKeys() throws {
    let person = Person()
    person.account = Account()
    #expect(
      message { _ = try person.value(forKey: "account.balance") }
        == "Person has no key 'account.balance'.")
    let accommodating = Accommodating()
    #expect(try accommodating.value(forKey: "a.b") as? String == "no a.b")
    #expect(try accommodating.value(forKey: "@count") as? String == "no @count")
    try accommodating.setValue(1, forKey: "a.b")
    #expect(accommodating.calls == ["get a.b", "get @count", "set a.b 1"])
  }

  @Test("K1 the undefined-key hook can return a value or throw, for keys and key paths")
  func hook() throws {
    let accommodating = Accommodating()
    #expect(try accommodating.value(forKey: "height") as? String == "no height")
    #expect(try accommodating.value(forKeyPath: "width") as? String == "no width")
    #expect(
      message { _ = try accommodating.value(forKey: "secret") }
        == "Accommodating has no key 'secret'.")
    #expect(accommodating.calls == ["get height", "get width", "get secret"])
  }

  @Test("K1 an un-annotated subclass can override the hooks and call super")
  func hooksOfAPlainSubclass() throws {
    let applicant: Applicant = StrictApplicant()
    #expect(try applicant.value(forKey: "score") as? Int == 5)
    #expect(
      message { _ = try applicant.value(forKey: "agee") }
        == "StrictApplicant has no key 'agee'. Did you mean 'age'?")
  }

  @Test("K1 keyValueKeys lists every key in declaration order, the superclass's first")
  func keys() {
    #expect(
      Person.keyValueKeys == [
        "firstName", "lastName", "age", "nickname", "account", "manager", "books", "tags", "frame",
        "fullName", "wealth",
      ])
    #expect(Manager.keyValueKeys == Person.keyValueKeys + ["level", "title"])
    #expect(Visitor.keyValueKeys == Person.keyValueKeys)
    #expect(SpicedRecipe.keyValueKeys == Recipe.keyValueKeys + ["pepper"])
    #expect(Accommodating.keyValueKeys == ["age", "name"])
    // A property with accessor methods is one key.
    #expect(Album.keyValueKeys == ["tracks", "half", "edits", "sides"])
    // A key that only accessor methods implement belongs to the class that declares them.
    #expect(!Catalogue.keyValueKeys.isEmpty)
    #expect(Annex.keyValueKeys == Catalogue.keyValueKeys + ["own"])
  }

  @Test("K3 a key path reads through related objects; nil along the path reads as nil")
  func keyPaths() throws {
    let person = Person()
    #expect(try person.value(forKeyPath: "manager.manager.account.balance") == nil)
    #expect(try person.value(forKeyPath: "account.bogus") == nil)
    let manager = Person()
    manager.account = Account(balance: 5)
    person.manager = manager
    #expect(try person.value(forKeyPath: "manager.account.balance") as? Double == 5)
    #expect(try person.value(forKeyPath: "manager.fullName") as? String == "Ada Lovelace")
    #expect(try person.value(forKeyPath: "age") as? Int == 36)
  }

  @Test(
    "K3 the error of a broken key path names the component and its position",
    arguments: [
      (
        "acount.balance",
        "Person has no key 'acount' (component 1 of 'acount.balance'). Did you mean 'account'?"
      ),
      (
        "account.balanc",
        "Account has no key 'balanc' (component 2 of 'account.balanc'). Did you mean 'balance'?"
      ),
      (
        "account.owner.nme",
        "Person has no key 'nme' (component 3 of 'account.owner.nme')."
      ),
      ("agee", "Person has no key 'agee'. Did you mean 'age'?"),
      ("", "'' is not a key path: it is empty."),
      (".", "'.' is not a key path: component 1 is empty."),
      ("account..balance", "'account..balance' is not a key path: component 2 is empty."),
      ("account.", "'account.' is not a key path: component 2 is empty."),
      (
        "age.digits",
        "Int.digits (component 2 of 'age.digits') cannot be read: a value of type Int has no "
          + "keys; only @KeyValueObservable classes, collections of them and dictionaries do."
      ),
    ])
  func brokenPaths(path: String, expected: String) throws {
    let person = Person()
    let account = Account()
    person.account = account
    account.owner = person
    #expect(message { _ = try person.value(forKeyPath: path) } == expected)
    #expect(message { try person.setValue(1, forKeyPath: path) } == expected)
    #expect(
      message {
        var value: Any? = 1
        try person.validateValue(&value, forKeyPath: path)
      } == expected)
  }

  @Test("K7 several keys are read in sorted order, up to the first error; nil stays nil")
  func dictionary() throws {
    let person = Person()
    let values = try person.dictionaryWithValues(forKeys: ["nickname", "firstName", "age"])
    #expect(values.keys.sorted() == ["age", "firstName", "nickname"])
    #expect(values["age"] as? Int == 36 && values["firstName"] as? String == "Ada")
    #expect(values["nickname"].map { $0 == nil } == true)
    #expect(try person.dictionaryWithValues(forKeys: []).isEmpty)
    #expect(try person.dictionaryWithValues(forKeys: ["age", "age"]).count == 1)
    #expect(
      message { _ = try person.dictionaryWithValues(forKeys: ["zap", "bogus", "age"]) }
        == "Person has no key 'bogus'.")
    let accommodating = Accommodating()
    _ = try? accommodating.dictionaryWithValues(forKeys: ["c", "secret", "a", "zzz", "b"])
    #expect(accommodating.calls == ["get a", "get b", "get c", "get secret"])
  }
}

@KeyValueObservable
private final class Annex: Catalogue {
  var own = 1
}
