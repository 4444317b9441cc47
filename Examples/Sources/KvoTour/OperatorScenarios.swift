import KeyValueObserving

extension Scenario {
  static let operators = Scenario(
    "operators", on: .toManyRelationships, "collection operators over a table of transactions"
  ) { printer in
    let table = TransactionTable()
    func show(_ keyPath: String) throws {
      printer.step("value(forKeyPath: \"\(keyPath)\")")
      printer.heard(text(of: try table.value(forKeyPath: keyPath)))
    }
    printer.remark("of the transactions")
    for keyPath in ["@count", "@sum.amount", "@avg.amount", "@min.date", "@max.date"] {
      try show("transactions.\(keyPath)")
    }
    printer.remark("all values, and the distinct values")
    try show("moreTransactions.payee")
    try show("moreTransactions.@unionOfObjects.payee")
    try show("transactions.@distinctUnionOfObjects.payee")
    printer.remark("of an array of arrays")
    try show("arrayOfArrays.@distinctUnionOfArrays.payee")
    try show("arrayOfArrays.@sum.@count")
    try show("arrayOfArrays.@max.@sum.amount")
    printer.remark("a misspelled operator")
    do { try show("transactions.@average.amount") } catch { printer.heard("error: \(error)") }
  }

  static let aggregates = Scenario(
    "aggregates", on: .toManyRelationships,
    "the results of operators are observed like any other value"
  ) { printer in
    let table = TransactionTable()
    let transactions = table.mutableArrayValue(for: \.moreTransactions)
    printer.step("observe their number, sum, mean, highest amount and payees with old and new")
    let observations = [
      table.kvo.moreTransactions.count.observe(options: [.old, .new]) { _, change in
        printer.heard("count \(change)")
      },
      table.kvo.moreTransactions[sum: \.amount].observe(options: [.old, .new]) { _, change in
        printer.heard("sum \(change)")
      },
      table.kvo.moreTransactions[average: \.amount].observe(options: [.old, .new]) { _, change in
        printer.heard("mean \(change)")
      },
      table.kvo.moreTransactions[maximum: \.amount].observe(options: [.old, .new]) { _, change in
        printer.heard("highest \(change)")
      },
      table.kvo.moreTransactions[each: \.payee].observe(options: [.new]) { _, change in
        printer.heard("payees \(change)")
      },
    ]
    printer.step("moreTransactions[0].amount = 220")
    transactions[0].amount = 220
    printer.step("moreTransactions[4].payee = \"Toy Shop\"")
    transactions[4].payee = "Toy Shop"
    printer.step("remove(at: 2), the second mortgage")
    let mortgage = transactions.remove(at: 2)
    printer.step("set its amount, which is no longer observed")
    mortgage.amount = 5000
    printer.step("append it again")
    transactions.append(mortgage)
    printer.step("by string: observe moreTransactions.@min.date")
    let earliest = try table.observe("moreTransactions.@min.date", options: [.old, .new]) {
      _, change in printer.heard("earliest \(change)")
    }
    printer.step("moreTransactions[0].date = \"2016-02-18\"")
    transactions[0].date = "2016-02-18"
    withExtendedLifetime((observations, earliest)) {}
  }
}

/// Lists with their elements in quotes, numbers with two decimals.
private func text(of value: Any?) -> String {
  switch value {
  case nil: "nil"
  case let texts as [String]: texts.joined(separator: ", ")
  case let number as Double: "\((number * 100).rounded() / 100)"
  case let value?: "\(value)"
  }
}
