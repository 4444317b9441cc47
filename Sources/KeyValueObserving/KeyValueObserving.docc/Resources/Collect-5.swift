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
let titles = account.kvo.entries[each: \.title].observe(options: .new) { _, change in
  print(change.newValue ?? [])
}
let rent = Entry("Rent", -900)
account.entries = [rent, Entry("Salary", 3_000)]
// ["Rent", "Salary"]
rent.title = "Mortgage"
// ["Mortgage", "Salary"]
