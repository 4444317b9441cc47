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
  var opening = 100
  var entries: [Entry] = []

  var balance: Int { entries.reduce(opening) { $0 + $1.amount } }
  var isOverdrawn: Bool { balance < 0 }
}

let account = Account()
let overdrafts = account.kvo.isOverdrawn.observe(options: [.old, .new]) { account, change in
  print("\(account.balance):", change)
}
let rent = Entry("Rent", -900)
account.entries.append(rent)
// -800: setting, old: false, new: true
rent.amount = -50
// 50: setting, old: true, new: false
print(try account.value(forKeyPath: "entries.@min.amount") ?? "none")
// -50
