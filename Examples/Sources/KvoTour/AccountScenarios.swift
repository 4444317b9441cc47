import KeyValueObserving

@KeyValueObservable
private final class Account {
  var balance = 100.0
  var interestRate = 0.02
}

/// The guide's observer: one method receives all changes, and distinguishes them by context.
private final class Person: KeyValueObserver {
  // Never dereferenced: only the address counts as a context.
  nonisolated(unsafe) static let balanceContext = UnsafeMutableRawPointer.allocate(
    byteCount: 1, alignment: 1)
  nonisolated(unsafe) static let interestRateContext = UnsafeMutableRawPointer.allocate(
    byteCount: 1, alignment: 1)

  private let printer: TourPrinter

  init(_ printer: TourPrinter) { self.printer = printer }

  func register(for account: Account) throws {
    try account.addObserver(
      self, forKeyPath: "balance", options: [.old, .new], context: Self.balanceContext)
    try account.addObserver(
      self, forKeyPath: "interestRate", options: [.old, .new], context: Self.interestRateContext)
  }

  func unregister(from account: Account) throws {
    try account.removeObserver(self, forKeyPath: "balance", context: Self.balanceContext)
    try account.removeObserver(self, forKeyPath: "interestRate", context: Self.interestRateContext)
  }

  func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {
    switch context {
    case Self.balanceContext: printer.heard("the balance's context: \(keyPath) \(change)")
    case Self.interestRateContext: printer.heard("the rate's context: \(keyPath) \(change)")
    default: printer.heard("no context of mine: \(keyPath)")
    }
  }
}

extension Scenario {
  static let account = Scenario(
    "account", on: .observing, "a person observes an account's balance and interest rate"
  ) { printer in
    let account = Account()
    let person = Person(printer)
    printer.step("person observes balance and interestRate, each with a context, old and new")
    try person.register(for: account)
    printer.step("account.balance = 150")
    account.balance = 150
    printer.step("account.balance += 25")
    account.balance += 25
    printer.step("account.interestRate = 0.03")
    account.interestRate = 0.03
    printer.step("account.balance = 175, its current value")
    account.balance = 175
    printer.step("setValue(200, forKey: \"balance\")")
    try account.setValue(200, forKey: "balance")
    printer.step("person stops observing; account.balance = 0")
    try person.unregister(from: account)
    account.balance = 0
  }

  static let initial = Scenario(
    "initial", on: .observing, "a callback with the current value"
  ) { printer in
    let account = Account()
    printer.step("observe balance with initial and new")
    let observation = account.kvo.balance.observe(options: [.initial, .new]) { _, change in
      printer.heard("balance \(change)")
    }
    printer.step("account.balance = 150")
    account.balance = 150
    printer.step(
      "observe interestRate with initial and old: there is no old value before the first change")
    let second = account.kvo.interestRate.observe(options: [.initial, .old]) { _, change in
      printer.heard("interestRate \(change)")
    }
    printer.step("account.interestRate = 0.03")
    account.interestRate = 0.03
    withExtendedLifetime((observation, second)) {}
  }

  static let prior = Scenario(
    "prior", on: .observing, "a callback before the change and one after it"
  ) { printer in
    let account = Account()
    printer.step("observe balance with prior, old and new")
    let observation = account.kvo.balance.observe(options: [.prior, .old, .new]) {
      account, change in
      printer.heard("balance \(change); account.balance is \(account.balance)")
    }
    printer.step("account.balance = 150")
    account.balance = 150
    printer.step("account.balance *= 2")
    account.balance *= 2
    withExtendedLifetime(observation) {}
  }
}
