import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("DeliveryQueue")
struct DeliveryQueueTests {
  /// Counts how often a queue requests a drain.
  private final class Schedule: Sendable {
    private let count = LockedValue(0)

    func ask() { count.withLock { $0 += 1 } }

    func take() -> Int {
      count.withLock { count in
        defer { count = 0 }
        return count
      }
    }
  }

  private let person = Person()
  private let schedule = Schedule()
  private let token: KeyValueObservation
  private let queue: DeliveryQueue<Int>

  init() {
    let schedule = schedule
    token = person.observe(\.age) { _, _ in }
    queue = DeliveryQueue([]) { _ in schedule.ask() }
    queue.follow(token)
  }

  private func append(_ values: Int...) {
    for value in values { queue.append(KeyValueObservedChange(kind: .setting, newValue: value)) }
  }

  /// The values that one drain delivers, and whether it requests another drain.
  private func drained(_ during: (Int) -> Void = { _ in }) -> (values: [Int], isMore: Bool) {
    var values: [Int] = []
    let isMore = queue.drain { change in
      values.append(change.newValue!)
      during(change.newValue!)
    }
    return (values, isMore)
  }

  @Test("One drain is requested, however many changes arrive before it runs")
  func oneDrain() {
    append(1, 2, 3)
    #expect(schedule.take() == 1)
    #expect(drained() == ([1, 2, 3], false))
    append(4)
    #expect(schedule.take() == 1)
    #expect(drained() == ([4], false))
    token.invalidate()
  }

  @Test("A change that arrives during a drain waits for the next, which the caller runs")
  func nextDrain() {
    append(1, 2)
    #expect(drained { if $0 == 1 { append(3) } } == ([1, 2], true))
    #expect(schedule.take() == 1)
    #expect(drained() == ([3], false))
    #expect(schedule.take() == 0)
    token.invalidate()
  }

  @Test("A queue invalidated during a drain delivers nothing more, and needs no other drain")
  func invalidated() {
    append(1, 2)
    let drained = drained { _ in
      append(3)
      token.invalidate()
    }
    #expect(drained == ([1], false))
  }
}
