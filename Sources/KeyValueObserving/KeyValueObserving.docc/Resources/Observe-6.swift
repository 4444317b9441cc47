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
  var latest: Entry?
}

let account = Account()
let amounts = account.kvo.latest.amount.observe(options: [.old, .new]) { _, change in
  print(change)
}
account.latest = Entry("Rent", 900)
// setting, old: nil, new: 900
account.latest?.amount = 950
// setting, old: 900, new: 950
account.latest = Entry("Power", 60)
// setting, old: 950, new: 60
account.latest = nil
// setting, old: 60, new: nil
