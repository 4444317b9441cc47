import KeyValueObserving

private struct Transaction: CustomStringConvertible {
  let payee: String
  let amount: Double

  var description: String { "\(payee) \(amount)" }
}

@KeyValueObservable
private final class Account {
  var transactions: [Transaction] = []
}

@KeyValueObservable
private final class ManualAccount {
  @NotifiesManually var transactions: [Transaction] = []

  func insertTransactions(_ new: [Transaction], at indexes: RangeSet<Int>) {
    willChange(.insertion, valuesAt: indexes, forKey: "transactions")
    for (index, transaction) in zip(indexes.ranges.joined(), new) {
      transactions.insert(transaction, at: index)
    }
    didChange(.insertion, valuesAt: indexes, forKey: "transactions")
  }

  func removeTransactions(at indexes: RangeSet<Int>) {
    willChange(.removal, valuesAt: indexes, forKey: "transactions")
    transactions.removeSubranges(indexes)
    didChange(.removal, valuesAt: indexes, forKey: "transactions")
  }
}

extension Scenario {
  static let transactions = Scenario(
    "transactions", on: .toManyRelationships,
    "an ordered to-many property, through its proxy and by hand"
  ) { printer in
    let rent = Transaction(payee: "Rent", amount: 900)
    let power = Transaction(payee: "Power", amount: 120)
    let cable = Transaction(payee: "Cable", amount: 35)

    printer.remark("automatically: the proxy reports each change")
    let account = Account()
    printer.step("observe transactions with old and new")
    let first = account.kvo.transactions.observe(options: [.old, .new]) { _, change in
      printer.heard("transactions \(change)")
    }
    printer.step("mutableArrayValue(forKey: \"transactions\").append(rent)")
    let transactions = try account.mutableArrayValue(forKey: "transactions")
    transactions.append(rent)
    printer.step("the typed proxy: append(contentsOf: power and cable)")
    let typed = account.mutableArrayValue(for: \.transactions)
    typed.append(contentsOf: [power, cable])
    printer.step("removeFirst()")
    typed.removeFirst()
    printer.step("without the proxy, account.transactions = [rent] sets the whole array")
    account.transactions = [rent]

    printer.remark("by hand: willChange and didChange name the kind and the indexes")
    let manual = ManualAccount()
    printer.step("observe transactions with prior, old and new")
    let second = manual.kvo.transactions.observe(options: [.prior, .old, .new]) { manual, change in
      printer.heard("transactions \(change); there are \(manual.transactions.count)")
    }
    printer.step("insertTransactions([rent, power, cable], at: 0–2)")
    manual.insertTransactions([rent, power, cable], at: RangeSet(0..<3))
    printer.step("removeTransactions(at: 0, 2)")
    manual.removeTransactions(at: RangeSet([0..<1, 2..<3]))
    withExtendedLifetime((first, second)) {}
  }
}
