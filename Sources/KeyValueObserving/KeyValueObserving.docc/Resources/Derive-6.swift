import KeyValueObserving

@KeyValueObservable
final class Entry {
  var title: String
  var amount: Int

  init(_ title: String, _ amount: Int) {
    self.title = title
    self.amount = amount
  }
}

@KeyValueObservable
final class Account {
  var name = "Household"
  var opening = 100
  var latest: Entry?

  var balance: Int { opening + (latest?.amount ?? 0) }
  var summary: String { "\(name): \(balance)" }

  @DependsOn("balance")
  var isOverdrawn: Bool { balance < limit() }
}

extension Account {
  func limit() -> Int { -1_000 }
}

let account = Account()
let overdrafts = account.kvo.isOverdrawn.observe(options: .new) { account, change in
  print(account.summary, change)
}
account.latest = Entry("Car", -5_000)
// Household: -4900 setting, new: true
