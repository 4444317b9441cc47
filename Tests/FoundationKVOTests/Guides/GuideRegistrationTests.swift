import FoundationKVO
import Testing

// The registrations of the guide to key-value observing, as a Swift programmer writes them on macOS,
// without `@objc`.

nonisolated(unsafe) private var balanceContext = 0
nonisolated(unsafe) private var interestRateContext = 0

@KeyValueObservable
private class Account: NSObject {
  dynamic var name = "Checking"
  dynamic var balance = 0.0
  dynamic var interestRate = 0.01
  dynamic var transactions: [String] = []
}

@KeyValueObservable
private class Document: NSObject {
  dynamic var account = Account()
}

/// Observes two keys of an account and distinguishes the registrations by their contexts.
private class Person: NSObject {
  private(set) var log: [String] = []

  func registerAsObserver(for account: Account) {
    account.addObserver(
      self, forKeyPath: "balance", options: [.new, .old], context: &balanceContext)
    account.addObserver(
      self, forKeyPath: "interestRate", options: [.new, .old], context: &interestRateContext)
  }

  func unregisterAsObserver(for account: Account) {
    account.removeObserver(self, forKeyPath: "balance", context: &balanceContext)
    account.removeObserver(self, forKeyPath: "interestRate", context: &interestRateContext)
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    if context == &balanceContext {
      log.append("balance \(change![.oldKey]!) -> \(change![.newKey]!)")
    } else if context == &interestRateContext {
      log.append("rate \(change![.oldKey]!) -> \(change![.newKey]!)")
    } else {
      super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
  }
}

@Suite("The guide to observing: registering and automatic notification")
struct GuideRegistrationTests {
  @Test("a person is notified of an account's changes until it unregisters")
  func registering() {
    let (account, person) = (Account(), Person())
    person.registerAsObserver(for: account)
    account.balance = 100
    account.interestRate = 0.02
    person.unregisterAsObserver(for: account)
    account.balance = 7
    #expect(person.log == ["balance 0 -> 100", "rate 0.01 -> 0.02"])
  }

  @Test("a notification that an observer passes to super reaches NSObject, which raises")
  func unhandled() async {
    await #expect(processExitsWith: .success) {
      KeyValueViolation.handler = { violation in
        let isRaised =
          violation.description.hasPrefix("NSInternalInconsistencyException: <Person 0x")
          && violation.description.hasSuffix(
            "An -observeValueForKeyPath:ofObject:change:context: message was received but not handled. "
              + "Key path: name")
        // `_exit` skips the leak check: during this call, the call's own objects look leaked.
        _exit(isRaised ? 0 : 1)
      }
      let account = Account()
      account.addObserver(Person(), forKeyPath: "name", options: [], context: nil)
      let person = Person()
      account.addObserver(person, forKeyPath: "name", options: [], context: nil)
      account.name = "Savings"
      withExtendedLifetime(person) {}
      exit(2)
    }
  }

  @Test("each of the guide's four ways to change a value announces it")
  func automatic() {
    let document = Document()
    let account = document.account
    let witness = Witness()
    account.watch(["name", "transactions"], witness)
    account.name = "Savings"
    account.setValue("Holidays", forKey: "name")
    document.setValue("Pension", forKeyPath: "account.name")
    let transactions = account.mutableArrayValue(forKey: "transactions")
    transactions.add("rent")
    #expect(
      witness.take() == [
        "name: setting, old Checking, new Savings", "name: setting, old Savings, new Holidays",
        "name: setting, old Holidays, new Pension", "transactions: insertion, at 0, new (rent)",
      ])
    account.unwatch(["name", "transactions"], witness)
  }

  @Test("initial and prior are delivered as in the guide's table of options")
  func options() {
    let account = Account()
    let witness = Witness()
    account.watch(["balance"], witness, options: [.initial, .new])
    account.balance = 1
    account.unwatch(["balance"], witness)
    account.watch(["balance"], witness, options: [.prior, .old, .new])
    account.balance = 2
    account.unwatch(["balance"], witness)
    account.watch(["balance"], witness, options: [])
    account.balance = 3
    account.unwatch(["balance"], witness)
    #expect(
      witness.take() == [
        "balance: setting, new 0", "balance: setting, new 1",
        "balance: prior, setting, old 1", "balance: setting, old 1, new 2", "balance: setting",
      ])
  }
}
