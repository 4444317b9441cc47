import Foundation
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

let start = try log.snapshot()
let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
try Data().write(to: file)
let saving = log.observe { record in
  do {
    let lines = try FileHandle(forWritingTo: file)
    try lines.seekToEnd()
    try lines.write(contentsOf: record.json() + "\n".utf8)
    try lines.close()
  } catch {
    print("not saved:", error)
  }
}
account.entries.append(Entry("Rent", -900))
account.entries[0].amount = -950

let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
let restored = try KeyValueChangeLog(
  restoring: start, as: Account.self, classes: [entryClass])
let total = restored.root.kvo.entries[sum: \.amount]
let totals = total.observe(options: [.old, .new]) { _, change in
  print(change)
}
for line in lines {
  try restored.apply(KeyValueTransactionRecord(json: line.utf8))
}
// setting, old: 0, new: -900
// setting, old: -900, new: -950

try FileManager.default.removeItem(at: file)
