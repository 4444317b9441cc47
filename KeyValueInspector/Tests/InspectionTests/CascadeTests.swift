import KeyValueObserving
import Testing

@testable import Inspection

@KeyValueObservable
private final class Pupil {
  var grade = 0
  weak var teacher: Pupil?
}

@Suite struct CascadeTests {
  @Test("A change and its consequences are one cascade, in order and nested by cause")
  func nesting() {
    let person = Person()
    var inspection = inspection {
      let first = person.kvo.name.observe { person, _ in person.age += 1 }
      let second = person.kvo.age.observe { _, _ in }
      person.name = "Grace"
      first.invalidate()
      second.invalidate()
    }
    let batch = inspection.batch(now: 0, seconds: 1)
    #expect(
      batch.cascades.map(\.lines) == [
        ["registered: Person.name"], ["registered: Person.age"],
        [
          "change: Person.name", "  delivery: Person.name", "    change: Person.age",
          "      delivery: Person.age",
        ],
        ["ended: Person.name"], ["ended: Person.age"],
      ])
    #expect(batch.cascades.map(\.deliveries) == [0, 0, 2, 0, 0])
    #expect(batch.cascades.allSatisfy { !$0.isOpen && $0.omitted == 0 })
    #expect(batch.cascades[2].title == #"Person 1.name is set: "Ada" → "Grace""#)
    #expect((batch.seen, batch.shown, batch.lost) == (8, 8, 0))
    #expect(inspection.batch(now: 0, seconds: 1).cascades.isEmpty)
  }

  @Test("A transaction's call is part of its handler's cascade; elsewhere, it names its change")
  func transaction() {
    let person = Person()
    var inspection = inspection {
      let handler = person.kvo.name.observe { person, _ in
        person.performChanges { $0.age += 1 }
      }
      let other = person.kvo.age.observe { _, _ in }
      person.name = "Grace"
      handler.invalidate()
      person.performChanges { $0.age = 50 }
      other.invalidate()
    }
    let cascades = inspection.batch(now: 0, seconds: 1).cascades
    #expect(
      cascades.map(\.lines) == [
        ["registered: Person.name"], ["registered: Person.age"],
        [
          "change: Person.name", "  delivery: Person.name", "    change: Person.age",
          "      deferred: Person.age", "        delivery: Person.age",
        ],
        ["ended: Person.name"], ["change: Person.age", "  deferred: Person.age"],
        ["delivery: Person.age"], ["ended: Person.age"],
      ])
    let thread = cascades[0].thread
    let others = "No handler caused this: other code of the program did it, on thread \(thread)."
    var origins = Array(repeating: others, count: 7)
    origins[5] =
      "An earlier event led to it, on thread \(thread): Person 1.age is set, was 37."
    #expect(cascades.map { $0.spans[0].origin } == origins)
  }

  @Test("The initial call of a registration in a handler is inside the registration")
  func initial() {
    let person = Person()
    var kept: [KeyValueObservation] = []
    let handler = person.kvo.name.observe { person, _ in
      kept.append(person.kvo.age.observe(options: .initial) { _, _ in })
    }
    var inspection = inspection { person.name = "Grace" }
    #expect(
      inspection.batch(now: 0, seconds: 1).cascades.map(\.lines) == [
        [
          "change: Person.name", "  delivery: Person.name", "    registered: Person.age",
          "      delivery: Person.age",
        ]
      ])
    handler.invalidate()
    kept.removeAll()
  }

  @Test("What an object's death in a handler leads to is inside the death; elsewhere, it names it")
  func death() {
    let pupil = Pupil()
    var teacher: Pupil? = Pupil()
    pupil.teacher = teacher
    var inspection = inspection {
      let path = pupil.kvo.teacher.grade.observe { _, _ in }
      let own = teacher?.kvo.grade.observe { _, _ in }
      let handler = pupil.kvo.grade.observe { _, _ in teacher = nil }
      pupil.grade = 1
      handler.invalidate()
      teacher = Pupil()
      pupil.teacher = teacher
      teacher = nil
      path.invalidate()
      withExtendedLifetime(own) {}
    }
    let cascades = inspection.batch(now: 0, seconds: 1).cascades
    #expect(
      cascades.map(\.lines) == [
        ["registered: Pupil.teacher.grade"], ["registered: Pupil.grade"],
        ["registered: Pupil.grade"],
        [
          "change: Pupil.grade", "  delivery: Pupil.grade", "    died: Pupil.",
          "      ended: Pupil.grade", "      delivery: Pupil.teacher.grade",
        ],
        ["ended: Pupil.grade"], ["change: Pupil.teacher", "  delivery: Pupil.teacher.grade"],
        ["died: Pupil."], ["delivery: Pupil.teacher.grade"], ["ended: Pupil.teacher.grade"],
      ])
    #expect(cascades[3].spans[2].words == "Pupil 2 dies")
    #expect(
      cascades[7].spans[0].origin
        == "An earlier event led to it, on thread \(cascades[0].thread): Pupil dies.")
  }

  @Test("Of many deferrals, the latest are known")
  func manyDeferrals() {
    let people = (1...9).map { _ in Person() }
    var limits = Inspection.Limits()
    limits.links = 3
    var inspection = inspection(limits: limits) {
      let observations = people.map { $0.kvo.name.observe { _, _ in } }
      people[0].performChanges { _ in
        for person in people { person.name = "Grace" }
      }
      for observation in observations { observation.invalidate() }
    }
    let calls = inspection.batch(now: 0, seconds: 1).cascades.filter { $0.deliveries > 0 }
    // Deaths, registrations and deferrals are forgotten three at a time.
    #expect(
      calls.map { $0.spans[0].origin.contains("An earlier event led to it") }
        == [false, false, false, true, true, true, true, true, true])
  }

  @Test("A large cascade has its first spans, and the number of omitted ones")
  func limit() {
    let person = Person()
    var limits = Inspection.Limits()
    limits.spansPerCascade = 10
    var inspection = inspection(limits: limits) {
      let observations = (1...50).map { _ in person.kvo.name.observe { _, _ in } }
      person.name = "Grace"
      _ = observations
    }
    let cascade = inspection.batch(now: 0, seconds: 1).cascades.first { $0.deliveries > 0 }
    #expect(cascade?.spans.count == 10)
    #expect(cascade?.omitted == 41)
    #expect(cascade?.deliveries == 50)
  }

  @Test("Of a large cascade's later spans, the first violations are kept")
  func violations() {
    let person = Person()
    var limits = Inspection.Limits()
    limits.spansPerCascade = 10
    limits.violationsPerCascade = 3
    var inspection = inspection(limits: limits) {
      KeyValueViolation.withHandler { _ in
      } perform: {
        let observations = (1...20).map { _ in
          person.kvo.name.observe { person, _ in person.didChangeValue(forKey: "age") }
        }
        person.name = "Grace"
        for observation in observations { observation.invalidate() }
      }
    }
    let cascade = inspection.batch(now: 0, seconds: 1).cascades.first { $0.deliveries > 0 }
    // The deliveries of the last two violations aren't kept.
    var lines = ["change: Person.name"]
    for _ in 1...5 { lines += ["  delivery: Person.name", "    violation: ."] }
    lines += ["violation: .", "violation: ."]
    #expect(cascade?.lines == lines)
    #expect(cascade?.omitted == 28)
    #expect(cascade?.deliveries == 20)
    #expect(
      cascade?.spans.last?.origin.hasPrefix(
        "What led to it is among the events that were left out, on thread ") == true)
  }

  @Test("A long-running cascade is sent while it is open, and again when it has ended")
  func running() {
    let person = Person()
    let events = KeyValueTrace.recording {
      let observation = person.kvo.name.observe { person, _ in person.age += 1 }
      let other = person.kvo.age.observe { _, _ in }
      person.name = "Grace"
      observation.invalidate()
      other.invalidate()
    }.events
    let change = events.firstIndex { $0.kind == .changeBegan }!
    let start = events[change].nanoseconds
    var inspection = Inspection()
    inspection.take(Array(events[...(change + 1)]))
    #expect(inspection.batch(now: start, seconds: 1).cascades.map(\.isOpen) == [false, false])
    let later = start + 1_000_000_000
    let open = inspection.batch(now: later, seconds: 1).cascades
    #expect(open.map(\.lines) == [["change: Person.name", "  delivery: Person.name"]])
    #expect(open.map(\.isOpen) == [true])
    #expect(inspection.batch(now: later, seconds: 1).cascades.isEmpty)
    inspection.take(Array(events[(change + 2)...]))
    let ended = inspection.batch(now: later, seconds: 1).cascades.first
    #expect(ended?.id == open.first?.id)
    #expect(ended?.isOpen == false)
    #expect(
      ended?.lines == [
        "change: Person.name", "  delivery: Person.name", "    change: Person.age",
        "      delivery: Person.age",
      ])
  }

  @Test("Lost events close the open cascades, and later events begin new ones")
  func lost() {
    let person = Person()
    let events = KeyValueTrace.recording {
      let observation = person.kvo.name.observe { _, _ in }
      person.name = "Grace"
      person.name = "Mary"
      observation.invalidate()
    }.events
    let change = events.firstIndex { $0.kind == .changeBegan }!
    var inspection = Inspection()
    inspection.take(Array(events[...change]), lostCount: 3)
    inspection.take(Array(events[(change + 4)...]))
    let batch = inspection.batch(now: 0, seconds: 1)
    #expect(batch.lost == 3)
    #expect(batch.cascades.allSatisfy { !$0.isOpen })
    #expect(
      batch.cascades.map(\.lines) == [
        ["registered: Person.name"], ["change: Person.name"],
        ["change: Person.name", "  delivery: Person.name"], ["ended: Person.name"],
      ])
  }

  @Test("The buffer returns events in order, and counts those that did not fit")
  func buffer() {
    let people = [Person(), Person()]
    let events = KeyValueTrace.recording {
      let observations = people.map { $0.kvo.name.observe { _, _ in } }
      for person in people { person.name = "Grace" }
      _ = observations
    }.events
    let buffer = EventBuffer(capacity: events.count - 1)
    for event in events.reversed() { buffer.add(event) }
    let taken = buffer.take()
    #expect(taken.events.map(\.id) == events.dropFirst().map(\.id))
    #expect(taken.lostCount == 1)
    #expect(buffer.take().events.isEmpty)
    #expect(buffer.take().lostCount == 0)
  }
}
