import Dispatch
import KeyValueCore
import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Each test runs in its own process: a traced change keeps its old value until it ends, which would
/// affect other tests.
@Suite("Traces of all threads")
struct WideTraceTests {
  @Test("A closure receives events until its token ends, and its own changes aren't traced")
  func closure() async {
    await #expect(processExitsWith: .success) {
      let person = TracedPerson()
      let other = TracedPerson()
      let events = LockedValue<[KeyValueTrace.Event]>([])
      let observations = [person, other].map { $0.kvo.age.observe { _, _ in } }
      // Used on this thread only, where the closure is called.
      nonisolated(unsafe) let changed = other
      let token = KeyValueTrace.observe { event in
        changed.age += 1
        events.withLock { $0.append(event) }
      }
      person.age += 1
      token.invalidate()
      person.age += 1
      let all = events.withLock { $0 }
      #expect(all.map(\.kind) == [.changeBegan, .delivered, .returned, .changeEnded])
      let address = UInt(bitPattern: ObjectIdentifier(person))
      #expect(all.allSatisfy { $0.object?.address == address })
      #expect(other.age == 40)
      withExtendedLifetime(observations) {}
    }
  }

  @Test("An event requested in a handler doesn't change when it ends")
  func keptCause() async {
    await #expect(processExitsWith: .success) {
      let person = TracedPerson()
      // Doesn't keep the events.
      let token = KeyValueTrace.observe { _ in }
      let kept = LockedValue<[KeyValueTrace.Event]>([])
      let observation = person.kvo.age.observe(options: [.old, .new]) { _, _ in
        kept.replace(with: KeyValueTrace.cause.events)
      }
      person.age += 1
      let events = kept.withLock { $0 }
      #expect(events.map(\.kind) == [.changeBegan, .delivered])
      #expect(events.map(\.duration) == [nil, nil])
      #expect(events.map(\.depth) == [0, 1])
      #expect(events[1].cause == events[0].id)
      #expect(events[0].newValue == nil)
      #expect(events[1].newValue?.description == "37")
      withExtendedLifetime((token, observation)) {}
    }
  }

  @Test("An event kept by a closure doesn't change when it ends")
  func keptEvent() async {
    await #expect(processExitsWith: .success) {
      let person = TracedPerson()
      let kept = LockedValue<[KeyValueTrace.Event]>([])
      let token = KeyValueTrace.observe { event in
        if event.duration == nil { kept.withLock { $0.append(event) } }
      }
      let observation = person.kvo.age.observe { _, _ in }
      person.age += 1
      let events = kept.withLock { $0 }
      #expect(events.map(\.kind) == [.registered, .changeBegan, .delivered])
      #expect(events.map(\.duration) == [nil, nil, nil])
      #expect(events.map(\.depth) == [0, 0, 1])
      withExtendedLifetime((token, observation)) {}
    }
  }

  @Test("A closure may end another closure's tracing, and a change that began earlier")
  func endingInside() async {
    await #expect(processExitsWith: .success) {
      let (person, other) = (TracedPerson(), TracedPerson())
      let observations = [person, other].map { $0.kvo.age.observe { _, _ in } }
      let kinds = LockedValue<[KeyValueTrace.Event.Kind]>([])
      let second = LockedValue<KeyValueTrace.Token?>(nil)
      // Used on this thread only, where the closure is called.
      nonisolated(unsafe) let begun = person
      let first = KeyValueTrace.observe { event in
        let count = kinds.withLock { kinds in
          kinds.append(event.kind)
          return kinds.count
        }
        guard count == 2 else { return }
        second.replace(with: nil)
        begun.didChangeValue(forKey: "age")
      }
      second.replace(with: KeyValueTrace.observe { _ in })
      person.willChangeValue(forKey: "age")
      other.age += 1
      #expect(
        kinds.withLock { $0 }
          == [.changeBegan, .changeBegan, .delivered, .returned, .changeEnded])
      withExtendedLifetime((first, observations)) {}
    }
  }

  @Test("A change that the release of an ended closure makes is traced by the other closures")
  func releasedClosure() async {
    await #expect(processExitsWith: .success) {
      let (person, other) = (TracedPerson(), TracedPerson())
      let observations = [person, other].map { $0.kvo.age.observe { _, _ in } }
      nonisolated(unsafe) var ended: KeyValueTrace.Token? = changing(other)
      // This thread keeps the closure, which another thread ends, until the next event.
      person.age += 1
      onAnotherThread { ended = nil }
      #expect(other.age == 36)
      let addresses = LockedValue<[UInt?]>([])
      let token = KeyValueTrace.observe { event in
        addresses.withLock { $0.append(event.object?.address) }
      }
      person.age += 1
      #expect(other.age == 37)
      let objects = [other, person].map { UInt(bitPattern: ObjectIdentifier($0)) }
      #expect(
        addresses.withLock { $0 }
          == objects.flatMap { [UInt?](repeating: $0, count: 4) })
      withExtendedLifetime((ended, token, observations)) {}
    }
  }

  @Test("A sequence buffers the newest events and counts the dropped ones")
  func sequence() async {
    await #expect(processExitsWith: .success) {
      let person = TracedPerson()
      let observation = person.kvo.age.observe { _, _ in }
      let events = KeyValueTrace.events(bufferingNewest: 2)
      for _ in 0..<10 { person.age += 1 }
      var iterator = events.makeAsyncIterator()
      let kinds = [await iterator.next()?.kind, await iterator.next()?.kind]
      #expect(kinds == [.returned, .changeEnded])
      #expect(events.droppedCount == 38)
      withExtendedLifetime(observation) {}
    }
  }

  @Test("A recording of everything includes other threads' events")
  func everywhere() async {
    await #expect(processExitsWith: .success) {
      func trace(everywhere: Bool) async -> [KeyValueTrace.Event.Kind] {
        await KeyValueTrace.recording(everywhere: everywhere) {
          await Task.detached { @Sendable in TracedPerson().age += 1 }.value
          await Task.detached { @Sendable in
            let person = TracedPerson()
            person.kvo.age.observe { _, _ in }.invalidate()
            withExtendedLifetime(person) {}
          }.value
        }.events.map(\.kind)
      }
      #expect(await trace(everywhere: true) == [.registered, .ended])
      #expect(await trace(everywhere: false) == [])
    }
  }

  @Test("Registrations end on one thread while their object dies on another")
  func deaths() async {
    await #expect(processExitsWith: .success) {
      let told = LockedValue(0)
      let token = KeyValueTrace.observe { event in
        if event.kind == .died { told.withLock { $0 += 1 } }
      }
      for _ in 0..<10_000 {
        nonisolated(unsafe) var person: TracedPerson? = TracedPerson()
        nonisolated(unsafe) var observations = (0..<8).map { _ in
          person?.kvo.age.observe { _, _ in }
        }
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
          if thread == 0 { person = nil } else { observations = [] }
        }
        withExtendedLifetime((person, observations)) {}
      }
      token.invalidate()
      #expect(told.withLock { $0 } <= 10_000)
    }
  }
}

/// Traces with a closure that changes a person when it's released.
private func changing(_ person: TracedPerson) -> KeyValueTrace.Token {
  let last = LastChange(of: person)
  return KeyValueTrace.observe { _ in withExtendedLifetime(last) {} }
}

// Checked by hand: the thread that made the person releases this.
private final class LastChange: @unchecked Sendable {
  private let person: TracedPerson

  init(of person: TracedPerson) { self.person = person }

  deinit { person.age += 1 }
}

private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  // Not `sync`, which runs its closure on the calling thread.
  DispatchQueue.global().async {
    body()
    done.signal()
  }
  done.wait()
}
