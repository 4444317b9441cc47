/// A fixed-point number wide enough to add any `Double`s exactly.
///
/// Digit `i` counts multiples of 2 to the power of `32 * i - 1088`. Digits are added without carrying;
/// each has 31 bits to spare, enough for 500 million additions before they are carried.
struct WideSum {
  private static let digitCount = 68
  private static let bias: UInt = 1088
  private static let additionsBetweenCarries = 1 << 29

  private var digits = [Int64](repeating: 0, count: digitCount)
  private var additions = 0
  /// Non-finite numbers are counted, because adding others can't undo them.
  private var notANumbers = 0
  private var positiveInfinities = 0
  private var negativeInfinities = 0

  /// Adds a number `times` times, or subtracts it if `times` is negative; costs O(1) for each time.
  mutating func add(_ value: Double, times: Int) {
    guard value.isFinite else {
      if value.isNaN { notANumbers += times }
      if value == .infinity { positiveInfinities += times }
      if value == -.infinity { negativeInfinities += times }
      return
    }
    for _ in 0..<abs(times) { add(value, isNegative: (value < 0) != (times < 0)) }
  }

  /// Adds numbers; costs O(1) for each.
  @inline(__always)
  mutating func add<Number: BinaryFloatingPoint>(_ values: [Number]) {
    var additions = additions
    var areFinite = true
    digits.withUnsafeMutableBufferPointer { digits in
      for value in values {
        if value.isFinite {
          WideSum.add(Double(value), isNegative: value < 0, to: digits, &additions)
        } else {
          areFinite = false
        }
      }
    }
    self.additions = additions
    if areFinite { return }
    for value in values where !value.isFinite { add(Double(value), times: 1) }
  }

  private mutating func add(_ value: Double, isNegative: Bool) {
    var additions = additions
    digits.withUnsafeMutableBufferPointer {
      WideSum.add(value, isNegative: isNegative, to: $0, &additions)
    }
    self.additions = additions
  }

  @inline(__always)
  private static func add(
    _ value: Double, isNegative: Bool, to digits: UnsafeMutableBufferPointer<Int64>,
    _ additions: inout Int
  ) {
    // value = significand * 2^exponent with a whole significand of at most 53 bits.
    let isSubnormal = value.exponentBitPattern == 0
    let significand = value.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
    let position = (isSubnormal ? 1 : value.exponentBitPattern) + bias - 1023 - 52
    // Three digits: the low 64 bits of the shifted significand, and the bits shifted beyond them.
    let shift = UInt64(position % 32)
    let low = significand &<< shift
    let parts = (low & 0xFFFF_FFFF, low >> 32, (significand >> 32) &>> (32 - shift))
    let sign: Int64 = isNegative ? -1 : 1
    let first = Int(position / 32)
    digits[first] &+= sign &* Int64(truncatingIfNeeded: parts.0)
    digits[first + 1] &+= sign &* Int64(truncatingIfNeeded: parts.1)
    digits[first + 2] &+= sign &* Int64(truncatingIfNeeded: parts.2)
    additions += 1
    if additions == additionsBetweenCarries {
      carry(digits)
      additions = 0
    }
  }

  /// Brings every digit but the last into 0..<2^32.
  private mutating func carry() {
    digits.withUnsafeMutableBufferPointer { WideSum.carry($0) }
  }

  private static func carry(_ digits: UnsafeMutableBufferPointer<Int64>) {
    for index in 0..<digitCount - 1 {
      digits[index + 1] += digits[index] >> 32
      digits[index] &= 0xFFFF_FFFF
    }
  }

  /// The nearest `Double`, ties to even.
  var rounded: Double { rounded(scaledBy: 0) }

  /// The nearest `Double` to the sum times 2 to the power of the exponent.
  func rounded(scaledBy exponent: Int) -> Double {
    if notANumbers > 0 || positiveInfinities > 0 && negativeInfinities > 0 { return .nan }
    if positiveInfinities > 0 { return .infinity }
    if negativeInfinities > 0 { return -.infinity }
    var sum = self
    sum.carry()
    let isNegative = sum.digits[WideSum.digitCount - 1] < 0
    if isNegative {
      for index in sum.digits.indices { sum.digits[index] = -sum.digits[index] }
      sum.carry()
    }
    guard let top = sum.digits.lastIndex(where: { $0 != 0 }) else { return 0 }
    // The three leading digits hold the 53 significant bits. Non-zero digits below them decide ties.
    var leading: UInt128 = 0
    for index in stride(from: top, through: top - 2, by: -1) {
      leading = leading << 32 | UInt128(index >= 0 ? UInt64(sum.digits[index]) : 0)
    }
    if top > 2, sum.digits[..<(top - 2)].contains(where: { $0 != 0 }) { leading |= 1 }
    let magnitude = WideSum.scaled(leading, by: 32 * (top - 2) - Int(WideSum.bias) + exponent)
    return isNegative ? -magnitude : magnitude
  }

  /// A whole number times a power of two, rounded once.
  private static func scaled(_ number: UInt128, by exponent: Int) -> Double {
    let width = 128 - number.leadingZeroBitCount
    // Below the smallest exponent a Double has fewer bits, and rounding twice would be wrong.
    let available = Swift.max(0, Swift.min(53, width + exponent + 1074))
    let surplus = width - available
    guard surplus > 0 else { return Double(number) * power(exponent) }
    var kept = number >> UInt128(surplus)
    let lost = number & ((1 << UInt128(surplus)) - 1)
    let half: UInt128 = 1 << UInt128(surplus - 1)
    if lost > half || lost == half && kept & 1 == 1 { kept += 1 }
    return Double(kept) * power(exponent + surplus)
  }

  /// 2 to the power of the exponent; infinity or 0 if a Double can't hold it.
  private static func power(_ exponent: Int) -> Double {
    if exponent > 1023 { return .infinity }
    return exponent >= -1074 ? Double(sign: .plus, exponent: exponent, significand: 1) : 0
  }
}
