import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Recording a key of a collection's elements: `members.name`.
@Suite("The change recorder: elements of a collection")
struct RecorderElementsTests {
  private let recorder = KeyValueChangeRecorder()
  private let crew = Crew([Sailor("Ada"), Sailor("Grace")])

  private func undoAll() throws -> [String] {
    var states = [state]
    while try recorder.undo() { states.append(state) }
    return states
  }

  private func redoAll() throws -> [String] {
    var states = [state]
    while try recorder.redo() { states.append(state) }
    return states
  }

  private var state: String {
    crew.members.map { "\($0.name) \($0.boat?.name ?? "-")" }.joined(separator: ", ")
  }

  @Test("Changes of elements' keys are undone and redone exactly")
  func changes() throws {
    try recorder.record(crew, "members.name")
    crew.members[0].name = "Alan"
    crew.members[1].name = "Edsger"
    crew.members[0].name = "Barbara"
    let states = ["Barbara -, Edsger -", "Alan -, Edsger -", "Alan -, Grace -", "Ada -, Grace -"]
    #expect(try undoAll() == states)
    #expect(try redoAll() == states.reversed())
    #expect(try undoAll() == states)
  }

  @Test("Elements are recorded while they are in the collection")
  func comingAndGoing() throws {
    try recorder.record(crew, "members", "members.name")
    let alan = Sailor("Alan")
    let ada = crew.members[0]
    let members = crew.mutableArrayValue(for: \.members)
    alan.name = "unrecorded"
    members.append(alan)
    alan.name = "Turing"
    ada.name = "Lovelace"
    members.remove(at: 0)
    ada.name = "gone"
    ada.name = "Lovelace"
    crew.members = [alan, ada]
    ada.name = "back"
    let states = [
      "Turing -, back -", "Turing -, Lovelace -", "Grace -, Turing -",
      "Lovelace -, Grace -, Turing -", "Ada -, Grace -, Turing -", "Ada -, Grace -, unrecorded -",
      "Ada -, Grace -",
    ]
    #expect(try undoAll() == states)
    #expect(try redoAll() == states.reversed())
    #expect(try undoAll() == states)
  }

  @Test("Paths continue after an element, and through another collection")
  func longer() throws {
    let fleet = Fleet([crew])
    try recorder.record(fleet, "crews.members.boat.name", "crews.members.boat")
    let boat = Boat("Mary")
    crew.members[0].boat = boat
    boat.name = "Celeste"
    let other = Crew([Sailor("Alan")])
    fleet.crews.append(other)
    other.members[0].boat = Boat("Argo")
    other.members[0].boat?.name = "Nautilus"
    fleet.crews.removeLast()
    other.members[0].name = "unrecorded"
    #expect(try recorder.undo() && other.members[0].boat?.name == "Argo")
    #expect(try recorder.undo() && other.members[0].boat == nil)
    #expect(try recorder.undo() && boat.name == "Mary")
    #expect(try recorder.undo() && crew.members[0].boat == nil)
    #expect(try !recorder.undo())
  }

  @Test("An element recorded in two collections, and by itself, is recorded once")
  func twice() throws {
    let ada = crew.members[0]
    let other = Crew([ada])
    try recorder.record(crew, "members.name")
    try recorder.record(other, "members.name")
    try recorder.record(ada, "name")
    ada.name = "Lovelace"
    crew.members.removeFirst()
    ada.name = "Countess"
    other.members = []
    ada.name = "Augusta"
    #expect(try recorder.undo() && ada.name == "Countess")
    #expect(try recorder.undo() && ada.name == "Lovelace")
    #expect(try recorder.undo() && ada.name == "Ada")
    #expect(try !recorder.undo())
  }

  @Test("The root may be an element of its own collection, and leave it")
  func ownElement() throws {
    for isInHousehold in [false, true] {
      let recorder = KeyValueChangeRecorder()
      let (ada, grace, alan) = (Friend("Ada"), Friend("Grace"), Friend("Alan"))
      let household = Household()
      ada.household = household
      (ada.friends, household.members) = ([ada, grace], [ada, grace])
      try recorder.record(ada, isInHousehold ? "household.members.name" : "friends.name")
      ada.friends.removeFirst()
      household.members.removeFirst()
      ada.name = "unrecorded"
      ada.mutableArrayValue(for: \.friends).append(alan)
      household.mutableArrayValue(for: \.members).append(alan)
      alan.name = "Turing"
      grace.name = "Hopper"
      #expect(recorder.description.hasSuffix(" 2 levels to undo, 0 to redo)"))
      #expect(try recorder.undo() && grace.name == "Grace")
      #expect(try recorder.undo() && alan.name == "Alan" && !recorder.canUndo)
    }
    let ada = Friend("Ada")
    ada.friends = [ada]
    try recorder.record(ada, "friends.friends")
    ada.friends.append(Friend("Grace"))
    #expect(try recorder.undo() && ada.friends.map(\.name) == ["Ada"])
    ada.friends = []
  }

