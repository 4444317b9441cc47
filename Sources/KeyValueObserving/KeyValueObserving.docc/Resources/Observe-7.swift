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
  var latest: Entry?
}

final class Label {
  lazy var observers = KeyValueObserverController(owner: self)
  var text = ""

  func show(_ account: Account) {
    observers.observe(account.kvo.latest.amount, options: .initial) { label, account, _ in
      label.text = "Latest: \(account.latest?.amount ?? 0)"
    }
  }
}

let account = Account()
var label: Label? = Label()
label?.show(account)
account.latest = Entry("Rent", 900)
print(label?.text ?? "no label")
// Latest: 900

label = nil
account.latest = Entry("Power", 60)
print(label?.text ?? "no label")
// no label
