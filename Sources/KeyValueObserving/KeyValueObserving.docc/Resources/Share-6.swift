import KeyValueObserving
import KeyValueReplica

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

let replica = try await KeyValueReplica.open(
  Account.self, document: "budget", in: .sqlite(path: "budget.kvo"),
  classes: [
    KeyValueLogClass(Entry.self) { try Entry($0.value("title"), $0.value("amount")) }
  ])
let account = replica.root

if account.entries.isEmpty {
  account.entries = [Entry("Rent", -900)]
  try await replica.flush()
}
print(account.entries)
// [Rent -900]

try await replica.close()
