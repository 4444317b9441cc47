import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("WideSum")
struct WideSumTests {
  @Test("The sum of a single number is that number, of any magnitude")
  func roundTrip() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      var sum = WideSum()
      sum.add(value, times: 1)
      #expect(sum.rounded == value)
    }
  }

  @Test("Adding and subtracting the same numbers in different orders gives exactly zero")
  func noDrift() {
    var generator = SeededGenerator(seed: 2)
    var sum = WideSum()
    let values = (0..<5_000).map { _ in
      Double.random(in: -1e10...1e10, using: &generator)
        * Double(
          sign: .plus, exponent: Int.random(in: -300...300, using: &generator), significand: 1)
    }
    for value in values { sum.add(value, times: 1) }
    for value in values.shuffled(using: &generator) { sum.add(value, times: -1) }
    #expect(sum.rounded == 0)
  }

  @Test("The result is rounded once, ties to even, and intermediate sums don't overflow")
  func rounding() {
    var tie = WideSum()
    tie.add(1, times: 1)
    tie.add(1.0.ulp / 2, times: 1)
    #expect(tie.rounded == 1)
    tie.add(.leastNonzeroMagnitude, times: 1)
    #expect(tie.rounded == 1.0.nextUp)

    var large = WideSum()
    large.add(.greatestFiniteMagnitude, times: 2)
    #expect(large.rounded == .infinity)
    large.add(.greatestFiniteMagnitude, times: -1)
    #expect(large.rounded == .greatestFiniteMagnitude)

    var tenths = WideSum()
    tenths.add(0.1, times: 10)
    #expect(tenths.rounded == 1)
  }

  @Test("Adding numbers together gives the same sum as adding them one by one")
  func together() {
    var generator = SeededGenerator(seed: 3)
    for round in 0..<500 {
      let values = (0..<Int.random(in: 0...20, using: &generator)).map { _ -> Double in
        let value = Double(bitPattern: generator.next())
        return value.isFinite || round % 5 == 0 ? value : -0.0
      }
      var single = WideSum()
      var together = WideSum()
      for value in values { single.add(value, times: 1) }
      together.add(values)
      #expect(single.rounded.bitPattern == together.rounded.bitPattern)
    }
  }

  @Test("Infinities and NaNs disappear when the numbers that caused them are subtracted")
  func nonFinite() {
    var sum = WideSum()
    sum.add(5, times: 1)
    sum.add(.infinity, times: 1)
    #expect(sum.rounded == .infinity)
    sum.add(-.infinity, times: 1)
    #expect(sum.rounded.isNaN)
    sum.add(-.infinity, times: -1)
    sum.add(.infinity, times: -1)
    sum.add(.nan, times: 1)
    #expect(sum.rounded.isNaN)
    sum.add(.nan, times: -1)
    #expect(sum.rounded == 5)
  }
}
