import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Counts comparisons.
private final class Comparisons {
  var count = 0
}

/// A value that counts its comparisons.
private struct Counted: Equatable {
  let number: Int
  let comparisons: Comparisons

  static func == (left: Counted, right: Counted) -> Bool {
    left.comparisons.count += 1
    return left.number == right.number
  }
}

@KeyValueObservable
private final class Series {
  var values: [Counted] = []
}

@Suite("C8. The cost of element changes")
struct ElementChangesCostTests {
  private let comparisons = Comparisons()
  private let series = Series()

  private func value(_ number: Int) -> Counted { Counted(number: number, comparisons: comparisons) }

  /// The comparisons that an observed change costs, and the changes delivered.
  private func cost(_ change: (inout [Counted]) -> Void) -> (Int, [String]) {
    var told: [String] = []
    let token = series.observe(\.values, options: .elementChanges) { _, change in
      told.append("\(change)")
    }
    comparisons.count = 0
    change(&series.values)
    token.invalidate()
    return (comparisons.count, told)
  }

  @Test("C8 An append, a removal or a replacement costs about one comparison for each element")
  func linear() {
    series.values = (0..<1_000).map(value)
    let (append, toldAppend) = cost { $0.append(value(-1)) }
    #expect(toldAppend == ["insertion, indexes: 1000"])
    #expect(append <= 1_000)
    let (removal, toldRemoval) = cost { $0.remove(at: 300) }
    #expect(toldRemoval == ["removal, indexes: 300"])
    #expect(removal <= 1_001)
    let (exchange, toldExchange) = cost { $0[400] = value(-2) }
    #expect(toldExchange == ["replacement, indexes: 400"])
    #expect(exchange <= 1_002)
  }

  @Test("C8 Replacing a long range without common elements doesn't compare all pairs")
  func different() {
    series.values = (0..<3_000).map(value)
    let (count, told) = cost { $0 = (5_000..<8_000).map(value) }
    #expect(told == ["removal, indexes: 0–2999", "insertion, indexes: 0–2999"])
    #expect(count < 4_100_000)
  }
}
