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
let amounts = rent.kvo.amount.observe(options: [.initial, .old, .new]) { _, change in
  print(change)
}
// setting, new: 900
rent.amount = 950
// setting, old: 900, new: 950
