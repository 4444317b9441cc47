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

let rent = Entry("Rent", 900)
let amounts = rent.kvo.amount.observe { entry, _ in
  print(entry.title, "is now", entry.amount)
}
rent.amount = 950
// Rent is now 950
