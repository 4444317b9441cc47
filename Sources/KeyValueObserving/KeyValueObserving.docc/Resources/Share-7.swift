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

let total = account.kvo.entries[sum: \.amount]
let totals = total.observe(options: [.initial, .old, .new]) { _, change in
  print("total:", change.oldValue ?? 0, "->", change.newValue ?? 0)
}

let words = CommandLine.arguments
if words.count == 3, let amount = Int(words[2]) {
  account.entries.append(Entry(words[1], amount))
  try await replica.close()
} else {
  for await _ in replica.kvo.revision.values() {
    print(account.entries)
  }
}
// total: 0 -> -900
// [Rent -900]
// total: -900 -> -960
// [Rent -900, Power -60]
