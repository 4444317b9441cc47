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
let entries = account.kvo.entries.observe(options: [.old, .new]) { _, change in
  print(change)
}
account.entries = [Entry("Rent", -900)]
// setting, old: [], new: [Rent -900]
account.entries.append(Entry("Power", -60))
// setting, old: [Rent -900], new: [Rent -900, Power -60]
