import KeyValueObserving

@KeyValueObservable
private final class Account {
  var balance = 0.0
  var interestRate = 0.02
}

extension Scenario {
  static let removal = Scenario(
    "removal", on: .observing,
    "registrations are removed by context; removing one too many is an error"
  ) { printer in
    let account = Account()
    let listener = Listener("listener", printer)
    printer.step("observe balance with the first context, with the second, and with none")
    try account.addObserver(
      listener, forKeyPath: "balance", options: [.new], context: Context.first)
    try account.addObserver(
      listener, forKeyPath: "balance", options: [.new], context: Context.second)
    try account.addObserver(listener, forKeyPath: "balance", options: [.new])
    printer.step("account.balance = 1")
    account.balance = 1
    printer.step("remove the one with the second context; account.balance = 2")
    try account.removeObserver(listener, forKeyPath: "balance", context: Context.second)
    account.balance = 2
    printer.step("remove the one with the second context again")
    do {
      try account.removeObserver(listener, forKeyPath: "balance", context: Context.second)
    } catch {
      printer.heard("error: \(error)")
    }
    printer.step("remove the oldest, without naming a context; account.balance = 3")
    try account.removeObserver(listener, forKeyPath: "balance")
    account.balance = 3
    printer.step("remove the last one; account.balance = 4")
    try account.removeObserver(listener, forKeyPath: "balance")
    account.balance = 4
    printer.step("remove one more")
    do {
      try account.removeObserver(listener, forKeyPath: "balance")
    } catch {
      printer.heard("error: \(error)")
    }
  }

  static let observationInfo = Scenario(
    "observationInfo", on: .observing, "an object lists its registrations"
  ) { printer in
    let account = Account()
    let listener = Listener("listener", printer)
    func printInfo() {
      if account.observationInfo.isEmpty { printer.heard("nothing is registered") }
      for info in account.observationInfo {
        let context = Context.name(info.context).map { ", \($0)" } ?? ""
        // An observer object is described by its class and its address, which varies.
        let observer = info.observer.prefix { $0 != "@" }
        printer.heard("\(info.keyPath) by \(observer), options \(info.options)\(context)")
      }
    }
    printer.step("account.observationInfo")
    printInfo()
    printer.step("an observer object for balance (old, new, a context), a closure for interestRate")
    try account.addObserver(
      listener, forKeyPath: "balance", options: [.old, .new], context: Context.first)
    let observation = account.kvo.interestRate.observe(options: [.prior]) { _, _ in }
    printInfo()
    printer.step("account.removeObserver(listener, forKeyPath: \"balance\")")
    try account.removeObserver(listener, forKeyPath: "balance")
    printInfo()
    printer.step("observation.invalidate()")
    observation.invalidate()
    printInfo()
  }
}
