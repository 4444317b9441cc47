/// Boxes the maintained value of a path's operator for the observance's sink.
@usableFromInline
final class AggregateBox: @unchecked Sendable {
  // Checked by hand: immutable, and the closures are conversions of values.
  private let any: (Any?) -> AnyObject
  private let integer: ((Int) -> AnyObject)?
  private let double: ((Double) -> AnyObject)?

  /// Boxes values for a string path.
  static let untyped = AggregateBox(any: { ValueBox<Any?>($0) }, integer: nil, double: nil)

  private init(
    any: @escaping (Any?) -> AnyObject, integer: ((Int) -> AnyObject)?,
    double: ((Double) -> AnyObject)?
  ) {
    self.any = any
    self.integer = integer
    self.double = double
  }

  /// Boxes values for a typed path, converted to the path's result type.
  convenience init<Result>(_ convert: @escaping (Any?) -> Result) {
    self.init(
      any: { ValueBox(convert($0)) },
      // These concrete types need no metadata look-up.
      integer: Result.self == Int.self ? { ValueBox<Int>($0) } : nil,
      double: Result.self == Double.self ? { ValueBox<Double>($0) } : nil)
  }

  /// Boxes values for the same path with an optional result.
  convenience init<Wrapped>(_ box: AggregateBox, optional: Wrapped.Type) {
    self.init { value -> Wrapped? in
      // The other box was made for the same path with this very type.
      unsafeDowncast(box.any(value), to: ValueBox<Wrapped>.self).value
    }
  }

  /// Whether the sink reads exactly an `Int`.
  var takesIntegers: Bool { integer != nil }

  /// The value's bits, if the sink reads exactly the type that the operator produces.
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
