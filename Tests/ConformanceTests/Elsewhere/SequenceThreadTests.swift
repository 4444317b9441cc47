import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Synchronization
import Testing

@Suite("Sequences: cancellation and threads")
struct SequenceThreadTests {
  // MARK: Cancellation

  @Test("Cancelling a waiting task ends its iteration and the observation")
  func cancelWaiting() async {
    let gauge = Gauge()
    let (arrivals, signal) = AsyncStream<Void>.makeStream()
    let task = Task {
      var levels: [Int] = []
      for await level in gauge.kvo.level.values() {
        levels.append(level)
        signal.finish()
      }
      return levels
    }
    for await _ in arrivals {}
    task.cancel()
    #expect(await task.value == [0])
    #expect(isIdle(gauge))
  }

  @Test("Cancellation is prompt: elements in the buffer are no longer delivered")
  func cancelBuffered() async {
    let gauge = Gauge()
    let changes = gauge.kvo.level.changes(options: .new)
    for level in 1...5 { gauge.level = level }
    let task = Task {
      var levels: [Int?] = []
      for await change in changes {
        levels.append(change.newValue)
        withUnsafeCurrentTask { $0?.cancel() }
      }
      return levels
    }
    #expect(await task.value == [1])
    // Other iterators are not affected.
    var other = changes.makeAsyncIterator()
    gauge.level = 6
    #expect(await other.next()?.newValue == 6)
  }

  @Test("A task that is cancelled before it iterates receives nothing")
  func cancelledBefore() async {
    let gauge = Gauge()
    let values = gauge.kvo.level.values()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var count = 0
      for await _ in values { count += 1 }
      return count
    }
    #expect(await task.value == 0)
  }

  @Test("Cancelling while another task sets values always ends the iteration")
  func cancelRaces() async {
    for _ in 0..<200 {
      let gauge = Gauge()
      let values = gauge.kvo.level.values()
      let task = Task {
        for await _ in values {}
        return true
      }
      let setter = Task { for level in 1...20 { gauge.level = level } }
      task.cancel()
      #expect(await task.value)
      await setter.value
    }
  }

  // MARK: Threads

  @Test("T1 Each of several consumers receives every concurrent change once")
  func concurrentSets() async {
    let gauge = Gauge()
    let changes = gauge.kvo.level.changes(options: .new)
    let first = changes.makeAsyncIterator()
    let counts = [first, changes.makeAsyncIterator()].map { iterator in
      // An iterator belongs to one task. It is made here, before the first change.
      nonisolated(unsafe) var iterator = iterator
      return Task {
        var count = 0
        while count < 10_000, await iterator.next() != nil { count += 1 }
        return count
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { for step in 0..<2_500 { gauge.level = step } } }
    }
    for count in counts { #expect(await count.value == 10_000) }
    #expect(changes.droppedCount == 0)
  }

  @Test("T1 The last value delivered is the last value set, whichever thread sets it")
  func lastValue() async {
    for _ in 0..<300 {
      let gauge = Gauge()
      let values = gauge.kvo.level.values()
      await withTaskGroup(of: Void.self) { group in
        for thread in 1...4 { group.addTask { for _ in 0..<10 { gauge.level = thread } } }
      }
      var iterator = values.makeAsyncIterator()
      #expect(await iterator.next() == gauge.level)
    }
  }

  @Test("R3 The initial value comes first, even if another thread sets the value")
  func initialRaces() async {
    for _ in 0..<300 {
      let gauge = Gauge()
      let setter = Task { for level in 1...20 { gauge.level = level } }
      let changes = gauge.kvo.level.changes(options: [.initial, .new])
      let values = gauge.kvo.level.values(bufferingPolicy: .unbounded)
      await setter.value
      gauge.level = 21
      var levels: [Int] = []
      for await change in changes {
        levels.append(change.newValue ?? -1)
        if change.newValue == 21 { break }
      }
      #expect(levels == levels.sorted())
      levels = []
      for await value in values {
        levels.append(value)
        if value == 21 { break }
      }
      #expect(levels == levels.sorted())
    }
  }

  @Test("R5 All consumers end if the object is deallocated while they iterate")
  func deathRaces() async {
    for _ in 0..<300 {
      var gauge: Gauge? = Gauge()
      guard let values = gauge?.kvo.level.values() else { return }
      let consumers = (0..<3).map { _ in
        Task {
          var count = 0
          for await _ in values { count += 1 }
          return count
        }
      }
      gauge?.level = 1
      gauge = nil
      for consumer in consumers { #expect(await consumer.value <= 2) }
    }
  }

  @Test("R5 Iterators can be made and released while another task sets values")
  func comingAndGoing() async {
    let gauge = Gauge()
    let values = gauge.kvo.level.values()
    let setter = Task { for level in 1...20_000 { gauge.level = level } }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<500 { for await _ in values { break } }
        }
      }
    }
    await setter.value
    var last = values.makeAsyncIterator()
    #expect(await last.next() == 20_000)
  }
}
