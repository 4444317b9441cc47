import KeyValueObserving
import Observation
import Testing

@Suite("README.md", .printing)
struct ReadmeSnippets {
  /// Each total, once.
  enum Told {
    // snippet README 1
    @KeyValueObservable
    final class Order {
      var price = 10
      var count = 1
      var total: Int { price * count }
    }
    // end
  }

  /// The same for Observation.
  enum Tracked {
    @Observable
    final class Order {
      var price = 10
      var count = 1
      var total: Int { price * count }
    }
  }

  // snippet README 3
  @KeyValueObservable
  final class Account {
    var balance = 100.0
  }

  @KeyValueObservable
  final class Person {
    var firstName = "Ada"
    var lastName = "Lovelace"
    var account: Account?
    var fullName: String { "\(firstName) \(lastName)" }
  }
  // end

  // snippet README 4
  final class Badge {
    lazy var observers = KeyValueObserverController(owner: self)
    var text = ""

    func show(_ person: Person) {
      observers.observe(person.kvo.fullName, options: [.initial, .new]) { badge, _, change in
        badge.text = change.newValue ?? ""
      }
    }
  }
  // end

  // snippet README 5
  @KeyValueObservable
  final class Bank {
    var accounts: [Account] = []
  }
  // end

  @Test("Why not: each total is printed with the one before it")
  func told() throws {
    typealias Order = Told.Order
    // snippet README 1
    let order = Order()
    let totals = order.kvo.total.observe(options: [.old, .new]) { _, change in
      print("total:", change.oldValue ?? 0, "->", change.newValue ?? 0)
    }
    order.count = 2  // total: 10 -> 20
    order.price = 12  // total: 20 -> 24
    // end
    try expectPrinted("README", 1)
    withExtendedLifetime(totals) {}
  }

  @Test("Why not: Observation's handler prints the total before the change")
  func tracked() throws {
    typealias Order = Tracked.Order
    // snippet README 2
    nonisolated(unsafe) let order = Order()
    @Sendable func log() {
      withObservationTracking {
        _ = order.total
      } onChange: {
        print("total:", order.total)
        log()
      }
    }
    log()
    order.count = 2  // total: 10
    order.price = 12  // total: 20
    // end
    try expectPrinted("README", 2)
    #expect(order.total == 24)
  }

  @Test("A first example, and what is needed daily, as one program")
  func program() async throws {
    // snippet README 3
    let person = Person()
    let balances = person.kvo.account.balance.observe(options: [.old, .new]) { _, change in
      print("balance:", change)
    }
    let names = person.kvo.fullName.observe(options: [.old, .new]) { _, change in
      print("name:", change)
    }
    person.firstName = "Grace"  // name: setting, old: "Ada Lovelace", new: "Grace Lovelace"
    person.account = Account()  // balance: setting, old: nil, new: 100.0
    person.account?.balance += 20  // balance: setting, old: 100.0, new: 120.0
    try person.setValue("Hopper", forKey: "lastName")
    // name: setting, old: "Grace Lovelace", new: "Grace Hopper"
    // end
    try expectPrinted("README", 3)

    // snippet README 4
    let badge = Badge()
    badge.show(person)  // badge.text is "Grace Hopper"
    // end
    #expect(badge.text == "Grace Hopper")
    try expectPrinted("README", 4, remarks: ["badge.text is \"Grace Hopper\""])

    // snippet README 5
    let bank = Bank()
    let funds = bank.kvo.accounts[sum: \.balance].observe(options: [.old, .new]) { _, change in
      print("funds:", change)
    }
    let list = bank.kvo.accounts.observe(options: .elementChanges) { _, change in
      print("accounts:", change)
    }
    bank.accounts.append(Account())
    // funds: setting, old: 0.0, new: 100.0, then accounts: insertion, indexes: 0
    bank.accounts[0].balance = 130  // funds: setting, old: 100.0, new: 130.0
    // end
    try expectPrinted("README", 5)

    // snippet README 6
    let form = Person()
    let binding = person.kvo.lastName.bindTwoWay(to: form.kvo.lastName)
    form.lastName = "Murray"  // name: setting, old: "Grace Hopper", new: "Grace Murray"
    person.lastName = "Hopper"  // name: setting, old: "Grace Murray", new: "Grace Hopper"
    // end
    try expectPrinted("README", 6)
    #expect(form.lastName == "Hopper")

    // snippet README 7
    person.performChanges {
      $0.firstName = "Katherine"
      $0.lastName = "Johnson"
    }  // name: setting, old: "Grace Hopper", new: "Katherine Johnson"
    let recorder = KeyValueChangeRecorder()
    try recorder.record(person.kvo.firstName, person.kvo.account.balance)
    person.firstName = "Mary"  // name: setting, old: "Katherine Johnson", new: "Mary Johnson"
    try recorder.undo()  // name: setting, old: "Mary Johnson", new: "Katherine Johnson"
    for await name in person.kvo.fullName.values() {
      print("value:", name)  // value: Katherine Johnson
      break
    }
    // end
    try expectPrinted("README", 7)
    withExtendedLifetime((balances, names, badge, funds, list, binding)) {}
  }
}
