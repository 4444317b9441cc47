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
