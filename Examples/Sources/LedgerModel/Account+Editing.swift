import KeyValueObserving

// Edits that change more than one property, or need checks first. Single properties are simply set.
extension Account {
  /// The next free id.
  ///
  /// The last one isn't always the greatest: what two programs have added at once stands side by side.
  private static func next(after elements: [some Identifiable<Int>]) -> Int {
    elements.reduce(0) { max($0, $1.id) } + 1
  }

  package func category(named name: String) -> Category? {
    categories.first { $0.name == name }
  }

  /// Adds a transaction with the next free id.
  ///
  /// A category of that name is created if necessary; an empty name means none.
  ///
  /// - Returns: The transaction.
  /// - Throws: `LedgerError` if a validator rejects a value; then nothing has changed.
  @discardableResult
  package func addTransaction(
    amount: Int, categoryName: String, note: String
  ) throws -> Transaction {
    let transaction = Transaction(id: Self.next(after: transactions), account: self)
    var (amount, note) = (amount, note)
    try transaction.validateAmount(&amount)
    try transaction.validateNote(&note)
    transaction.amount = amount
    transaction.note = note
    if !categoryName.isEmpty {
      transaction.category = try category(named: categoryName) ?? addCategory(named: categoryName)
    }
    mutableArrayValue(for: \.transactions).append(transaction)
    return transaction
  }

  package func remove(_ transaction: Transaction) {
    guard let index = transactions.firstIndex(where: { $0 === transaction }) else { return }
    mutableArrayValue(for: \.transactions).remove(at: index)
  }

  /// Adds a category with the next free id.
  ///
  /// - Returns: The category.
  /// - Throws: `LedgerError` if the validator rejects the name; then nothing has changed.
  @discardableResult
  package func addCategory(named name: String) throws -> Category {
    let category = Category(id: Self.next(after: categories), account: self)
    var name = name
    try category.validateName(&name)
    category.name = name
    mutableArrayValue(for: \.categories).append(category)
    return category
  }

  /// Removes a category; its transactions stay, without one.
  package func remove(_ category: Category) {
    guard let index = categories.firstIndex(where: { $0 === category }) else { return }
    for transaction in transactions where transaction.category === category {
      transaction.category = nil
    }
    mutableArrayValue(for: \.categories).remove(at: index)
  }
}
