import KeyValueObserving

/// An expense in one category.
@KeyValueObservable
package final class Transaction: Identifiable {
  package let id: Int
  /// In cents.
  package var amount: Int
  /// Weak, like all references from an object to its container.
  package weak var category: Category?
  package var note: String
  package private(set) weak var account: Account?

  package init(
    id: Int, amount: Int = 0, category: Category? = nil, note: String = "", account: Account?
  ) {
    self.id = id
    self.amount = amount
    self.category = category
    self.note = note
    self.account = account
  }

  /// The category's name as people write it; empty without a category.
  ///
  /// The macro infers from the getter that this depends on `category` and its name.
  package var categoryName: String {
    get { category?.name ?? "" }
    set { category = account?.category(named: newValue) }
  }

  /// The values of its row in a database.
  package var values: TransactionValues {
    TransactionValues(id: id, amount: amount, categoryID: category?.id, note: note)
  }

  package func validateAmount(_ amount: inout Int) throws {
    try Amount.validate(amount)
  }

  package func validateCategoryName(_ name: inout String) throws {
    guard name.isEmpty || account?.category(named: name) != nil else {
      throw LedgerError.unknownCategory(name)
    }
  }

  package func validateNote(_ note: inout String) throws {
    note = note.trimmed
    guard note.count <= 200 else { throw LedgerError.tooLong("a note", limit: 200) }
  }
}

extension Transaction: Hashable {
  package static func == (left: Transaction, right: Transaction) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The values of a transaction at one moment.
package struct TransactionValues: Codable, Hashable, Identifiable, Sendable {
  package let id: Int
  package let amount: Int
  package let categoryID: Int?
  package let note: String

  package init(id: Int, amount: Int, categoryID: Int?, note: String) {
    self.id = id
    self.amount = amount
    self.categoryID = categoryID
    self.note = note
  }
}
