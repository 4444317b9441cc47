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

let entryClass = KeyValueLogClass(Entry.self) {
  try Entry($0.value("title"), $0.value("amount"))
}
let account = Account()
let log = try KeyValueChangeLog(of: account, classes: [entryClass])

let printing = log.observe { record in
  print(record.edits.map { $0.key ?? "an entry" })
}
account.entries.append(Entry("Rent", -900))
// ["an entry", "entries"]
account.entries[0].amount = -950
// ["amount"]
