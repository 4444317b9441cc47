import KeyValueObserving
import Testing

@Suite("KeyValueCoding.md", .printing)
struct KeyValueCodingSnippets {
  // snippet KeyValueCoding 1
  enum Mood: String { case calm, busy }

  struct InvalidAge: Error {}

  @KeyValueObservable
  class Account {
    var balance = 100.0
  }

  @KeyValueObservable
  class Person {
    let id = 7
    var name = "Ada"
    var age = 36
    var isMember = false
    var mood = Mood.calm
    var nickname: String?
    var account: Account?

    var initial: String { String(name.prefix(1)) }

    func validateAge(_ value: inout Int) throws {
      if value < 0 { throw InvalidAge() }
      if value > 150 { value = 150 }
    }
  }
  // end

  // snippet KeyValueCoding 6
  @KeyValueObservable
  final class Settings {
    var volume = 5
    private var others: [String: Any] = [:]

    func value(forUndefinedKey key: String) throws -> Any? {
      guard let value = others[key] else {
        throw KeyValueCodingError.undefinedKey(key, of: self)
      }
      return value
    }

    func setValue(_ value: Any?, forUndefinedKey key: String) throws {
      others[key] = value
    }

    func setNilValue(forKey key: String) throws {
      if key == "volume" { volume = 0 } else { throw KeyValueCodingError.nilValue(key, of: self) }
    }
  }
  // end

  // snippet KeyValueCoding 7
  @KeyValueObservable
  final class Door {
    private var code = 1234
    private(set) var openings = 0
    var isOpen = false { didSet { if isOpen { openings += 1 } } }

    func watch() -> KeyValueObservation {
      kvo.code.observe(options: .new) { _, change in print("code", change) }
    }

    func change(to code: Int) { self.code = code }
  }
  // end

  // snippet KeyValueCoding 9
  func uppercase<Object: KeyValueObservable>(_ object: Object) throws {
    for property in Object.keyValueProperties where property.isSettable {
      func open<Value>(_ type: Value.Type) throws {
        let path = try object.kvo(property.name, as: type)
        if let text = path.value as? String, let upper = text.uppercased() as? Value {
          path.value = upper
        }
      }
      try _openExistential(property.valueType, do: open)
    }
  }
  // end

