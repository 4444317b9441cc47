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
}

let account = Account()
let balances = account.kvo.balance.observe(options: [.old, .new]) { _, change in
  print("balance:", change)
}
account.opening = 200
// balance: setting, old: 100, new: 200
