import Foundation
import KeyValueCore
import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("Traces and threads")
struct TraceThreadTests {
  @Test("The events of several threads are complete, and each thread's are in order")
  func threads() async {
    let people = (0..<4).map { _ in TracedPerson() }
    let tokens = people.map { $0.kvo.age.observe(options: [.old, .new]) { _, _ in } }
    let count = 200
    let objects = Set(people.map { UInt(bitPattern: ObjectIdentifier($0)) })
    let changed = UncheckedPeople(people: people)
    let trace = await KeyValueTrace.recording {
      await withTaskGroup(of: Void.self) { group in
        for index in people.indices {
          group.addTask {
            let person = changed.people[index]
            for _ in 0..<count { person.age += 1 }
          }
        }
      }
    }
    let events = trace.events.filter { objects.contains($0.object?.address ?? 0) }
    for person in people {
      let own = events.filter { $0.object?.address == UInt(bitPattern: ObjectIdentifier(person)) }
      #expect(
        own.map(\.kind)
          == (0..<count).flatMap { _ in
            [KeyValueTrace.Event.Kind.changeBegan, .delivered, .returned, .changeEnded]
          })
      let told = own.filter { $0.kind == .delivered }.map { $0.newValue?.description }
      #expect(told == (37..<37 + count).map { "\($0)" })
    }
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.id < $1.id })
    withExtendedLifetime(tokens) {}
  }

  @Test("Tracing begins and ends on several threads while others make changes")
  func beginningsAndEnds() async {
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<4 {
        group.addTask {
          let person = TracedPerson()
          let observation = person.kvo.age.observe(options: .new) { _, _ in }
          for _ in 0..<200 {
            if index % 2 == 0 {
              let trace = KeyValueTrace.recording { person.age += 1 }
              #expect(trace.deliveries(to: person.kvo.age).count == 1)
            } else {
              person.age += 1
            }
          }
          observation.invalidate()
        }
      }
    }
  }
}

extension TraceThreadTests {
  @Test("A recording traces no other task's changes, and keeps no old value alive")
  func otherTasks() async {
    /// Whether a change is traced, and whether its old value is alive while the observer is called.
    @Sendable func change() -> [Bool] {
      let person = TracedPerson()
      person.account = TracedAccount()
      weak let account = person.account
      var answers: [Bool] = []
      let observation = person.kvo.account.observe { _, _ in
        answers = [!KeyValueTrace.cause.isEmpty, account != nil]
      }
      person.account = nil
      observation.invalidate()
      return answers
    }
    #expect(change() == [false, false])
    _ = await KeyValueTrace.recording {
      #expect(change() == [true, false])
      #expect(await Task.detached { change() }.value == [false, false])
    }
  }
}

extension TraceThreadTests {
  @Test("A modification in place may end on another thread than it began on")
  func modificationAcrossThreads() async {
    let changed = UncheckedPeople(people: [TracedPerson()])
    let address = UInt(bitPattern: ObjectIdentifier(changed.people[0]))
    let observation = changed.people[0].kvo.nicknames.observe(options: .new) { _, _ in }
    let executor = ThreadForEachJob()
    defer { executor.end() }
    let trace = await KeyValueTrace.recording {
      await withTaskExecutorPreference(executor) {
        await appendLater("Countess", to: &changed.people[0].nicknames)
      }
    }
    let events = trace.events.filter { $0.object?.address == address }
    #expect(events.map(\.kind) == [.changeBegan, .delivered, .returned, .changeEnded])
    #expect(events[0].thread != events[1].thread && events[1].cause == events[0].id)
    #expect(changed.people[0].nicknames == ["Countess"])
    withExtendedLifetime(observation) {}
  }
}

private func appendLater(_ name: String, to names: inout [String]) async {
  await Task.yield()
  names.append(name)
}

/// Runs each job on a thread of its own, which goes on until the executor is told to end.
///
/// A new thread may have the identity of one that has ended.
// Checked by hand: `hasEnded` is accessed only inside `condition`.
private final class ThreadForEachJob: TaskExecutor, @unchecked Sendable {
  private let condition = NSCondition()
  private var hasEnded = false

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
      self.condition.withLock { while !self.hasEnded { self.condition.wait() } }
    }
  }

  func end() {
    condition.withLock {
      hasEnded = true
      condition.broadcast()
    }
  }
}

// Checked by hand: only one task uses each of the people.
private struct UncheckedPeople: @unchecked Sendable {
  let people: [TracedPerson]
}
