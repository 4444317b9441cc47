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
}

let account = Account()
let summaries = account.kvo.summary.observe(options: .new) { _, change in
  print(change.newValue ?? "")
}
account.name = "Savings"
// Savings: 100
account.latest = Entry("Gift", 50)
// Savings: 150
