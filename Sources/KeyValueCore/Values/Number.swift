/// An object that holds a number which `Double` doesn't represent exactly, such as `NSDecimalNumber`.
package protocol NumberObject {
  var exactNumber: any Numeric { get }
}

/// A number that the operators add exactly, whatever its type.
enum Number {
  case integer(Int128)
  /// An integer beyond those.
  case unsigned(UInt128)
  case floating(Double)
  /// A number that is neither, such as `Decimal`, which adds exactly in its own arithmetic.
  case other(any Numeric)

  init?(_ value: Any) {
    // Casts give the same result, but take longer.
    if let value = exactly(Int.self, value) {
      self = .integer(Int128(value))
      return
    }
    if let value = exactly(Double.self, value) {
      self = .floating(value)
      return
    }
    switch value {
    case let object as any NumberObject: self = .other(object.exactNumber)
    case let value as Int: self = .integer(Int128(value))
    case let value as Double: self = .floating(value)
    case let value as any BinaryInteger:
      if let integer = Int128(exactly: value) {
        self = .integer(integer)
      } else if let integer = UInt128(exactly: value) {
        self = .unsigned(integer)
      } else {
        return nil
      }
    case let value as any BinaryFloatingPoint: self = .floating(Double(value))
    case let value as Bool: self = .integer(value ? 1 : 0)
    case let value as any Numeric: self = .other(value)
    default: return nil
    }
  }

  /// The number as a `Double`; nil for a number that no `Double` can be made of.
  var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .floating(let value): value
    // Such a number converts to a `Double` only through its text; no protocol offers a conversion.
    case .other(let value): Double("\(value)")
    }
  }
}
