/// A type whose values become log values, and log values its values, without a container.
///
/// Both directions return nil if that fails. The containers, which come next, then find the place
/// of the fault and describe it.
protocol PlainLogValue: Codable {
  var plainLogValue: KeyValueLogValue? { get }
  static func plain(from value: KeyValueLogValue) -> Self?
}

/// A type that is one number, one string or one Boolean.
protocol ScalarLogValue: PlainLogValue {
  var scalarLogValue: KeyValueLogValue { get }
}

extension ScalarLogValue {
  var plainLogValue: KeyValueLogValue? { scalarLogValue }
}

extension Bool: ScalarLogValue {
  var scalarLogValue: KeyValueLogValue { .bool(self) }

  static func plain(from value: KeyValueLogValue) -> Bool? {
    if case .bool(let value) = value { value } else { nil }
  }
}

extension String: ScalarLogValue {
  var scalarLogValue: KeyValueLogValue { .string(self) }

  static func plain(from value: KeyValueLogValue) -> String? {
    if case .string(let value) = value { value } else { nil }
  }
}

extension ScalarLogValue where Self: FixedWidthInteger {
  var scalarLogValue: KeyValueLogValue { KeyValueLogValue(exactly: self) }

  static func plain(from value: KeyValueLogValue) -> Self? {
    switch value {
    case .integer(let value): Self(exactly: value)
    case .number(let value): Self(exactly: value)
    // What `Int` can't hold.
    case .string(let digits): Self(digits).flatMap { Int(exactly: $0) == nil ? $0 : nil }
    default: nil
    }
  }
}

extension Int: ScalarLogValue {}
extension Int8: ScalarLogValue {}
extension Int16: ScalarLogValue {}
extension Int32: ScalarLogValue {}
extension Int64: ScalarLogValue {}
extension Int128: ScalarLogValue {}
extension UInt: ScalarLogValue {}
extension UInt8: ScalarLogValue {}
extension UInt16: ScalarLogValue {}
extension UInt32: ScalarLogValue {}
extension UInt64: ScalarLogValue {}
extension UInt128: ScalarLogValue {}

extension Double: ScalarLogValue {
  var scalarLogValue: KeyValueLogValue { .number(self) }

  static func plain(from value: KeyValueLogValue) -> Double? {
    switch value {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
}

extension Float: ScalarLogValue {
  var scalarLogValue: KeyValueLogValue { .number(Double(self)) }

  /// The nearest `Float`, because a number that was written by hand is seldom exactly one; nil if the
  /// number is too large.
  static func plain(from value: KeyValueLogValue) -> Float? {
    guard let number = Double.plain(from: value) else { return nil }
    let nearest = Float(number)
    return nearest.isInfinite && number.isFinite ? nil : nearest
  }
}

extension Optional: PlainLogValue where Wrapped: PlainLogValue {
  var plainLogValue: KeyValueLogValue? {
    if let self { self.plainLogValue } else { .some(.null) }
  }

  static func plain(from value: KeyValueLogValue) -> Self? {
    if case .null = value { .some(nil) } else { Wrapped.plain(from: value).map { .some($0) } }
  }
}

extension Array: PlainLogValue where Element: PlainLogValue {
  var plainLogValue: KeyValueLogValue? {
    var values: [KeyValueLogValue] = []
    values.reserveCapacity(count)
    for element in self {
      guard let value = element.plainLogValue else { return nil }
      values.append(value)
    }
    return .array(values)
  }

  static func plain(from value: KeyValueLogValue) -> Self? {
    guard case .array(let values) = value else { return nil }
    var elements: Self = []
    elements.reserveCapacity(values.count)
    for value in values {
      guard let element = Element.plain(from: value) else { return nil }
      elements.append(element)
    }
    return elements
  }
}

/// A property's way to a log value and back, found once for its type.
///
/// ```swift
/// let coding = LogValueCoding<[Int]>()            // once for each property
/// let value = try coding.encode([1, 2], encoder)  // no container, no cast
/// ```
package struct LogValueCoding<Value: Codable> {
  /// Encodes a value, as `LogValueEncoder.encode(_:)` does.
  package let encode: (Value, LogValueEncoder) throws -> KeyValueLogValue
  /// Decodes a value, as `LogValueDecoder.decode(_:from:)` does.
  package let decode: (KeyValueLogValue, LogValueDecoder) throws -> Value

  package init() {
    if let type = Value.self as? any PlainLogValue.Type {
      self = Self.plain(type)
    } else {
      encode = { try $1.encodeInContainers($0) }
      decode = { try $1.decodeFromContainers(Value.self, from: $0) }
    }
  }

  private init(plain: Void) where Value: PlainLogValue {
    encode = { try $0.plainLogValue ?? $1.encodeInContainers($0) }
    decode = { try Value.plain(from: $0) ?? $1.decodeFromContainers(Value.self, from: $0) }
  }

  private static func plain<Plain: PlainLogValue>(_ type: Plain.Type) -> Self {
    // `Plain` is `Value`, which the compiler can't see.
    LogValueCoding<Plain>(plain: ()) as! Self
  }
}
