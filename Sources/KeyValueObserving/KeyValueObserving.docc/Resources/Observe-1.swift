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
rent.amount = 950
