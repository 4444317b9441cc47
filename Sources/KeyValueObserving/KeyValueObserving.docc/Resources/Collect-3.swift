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
let list = account.mutableArrayValue(for: \.entries)
list.append(Entry("Rent", -900))
// insertion, indexes: 0, new: [Rent -900]
list.append(Entry("Power", -60))
// insertion, indexes: 1, new: [Power -60]
list[0] = Entry("Mortgage", -1_100)
// replacement, indexes: 0, old: [Rent -900], new: [Mortgage -1100]
list.remove(at: 1)
// removal, indexes: 1, old: [Power -60]
