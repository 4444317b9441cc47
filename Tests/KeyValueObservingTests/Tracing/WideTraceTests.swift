import Dispatch
import KeyValueCore
import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Each in a process of its own: a change that's traced keeps its old value until it ends, which
/// other tests would see.
@Suite("Traces of all threads")
struct WideTraceTests {
  @Test("A closure hears events until its token ends, and what it does isn't traced")
  func closure() async {
    await #expect(processExitsWith: .success) {
      let person = TracedPerson()
      let other = TracedPerson()
      let events = LockedValue<[KeyValueTrace.Event]>([])
      let observations = [person, other].map { $0.kvo.age.observe { _, _ in } }
      // Used by this thread only, which the events are of.
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

  @Test("A sequence buffers the newest events and counts what it dropped")
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

  @Test("A recording of everything hears other threads' changes too")
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
