import KeyValueCore

// Cocoa sets a scalar from whatever has `intValue`, `doubleValue`, `boolValue` and the like: numbers, and for most
// types strings. An enumeration is its raw number.
extension NSObject: LenientConversion {
  package final func converted(_ value: Any, to type: Any.Type) -> Any? {
    let type = unwrapped(type)
    if let type = type as? any RawRepresentable.Type { return represented(value, by: type) }
    if let string = value as? String { return scalar(string as NSString, type) }
    guard let number = Bridging.object(value) as? NSNumber else { return nil }
    if type == Bool.self { return number.doubleValue != 0 }
    if let floating = type as? any BinaryFloatingPoint.Type {
      return rounded(number.doubleValue, floating)
    }
    guard let integer = type as? any FixedWidthInteger.Type else { return nil }
    if let whole = value as? any BinaryInteger { return truncated(whole, integer) }
    // An `NSNumber` casts only to types that represent it exactly.
    if let whole = number as? Int64 { return truncated(whole, integer) }
    if let whole = number as? UInt64 { return truncated(whole, integer) }
    return Int64(exactly: number.doubleValue.rounded(.towardZero)).map { truncated($0, integer) }
  }

  private func represented<Value: RawRepresentable>(_ value: Any, by type: Value.Type) -> Any? {
    (converted(value, to: Value.RawValue.self) as? Value.RawValue).flatMap { Value(rawValue: $0) }
  }

  private func scalar(_ string: NSString, _ type: Any.Type) -> Any? {
    switch type {
    case is Int.Type: Int(string.longLongValue)
    case is Int64.Type: string.longLongValue
    case is Int32.Type: string.intValue
    case is Double.Type: string.doubleValue
    case is CGFloat.Type: CGFloat(string.doubleValue)
    case is Float.Type: string.floatValue
    case is Bool.Type: string.boolValue
    default: nil
    }
  }

  private func rounded<Value: BinaryFloatingPoint>(_ number: Double, _ type: Value.Type) -> Any {
    Value(number)
  }

  private func truncated<Value: FixedWidthInteger>(
    _ whole: any BinaryInteger, _ type: Value.Type
  ) -> Any {
    Value(truncatingIfNeeded: whole)
  }
}
