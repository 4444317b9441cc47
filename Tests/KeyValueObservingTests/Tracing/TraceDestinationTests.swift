import Dispatch
import KeyValueCore
import KeyValueObserving
import KeyValueTestSupport
import Testing

private actor Historian {
  private(set) var ages: [Int] = []
  func note(_ age: Int) { ages.append(age) }
}

// Checked by hand: only the queue's calls change the person, after the first change.
private final class Pulse: @unchecked Sendable {
  let person = TracedPerson()
}

/// Each test runs in its own process, since a queue's calls don't belong to any task's recording.
@Suite("Calls on queues and actors in traces")
struct TraceDestinationTests {
  /// Each event's kind and destination, after the position of its cause.
  private static func lines(_ events: [KeyValueTrace.Event]) -> [String] {
    let sorted = events.sorted { $0.id < $1.id }
    return sorted.map { event in
      let cause = event.cause.flatMap { id in sorted.firstIndex { $0.id == id } }
      return "\(cause.map { "\($0)" } ?? "-") \(event.kind.rawValue) \(event.destination ?? "")"
    }
  }

  @Test("A call that leads to its own next one has its nearest causes")
  func ownNext() async {
    await #expect(processExitsWith: .success) { TraceDestinationTests.ownNextBody() }
  }

  private static func ownNextBody() {
    let counts = LockedValue<[Int]>([])
    let pulse = Pulse()
    let end = DispatchSemaphore(value: 0)
    let token = KeyValueTrace.observe { _ in }
    let observation = pulse.person.kvo.age.observe(
      options: .new, on: .queue(DispatchQueue(label: "pulse"))
    ) { change in
      counts.withLock { $0.append(KeyValueTrace.cause.events.count) }
      if change.newValue == 136 { end.signal() } else { pulse.person.age += 1 }
    }
    pulse.person.age = 37
    end.wait()
    let all = counts.withLock { $0 }
    // The deferral and what led to it, and the call itself.
    #expect(all.count == 100 && all.first == 3 && all.max() == 65 && all.last == 65)
    token.invalidate()
    observation.invalidate()
  }

  @Test("A queue's call is deferred at the change, and delivered on the queue")
  func queue() async {
    await #expect(processExitsWith: .success) { TraceDestinationTests.queueBody() }
  }

  private static func queueBody() {
    let events = LockedValue<[KeyValueTrace.Event]>([])
    let causes = AtomicList()
    let person = TracedPerson()
    let queue = DispatchQueue(label: "history")
    let observation = person.kvo.age.observe(options: [.old, .new], on: .queue(queue)) { _ in
      causes.append("\(KeyValueTrace.cause)")
    }
    let line = #line - 3
    let token = KeyValueTrace.observe { event in events.withLock { $0.append(event) } }
    // Suspended, so that the change ends before its call.
    queue.suspend()
    person.age = 37
    queue.resume()
    queue.sync {}
    token.invalidate()
    let all = events.withLock { $0 }
    #expect(
      Self.lines(all) == [
        "- changeBegan ", "0 deferred queue(history)", "0 changeEnded ",
        "1 delivered queue(history)", "3 returned queue(history)",
      ])
    #expect(
      all.map(\.description)[1]
        == "TracedPerson.age: closure registered at TraceDestinationTests.swift:\(line) waits for "
        + "queue(history)")
    #expect(
      all.map(\.description)[3]
        == "TracedPerson.age: closure registered at TraceDestinationTests.swift:\(line) is told on "
        + "queue(history): 36 -> 37")
    #expect(all[0].thread != all[3].thread)
    #expect(
      causes.take() == [
        """
        TracedPerson.age is set, was 36
          closure of TracedPerson.age registered at TraceDestinationTests.swift:\(line)
        """
      ])
    withExtendedLifetime(observation) {}
  }

  @Test("A change by a queue's observer occurs inside its delivery")
  func nested() async {
    await #expect(processExitsWith: .success) {
      let events = LockedValue<[KeyValueTrace.Event]>([])
      let person = TracedPerson()
      let account = TracedAccount()
      nonisolated(unsafe) let other = account
      let queue = DispatchQueue(label: "bank")
      let first = person.kvo.age.observe(options: [.initial, .new], on: .queue(queue)) { change in
        other.balance += 1
      }
      let second = account.kvo.balance.observe { _, _ in }
      queue.sync {}
      let token = KeyValueTrace.observe { event in events.withLock { $0.append(event) } }
      queue.suspend()
      person.age = 37
      queue.resume()
      queue.sync {}
      token.invalidate()
      let trace = KeyValueTrace(events.withLock { $0 })
      #expect(
        Self.lines(trace.events) == [
          "- changeBegan ", "0 deferred queue(bank)", "0 changeEnded ", "1 delivered queue(bank)",
          "3 changeBegan ", "4 delivered ", "5 returned ", "4 changeEnded ",
          "3 returned queue(bank)",
        ])
      let last = trace.events[5]
      #expect(
        trace.cause(of: last).events.map(\.id) == [0, 1, 3, 4, 5].map { trace.events[$0].id })
      withExtendedLifetime((first, second)) {}
    }
  }

  @Test("A call that is pending when its token ends is skipped")
  func ended() async {
    await #expect(processExitsWith: .success) {
      let events = LockedValue<[KeyValueTrace.Event]>([])
      let person = TracedPerson()
      let queue = DispatchQueue(label: "history")
      let token = KeyValueTrace.observe { event in events.withLock { $0.append(event) } }
      let observation = person.kvo.age.observe(options: [.new], on: .queue(queue)) { _ in }
      queue.suspend()
      person.age = 37
      observation.invalidate()
      queue.resume()
      queue.sync {}
      token.invalidate()
      let all = events.withLock { $0 }
      #expect(all.filter { $0.kind == .delivered }.isEmpty)
      let skipped = all.filter { $0.kind == .skipped }
      #expect(skipped.map(\.reason) == [.ended])
      #expect(skipped.first?.cause == all.first { $0.kind == .deferred }?.id)
    }
  }

  @Test("An actor's call is deferred, also at a transaction's end")
  func actor() async {
    await #expect(processExitsWith: .success) {
      let events = LockedValue<[KeyValueTrace.Event]>([])
      let person = TracedPerson()
      let historian = Historian()
      let token = KeyValueTrace.observe { event in events.withLock { $0.append(event) } }
      let (calls, call) = AsyncStream.makeStream(of: Int.self)
      let observation = person.kvo.age.observe(options: [.new], on: .actor(historian)) {
        historian, change in
        historian.note(change.newValue ?? 0)
        call.yield(change.newValue ?? 0)
      }
      KeyValueTransaction.perform {
        person.age = 37
        person.age = 38
      }
      var iterator = calls.makeAsyncIterator()
      #expect(await iterator.next() == 38)
      token.invalidate()
      let all = events.withLock { $0 }.filter { [.deferred, .delivered].contains($0.kind) }
      #expect(all.map(\.kind) == [.deferred, .deferred, .deferred, .delivered])
      #expect(all.map(\.destination) == [nil, nil, "actor(Historian)", "actor(Historian)"])
      #expect(all.map(\.cause).suffix(2) == [all[1].id, all[2].id])
      #expect(await historian.ages == [38])
      withExtendedLifetime(observation) {}
    }
  }
}
