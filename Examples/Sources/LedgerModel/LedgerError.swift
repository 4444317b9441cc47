/// Why a value or a command is rejected, in words for the person at the keyboard.
package enum LedgerError: Error, Equatable, CustomStringConvertible {
  case notAnAmount(String)
  case amountOutOfRange(Int)
  case tooLong(String, limit: Int)
  case nameless
  case nameTaken(String)
  case unknownCategory(String)
  case unknownTransaction(String)
  /// Several programs have given the same number.
  case severalTransactions([String])

  package var description: String {
    switch self {
    case .notAnAmount(let text): "'\(text)' is not an amount; write it like 12.50"
    case .amountOutOfRange(let cents):
      "an amount is from 0.01 to \(Amount.text(Amount.limit)), not \(Amount.text(cents))"
    case .tooLong(let what, let limit): "\(what) has at most \(limit) characters"
    case .nameless: "a category needs a name"
    case .nameTaken(let name): "there is a category '\(name)' already"
    case .unknownCategory(let name):
      "there is no category '\(name)'; 'category \(name)' creates one"
    case .unknownTransaction(let id): "there is no transaction \(id)"
    case .severalTransactions(let numbers):
      "there are several: \(numbers.joined(separator: ", ")); add the letter"
    }
  }
}
