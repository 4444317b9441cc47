/// Amounts of money as people write them: whole cents, which add up exactly.
package enum Amount {
  /// The largest accepted amount, in cents.
  package static let limit = 100_000_000

  /// An amount with two decimals: `12.50`.
  package static func text(_ cents: Int) -> String {
    let fraction = cents.magnitude % 100
    return "\(cents < 0 ? "-" : "")\(cents.magnitude / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }

  /// The cents of a text such as `12.50`, `12.5` or `12`.
  ///
  /// - Throws: `LedgerError.notAnAmount` for any other text.
  package static func cents(_ text: String) throws -> Int {
    let trimmed = text.trimmed
    let sign = trimmed.hasPrefix("-") ? -1 : 1
    let digits = sign < 0 ? trimmed.dropFirst() : trimmed[...]
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy(\.isDigits), parts[0].count <= 12,
      parts.count == 1 || parts[1].count <= 2, let whole = Int(parts[0])
    else { throw LedgerError.notAnAmount(text) }
    let fraction = parts.count == 1 ? "" : parts[1]
    let padded = fraction + String(repeating: "0", count: 2 - fraction.count)
    guard let cents = Int(padded) else { throw LedgerError.notAnAmount(text) }
    return sign * (whole * 100 + cents)
  }

  /// Checks that an amount is plausible.
  ///
  /// - Throws: `LedgerError.amountOutOfRange` if it isn't.
  static func validate(_ cents: Int) throws {
    guard (1...limit).contains(cents) else { throw LedgerError.amountOutOfRange(cents) }
  }
}

extension Substring {
  fileprivate var isDigits: Bool { !isEmpty && allSatisfy { ("0"..."9").contains($0) } }
}

extension String {
  /// The text without white space at either end.
  var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }
}
