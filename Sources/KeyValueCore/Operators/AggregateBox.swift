/// Puts the maintained value of a path's operator into the box that the observance's sink reads.
@usableFromInline
final class AggregateBox: @unchecked Sendable {
  // Checked by hand: immutable, and the closures are conversions of values.
  private let any: (Any?) -> AnyObject
  private let integer: ((Int) -> AnyObject)?
  private let double: ((Double) -> AnyObject)?

  /// For a path that is a string.
  static let untyped = AggregateBox(any: { ValueBox<Any?>($0) }, integer: nil, double: nil)

  private init(
    any: @escaping (Any?) -> AnyObject, integer: ((Int) -> AnyObject)?,
    double: ((Double) -> AnyObject)?
  ) {
    self.any = any
    self.integer = integer
    self.double = double
  }

  /// For a typed path, whose result is made of the operator's.
  convenience init<Result>(_ convert: @escaping (Any?) -> Result) {
    self.init(
      any: { ValueBox(convert($0)) },
      // In types that are known here no metadata has to be looked for.
      integer: Result.self == Int.self ? { ValueBox<Int>($0) } : nil,
      double: Result.self == Double.self ? { ValueBox<Double>($0) } : nil)
  }

  /// For the same path, whose result is made optional.
  convenience init<Wrapped>(_ box: AggregateBox, optional: Wrapped.Type) {
    self.init { value -> Wrapped? in
      // The other box was made for the same path with this very type.
      unsafeDowncast(box.any(value), to: ValueBox<Wrapped>.self).value
    }
  }

  /// Whether the sink reads exactly an `Int`.
  var takesIntegers: Bool { integer != nil }

  /// The value's own bits, where the sink reads it in the very type that the operator has made.
  func bits(of value: AggregateValue) -> UInt64? {
    switch value {
    case .integer(let value) where integer != nil: UInt64(truncatingIfNeeded: value)
    case .double(let value) where double != nil: value.bitPattern
    default: nil
    }
  }

  func callAsFunction(_ value: AggregateValue) -> AnyObject {
    switch value {
    case .integer(let value): integer?(value) ?? any(value)
    case .double(let value): double?(value) ?? any(value)
    case .other(let value): any(value)
    }
  }
}
