import KeyValueObserving

@KeyValueObservable
final class Entry: CustomStringConvertible {
  var title: String
  var amount: Int

  init(_ title: String, _ amount: Int) {
    self.title = title
    self.amount = amount
  }

  var description: String { "\(title) \(amount)" }
}

@KeyValueObservable
final class Account {
  var entries: [Entry] = []
}

let account = Account()
let totals = account.kvo.entries[sum: \.amount].observe(options: [.old, .new]) { _, change in
  print("total:", change)
}
let rent = Entry("Rent", -900)
account.entries = [rent, Entry("Salary", 3_000)]
// total: setting, old: 0, new: 2100
rent.amount = -950
// total: setting, old: 2100, new: 2050
