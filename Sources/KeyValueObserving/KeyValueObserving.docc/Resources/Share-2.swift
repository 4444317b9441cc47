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

var records: [KeyValueTransactionRecord] = []
let keeping = log.observe { record in records.append(record) }
account.entries.append(Entry("Rent", -900))
account.performChanges {
  $0.entries[0].amount = -950
  $0.entries.append(Entry("Power", -60))
}
print(records.count, account.entries)
// 2 [Rent -950, Power -60]
try log.apply(records[1].inverse)
print(account.entries)
// [Rent -900]
