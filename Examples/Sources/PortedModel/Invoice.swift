import FoundationKVO

@KeyValueObservable
class InvoiceLine: NSObject {
  let book: Book
  dynamic var quantity: Int
  dynamic var unitPrice: Double
  dynamic weak var invoice: Invoice?

  init(book: Book, quantity: Int = 1) {
    self.book = book
    self.quantity = quantity
    unitPrice = book.price
    super.init()
  }

  var amount: Double { Double(quantity) * unitPrice }

  class func keyPathsForValuesAffectingAmount() -> Set<String> {
    ["quantity", "unitPrice"]
  }
}

@KeyValueObservable
class Invoice: NSObject {
  dynamic var number: Int
  dynamic var isPaid = false
  dynamic weak var customer: Customer?
  dynamic private(set) var subtotal = 0.0

  private var contents: [InvoiceLine] = []
  private var observations: [InvoiceLine: NSKeyValueObservation] = [:]
  private var percentage = 0.0

  init(number: Int) {
    self.number = number
    super.init()
  }

  // MARK: Lines

  var lines: [InvoiceLine] { contents }

  dynamic func insertLines(_ lines: [InvoiceLine], atIndexes indexes: IndexSet) {
    for (line, index) in zip(lines, indexes) {
      contents.insert(line, at: index)
      line.invoice = self
      observations[line] = line.observe(\.amount) { [unowned self] _, _ in
        self.updateSubtotal()
      }
    }
    updateSubtotal()
  }

  dynamic func removeLinesAtIndexes(_ indexes: IndexSet) {
    for index in indexes.reversed() {
      let line = contents.remove(at: index)
      line.invoice = nil
      observations.removeValue(forKey: line)?.invalidate()
    }
    updateSubtotal()
  }

  func add(_ book: Book, quantity: Int = 1) {
    let line = InvoiceLine(book: book, quantity: quantity)
    insertLines([line], atIndexes: IndexSet(integer: contents.count))
  }

  private func updateSubtotal() {
    subtotal = contents.reduce(0) { $0 + $1.amount }
  }

  // MARK: Discount and total

  dynamic var discount: Double {
    get { percentage }
    set {
      let limited = min(max(newValue, 0), 50)
      guard limited != percentage else { return }
      willChangeValue(for: \.discount)
      percentage = limited
      didChangeValue(for: \.discount)
    }
  }

  override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
    if key == "discount" { return false }
    return super.automaticallyNotifiesObservers(forKey: key)
  }

  var total: Double { subtotal * (100 - discount) / 100 }

  class func keyPathsForValuesAffectingTotal() -> Set<String> {
    ["subtotal", "discount"]
  }

  override func value(forUndefinedKey key: String) -> Any? {
    guard key == "reference" else { return super.value(forUndefinedKey: key) }
    return String(format: "R-%04d", number)
  }
}
