/// Numbers formatted for a table.
package enum NumberText {
  /// With a fixed number of decimals.
  package static func fixed(_ number: Double, decimals: Int) -> String {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = (number.magnitude * scale).rounded()
    guard scaled < 1e15 else { return "?" }  // also not-a-number
    let digits = String(Int(scaled))
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    let sign = number < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + padded }
    return "\(sign)\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
  }

  /// A fraction of one in percent: `0.125` is `12.5`.
  package static func percent(_ fraction: Double) -> String { fixed(fraction * 100, decimals: 1) }

  /// A size in bytes with a binary unit, in at most six characters up to a pebibyte: `1.2G`.
  package static func bytes(_ count: Int) -> String {
    var number = Double(count)
    var units = "KMGTPE".makeIterator()
    guard number.magnitude >= 1024 else { return "\(count)B" }
    var unit: Character = "B"
    while number.magnitude >= 1023.95, let next = units.next() {
      number /= 1024
      unit = next
    }
    return "\(fixed(number, decimals: 1))\(unit)"
  }

  /// A span of time: `3 d 04:05`, below a day `04:05:06`.
  package static func duration(seconds: Double) -> String {
    guard seconds >= 0, seconds < 1e12 else { return "?" }
    let seconds = Int(seconds)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = "\(two(seconds / 3600 % 24)):\(two(seconds / 60 % 60))"
    return seconds >= 86_400 ? "\(seconds / 86_400) d \(time)" : "\(time):\(two(seconds % 60))"
  }
}
