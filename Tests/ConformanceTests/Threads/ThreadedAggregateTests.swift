import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Synchronization
import Testing

/// Gauges that any thread may add or replace.
@KeyValueObservable
final class Panel: Sendable {
  @KeyValueIgnored private let storage = Lock<[Gauge]>([])

  @NotifiesManually var gauges: [Gauge] {
    get { storage.withLock { $0 } }
    set { withChange(of: "gauges") { storage.replace(with: newValue) } }
  }

  /// Adds a gauge at the front.
  ///
  /// Its index is correct in the announcement and at the insertion. At the delivery, other threads
  /// may have moved the gauge.
  func prepend(_ gauge: Gauge) {
    let indexes = RangeSet(0..<1)
    willChange(.insertion, valuesAt: indexes, forKey: "gauges")
    storage.withLock { $0.insert(gauge, at: 0) }
    didChange(.insertion, valuesAt: indexes, forKey: "gauges")
  }
}

@Suite("T. Threads, collections and operators")
struct ThreadedAggregateTests {
  /// The last values delivered for sum, count and maximum.
  private final class Heard: Sendable {
    private let storage = Lock([0, 0, 0])
    var values: [Int] { storage.withLock { $0 } }
    func set(_ place: Int, _ value: Int) { storage.withLock { $0[place] = value } }
  }

  /// Observes sum, count and maximum, and stores the last value delivered for each.
  private func observe(_ panel: Panel, _ heard: Heard) throws -> [KeyValueObservation] {
    try ["gauges.@sum.level", "gauges.@count", "gauges.@max.level"].enumerated().map {
      place, path in
      try panel.observe(path, options: .new) { _, change in
        guard case .some(let value) = change.newValue else { return }
        heard.set(place, value as? Int ?? Int.min)
      }
    }
  }

  private func expected(_ gauges: [Gauge]) -> [Int] {
    [gauges.reduce(0) { $0 + $1.level }, gauges.count, gauges.map(\.level).max() ?? Int.min]
  }

  @Test("T1 P7 Every concurrent change of an element notifies, and the final sum is correct")
  func elements() throws {
    let panel = Panel()
    let gauges = (0..<40).map { _ in Gauge() }
    panel.gauges = gauges
    let calls = Atomic<Int>(0)
    let token = panel.observe(\.gauges[sum: \.level]) { _, _ in calls.add(1, ordering: .relaxed) }
    let heard = Heard()
    let tokens = try observe(panel, heard)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for step in 0..<2_000 { gauges[(step * 7 + thread) % 40].level = step + thread }
    }
    #expect(calls.load(ordering: .relaxed) == 8_000)
    gauges[0].level = 5_000
    #expect(heard.values == [expected(gauges)[0], 0, 5_000])
    panel.gauges = gauges
    #expect(heard.values == expected(gauges))
    withExtendedLifetime((token, tokens)) {}
  }

  @Test("T1 P7 Elements change on some threads while other threads replace the collection")
  func exchange() throws {
    for _ in 0..<20 {
      let panel = Panel()
      let gauges = (0..<12).map { _ in Gauge() }
      let heard = Heard()
      let tokens = try observe(panel, heard)
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for step in 1...150 {
          if thread < 2 {
            panel.gauges = Array(gauges[(step + thread) % 6..<6 + step % 6])
          } else {
            gauges[(step * 5 + thread) % 12].level = step
          }
        }
      }
      let last = panel.gauges
      for gauge in gauges { gauge.level += 1 }
      panel.gauges = last
      #expect(heard.values == expected(last))
      let before = heard.values
      for gauge in gauges where !last.contains(where: { $0 === gauge }) { gauge.level = 9_999 }
      #expect(heard.values == before)
      #expect(gauges.allSatisfy { gauge in isIdle(gauge) || last.contains { $0 === gauge } })
      withExtendedLifetime(tokens) {}
    }
  }

  @Test("T1 C2 Overlapping insertions are recounted")
  func insertions() throws {
    for _ in 0..<20 {
      let panel = Panel()
      let heard = Heard()
      let tokens = try observe(panel, heard)
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for step in 1...25 {
          let gauge = Gauge()
          gauge.level = step
          panel.prepend(gauge)
          gauge.level += thread
        }
      }
      let gauges = panel.gauges
      #expect(gauges.count == 100)
      gauges[0].level += 1
      panel.prepend(Gauge())
      #expect(heard.values == expected(panel.gauges))
      withExtendedLifetime(tokens) {}
    }
  }

  @Test("T1 R5 An operator's tokens are released while elements change and are replaced")
  func droppedToken() throws {
    for _ in 0..<200 {
      let panel = Panel()
      let gauges = (0..<6).map { _ in Gauge() }
      let heard = Heard()
      let tokens = Slot<[KeyValueObservation]>(try observe(panel, heard))
      DispatchQueue.concurrentPerform(iterations: 3) { thread in
        switch thread {
        case 0: for step in 1...15 { panel.gauges = Array(gauges[0..<step % 7]) }
        case 1: for step in 1...15 { gauges[step % 6].level = step }
        default: tokens.content = nil
        }
      }
      #expect(isIdle(panel) && gauges.allSatisfy { isIdle($0) })
    }
  }
}
