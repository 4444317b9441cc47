import CGtk4

extension Int: GValueConvertible {}
extension Int8: GValueConvertible {}
extension Int16: GValueConvertible {}
extension Int32: GValueConvertible {}
extension Int64: GValueConvertible {}
extension UInt: GValueConvertible {}
extension UInt8: GValueConvertible {}
extension UInt16: GValueConvertible {}
extension UInt32: GValueConvertible {}
extension UInt64: GValueConvertible {}
extension Float: GValueConvertible {}
extension Double: GValueConvertible {}

// MARK: Integers

extension GValueConvertible where Self: FixedWidthInteger {
  /// The type of a mirror's property.
  public static var gType: GType {
    switch (bitWidth, isSigned) {
    case (64, true): kvo_type_int64
    case (64, false): kvo_type_uint64
    case (_, true): kvo_type_int
    case (_, false): kvo_type_uint
    }
  }

  /// Any number, text, enumeration or set of flags.
  public static func fits(_ type: GType) -> Bool {
    Numbers.isNumber(type) || type == kvo_type_string
  }

  /// Fractions, such as a slider's, are rounded.
  public init(_ value: UnsafePointer<GValue>) throws {
    self = try Numbers.withNumber(value) { try Numbers.integer($0) } ?? .parsed(String(value))
  }

  /// Writes a property's value.
  public func write(to value: UnsafeMutablePointer<GValue>) throws {
    try Numbers.write(self, to: value)
  }

  static func parsed(_ text: String) throws -> Self {
    let text = text.trimmingSpaces
    guard let value = Self(text) else { throw Numbers.notANumber(text, isWhole: true) }
    return value
  }
}

// MARK: Floating point

extension GValueConvertible where Self: BinaryFloatingPoint & LosslessStringConvertible {
  /// The type of a mirror's property.
  public static var gType: GType { self == Float.self ? kvo_type_float : kvo_type_double }

  /// A property of floating-point numbers, or text.
  public static func fits(_ type: GType) -> Bool {
    type == kvo_type_double || type == kvo_type_float || type == kvo_type_string
  }

  /// Reads a property's value.
  public init(_ value: UnsafePointer<GValue>) throws {
    self = try Numbers.withNumber(value) { Self($0) } ?? .parsed(String(value))
  }

  /// Writes a property's value.
  public func write(to value: UnsafeMutablePointer<GValue>) throws {
    switch value.pointee.g_type {
    case kvo_type_double: g_value_set_double(value, Double(self))
    case kvo_type_float: g_value_set_float(value, Float(self))
    default: g_value_set_string(value, description)
    }
  }

  static func parsed(_ text: String) throws -> Self {
    let text = text.trimmingSpaces
    guard let value = Self(text) else { throw Numbers.notANumber(text, isWhole: false) }
    return value
  }
}

// MARK: GLib's types of numbers

/// Reads and writes values of the types of numbers that GLib has.
enum Numbers {
  /// A number of a GValue.
  enum Number {
    case signed(Int64)
    case unsigned(UInt64)
    case real(Double)
  }

  static func isNumber(_ type: GType) -> Bool {
    switch g_type_fundamental(type) {
    case kvo_type_char, kvo_type_uchar, kvo_type_int, kvo_type_uint, kvo_type_long, kvo_type_ulong,
      kvo_type_int64, kvo_type_uint64, kvo_type_enum, kvo_type_flags, kvo_type_float,
      kvo_type_double:
      true
    default: false
    }
  }

  /// Passes on the number that a GValue has; nil if it has text.
  static func withNumber<Result>(
    _ value: UnsafePointer<GValue>, _ body: (Number) throws -> Result
  ) rethrows -> Result? {
    let number: Number
    switch g_type_fundamental(value.pointee.g_type) {
    case kvo_type_char: number = .signed(Int64(g_value_get_schar(value)))
    case kvo_type_uchar: number = .unsigned(UInt64(g_value_get_uchar(value)))
    case kvo_type_int: number = .signed(Int64(g_value_get_int(value)))
    case kvo_type_uint: number = .unsigned(UInt64(g_value_get_uint(value)))
    case kvo_type_long: number = .signed(Int64(g_value_get_long(value)))
    case kvo_type_ulong: number = .unsigned(UInt64(g_value_get_ulong(value)))
    case kvo_type_int64: number = .signed(Int64(g_value_get_int64(value)))
    case kvo_type_uint64: number = .unsigned(UInt64(g_value_get_uint64(value)))
    case kvo_type_enum: number = .signed(Int64(g_value_get_enum(value)))
    case kvo_type_flags: number = .unsigned(UInt64(g_value_get_flags(value)))
    case kvo_type_float: number = .real(Double(g_value_get_float(value)))
    case kvo_type_double: number = .real(g_value_get_double(value))
    default: return nil
    }
    return try body(number)
  }

  static func integer<Integer: FixedWidthInteger>(_ number: Number) throws -> Integer {
    switch number {
    case .signed(let value): try exactly(value)
    case .unsigned(let value): try exactly(value)
    case .real(let value):
      if let integer = Integer(exactly: value.rounded()) {
        integer
      } else {
        throw outOfRange(value)
      }
    }
  }

  /// Writes an integer to a value of any type of numbers, or as text.
  static func write(
    _ integer: some FixedWidthInteger, to value: UnsafeMutablePointer<GValue>
  ) throws {
    switch g_type_fundamental(value.pointee.g_type) {
    case kvo_type_char: g_value_set_schar(value, try exactly(integer))
    case kvo_type_uchar: g_value_set_uchar(value, try exactly(integer))
    case kvo_type_int: g_value_set_int(value, try exactly(integer))
    case kvo_type_uint: g_value_set_uint(value, try exactly(integer))
    case kvo_type_long: g_value_set_long(value, try exactly(integer))
    case kvo_type_ulong: g_value_set_ulong(value, try exactly(integer))
    case kvo_type_int64: g_value_set_int64(value, gint64(try exactly(integer) as Int64))
    case kvo_type_uint64: g_value_set_uint64(value, guint64(try exactly(integer) as UInt64))
    case kvo_type_enum: g_value_set_enum(value, try exactly(integer))
    case kvo_type_flags: g_value_set_flags(value, try exactly(integer))
    case kvo_type_float: g_value_set_float(value, Float(integer))
    case kvo_type_double: g_value_set_double(value, Double(integer))
    default: g_value_set_string(value, "\(integer)")
    }
  }

  private static func exactly<Integer: FixedWidthInteger>(
    _ value: some FixedWidthInteger
  ) throws -> Integer {
    guard let integer = Integer(exactly: value) else { throw outOfRange(value) }
    return integer
  }

  private static func outOfRange(_ value: some CustomStringConvertible) -> GValueError {
    GValueError("\(value) is out of range.")
  }

  static func notANumber(_ text: String, isWhole: Bool) -> GValueError {
    GValueError("“\(text)” isn't a \(isWhole ? "whole " : "")number.")
  }
}

extension BinaryFloatingPoint {
  init(_ number: Numbers.Number) {
    switch number {
    case .signed(let value): self = Self(value)
    case .unsigned(let value): self = Self(value)
    case .real(let value): self = Self(value)
    }
  }
}
