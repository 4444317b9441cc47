import KeyValueObserving

@KeyValueObservable
private final class Account {
  var balance: Double

  init(balance: Double) { self.balance = balance }
}

@KeyValueObservable
private final class Person {
  var account: Account? = Account(balance: 100)
}

/// Handles its own registrations, and ignores others: it has no superclass to pass them to.
private class BalanceWatcher: KeyValueObserver {
  let printer: TourPrinter

  init(of account: Account, _ printer: TourPrinter) throws {
    self.printer = printer
    try account.addObserver(
      self, forKeyPath: "balance", options: [.new], context: Context.first)
  }

  func stopWatching(_ account: Account) throws {
    try account.removeObserver(self, forKeyPath: "balance", context: Context.first)
  }

  func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {
    guard context == Context.first else { return }
    printer.heard("the superclass: \(keyPath) \(change)")
  }
}

/// Observes the same key path of the same object, and passes other registrations' changes to its
/// superclass.
private final class OldBalanceWatcher: BalanceWatcher {
  override init(of account: Account, _ printer: TourPrinter) throws {
    try super.init(of: account, printer)
    try account.addObserver(
      self, forKeyPath: "balance", options: [.old, .new], context: Context.second)
  }

  func stopWatchingOldBalance(_ account: Account) throws {
    try account.removeObserver(self, forKeyPath: "balance", context: Context.second)
  }

  override func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {
    guard context == Context.second else {
      return super.observeValue(
        forKeyPath: keyPath, of: object, change: change, context: context)
    }
    printer.heard("the subclass: \(keyPath) \(change)")
  }
}

extension Scenario {
  static let keyPath = Scenario(
    "keyPath", on: .observing, "a key path through an object that is replaced, and through nil"
  ) { printer in
    let person = Person()
    printer.step("observe account.balance with old and new")
    let observation = person.kvo.account.balance.observe(options: [.old, .new]) { _, change in
      printer.heard("account.balance \(change)")
    }
    printer.step("person.account.balance = 150")
    person.account?.balance = 150
    printer.step("person.account = an account with 500")
    let first = person.account
    person.account = Account(balance: 500)
    printer.step("the first account's balance = 1: it is no longer observed")
    first?.balance = 1
    printer.step("person.account.balance = 600")
    person.account?.balance = 600
    printer.step("person.account = nil")
    person.account = nil
    printer.step("person.account = an account with 700")
    person.account = Account(balance: 700)
    printer.step("person.account.balance = 800")
    person.account?.balance = 800
    withExtendedLifetime(observation) {}
  }

  static let subclass = Scenario(
    "subclass", on: .observing,
    "a subclass and its superclass observe the same key path independently"
  ) { printer in
    let account = Account(balance: 100)
    printer.step("the superclass registers for balance, then the subclass does")
    let watcher = try OldBalanceWatcher(of: account, printer)
    printer.step("account.balance = 150")
    account.balance = 150
    printer.step("the subclass stops; account.balance = 200")
    try watcher.stopWatchingOldBalance(account)
    account.balance = 200
    printer.step("the superclass stops; account.balance = 250")
    try watcher.stopWatching(account)
    account.balance = 250
  }
}
