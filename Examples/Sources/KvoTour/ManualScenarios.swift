import KeyValueObserving

@KeyValueObservable
private final class Account {
  @NotifiesManually var openingBalance = 0.0
  @NotifiesManually var itemChanged = 0

  func open(with balance: Double) {
    willChangeValue(forKey: "openingBalance")
    openingBalance = balance
    didChangeValue(forKey: "openingBalance")
  }

  /// The guide's advice: don't notify if the new value equals the old one.
  func openIfDifferent(with balance: Double) {
    if balance != openingBalance { open(with: balance) }
  }

  func openAndCount(with balance: Double) {
    willChangeValue(forKey: "openingBalance")
    willChangeValue(forKey: "itemChanged")
    openingBalance = balance
    itemChanged += 1
    didChangeValue(forKey: "itemChanged")
    didChangeValue(forKey: "openingBalance")
  }
}

@KeyValueObservable
private class Base {
  var automatic = 0
  var manual = 0

  class func automaticallyNotifiesObservers(forKey key: String) -> Bool { key != "manual" }
}

@KeyValueObservable
private final class Derived: Base {
  var own = 0

  // Found by its name; the superclass decides for every other key.
  class func automaticallyNotifiesObserversOfOwn() -> Bool { false }
}

extension Scenario {
  static let openingBalance = Scenario(
    "openingBalance", on: .manualNotification,
    "manual notification, with and without comparing the old value"
  ) { printer in
    let account = Account()
    printer.step("observe openingBalance with old and new")
    let observation = account.kvo.openingBalance.observe(options: [.old, .new]) { _, change in
      printer.heard("openingBalance \(change)")
    }
    printer.step("account.openingBalance = 10: a plain assignment is silent")
    account.openingBalance = 10
    printer.step("open(with: 20) calls will and did")
    account.open(with: 20)
    printer.step("open(with: 20) again: an equal value also notifies")
    account.open(with: 20)
    printer.step("openIfDifferent(with: 20) compares first")
    account.openIfDifferent(with: 20)
    printer.step("openIfDifferent(with: 30)")
    account.openIfDifferent(with: 30)
    withExtendedLifetime(observation) {}
  }

  static let nestedKeys = Scenario(
    "nestedKeys", on: .manualNotification, "one operation changes two keys; the pairs are nested"
  ) { printer in
    let account = Account()
    printer.step("observe openingBalance and itemChanged with prior, old and new")
    let observations = [
      account.kvo.openingBalance.observe(options: [.prior, .old, .new]) { _, change in
        printer.heard("openingBalance \(change)")
      },
      account.kvo.itemChanged.observe(options: [.prior, .old, .new]) { _, change in
        printer.heard("itemChanged \(change)")
      },
    ]
    printer.step(
      "will openingBalance, will itemChanged, both change, did itemChanged, did openingBalance")
    account.openAndCount(with: 100)
    withExtendedLifetime(observations) {}
  }

  static let switches = Scenario(
    "switches", on: .manualNotification,
    "each key notifies automatically or manually, and subclasses inherit that"
  ) { printer in
    let derived = Derived()
    for key in Derived.keyValueKeys {
      let isAutomatic = Derived.automaticallyNotifiesObservers(forKey: key)
      printer.remark("\(key) notifies \(isAutomatic ? "automatically" : "manually")")
    }
    printer.step("observe all three with new")
    let observations = try Derived.keyValueKeys.map { key in
      try derived.observe(key, options: [.new]) { _, change in printer.heard("\(key) \(change)") }
    }
    printer.step("derived.automatic = 1")
    derived.automatic = 1
    printer.step("derived.manual = 1, which the superclass made manual")
    derived.manual = 1
    printer.step("derived.own = 1, which the subclass made manual")
    derived.own = 1
    printer.step("the same between will and did")
    derived.withChange(of: \.manual) { derived.manual = 2 }
    derived.withChange(of: \.own) { derived.own = 2 }
    withExtendedLifetime(observations) {}
  }
}
