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

@KeyValueObservable
private final class Board {
  enum Selection {
    case none
    case one(TracedPerson)
  }
  struct Corner {
    var x = 1
    var label: String? = "a"
  }
  struct Version: CustomStringConvertible {
    var number = 1
    var description: String { "version" }
  }
  var selection = Selection.none
  var selections: [Selection] = []
  var corner = Corner()
  var version = Version()
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
    #expect(cycle.closing.registration?.place?.description == "TraceFindingTests.swift:49")
    #expect(
      "\(cycle)" == """
        A cycle, seen 4 times, closed by closure registered at TraceFindingTests.swift:49 of Thermostat.fahrenheit:
          Thermostat.celsius is set, was 0
          closure of Thermostat.celsius registered at TraceFindingTests.swift:46
          Thermostat.fahrenheit is set, was 32
          closure of Thermostat.fahrenheit registered at TraceFindingTests.swift:49
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
            30 × closure of TracedPerson.age registered at TraceFindingTests.swift:103
        """)
    #expect(trace.findings(avalancheLimit: 30).avalanches.isEmpty)
    withExtendedLifetime(tokens) {}
  }

  @Test("A value that a binding passes back isn't a cycle, a handler in between makes one")
  func passedBack() {
    let (one, other) = (TracedField(), TracedField())
    let binding = one.kvo.text.bindTwoWay(
      to: other.kvo.text,
      transformer: KeyValueTransformer(forward: { $0 }, backward: { String($0.prefix(3)) }))
    let fixing = one.kvo.text.observe { field, _ in
      if field.text == "abc" { field.text = "ABC" }
    }
    let corrected = KeyValueTrace.recording { other.text = "abcd" }
    #expect(one.text == "ABC")
    #expect(corrected.findings.cycles.count == 1)
    fixing.invalidate()
    let shortened = KeyValueTrace.recording { other.text = "xyzt" }
    #expect(one.text == "xyz")
    #expect(shortened.findings.cycles.isEmpty)
    withExtendedLifetime(binding) {}
  }

  @Test("A validator's replacement that a binding passes back isn't a cycle")
  func replacementPassedBack() {
    let (field, other) = (ShortField(), TracedField())
    let binding = field.kvo.text.bindTwoWay(to: other.kvo.text, validates: true)
    let trace = KeyValueTrace.recording { other.text = "abcd" }
    #expect(field.text == "abc" && other.text == "abc")
    let changes = trace.events.filter { $0.kind == .changeBegan }
    #expect(changes.map { $0.object?.className } == ["TracedField", "ShortField", "TracedField"])
    #expect(trace.findings.cycles.isEmpty)
    binding.invalidate()
  }

  /// A shelf whose list has an observer that observes all keys of each new song.
  private final class Rows {
    var tokens: [KeyValueObservation] = []

    func end() {
      for token in tokens { token.invalidate() }
    }
  }

  private func rows(of shelf: Shelf) -> Rows {
    let rows = Rows()
    func show<Value>(_ path: KeyValueBoundPath<Song, Value>, in rows: Rows) {
      rows.tokens.append(path.observe(options: .initial) { _, _ in })
    }
    rows.tokens.append(
      shelf.kvo.albums.observe(options: .new) { [unowned rows] _, change in
        for song in change.newValue ?? [] {
          show(song.kvo.title, in: rows)
          show(song.kvo.artist, in: rows)
          show(song.kvo.year, in: rows)
          show(song.kvo.seconds, in: rows)
          show(song.kvo.plays, in: rows)
          song.title = "a"
          song.artist = "b"
          song.year = 1970
          song.seconds = 230
          song.plays = 1
        }
      })
    return rows
  }

  @Test("What observers do for each element of a change weighs as much as for one element")
  func elementsWeigh() throws {
    let shelf = Shelf()
    let rows = rows(of: shelf)
    defer { rows.end() }
    let list = shelf.mutableArrayValue(for: \.albums)
    let songs = (0..<4).map { _ in Song() }
    let insertion = KeyValueTrace.recording {
      list.insert(contentsOf: songs, at: RangeSet(0..<4))
    }
    // The list's observer, and five for each element; its five initial calls don't count.
    #expect(insertion.findings(avalancheLimit: 6).avalanches.isEmpty)
    #expect(insertion.findings(avalancheLimit: 5).avalanches.map(\.deliveryCount) == [41])
    let setting = KeyValueTrace.recording { shelf.albums = (0..<40).map { _ in Song() } }
    #expect(setting.findings(avalancheLimit: 6).avalanches.isEmpty)
    #expect(setting.findings(avalancheLimit: 5).avalanches.map(\.deliveryCount) == [401])
    let few = KeyValueTrace.recording { shelf.albums = [Song(), Song()] }
    #expect(few.findings(avalancheLimit: 6).avalanches.isEmpty)
    #expect(few.findings(avalancheLimit: 5).avalanches.map(\.deliveryCount) == [21])
  }

  @Test("A list's own observers weigh in full, however many elements change")
  func observersWeigh() {
    let shelf = Shelf()
    let tokens = (0..<30).map { _ in shelf.kvo.albums.observe { _, _ in } }
    let list = shelf.mutableArrayValue(for: \.albums)
    let trace = KeyValueTrace.recording {
      list.insert(contentsOf: (0..<10).map { _ in Song() }, at: RangeSet(0..<10))
    }
    #expect(trace.findings(avalancheLimit: 29).avalanches.map(\.deliveryCount) == [30])
    #expect(trace.findings(avalancheLimit: 30).avalanches.isEmpty)
    withExtendedLifetime(tokens) {}
  }

  @Test("Registrations of a function are counted for each key of each object")
  func keysOfObjects() {
    let songs = (0..<3).map { _ in Song() }
    var tokens: [KeyValueObservation] = []
    func show<Value>(_ path: KeyValueBoundPath<Song, Value>) {
      tokens.append(path.observe { _, _ in })
    }
    let line = #line - 2
    let trace = KeyValueTrace.recording {
      for song in songs {
        show(song.kvo.title)
        show(song.kvo.artist)
        show(song.kvo.year)
        show(song.kvo.plays)
      }
    }
    let growing = trace.findings.growing
    #expect(growing.map(\.count) == [12])
    #expect(growing.map(\.objectCount) == [3])
    #expect(growing.map(\.propertyCount) == [12])
    #expect(
      "\(trace.findings)"
        == "Only growing, 12 registrations for as many keys of 3 objects, of which none has "
        + "ended: closure registered at TraceFindingTests.swift:\(line) of Song.title")
    for token in tokens { token.invalidate() }
  }

  @Test("A registration has the place that its caller passes on")
  func placePassedOn() {
    let song = Song()
    func show(_ path: KeyValueBoundPath<Song, Int>, line: UInt = #line) -> KeyValueObservation {
      path.observe(line: line) { _, _ in }
    }
    var token: KeyValueObservation?
    let line = #line + 1
    let trace = KeyValueTrace.recording { token = show(song.kvo.plays) }
    #expect(trace.events.map { $0.registration?.place?.line } == [line])
    token?.invalidate()
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

  @Test("Values with the same text are equal only if the text shows everything")
  func equalTexts() {
    let board = Board()
    let tokens = [
      board.kvo.selection.observe(options: [.old, .new]) { _, _ in },
      board.kvo.selections.observe(options: [.old, .new]) { _, _ in },
      board.kvo.corner.observe(options: [.old, .new]) { _, _ in },
      board.kvo.version.observe(options: [.old, .new]) { _, _ in },
    ]
    func equalKeys(_ body: () -> Void) -> [String] {
      KeyValueTrace.recording(body).findings.equalValues.map(\.event.keyPath)
    }
    board.selection = .one(TracedPerson())
    board.selections = [.one(TracedPerson())]
    #expect(
      equalKeys {
        board.selection = .one(TracedPerson())
        board.selections = [.one(TracedPerson())]
        board.version = Board.Version(number: 2)
        board.corner = Board.Corner(x: 2)
      } == [])
    board.selection = .none
    #expect(
      equalKeys {
        board.selection = .none
        board.corner = board.corner
      } == ["selection", "corner"])
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

  @Test("An observer that ends itself in its initial call has been told, and hasn't ended at once")
  func endedByItself() {
    let person = TracedPerson()
    var tokens: [KeyValueObservation] = []
    let trace = KeyValueTrace.recording {
      tokens.append(person.kvo.age.observe(options: [.initial, .new], until: { _, _ in true }))
    }
    #expect(
      trace.events.map(\.kind).filter { $0 != .returned } == [.registered, .delivered, .ended])
    #expect(trace.findings.endedAtOnce.map(\.count) == [])
    #expect(tokens.map(\.isValid) == [false])
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

@KeyValueObservable
private final class Shelf {
  var albums: [Song] = []
}

@KeyValueObservable
private final class Song {
  var title = ""
  var artist = ""
  var year = 0
  var seconds = 0
  var plays = 0
}

/// A field whose validator shortens its text.
@KeyValueObservable
private final class ShortField {
  var text = ""

  func validateText(_ value: inout String) throws { value = String(value.prefix(3)) }
}
