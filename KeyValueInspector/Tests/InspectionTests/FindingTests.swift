import KeyValueObserving
import Testing

@testable import Inspection

@Suite struct FindingTests {
  private func serious(_ inspection: inout Inspection) -> [FindingsAnswer.Finding] {
    inspection.findings().list.filter(\.isSerious)
  }

  @Test("A cycle is reported with the registration that closes it")
  func cycle() throws {
    let person = Person()
    let line = #line + 2
    var inspection = inspection {
      let observation = person.kvo.age.observe { person, _ in
        if person.age < 40 { person.age += 1 }
      }
      person.age = 38
      observation.invalidate()
    }
    let finding = try #require(serious(&inspection).first { $0.kind == "cycle" })
    #expect(finding.title == "Cycle: a change of Person 1.age leads to another change of it")
    #expect(
      finding.words == "The closure registered at FindingTests.swift:\(line) closes it, 2 times.")
    #expect(finding.lines.count == 3)
  }

  @Test("An avalanche is reported with its deliveries and the place with most of them")
  func avalanche() throws {
    let person = Person()
    let line = #line + 2
    var inspection = inspection {
      let observations = (1...30).map { _ in person.kvo.name.observe { _, _ in } }
      person.name = "Grace"
      for observation in observations { observation.invalidate() }
    }
    let finding = try #require(serious(&inspection).first { $0.kind == "avalanche" })
    #expect(finding.title == "Avalanche: one change of Person 1.name")
    #expect(finding.words.hasPrefix("It leads to 30 deliveries"))
    #expect(finding.words.contains("FindingTests.swift:\(line)"))
  }

  @Test("Registrations at one place that never end are reported as a leak")
  func leak() throws {
    let people = [Person(), Person()]
    var kept: [KeyValueObservation] = []
    let line = #line + 3
    var inspection = inspection {
      for _ in 1...30 {
        kept.append(people[0].kvo.name.observe { _, _ in })
        let brief = people[1].kvo.name.observe { _, _ in }
        people[1].name += "!"
        brief.invalidate()
      }
    }
    let leaks = serious(&inspection).filter { $0.kind == "growing" }
    #expect(
      leaks.map(\.title) == [
        "Leak: registrations at FindingTests.swift:\(line) only grow in number"
      ])
    #expect(
      leaks.first?.words == "30 were made, of Person.name, on one object, and none has ended.")
    kept.removeAll()
  }

  @Test("One registration per object isn't a leak, until an object has a second one")
  func oneForEach() {
    let people = (1...30).map { _ in Person() }
    var kept: [KeyValueObservation] = []
    func watch(_ people: some Sequence<Person>) -> [KeyValueTrace.Event] {
      KeyValueTrace.recording {
        for person in people { kept.append(person.kvo.name.observe { _, _ in }) }
      }.events
    }
    var inspection = Inspection()
    inspection.take(watch(people))
    #expect(serious(&inspection) == [])
    #expect(
      inspection.findings().list.filter { $0.kind == "growing" }.map(\.words) == [
        "30 were made, of Person.name, one for each of 30 objects, and none has ended."
      ])
    inspection.take(watch(people.prefix(1)))
    let growing = inspection.findings().list.filter { $0.kind == "growing" }
    #expect(growing.map(\.isSerious) == [true])
    #expect(
      growing.map(\.words) == [
        "31 were made, of Person.name, on 30 objects, and none has ended."
      ])
    kept.removeAll()
  }

  @Test("One registration for each key of each object isn't a leak, even if a function makes all")
  func oneForEachKey() {
    let people = (1...10).map { _ in Person() }
    var kept: [KeyValueObservation] = []
    func watch<Value>(_ path: KeyValueBoundPath<Person, Value>) {
      kept.append(path.observe { _, _ in })
    }
    var inspection = inspection {
      for person in people {
        watch(person.kvo.name)
        watch(person.kvo.age)
      }
    }
    #expect(serious(&inspection) == [])
    #expect(
      inspection.findings().list.filter { $0.kind == "growing" }.map(\.words) == [
        "20 were made, of Person.name and others, one for each key of 10 objects, and none has "
          + "ended."
      ])
    inspection.take(KeyValueTrace.recording { watch(people[0].kvo.age) }.events)
    #expect(serious(&inspection).map(\.kind) == ["growing"])
    kept.removeAll()
  }

  @Test("What a list does for each inserted element isn't an avalanche")
  func insertedElements() {
    let shelf = Shelf()
    var rows: [KeyValueObservation] = []
    let observation = shelf.kvo.people.observe(options: [.new]) { _, change in
      for person in change.newValue ?? [] {
        rows.append(person.kvo.name.observe(options: .initial) { _, _ in })
        rows.append(person.kvo.age.observe(options: .initial) { _, _ in })
      }
    }
    let list = shelf.mutableArrayValue(for: \.people)
    var inspection = inspection {
      list.insert(contentsOf: (1...50).map { _ in Person() }, at: RangeSet(0..<50))
    }
    #expect(serious(&inspection) == [])
    observation.invalidate()
  }

  @Test("A finding stays after its events are dropped, and is reported once")
  func sticky() {
    let person = Person()
    var limits = Inspection.Limits()
    limits.eventsForFindings = 100
    var inspection = Inspection(limits: limits)
    let cycle = KeyValueTrace.recording {
      let observation = person.kvo.age.observe { person, _ in
        if person.age < 40 { person.age += 1 }
      }
      person.age = 38
      observation.invalidate()
    }
    inspection.take(cycle.events)
    let first = serious(&inspection)
    #expect(first.contains { $0.kind == "cycle" })
    let others = KeyValueTrace.recording {
      let observation = person.kvo.name.observe { _, _ in }
      for number in 1...500 { person.name = "\(number)" }
      observation.invalidate()
    }
    inspection.take(others.events)
    #expect(serious(&inspection) == first)
    #expect(serious(&inspection) == first)
  }

  @Test("Each of several violations is listed once")
  func violations() {
    let person = Person()
    let events = KeyValueTrace.recording {
      KeyValueViolation.withHandler { _ in
      } perform: {
        for key in ["age", "name", "age"] { person.didChangeValue(forKey: key) }
      }
    }.events
    let messages = events.filter { $0.kind == .violation }.compactMap(\.message)
    #expect(messages.count == 3 && messages[0] != messages[1] && messages[0] == messages[2])
    var inspection = Inspection()
    inspection.take(events)
    #expect(serious(&inspection).map(\.words) == [messages[1], messages[0]])
  }

  @Test("The findings of one kind are limited, and displace no others")
  func many() {
    let person = Person()
    var inspection = inspection {
      let observation = person.kvo.age.observe { person, _ in
        if person.age < 40 { person.age += 1 }
      }
      person.age = 38
      observation.invalidate()
      KeyValueViolation.withHandler { _ in
      } perform: {
        for number in 1...100 { person.willChangeValue(forKey: "key\(number)") }
      }
    }
    let found = serious(&inspection)
    #expect(found.filter { $0.kind == "cycle" }.count == 1)
    let violations = found.filter { $0.kind == "violation" }.map(\.words)
    #expect(violations.count == 60 && violations[0].contains("key100"))
  }

  @Test("Handlers of one key that are called for nothing are listed each with its place")
  func places() {
    let person = Person()
    let line = #line + 3
    var inspection = inspection {
      let observations = [
        person.kvo.name.observe(options: [.old, .new]) { _, _ in },
        person.kvo.name.observe(options: [.old, .new]) { _, _ in },
        person.kvo.age.observe { person, _ in person.name = "Ada" },
        person.kvo.age.observe { person, _ in person.name = "Ada" },
      ]
      person.age = 38
      for observation in observations { observation.invalidate() }
    }
    func words(_ kind: String) -> [String] {
      inspection.findings().list.filter { $0.kind == kind }.map(\.words)
    }
    let handlers = [1, 0].map { offset in
      "The closure registered at FindingTests.swift:\(line + offset) was called"
    }
    let equal = words("equal")
    #expect(equal == handlers.map { "\($0) although old and new are equal, 2 times." })
    let again = words("again")
    #expect(again == handlers.map { "\($0) 2 times by one cause." })
  }

  @Test("Two cycles through one property are two findings; the same with other values is one")
  func cycles() {
    let person = Person()
    let line = #line + 3
    func round(from age: Int) -> [KeyValueTrace.Event] {
      KeyValueTrace.recording {
        let first = person.kvo.age.observe { person, _ in
          if person.age < age + 2 { person.age += 1 }
        }
        let second = person.kvo.age.observe { person, _ in
          if person.age < age + 5 { person.age += 1 }
        }
        person.age = age
        first.invalidate()
        second.invalidate()
      }.events
    }
    let words = [(3, 3), (0, 2)].map { offset, count in
      "The closure registered at FindingTests.swift:\(line + offset) closes it, \(count) times."
    }
    var limits = Inspection.Limits()
    // More than the events of one round, and less than those of three.
    limits.eventsForFindings = 40
    var inspection = Inspection(limits: limits)
    for age in [10, 20, 30] {
      inspection.take(round(from: age))
      let cycles = serious(&inspection).filter { $0.kind == "cycle" }
      #expect(cycles.map(\.words) == words)
    }
  }

  @Test("A program without problems has only the times of its handlers")
  func innocent() {
    let person = Person()
    var inspection = inspection {
      let observation = person.kvo.title.observe(options: [.old, .new]) { _, _ in }
      person.name = "Grace"
      observation.invalidate()
    }
    #expect(serious(&inspection) == [])
    #expect(inspection.findings().list.map(\.kind) == ["times"])
  }
}
