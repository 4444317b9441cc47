/// An exact sum: any number of additions and subtractions leaves no drift.
///
/// Integers are added in 128 bits, floating-point numbers in a fixed-point number wide enough for every
/// `Double`, numbers of other types in their own arithmetic. Adding costs O(1); reading rounds once.
struct ExactSum {
  private var integer: Int128 = 0
  private var floating: WideSum?
  private var floatingCount = 0
  private var other: (any Numeric)?
  private var otherCount = 0

  init() {}

  /// Sums an array of one of the usual number types; nil for any other type.
  init?(_ values: any ToMany) {
    let areNumbers =
      add(values, Int.self) || add(values, Double.self) || add(values, Float.self)
      || add(values, Int64.self) || add(values, Int32.self) || add(values, Int16.self)
      || add(values, Int8.self) || add(values, UInt.self) || add(values, UInt64.self)
      || add(values, UInt32.self) || add(values, UInt16.self) || add(values, UInt8.self)
    if !areNumbers { return nil }
  }

  @inline(__always)
  private mutating func add<Integer: FixedWidthInteger>(
    _ values: any ToMany, _ type: Integer.Type
  ) -> Bool {
    guard let integers = values.present(type) else { return false }
    for value in integers { integer += Int128(truncatingIfNeeded: value) }
    return true
  }

  @inline(__always)
  private mutating func add<Floating: BinaryFloatingPoint>(
    _ values: any ToMany, _ type: Floating.Type
  ) -> Bool {
    guard let numbers = values.present(type) else { return false }
    if numbers.isEmpty { return true }
    var sum = WideSum()
    sum.add(numbers)
    floating = sum
    floatingCount = numbers.count
    return true
  }

  /// Adds an integer.
  mutating func add(integer value: Int128) { integer += value }

  /// The sum, if only integers were added and an `Int` holds it.
  var integerAlone: Int? {
    floatingCount == 0 && otherCount == 0 ? Int(exactly: integer) : nil
  }

  /// Adds a number `times` times; subtracts it if `times` is negative.
  mutating func add(_ number: Number, times: Int) {
    switch number {
    case .integer(let value):
      integer += value * Int128(times)
    case .floating(let value):
      floatingCount += times
      if floating == nil { floating = WideSum() }
      floating?.add(value, times: times)
    case .other(let value):
      otherCount += times
      for _ in 0..<abs(times) { other = combined(other, value, isRemoval: times < 0) }
    }
  }

  /// The sum: an `Int` for integers, or a `UInt64` if only that holds it; a `Double` if any number is
  /// floating-point; nil if the integers exceed both.
  var result: AggregateValue {
    if otherCount > 0, let other {
      return integer == 0 && floatingCount == 0 ? .other(other) : .double(double)
    }
    if floatingCount > 0 { return .double(double) }
    if let integer = Int(exactly: integer) { return .integer(integer) }
    return .other(UInt64(exactly: integer))
  }

  var double: Double {
    // A sum that a Double holds exactly needs no wider arithmetic.
    if floatingCount == 0, otherCount == 0, integer.magnitude <= 1 << 53 { return Double(integer) }
    var total = floating ?? WideSum()
    if integer != 0 {
      // Added in two parts, because a Double can't hold 128 bits.
      let low = integer & 0xFFFF_FFFF_FFFF
      total.add(Double(low), times: 1)
      total.add(Double(integer - low), times: 1)
    }
    return total.rounded + (otherCount > 0 ? other.map { Number.other($0).double } ?? 0 : 0)
  }

  private func combined(
    _ sum: (any Numeric)?, _ number: any Numeric, isRemoval: Bool
  ) -> any Numeric {
    func combine<Value: Numeric>(_ number: Value) -> any Numeric {
      let sum = sum as? Value ?? 0
      return isRemoval ? sum - number : sum + number
    }
    return combine(number)
  }
}
