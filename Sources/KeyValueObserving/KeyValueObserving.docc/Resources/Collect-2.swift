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
let entries = account.kvo.entries.observe(
  options: [.old, .new, .elementChanges]
) { _, change in
  print(change)
}
account.entries = [Entry("Rent", -900)]
// insertion, indexes: 0, new: [Rent -900]
account.entries.append(Entry("Power", -60))
// insertion, indexes: 1, new: [Power -60]
account.entries.removeAll { $0.amount < -500 }
// removal, indexes: 0, old: [Rent -900]
