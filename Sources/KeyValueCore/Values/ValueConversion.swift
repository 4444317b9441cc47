/// Converts a value to a property's type when it's set by key (Parity K2).
enum ValueConversion {
  /// The value converted to the type; nil if the type can't represent it exactly.
  ///
  /// A cast of `convert`'s result alone would turn a failure into nil of an optional type.
  static func converted<Value>(_ value: Any, to type: Value.Type) -> Value? {
    guard let converted = convert(value, to: type) else { return nil }
    return converted as? Value
  }

  /// The value converted to the type; nil if the type can't represent it exactly.
  static func convert(_ value: Any, to type: Any.Type) -> Any? {
    if boxedType(of: value) == type { return value }
    func exactly<Value>(_ type: Value.Type) -> Any? { value as? Value }
    if let same = _openExistential(type, do: exactly) { return same }
    let type = unwrapped(type)
    if let same = _openExistential(type, do: exactly) { return same }
    if let collection = type as? any ToMany.Type {
      return (value as? any ToMany).flatMap { collection.converting($0) }
    }
    if let dictionary = type as? any Keyed.Type {
      return (value as? any Keyed).flatMap { dictionary.converting($0) }
    }
    if type == Bool.self { return boolean(value) }
    if let integer = type as? any BinaryInteger.Type { return number(value, as: integer) }
    if let floating = type as? any BinaryFloatingPoint.Type { return number(value, as: floating) }
    if let numeric = type as? any Numeric.Type { return whole(value, as: numeric) }
    if let raw = type as? any RawRepresentable.Type { return rawValue(value, as: raw) }
    return nil
  }

  private static func boolean(_ value: Any) -> Any? {
    guard let number = number(value, as: Int.self) as? Int else { return nil }
    switch number {
    case 0: return false
    case 1: return true
    default: return nil
    }
  }

  private static func number<Number: BinaryInteger>(_ value: Any, as type: Number.Type) -> Any? {
    if let floating = value as? any BinaryFloatingPoint { return Number(exactly: floating) }
    return whole(value, as: type)
  }

  private static func number<Number: BinaryFloatingPoint>(
    _ value: Any, as type: Number.Type
  ) -> Any? {
    if let floating = value as? any BinaryFloatingPoint {
      // NaN equals nothing, so `exactly` always fails.
      return floating.isNaN ? Number.nan : Number(exactly: floating)
    }
    guard let integer = integer(value) else {
      // An object of a number, as above: on Linux, no cast makes it a `CGFloat`.
      return (value as? Double).flatMap { $0.isNaN ? Number.nan : Number(exactly: $0) }
    }
    // `CGFloat(exactly:)` traps on Linux if it's given an integer. A type that isn't wider than `Double`
    // holds no integer that `Double` doesn't.
    if let double = Double(exactly: integer) { return Number(exactly: double) }
    let isWider = Number.significandBitCount > Double.significandBitCount
    return isWider ? Number(exactly: integer) : nil
  }

  /// An integer or a Boolean as a number of any type, including `Decimal`.
  private static func whole<Number: Numeric>(_ value: Any, as type: Number.Type) -> Any? {
    integer(value).flatMap { Number(exactly: $0) }
  }

  /// An integer, or a Boolean as 0 or 1.
  private static func integer(_ value: Any) -> (any BinaryInteger)? {
    if let integer = value as? any BinaryInteger { return integer }
    if let boolean = value as? Bool { return Int(boolean ? 1 : 0) }
    // An object of a number, which only a cast opens.
    return value as? Int
  }

  private static func rawValue<Representable: RawRepresentable>(
    _ value: Any, as type: Representable.Type
  ) -> Any? {
    converted(value, to: Representable.RawValue.self).flatMap(Representable.init(rawValue:))
  }
}

extension KeyValueCodingError.Details {
  /// The details of a value that its property's type can't hold.
  init(
    type: String, key: String, expected: Any.Type, value: Any, holder: String = "it holds"
  ) {
    self.init(
      type: type, key: key,
      reason: "\(holder) \(expected), which cannot take \(plainDescription(value)) "
        + "of type \(Swift.type(of: value)) exactly")
  }
}
