// How people name transactions.
extension Account {
  /// The numbers of all transactions, in their order.
  package var numbers: [String] {
    var counts: [Int: Int] = [:]
    for transaction in transactions { counts[transaction.id, default: 0] += 1 }
    var given: [Int: Int] = [:]
    return transactions.map { transaction in
      let id = transaction.id
      if counts[id] == 1 { return "\(id)" }
      defer { given[id, default: 0] += 1 }
      return "\(id)\(Self.letters(given[id] ?? 0))"
    }
  }

  /// The transaction with a number as it's shown.
  ///
  /// - Throws: `LedgerError` if there's none, or if there are several and the letter is missing.
  package func transaction(numbered text: String) throws -> Transaction {
    let (id, letters) = Self.parts(of: text)
    let same = transactions.filter { $0.id == id }
    guard !same.isEmpty else { throw LedgerError.unknownTransaction(text) }
    if letters.isEmpty, same.count == 1 { return same[0] }
    let numbers = same.map(\.number)
    if letters.isEmpty { throw LedgerError.severalTransactions(numbers) }
    guard let index = numbers.firstIndex(of: "\(id!)\(letters)") else {
      throw LedgerError.unknownTransaction(text)
    }
    return same[index]
  }

  private static func parts(of text: String) -> (id: Int?, letters: Substring) {
    let digits = text.prefix { $0.isNumber }
    return (Int(digits), text.dropFirst(digits.count))
  }

  /// `a` to `z`, then `aa`.
  fileprivate static func letters(_ index: Int) -> String {
    let letter = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index % 26)))
    return index < 26 ? letter : letters(index / 26 - 1) + letter
  }
}

extension Transaction {
  /// The number as it's shown: the id.
  ///
  /// Programs that share a ledger and add at the same moment give the same id. Then a letter follows it, in the
  /// order of the list, which is the same in all of them: `5a`, `5b`.
  package var number: String {
    let same = account?.transactions.filter { $0.id == id } ?? []
    guard same.count > 1, let index = same.firstIndex(of: self) else { return "\(id)" }
    return "\(id)\(Account.letters(index))"
  }
}
