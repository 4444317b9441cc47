import FoundationKVO
import Testing

// Manual notification, as the guide to key-value observing shows it.

@KeyValueObservable
private class Account: NSObject {
  private var theBalance = 0.0
  dynamic var itemChanged = 0

  dynamic var balance: Double {
    get { theBalance }
    set {
      if newValue != theBalance {
        willChangeValue(forKey: "balance")
        theBalance = newValue
        didChangeValue(forKey: "balance")
      }
    }
  }

  /// Changes two keys together.
  func replace(balance: Double) {
    willChangeValue(forKey: "balance")
    willChangeValue(forKey: "counter")
    theBalance = balance
    changes += 1
    didChangeValue(forKey: "counter")
    didChangeValue(forKey: "balance")
  }

  private var changes = 0
  var counter: Int { changes }

  override class func automaticallyNotifiesObservers(forKey theKey: String) -> Bool {
    var automatic = false
    if theKey == "balance" {
      automatic = false
    } else {
      automatic = super.automaticallyNotifiesObservers(forKey: theKey)
    }
    return automatic
  }
}

/// A to-many relationship that announces its changes by kind and index.
@KeyValueObservable
private class Register: NSObject {
  private(set) var transactions = ["a", "b", "c", "d"]

  func removeTransactions(at indexes: IndexSet) {
    willChange(.removal, valuesAt: indexes, forKey: "transactions")
    for index in indexes.reversed() { transactions.remove(at: index) }
    didChange(.removal, valuesAt: indexes, forKey: "transactions")
  }

  func replaceTransaction(at index: Int, with transaction: String) {
    willChange(.replacement, valuesAt: [index], forKey: "transactions")
    transactions[index] = transaction
    didChange(.replacement, valuesAt: [index], forKey: "transactions")
  }
}

/// A class that turns off automatic notification for one key.
@KeyValueObservable
private class Thermometer: NSObject {
  dynamic var degrees = 20
  dynamic var scale = "C"

  class func automaticallyNotifiesObserversOfDegrees() -> Bool { false }
}

@Suite("The guide to observing: manual notification")
struct GuideManualTests {
  private let witness = Witness()

  @Test("a manual setter notifies only if the value differs")
  func testedForChange() {
    let account = Account()
    account.watch(["balance", "itemChanged"], witness)
    account.balance = 0
    account.balance = 5
    account.setValue(5, forKey: "balance")
    account.setValue(6, forKey: "balance")
    account.itemChanged = 1
    #expect(
      witness.take() == [
        "balance: setting, old 0, new 5", "balance: setting, old 5, new 6",
        "itemChanged: setting, old 0, new 1",
      ])
  }

  @Test("nested pairs of two keys notify both")
  func nested() {
    let account = Account()
    account.watch(["balance", "counter"], witness, options: [.old, .new, .prior])
    account.replace(balance: 9)
    #expect(
      witness.take() == [
        "balance: prior, setting, old 0", "counter: prior, setting, old 0",
        "counter: setting, old 0, new 1", "balance: setting, old 0, new 9",
      ])
  }

  @Test("a pair with indexes reports removed and replaced elements")
  func indexes() {
    let register = Register()
    register.watch(["transactions"], witness)
    register.removeTransactions(at: [1, 3])
    register.replaceTransaction(at: 1, with: "C")
    #expect(
      witness.take() == [
        "transactions: removal, at 1,3, old (b d)",
        "transactions: replacement, at 1, old (c), new (C)",
      ])
  }

  @Test("a method named after the key turns its automatic notification off")
  func ownSwitch() {
    let thermometer = Thermometer()
    thermometer.watch(["degrees", "scale"], witness)
    thermometer.degrees = 21
    thermometer.setValue(22, forKey: "degrees")
    thermometer.scale = "F"
    #expect(witness.take() == ["scale: setting, old C, new F"])
  }
}