  @Test("An element that the collection contains several times is recorded until it has left")
  func repeated() throws {
    let ada = crew.members[0]
    try recorder.record(crew, "members.name")
    let members = crew.mutableArrayValue(for: \.members)
    members.append(ada)
    members.remove(at: 0)
    ada.name = "one"
    crew.members.append(ada)
    members.swapAt(0, 1)
    members.remove(at: 0)
    ada.name = "two"
    crew.members.removeLast()
    #expect(crew.members.map(\.name) == ["Grace"] && ada.isIdle)
    #expect(try recorder.undo() && ada.name == "one")
    #expect(try recorder.undo() && ada.name == "Ada" && !recorder.canUndo)
  }

  @Test(
    "The elements of ordered collections of all kinds are followed",
    arguments: ["pieces", "spares", "gaps", "mixed"])
  func ordered(key: String) throws {
    let chest = Chest()
    let pieces = (0..<5).map { Piece($0) }
    try recorder.record(chest, "\(key).weight")
    let list = try chest.mutableArrayValue(forKey: key)
    var recorded: [[Int]] = []
    func note() { recorded.append(pieces.filter { !$0.isIdle }.map(\.weight)) }
    list.append(pieces[0])
    note()
    if key == "gaps" { chest.gaps.append(nil) }
    list.insert(contentsOf: [pieces[1], pieces[2]] as [Any], at: 0)
    note()
    list.append(pieces[1])
    list.remove(at: 0)
    list.swapAt(0, 1)
    note()
    list[0] = pieces[3]
    note()
    list.remove(at: RangeSet(0..<2))
    note()
    list.append(pieces[4])
    note()
    list.removeAll()
    note()
    #expect(
      recorded == [
        [0], [0, 1, 2], [0, 1, 2], [1, 2, 3], [1], [1, 4], [],
      ])
  }

  @Test("The elements of a set are followed")
  func unordered() throws {
    let chest = Chest()
    let pieces = (0..<5).map { Piece($0) }
    try recorder.record(chest, "kinds.weight")
    let kinds = chest.mutableSetValue(for: \.kinds)
    var recorded: [[Int]] = []
    func note() { recorded.append(pieces.filter { !$0.isIdle }.map(\.weight)) }
    kinds.formUnion(pieces.prefix(3))
    note()
    kinds.remove(pieces[1])
    note()
    kinds.replaceAll(with: [pieces[2], pieces[3]])
    note()
    chest.kinds.insert(pieces[4])
    note()
    chest.kinds = []
    note()
    #expect(recorded == [[0, 1, 2], [0, 2], [2, 3], [2, 3, 4], []])
  }

  @Test(
    "The collection's elements are recorded if an observer answers its change with another one",
    arguments: [true, false])
  func answered(isFirst: Bool) throws {
    let (ada, grace) = (crew.members[0], crew.members[1])
    let (alan, barbara) = (Sailor("Alan"), Sailor("Barbara"))
    let members = crew.mutableArrayValue(for: \.members)
    var answer: (() -> Void)?
    func observe() -> KeyValueObservation {
      crew.observe(\.members) { _, _ in
        let next = answer
        answer = nil
        next?()
      }
    }
    let early = isFirst ? observe() : nil
    try recorder.record(crew, "members.name")
    let late = isFirst ? nil : observe()
    var recorded: [[String]] = []
    func note(_ change: () -> Void, answer next: @escaping () -> Void) {
      answer = next
      change()
      recorded.append([ada, grace, alan, barbara].filter { !$0.isIdle }.map(\.name))
    }
    note({ members[0] = alan }, answer: { crew.members = [ada, grace] })
    note({ members.append(alan) }, answer: { members.removeLast() })
    note({ members.remove(at: 0) }, answer: { members.insert(ada, at: 1) })
    #expect(crew.members.map(\.name) == ["Grace", "Ada"])
    note({ members[0] = alan }, answer: { members.insert(barbara, at: 0) })
    #expect(crew.members.map(\.name) == ["Barbara", "Alan", "Ada"])
    note({ members.insert(grace, at: 0) }, answer: { members.remove(at: 1) })
    #expect(
      recorded == [
        ["Ada", "Grace"], ["Ada", "Grace"], ["Ada", "Grace"], ["Ada", "Alan", "Barbara"],
        ["Ada", "Grace", "Alan"],
      ])
    withExtendedLifetime((early, late)) {}
  }

  @Test("A group and a transaction include changes of elements")
  func levels() throws {
    try recorder.record(crew, "members", "members.name")
    recorder.group {
      crew.members[0].name = "Alan"
      crew.members.removeFirst()
      crew.members[0].name = "Edsger"
    }
    crew.performChanges { crew in
      crew.members.append(Sailor("Barbara"))
      crew.members[1].name = "Liskov"
    }
    #expect(state == "Edsger -, Liskov -")
    #expect(try recorder.undo() && state == "Edsger -")
    #expect(try recorder.undo() && state == "Ada -, Grace -")
    #expect(try recorder.redo() && state == "Edsger -")
    #expect(try recorder.redo() && state == "Edsger -, Liskov -")
  }

  @Test("A transaction that is rolled back leaves no change of an element to undo")
  func rollback() throws {
    struct Mutiny: Error {}
    try recorder.record(crew, "members", "members.name")
    crew.members[0].name = "Alan"
    #expect(throws: Mutiny.self) {
      try crew.performChanges(rollingBack: true) { crew in
        crew.members[0].name = "Edsger"
        crew.members.append(Sailor("Barbara"))
        crew.members[2].name = "Liskov"
        throw Mutiny()
      }
    }
    #expect(state == "Alan -, Grace -")
    crew.members[1].name = "Hopper"
    #expect(try recorder.undo() && state == "Alan -, Grace -")
    #expect(try recorder.undo() && state == "Ada -, Grace -")
    #expect(try !recorder.undo())
    #expect(try recorder.redo() && state == "Alan -, Grace -")
    #expect(try recorder.redo() && state == "Alan -, Hopper -")
  }

  @Test("Stopping, or the death of the collection's owner, ends the recording of elements")
  func stopping() throws {
    let (ada, grace) = (crew.members[0], crew.members[1])
    try recorder.record(crew, "members.name")
    recorder.stopRecording(crew, "members.name")
    ada.name = "one"
    #expect(!recorder.canUndo && ada.observationInfo.isEmpty && crew.observationInfo.isEmpty)
    try recorder.record(crew, "members.name")
    recorder.stopRecording(crew)
    ada.name = "two"
    #expect(!recorder.canUndo && ada.observationInfo.isEmpty)
    var owner: Crew? = Crew([grace])
    try recorder.record(owner!, "members.name")
    owner = nil
    grace.name = "three"
    #expect(!recorder.canUndo && grace.observationInfo.isEmpty)
  }

  @Test("A key of an element that can't be recorded is refused, and then nothing is recorded")
  func refusals() throws {
    for (keyPath, words) in [
      ("members.nam", "Sailor has no key 'nam'. Did you mean 'name'?"),
      (
        "members.title",
        "Sailor.title can be read but not set: it is computed. Record what it depends on: 'name', or "
          + "everything with record(graph:)."
      ),
    ] {
      let error = #expect(throws: KeyValueCodingError.self) {
        try recorder.record(crew, "members", "members.name", keyPath)
      }
      #expect("\(error!)" == words)
    }
    #expect(crew.observationInfo.isEmpty && crew.members[0].observationInfo.isEmpty)
  }

  @Test("L3 An element that can't be recorded, and a path recorded twice, are reported")
  func reports() throws {
    try ViolationLog.record { violations in
      let recorder = KeyValueChangeRecorder()
      let crew = Crew([])
      try recorder.record(crew, "members.title")
      crew.members = [Sailor("Ada")]
      try recorder.record(crew, "members.title")
      #expect(
        violations.take() == [
          "unobservableValue: Sailor.title can be read but not set: it is computed. Record what it "
            + "depends on: 'name', or everything with record(graph:). It came into 'members', and its "
            + "'title' is not recorded.",
          "tolerated: 'members.title' of Crew is recorded by this recorder already, and the second call "
            + "was ignored. Record it once.",
        ])
    }
  }

  @Test("R5 Nothing is retained, and recording ends when the recorder is released")
  func lifetimes() throws {
    var recorder: KeyValueChangeRecorder? = KeyValueChangeRecorder()
    weak let weakRecorder = recorder
    try recorder?.record(crew, "members.name")
    weak let ada = crew.members[0]
    crew.members.removeFirst()
    #expect(ada == nil)
    recorder = nil
    #expect(weakRecorder == nil)
    #expect(crew.observationInfo.isEmpty && crew.members[0].observationInfo.isEmpty)
  }
}

@KeyValueObservable
private final class Sailor {
  var name: String
  var boat: Boat?
  var title: String { "Sailor " + name }

  init(_ name: String) { self.name = name }
}

@KeyValueObservable
private final class Friend {
  var name: String
  var friends: [Friend] = []
  var household: Household?

  init(_ name: String) { self.name = name }
}

@KeyValueObservable
private final class Household {
  var members: [Friend] = []
}

@KeyValueObservable
private final class Boat {
  var name: String

  init(_ name: String) { self.name = name }
}

@KeyValueObservable
private final class Crew {
  var members: [Sailor]

  init(_ members: [Sailor]) { self.members = members }
}

@KeyValueObservable
private final class Fleet {
  var crews: [Crew]

  init(_ crews: [Crew]) { self.crews = crews }
}