  @Test("Reading, setting, validating")
  func page() throws {
    // snippet KeyValueCoding 1
    let person = Person()
    print(Person.keyValueKeys)
    // ["id", "name", "age", "isMember", "mood", "nickname", "account", "initial"]
    // end
    try expectPrinted("KeyValueCoding", 1)
    // snippet KeyValueCoding 2
    print(try person.value(forKey: "name") ?? "nobody")  // Ada
    print(try person.value(forKey: "nickname") ?? "none")  // none
    print(try person.value(forKeyPath: "account.balance") ?? "none")  // none
    person.account = Account()
    print(try person.value(forKeyPath: "account.balance") ?? "none")  // 100.0
    // end
    expectThrown {
      // snippet KeyValueCoding 2
      _ = try person.value(forKey: "nmae")
      // throws: Person has no key 'nmae'. Did you mean 'name'?
      // end
    }
    expectThrown {
      // snippet KeyValueCoding 2
      _ = try person.value(forKeyPath: "account.balnce")
      // throws: Account has no key 'balnce' (component 2 of 'account.balnce'). Did you mean 'balance'?
      // end
    }
    try expectPrinted("KeyValueCoding", 2)

    // snippet KeyValueCoding 3
    try person.setValue(38.0, forKey: "age")  // age is 38
    try person.setValue(1, forKey: "isMember")  // isMember is true
    try person.setValue("busy", forKey: "mood")  // mood is .busy
    try person.setValue(250, forKeyPath: "account.balance")

    // end
    #expect(person.age == 38 && person.isMember && person.mood == .busy)
    #expect(person.account?.balance == 250)
    expectThrown {
      // snippet KeyValueCoding 3
      try person.setValue(38.5, forKey: "age")
      // throws: Person.age was given a value of the wrong type: it holds Int, which cannot take 38.5 of type Double exactly.
      // end
    }
    expectThrown {
      // snippet KeyValueCoding 3
      try person.setValue("39", forKey: "age")
      // throws: Person.age was given a value of the wrong type: it holds Int, which cannot take "39" of type String exactly.
      // end
    }
    expectThrown {
      // snippet KeyValueCoding 3
      try person.setValue(nil, forKey: "age")
      // throws: Person.age cannot be nil: it holds Int.
      // end
    }
    expectThrown {
      // snippet KeyValueCoding 3
      try person.setValue(8, forKey: "id")
      // throws: Person.id can be read but not set.
      // end
    }
    try expectPrinted(
      "KeyValueCoding", 3, remarks: ["age is 38", "isMember is true", "mood is .busy"])

    // snippet KeyValueCoding 4
    let values = try person.dictionaryWithValues(forKeys: ["name", "age"])
    print(values.count)  // 2
    try person.setValues(forKeys: ["name": "Grace", "age": 40])
    // end
    try expectPrinted("KeyValueCoding", 4)
    #expect(person.name == "Grace")

    // snippet KeyValueCoding 5
    var age: Any? = 200
    try person.validateValue(&age, forKey: "age")
    print(age ?? "nil", person.age)  // 150 40
    age = -1
    // end
    expectThrown {
      // snippet KeyValueCoding 5
      try person.validateValue(&age, forKey: "age")
      // throws: InvalidAge()
      // end
    }
    try expectPrinted("KeyValueCoding", 5)
  }

  @Test("Hooks")
  func hooks() throws {
    // snippet KeyValueCoding 6
    let settings = Settings()
    try settings.setValue("dark", forKey: "theme")
    print(try settings.value(forKey: "theme") ?? "nil")  // dark
    try settings.setValue(nil, forKey: "volume")
    print(settings.volume)  // 0
    // end
    expectThrown {
      // snippet KeyValueCoding 6
      _ = try settings.value(forKey: "volum")
      // throws: Settings has no key 'volum'. Did you mean 'volume'?
      // end
    }
    try expectPrinted("KeyValueCoding", 6)
  }

  @Test("Access")
  func access() throws {
    // snippet KeyValueCoding 7
    let door = Door()
    print(Door.keyValueKeys)  // ["openings", "isOpen"]
    print(try door.value(forKey: "openings") ?? "nil")  // 0
    let observation = door.watch()
    door.change(to: 1)  // code setting, new: 1
    // end
    expectThrown {
      // snippet KeyValueCoding 7
      _ = try door.value(forKey: "code")
      // throws: Door has no key 'code': the property is private.
      // end
    }
    expectThrown {
      // snippet KeyValueCoding 7
      try door.setValue(7, forKey: "openings")
      // throws: Door.openings can be read but not set: its setter is private.
      // end
    }
    try expectPrinted("KeyValueCoding", 7)
    withExtendedLifetime(observation) {}
  }

  @Test("Keys as data")
  func keysAsData() throws {
    // snippet KeyValueCoding 8
    for property in Person.keyValueProperties { print(property) }
    // id: Int
    // name: String, settable
    // age: Int, settable, validated
    // isMember: Bool, settable
    // mood: Mood, settable
    // nickname: Optional<String>, settable
    // account: Optional<Account>, to-one, settable
    // initial: String, computed
    // end
    try expectPrinted("KeyValueCoding", 8)
    // snippet KeyValueCoding 9
    let ada = Person()
    let observation = ada.kvo.name.observe(options: .new) { _, change in print(change) }
    try uppercase(ada)  // setting, new: "ADA"
    // end
    try expectPrinted("KeyValueCoding", 9)
    withExtendedLifetime(observation) {}
  }
}
