import Foundation

/// A logarithmic axis, which converts a number to a position.
struct LogarithmicAxis {
  /// The powers of ten at its ends.
  let exponents: ClosedRange<Int>
  /// The positions of its ends.
  let start: Double
  let end: Double

  /// Creates an axis that covers all of the numbers.
  init(_ numbers: [Double], from start: Double, to end: Double) {
    let low = numbers.min() ?? 1
    let high = numbers.max() ?? 10
    let first = Int(log10(low).rounded(.down))
    exponents = first...max(first + 1, Int(log10(high).rounded(.up)))
    self.start = start
    self.end = end
  }

  /// The powers of ten on the axis, thinned out to at most `count`.
  func ticks(atMost count: Int) -> [Double] {
    let step = (exponents.count + count - 1) / count
    return stride(from: exponents.lowerBound, through: exponents.upperBound, by: max(1, step))
      .map { pow(10, Double($0)) }
  }

  func place(_ number: Double) -> Double {
    let share =
      (log10(number) - Double(exponents.lowerBound))
      / Double(exponents.upperBound - exponents.lowerBound)
    return start + share * (end - start)
  }
}

/// How numbers are written.
enum Quantity {
  case nanoseconds, bytes, seconds, count

  /// A number with its unit, in two or three digits.
  func text(_ number: Double) -> String { text(number, digits) }

  /// A power of ten at an axis, with its unit.
  func tick(_ number: Double) -> String { text(number, short) }

  private func text(_ number: Double, _ digits: (Double) -> String) -> String {
    switch self {
    case .nanoseconds:
      switch number {
      case ..<999.5: "\(digits(number)) ns"
      case ..<999_500: "\(digits(number / 1e3)) µs"
      case ..<999_500_000: "\(digits(number / 1e6)) ms"
      default: "\(digits(number / 1e9)) s"
      }
    case .bytes: "\(grouped(number)) B"
    case .seconds: "\(Int(number.rounded())) s"
    case .count: grouped(number)
    }
  }

  private func digits(_ number: Double) -> String {
    let text = number < 9.95 ? short(number) : "\(Int(number.rounded()))"
    return number < 9.95 && !text.contains(".") ? "\(text).0" : text
  }

  private func grouped(_ number: Double) -> String {
    let whole = Int(number.rounded())
    guard whole >= 1_000 else { return "\(whole)" }
    let rest = "\(whole % 1_000)"
    return "\(whole / 1_000)," + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
