// Not every number is a decimal: Foundation's arithmetic with `Double`s would give `0.1` the digits of the next
// binary fraction, and infinity and the largest numbers have no decimal.

/// The arithmetic of predicates in which an `NSDecimalNumber` takes part: exact in decimal digits.
enum DecimalArithmetic {
  /// A number in decimal digits; nil if it's infinite, not a number, or too large or small for a decimal.
  ///
  /// A floating-point number has the digits that it's printed with.
  static func exactly(_ number: NSNumber) -> Decimal? {
    if let number = number as? NSDecimalNumber {
      return number.decimalValue.isNaN ? nil : number.decimalValue
    }
    let type = String(cString: number.objCType)
    guard ["f", "d"].contains(type) else {
      // Foundation's `decimalValue` has the digits of a `Double`.
      return type == "Q" ? Decimal(number.uint64Value) : Decimal(number.int64Value)
    }
    let value = number.doubleValue
    guard value == 0 || (1e-100...1e100).contains(abs(value)) else { return nil }
    return Decimal(string: type == "f" ? "\(number.floatValue)" : "\(value)")
  }

  /// A number as an `NSDecimalNumber`, which is not a number where there is no decimal.
  static func object(_ number: NSNumber) -> NSDecimalNumber {
    // Foundation's `decimalValue` ends the program for infinity.
    NSDecimalNumber(decimal: exactly(number) ?? .nan)
  }

  /// The integer or floating-point number with the same digits; nil if there is none.
  static func number(_ value: Decimal) -> NSNumber? {
    let number =
      Int64("\(value)").map { NSNumber(value: $0) }
      ?? Double("\(value)").map { NSNumber(value: $0) }
    return number.flatMap { exactly($0) == value ? $0 : nil }
  }

  /// The result of a function of one number; nil if the number or the function isn't a decimal's.
  static func call(_ function: PredicateFunction, _ number: NSNumber) -> NSDecimalNumber? {
    guard number is NSDecimalNumber, let value = exactly(number) else { return nil }
    switch function {
    case .absolute: return NSDecimalNumber(decimal: abs(value))
    case .floor: return rounded(value, .down)
    case .ceiling: return rounded(value, .up)
    case .truncation: return rounded(value, value < 0 ? .up : .down)
    default: return nil
    }
  }

  /// The result of a function of two numbers; nil if neither or not both are decimals, or the function isn't one
  /// of decimals.
  static func call(_ function: PredicateFunction, _ left: NSNumber, _ right: NSNumber)
    -> NSDecimalNumber?
  {
    guard left is NSDecimalNumber || right is NSDecimalNumber,
      let first = exactly(left), let second = exactly(right)
    else { return nil }
    switch function {
    case .add: return NSDecimalNumber(decimal: first + second)
    case .subtract: return NSDecimalNumber(decimal: first - second)
    case .multiply: return NSDecimalNumber(decimal: first * second)
    case .divide where second != 0: return NSDecimalNumber(decimal: first / second)
    default: return nil
    }
  }

  /// The exact sum of numbers among which is an `NSDecimalNumber`; nil if there is none, or not all are decimals.
  static func sum(_ numbers: [NSNumber]) -> Decimal? {
    guard numbers.contains(where: { $0 is NSDecimalNumber }) else { return nil }
    var total = Decimal(0)
    for number in numbers {
      guard let value = exactly(number) else { return nil }
      total += value
    }
    return total
  }

  private static func rounded(_ value: Decimal, _ mode: NSDecimalNumber.RoundingMode)
    -> NSDecimalNumber
  {
    var (value, result) = (value, Decimal())
    NSDecimalRound(&result, &value, 0, mode)
    return NSDecimalNumber(decimal: result)
  }
}
