import KeyValueObserving

@KeyValueObservable
final class Entry {
  var title: String
  var amount: Int

  init(_ title: String, _ amount: Int) {
    self.title = title
    self.amount = amount
  }
}

@KeyValueObservable
final class Account {
  var name = "Household"
  var opening = 100
  var latest: Entry?

  var balance: Int { opening + (latest?.amount ?? 0) }
}

let account = Account()
print(account.balance)
// 100
print(Account.keyPathsForValuesAffectingValue(forKey: "balance").sorted())
// ["latest.amount", "opening"]
