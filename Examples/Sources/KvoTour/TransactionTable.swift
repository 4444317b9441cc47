import KeyValueObserving

@KeyValueObservable
final class TableTransaction {
  var payee: String
  var amount: Double
  /// Year, month and day, so that dates compare like days.
  var date: String

  init(_ payee: String, _ amount: Double, _ date: String) {
    self.payee = payee
    self.amount = amount
    self.date = date
  }
}

/// The guide's table of transactions.
@KeyValueObservable
final class TransactionTable {
  var transactions = [
    TableTransaction("Green Power", 120, "2015-12-01"),
    TableTransaction("Green Power", 150, "2016-01-01"),
    TableTransaction("Green Power", 170, "2016-02-01"),
    TableTransaction("Car Loan", 250, "2016-01-15"),
    TableTransaction("Car Loan", 250, "2016-02-15"),
    TableTransaction("Car Loan", 250, "2016-03-15"),
    TableTransaction("General Cable", 120, "2015-12-01"),
    TableTransaction("General Cable", 155, "2016-01-01"),
    TableTransaction("General Cable", 120, "2016-02-01"),
    TableTransaction("Mortgage", 1250, "2016-01-15"),
    TableTransaction("Mortgage", 1250, "2016-02-15"),
    TableTransaction("Mortgage", 1250, "2016-03-15"),
    TableTransaction("Animal Hospital", 600, "2016-07-15"),
  ]

  var moreTransactions = [
    TableTransaction("General Cable - Cottage", 120, "2015-12-18"),
    TableTransaction("General Cable - Cottage", 155, "2016-01-09"),
    TableTransaction("Second Mortgage", 1250, "2016-11-15"),
    TableTransaction("Car Loan", 250, "2016-04-15"),
    TableTransaction("Hobby Shop", 600, "2016-06-14"),
  ]

  var arrayOfArrays: [[TableTransaction]] { [transactions, moreTransactions] }
}
