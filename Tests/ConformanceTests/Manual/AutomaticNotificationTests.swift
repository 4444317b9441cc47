import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("M. Automatic and manual notification")
struct AutomaticNotificationTests {
  private let log = ChangeLog()

  // MARK: M3

  @Test("M3 A manual key does not notify for assignments, in-place changes or sets by key")
  func manualKey() throws {
    let ledger = Ledger()
    let tokens = try ["openingBalance", "closingBalance", "entries", "successor.rate"].map { key in
      try ledger.observe(key, options: [.old, .new, .prior], changeHandler: log.handler(key))
    }
    ledger.openingBalance = 1
    ledger.openingBalance += 1
    ledger.entries.append("x")
    ledger.successor = Ledger()
    try ledger.setValue(3, forKey: "openingBalance")
    try ledger.setValue(4.5, forKeyPath: "openingBalance")
    #expect(log.take() == [])
    #expect(ledger.openingBalance == 4.5)
    ledger.withChange(of: \.openingBalance) { ledger.openingBalance = 6 }
    #expect(
      log.take() == [
        "openingBalance: setting, old: 4.5, prior", "closingBalance: setting, old: 6.75, prior",
        "openingBalance: setting, old: 4.5, new: 6.0",
        "closingBalance: setting, old: 6.75, new: 9.0",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("M3 General and per-key class methods turn automatic notification off")
  func methods() throws {
    let board = Household()
    var tokens: Set<KeyValueObservation> = []
    for key in ["lamp", "fan", "heater"] {
      try board.observe(key, options: [.initial, .new], changeHandler: log.handler(key))
        .store(in: &tokens)
    }
    #expect(
      log.take() == ["lamp: setting, new: 0", "fan: setting, new: 0", "heater: setting, new: 0"])
    board.lamp = 1
    board.fan = 1
    board.heater = 1
    board.lamp += 1
    board.fan += 1
    board.heater += 1
    for key in ["lamp", "fan", "heater"] { try board.setValue(3, forKey: key) }
    #expect(
      log.take() == [
        "heater: setting, new: 1", "heater: setting, new: 2", "heater: setting, new: 3",
      ])
    for key in ["lamp", "fan", "heater"] { board.withChange(of: key) {} }
    #expect(
      log.take() == ["lamp: setting, new: 3", "fan: setting, new: 3", "heater: setting, new: 3"])
    #expect(
      ["lamp", "fan", "heater"].map { Household.automaticallyNotifiesObservers(forKey: $0) }
        == [false, false, true])
  }

  /// Overrides the general switch without being annotated.
  final class Override: Household {
    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
      key == "heater" ? false : super.automaticallyNotifiesObservers(forKey: key)
    }
  }

  @Test("M3 A subclass makes an inherited key manual for its own instances only")
  func subclass() throws {
    let plain = Household()
    let special = Override()
    let tokens = [plain, special].map { board in
      board.observe(\.heater, options: .new) { board, change in
        log.note("\(type(of: board))", change)
      }
    }
    plain.heater = 1
    special.heater = 2
    special.withChange(of: \.heater) { special.heater = 3 }
    #expect(log.take() == ["Household: setting, new: 1", "Override: setting, new: 3"])
    withExtendedLifetime(tokens) {}
  }

  // MARK: M4

  @Test("M4 An automatic bracket inside a manual pair makes two notifications, inner first")
  func both() throws {
    let person = Person()
    let token = person.observe(
      \.age, options: [.old, .new, .prior], changeHandler: log.handler("age"))
    person.willChangeValue(forKey: "age")
    person.age = 37
    person.didChangeValue(forKey: "age")
    let twice = [
      "age: setting, old: 36, prior", "age: setting, old: 36, prior",
      "age: setting, old: 36, new: 37", "age: setting, old: 36, new: 37",
    ]
    #expect(log.take() == twice)
    person.age = 36
    _ = log.take()
    person.withChange(of: \.age) { person.age += 1 }
    #expect(log.take() == twice)
    token.invalidate()
  }

  // MARK: M5

  @Test("M5 A computed property with a setter notifies through its dependencies")
  func computedSetter() throws {
    let converter = Converter()
    let token = converter.observe(
      \.fahrenheit, options: [.old, .new, .prior], changeHandler: log.handler("fahrenheit"))
    converter.fahrenheit = 212
    #expect(converter.celsius == 100)
    converter.celsius = 0
    try converter.setValue(50, forKey: "fahrenheit")
    converter.fahrenheit += 18
    #expect(
      log.take()
        == [32, 212, 32, 50].enumerated().flatMap { index, old in
          [
            "fahrenheit: setting, old: \(old).0, prior",
            "fahrenheit: setting, old: \(old).0, new: \([212, 32, 50, 68][index]).0",
          ]
        })
    #expect(converter.celsius == 20)
    token.invalidate()
  }

  @Test("M5 Setting by key notifies for a computed property without known dependencies")
  func setByKey() throws {
    let bridge = Bridge()
    let token = bridge.observe(
      \.height, options: [.old, .new, .prior], changeHandler: log.handler("height"))
    bridge.height = 1
    #expect(log.take() == [])
    try bridge.setValue(2, forKey: "height")
    #expect(log.take() == ["height: setting, old: 1, prior", "height: setting, old: 1, new: 2"])
    #expect(
      message { try bridge.setValue("high", forKey: "height") }
        == "Bridge.height was given a value of the wrong type: it holds Int, which cannot take "
        + "\"high\" of type String exactly.")
    #expect(log.take() == [])
    #expect(bridge.height == 2)
    token.invalidate()
  }

  @Test("M5 Setting an override by key notifies once, whether it sets super or stores the value")
  func setOverrideByKey() throws {
    let theme = StoredTheme()
    let options: KeyValueObservingOptions = [.old, .new, .prior]
    let tokens = [
      theme.observe(\.name, options: options, changeHandler: log.handler("name")),
      theme.observe(\.size, options: options, changeHandler: log.handler("size")),
    ]
    theme.name = "dark"
    #expect(log.take() == [])
    try theme.setValue("blue", forKey: "name")
    #expect(
      log.take() == [
        #"name: setting, old: "dark", prior"#, #"name: setting, old: "dark", new: "blue""#,
      ])
    theme.size = 2
    try theme.setValue(3, forKey: "size")
    #expect(
      log.take() == [
        "size: setting, old: 1, prior", "size: setting, old: 1, new: 2",
        "size: setting, old: 2, prior", "size: setting, old: 2, new: 3",
      ])
    for token in tokens { token.invalidate() }
  }
}

@KeyValueObservable
private class Theme {
  var name = "light"
  var size = 1
}

@KeyValueObservable
private final class StoredTheme: Theme {
  @KeyValueIgnored private var kept = "light"
  override var name: String {
    get { kept }
    set { kept = newValue }
  }
  override var size: Int {
    get { super.size }
    set { super.size = newValue }
  }
}
