/// A decimal number that can be in a set.
///
/// Foundation for Linux computes the hash value of an `NSDecimalNumber` by asking the number for it, without end.
// Checked by hand: it adds no state to its superclass, which is immutable.
final class HashableDecimalNumber: NSDecimalNumber, @unchecked Sendable {
  override init(decimal: Decimal) { super.init(decimal: decimal) }

  required convenience init(floatLiteral value: Double) { self.init(decimal: Decimal(value)) }

  required convenience init(integerLiteral value: Int) { self.init(decimal: Decimal(value)) }

  required convenience init(booleanLiteral value: Bool) { self.init(decimal: value ? 1 : 0) }

  required convenience init(bytes buffer: UnsafeRawPointer, objCType type: UnsafePointer<Int8>) {
    self.init(decimal: NSNumber(bytes: buffer, objCType: type).decimalValue)
  }

  required init?(coder: NSCoder) { super.init(coder: coder) }

  override var hash: Int { DecimalArithmetic.number(decimalValue)?.hash ?? decimalValue.hashValue }
}
