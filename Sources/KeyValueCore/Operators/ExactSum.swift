/// An exact sum: any number of additions and subtractions leaves no drift.
///
/// Integers are added in 128 bits with a count of carries, floating-point numbers in a fixed-point number wide
/// enough for every `Double`, numbers of other types in their own arithmetic. Adding costs O(1); reading
/// rounds once.
struct ExactSum {
  private var integer: Int128 = 0
  /// How many times 2^128 the integers' sum is more than `integer`.
  private var carries = 0
  private var floating: WideSum?
  private var floatingCount = 0
  private var other: (any Numeric)?
  private var otherCount = 0
  /// Whether numbers are also subtracted, so that what an addition loses would be missed later.
  private var isMaintained = false
  /// Whether adding has lost something, so that the sum has to be computed from the numbers that are left.
  private(set) var isInexact = false
  /// Whether a number's type was another than that of the numbers in `other`; such a number is left out.
  private(set) var isMixed = false

  init(isMaintained: Bool = false) {
    self.isMaintained = isMaintained
  }

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
  mutating func add(integer value: Int128) {
    let (sum, isBeyond) = integer.addingReportingOverflow(value)
    integer = sum
    if isBeyond { carries += value < 0 ? -1 : 1 }
  }

  private mutating func subtract(integer value: Int128) {
    let (difference, isBeyond) = integer.subtractingReportingOverflow(value)
    integer = difference
    if isBeyond { carries += value < 0 ? 1 : -1 }
  }

  private mutating func add(integer value: Int128, times: Int) {
    // Most elements are in a collection once.
    if times == 1 { return add(integer: value) }
    if times == -1 { return subtract(integer: value) }
    let (product, isBeyond) = value.multipliedReportingOverflow(by: Int128(times))
    guard isBeyond else { return add(integer: product) }
    for _ in 0..<abs(times) {
      if times < 0 { subtract(integer: value) } else { add(integer: value) }
    }
  }

  /// The sum, if only integers were added and an `Int` holds it.
  var integerAlone: Int? {
    floatingCount == 0 && otherCount == 0 && carries == 0 ? Int(exactly: integer) : nil
  }

  /// The type of the numbers that are neither integers nor floating-point.
  var otherType: Any.Type? { other.map { type(of: $0) } }

  /// Adds a number `times` times; subtracts it if `times` is negative.
  mutating func add(_ number: Number, times: Int) {
    switch number {
    case .integer(let value):
      add(integer: value, times: times)
    case .unsigned(let value):
      // The same bits are a signed integer that is 2^128 less.
      carries += times
      add(integer: Int128(truncatingIfNeeded: value), times: times)
    case .floating(let value):
      floatingCount += times
      if floating == nil { floating = WideSum() }
      floating?.add(value, times: times)
    case .other(let value):
      otherCount += times
      if otherCount == 0 {
        // Nothing is left of them, whatever adding them has lost.
        (other, isInexact, isMixed) = (nil, false, false)
      } else {
        for _ in 0..<abs(times) { combine(value, isRemoval: times < 0) }
      }
    }
  }

  /// The sum: an `Int` for integers, or a `UInt64` if only that holds it; a `Double` if any number is
  /// floating-point; `.other(nil)` if the integers exceed both; nil if it's a `Double` that can't be had.
  ///
  /// A typed path's sum of integers may also be an `Int128` or a `UInt128`.
  func result(isTyped: Bool) -> AggregateValue? {
    if otherCount > 0, let other, integer == 0, carries == 0, floatingCount == 0 {
      return .other(other)
    }
    if otherCount > 0 || floatingCount > 0 { return double.map { .double($0) } }
    if carries == 0, let integer = Int(exactly: integer) { return .integer(integer) }
    if carries == 0, let integer = UInt64(exactly: integer) { return .other(integer) }
    if carries == 0, isTyped { return .other(integer) }
    // The same bits are an unsigned integer that is 2^128 more.
    if carries == 1, integer < 0, isTyped {
      return .other(UInt128(truncatingIfNeeded: integer))
    }
    return .other(nil)
  }

  /// The sum as a `Double`; nil if it has numbers that no `Double` can be made of.
  private var double: Double? {
    // A sum that a Double holds exactly needs no wider arithmetic.
    if floatingCount == 0, otherCount == 0, carries == 0, integer.magnitude <= 1 << 53 {
      return Double(integer)
    }
    return rounded(scaledBy: 0)
  }

  /// The sum divided by how many numbers it has, 0 if there are none; nil if no `Double` can be made of some.
  ///
  /// A `Double` may hold this though it doesn't hold the sum.
  func mean(of count: Int) -> Double? {
    if count == 0 { return 0 }
    guard let double else { return nil }
    guard double.isInfinite else { return double / Double(count) }
    // There are fewer than 2^64 numbers, so their sum divided by that is finite, unless one of them isn't.
    return rounded(scaledBy: -64).map { $0 / Double(count) * 0x1p64 }
  }

  /// The sum times 2 to the power of the exponent; nil if it has numbers that no `Double` can be made of.
  private func rounded(scaledBy exponent: Int) -> Double? {
    var total = floating ?? WideSum()
    if integer != 0 || carries != 0 {
      // Added in parts, because a Double can't hold 128 bits.
      let low: Int128 = 0xFFFF_FFFF_FFFF
      total.add(Double(integer & low), times: 1)
      total.add(Double((integer >> 48) & low) * 0x1p48, times: 1)
      total.add(Double(integer >> 96) * 0x1p96, times: 1)
      total.add(Double(carries) * 0x1p128, times: 1)
    }
    let rounded = total.rounded(scaledBy: exponent)
    guard otherCount > 0, let other else { return rounded }
    let scale = Double(sign: .plus, exponent: exponent, significand: 1)
    return Number.other(other).double.map { rounded + $0 * scale }
  }

  /// Adds or subtracts a number in its type's own arithmetic.
  private mutating func combine<Value: Numeric>(_ number: Value, isRemoval: Bool) {
    if isInexact { return }
    var sum: Value = 0
    if let other {
      guard let same = other as? Value else {
        (isInexact, isMixed) = (true, true)
        return
      }
      sum = same
    }
    let result = isRemoval ? sum - number : sum + number
    if isMaintained {
      // If something was lost, one of the two terms can't be had back from the result and the other.
      let isExact =
        isRemoval
        ? result + number == sum && sum - result == number
        : result - number == sum && result - sum == number
      isInexact = !isExact
    }
    other = result
  }
}
