import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Thermostat {
  var celsius = 0
  var fahrenheit = 32
}

/// A class whose accessors change the property, which announces the change, too.
@KeyValueObservable
private final class Album {
  var songs: [String] = []

  func insertObject(_ song: String, inSongsAt index: Int) { songs.insert(song, at: index) }
  func removeObject(fromSongsAt index: Int) { songs.remove(at: index) }
}

@Suite("Findings in a trace")
struct TraceFindingTests {
  @Test("A cycle is found, with the edge that closes it")
  func cycle() throws {
    let thermostat = Thermostat()
    let tokens = [
      thermostat.kvo.celsius.observe { thermostat, _ in
        if thermostat.fahrenheit < 40 { thermostat.fahrenheit += 1 }
      },
      thermostat.kvo.fahrenheit.observe { thermostat, _ in
        if thermostat.celsius < 3 { thermostat.celsius += 1 }
      },
    ]
    let findings = KeyValueTrace.recording { thermostat.celsius = 1 }.findings
    #expect(findings.cycles.count == 1)
    let cycle = try #require(findings.cycles.first)
    #expect(cycle.closing.registration?.place?.description == "TraceFindingTests.swift:29")
    #expect(
      "\(cycle)" == """
        A cycle, seen 4 times, closed by closure registered at TraceFindingTests.swift:29 of Thermostat.fahrenheit:
          Thermostat.celsius is set, was 0
          closure of Thermostat.celsius registered at TraceFindingTests.swift:26
          Thermostat.fahrenheit is set, was 32
          closure of Thermostat.fahrenheit registered at TraceFindingTests.swift:29
          Thermostat.celsius is set, was 1
        """)
    withExtendedLifetime(tokens) {}
  }

  @Test("A two-way binding and an edit through a proxy aren't cycles")
  func noCycle() {
    let (one, other) = (TracedField(), TracedField())
    let binding = one.kvo.text.bindTwoWay(to: other.kvo.text)
    let person = TracedPerson()
    let observation = person.kvo.nicknames.observe { _, _ in }
    let trace = KeyValueTrace.recording {
      one.text = "a"
      other.text = "b"
      person.mutableArrayValue(for: \.nicknames).append("c")
      person.nicknames.append("d")
    }
    #expect(trace.findings.cycles.isEmpty)
    #expect(trace.events.contains { $0.reason == .echo })
    withExtendedLifetime((binding, observation)) {}
  }

  @Test("A change of a property inside a larger change of it isn't a cycle")
  func partIsNoCycle() {
    let album = Album()
    let observation = album.kvo.songs.observe { _, _ in }
    let trace = KeyValueTrace.recording {
      album.mutableArrayValue(for: \.songs).append("Intro")
      album.mutableArrayValue(for: \.songs).removeFirst()
    }
    let changes = trace.events.filter { $0.kind == .changeBegan }
    #expect(changes.map(\.cause) == [nil, changes[0].id, nil, changes[2].id])
    #expect(trace.findings.cycles.isEmpty)
    observation.invalidate()
  }

  @Test("An avalanche is found, and printed as a tree with counts")
  func avalanche() throws {
    let person = TracedPerson()
    let tokens = (0..<30).map { _ in person.kvo.age.observe { _, _ in } }
    let trace = KeyValueTrace.recording { person.age = 1 }
    let avalanche = try #require(trace.findings(avalancheLimit: 29).avalanches.first)
    #expect(avalanche.deliveryCount == 30)
    #expect(
      "\(avalanche)" == """
        An avalanche of 30 deliveries:
          TracedPerson.age is set, was 36
            30 × closure of TracedPerson.age registered at TraceFindingTests.swift:83
        """)
    #expect(trace.findings(avalancheLimit: 30).avalanches.isEmpty)
    withExtendedLifetime(tokens) {}
  }

  @Test("Deliveries of equal values are found, with and without requested values")
  func equalValues() {
    let person = TracedPerson()
    let tokens = [
      person.kvo.age.observe(options: [.old, .new]) { _, _ in },
      person.kvo.age.observe { _, _ in },
      person.kvo.fullName.observe(options: [.old, .new]) { _, _ in },
    ]
    let trace = KeyValueTrace.recording {
      person.age = person.age
      person.firstName = person.firstName
      person.age = 1
    }
    #expect(trace.findings.equalValues.map(\.count) == [1, 1, 1])
    withExtendedLifetime(tokens) {}
  }

  @Test("An observer that is notified twice by one cause is found")
  func toldAgain() {
    let person = TracedPerson()
    let name = person.kvo.fullName.observe { _, _ in }
    let age = person.kvo.age.observe { person, _ in
      person.firstName = "Grace"
      person.lastName = "Hopper"
    }
    let trace = KeyValueTrace.recording { person.age = 1 }
    #expect(trace.findings.toldAgain.map(\.count) == [2])
    #expect(trace.findings.toldAgain.first?.event.keyPath == "fullName")
    #expect(Set(trace.findings.handlers.map(\.count)) == [1, 2])
    withExtendedLifetime((name, age)) {}
  }

  @Test("Registrations that only grow in number, and tokens that end at once, are found")
  func registrations() {
    let person = TracedPerson()
    var kept: [KeyValueObservation] = []
    let trace = KeyValueTrace.recording {
      for _ in 0..<10 {
        kept.append(person.kvo.age.observe { _, _ in })
        person.kvo.firstName.observe { _, _ in }.invalidate()
        let used = person.kvo.lastName.observe { _, _ in }
        person.lastName = "Hopper"
        used.invalidate()
      }
    }
    let findings = trace.findings
    #expect(findings.growing.map(\.event.keyPath) == ["age"])
    #expect(findings.growing.map(\.count) == [10])
    #expect(findings.growing.map(\.objectCount) == [1])
    #expect(findings.endedAtOnce.map(\.event.keyPath) == ["firstName"])
    #expect(findings.endedAtOnce.map(\.count) == [10])
  }

  @Test("Registrations at one place are one handler, with a count of their objects")
  func onePlace() {
    let people = (0..<12).map { _ in TracedPerson() }
    var kept: [KeyValueObservation] = []
    let line = #line + 3
    let trace = KeyValueTrace.recording {
      for person in people + people.prefix(2) {
        kept.append(person.kvo.age.observe(options: [.old, .new]) { _, _ in })
      }
      for person in people { person.age = person.age }
    }
    let findings = trace.findings
    #expect(findings.growing.map(\.count) == [14])
    #expect(findings.growing.map(\.objectCount) == [12])
    #expect(findings.equalValues.map(\.count) == [14])
    #expect(findings.handlers.map(\.count) == [14])
    #expect(findings.handlers.first?.event.registration?.place?.line == line)
    let lines = "\(findings)".split(separator: "\n")
    #expect(
      lines.dropLast() == [
        "Equal values, told 14 times: closure registered at TraceFindingTests.swift:\(line) of TracedPerson.age",
        "Only growing, 14 registrations on 12 objects, of which none has ended: "
          + "closure registered at TraceFindingTests.swift:\(line) of TracedPerson.age",
      ])
  }

  @Test("Two key paths on one line are two handlers")
  func oneLine() {
    let person = TracedPerson()
    let tokens = [person.kvo.age.observe { _, _ in }, person.kvo.firstName.observe { _, _ in }]
    let trace = KeyValueTrace.recording {
      person.age = 1
      person.firstName = "Grace"
    }
    #expect(Set(trace.findings.handlers.map(\.event.keyPath)) == ["age", "firstName"])
    withExtendedLifetime(tokens) {}
  }

  @Test("A trace without problems has no findings")
  func nothing() {
    let person = TracedPerson()
    let observation = person.kvo.fullName.observe(options: [.old, .new]) { _, _ in }
    let trace = KeyValueTrace.recording { person.firstName = "Grace" }
    #expect(trace.findings.isEmpty)
    #expect(trace.findings.handlers.count == 1)
    #expect(KeyValueTrace([]).findings.description == "Nothing was found.")
    withExtendedLifetime(observation) {}
  }
}
