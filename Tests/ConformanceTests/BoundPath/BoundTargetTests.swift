import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A target that holds values in several places.
@KeyValueObservable
final class Screen {
  var text = ""
  var number: Int?
  var count = 0
  var frame = Frame()
  var panel: Pane?
  private(set) var locked = 0
  let fixed = 0
  var computed: Int { count * 2 }
}

@KeyValueObservable
final class Pane {
  var title = "-"
  var count = -1
  var frame = Frame()
  var screen: Screen?
}

extension Screen {
  /// A member that's no key.
  fileprivate var shout: String { text.uppercased() }
}

private struct NotTwoDigits: Error {}

@Suite("B. Targets of bindings")
struct BoundTargetTests {
  private let log = ChangeLog()
  private let person = Person()
  private let screen = Screen()

  @Test(
    "B1 The target may be a path by string without a type; a value that doesn't fit is an error")
  func untypedString() throws {
    person.nickname = nil
    let noting: (any Error) -> Void = { [log] in log.note("\($0)") }
    let bindings = [
      person.kvo.age.bind(to: try screen.kvo("number")),
      person.kvo.nickname.bind(to: try screen.kvo("panel.title"), onError: noting),
      person.kvo.firstName.bind(to: try screen.kvo("count"), onError: noting),
    ]
    #expect(bindings.map(\.isValid) == [true, true, true])
    person.age = 4
    #expect(screen.number == 4)
    screen.panel = Pane()
    person.nickname = "Countess"
    #expect(screen.panel?.title == "Countess")
    #expect(
      log.take() == [
        "Screen.count was given a value of the wrong type: it holds Int, which cannot take \"Ada\" of "
          + "type String exactly.",
        "Pane.title (component 2 of 'panel.title') cannot be nil: it holds String.",
      ])
    withExtendedLifetime(bindings) {}
  }

  @Test("B1 A value of any type is bound to an optional one")
  func anyValue() {
    let (first, second) = (Parcels(), Parcels())
    let binding = first.kvo.content.bind(to: second.kvo.label)
    #expect(second.label as? Int == 1)
    first.content = "a"
    #expect(second.label as? String == "a")
    first.content = Int?.none as Any
    #expect(second.label == nil)
    binding.invalidate()
  }

  @KeyValueObservable
  final class Parcels {
    var content: Any = 1
    var label: Any?
  }

  @Test("B1 While an optional owner is nil, nothing is set; a new owner is set at once")
  func optionalOwner() {
    let binding = person.kvo.age.bind(to: screen.kvo.panel.count)
    person.age = 1
    #expect(binding.isValid)
    let first = Pane()
    screen.panel = first
    #expect(first.count == 1)
    person.age = 2
    let second = Pane()
    screen.panel = second
    person.age = 3
    #expect((first.count, second.count) == (2, 3))
    screen.panel = nil
    person.age = 4
    #expect((first.count, second.count) == (2, 3))
    binding.invalidate()
    screen.panel = first
    #expect(first.count == 2)
    #expect(isIdle(person, screen, first, second))
  }

  @Test("B1 A transformer to a value that isn't optional serves an optional target, and an owner's")
  func optionalTransformed() throws {
    let digits = KeyValueTransformer<Int, String>(
      forward: { age in
        guard age < 100 else { throw NotTwoDigits() }
        return "\(age)"
      },
      backward: { Int($0) ?? 0 })
    let bindings = [
      person.kvo.age.bind(
        to: person.kvo.nickname, transformer: digits, onError: { [log] in log.note("\($0)") }),
      person.kvo.age.bind(to: screen.kvo.panel.title, transformer: digits, onError: { _ in }),
    ]
    #expect(person.nickname == "36" && bindings.allSatisfy(\.isValid))
    person.age = 4
    let pane = Pane()
    screen.panel = pane
    #expect(person.nickname == "4" && pane.title == "4")
    person.age = 100
    #expect(person.nickname == "4" && pane.title == "4" && log.take() == ["NotTwoDigits()"])
    withExtendedLifetime(bindings) {}
  }

  @Test("B3 In a two-way binding, a new owner receives the source's value and never sets it")
  func optionalOwnerTwoWay() {
    let first = Pane()
    screen.panel = first
    let binding = person.kvo.firstName.bindTwoWay(
      to: screen.kvo.panel.title, transformer: Self.optional)
    #expect(first.title == "Ada")
    first.title = "Grace"
    #expect(person.firstName == "Grace")
    let second = Pane()
    screen.panel = second
    #expect((person.firstName, second.title) == ("Grace", "Grace"))
    second.title = "Alan"
    first.title = "nobody hears this"
    #expect(person.firstName == "Alan")
    screen.panel = nil
    person.firstName = "Edsger"
    screen.panel = first
    #expect((person.firstName, first.title) == ("Edsger", "Edsger"))
    #expect(binding.description == "KeyValueBinding(firstName <-> Screen, valid)")
  }

  private static let optional = KeyValueTransformer<String, String?>(
    forward: { $0 }, backward: { $0 ?? "" })

  @Test("B3 A new owner set in a transaction receives the source's value")
  func optionalOwnerInTransaction() {
    screen.panel = Pane()
    let binding = person.kvo.firstName.bindTwoWay(
      to: screen.kvo.panel.title, transformer: Self.optional)
    let panel = Pane()
    screen.performChanges {
      $0.panel = panel
      #expect(panel.title == "-")
    }
    #expect((person.firstName, panel.title) == ("Ada", "Ada"))
    #expect(binding.isValid)
  }

  @Test("B3 When an optional owner goes away, the source keeps its value")
  func optionalOwnerGone() {
    screen.panel = Pane()
    let other = Person()
    let account = Account()
    let bindings = [
      person.kvo.firstName.bindTwoWay(to: screen.kvo.panel.title, transformer: Self.optional),
      person.kvo.nickname.bindTwoWay(to: account.kvo.owner.nickname),
      other.kvo.firstName.bindTwoWay(to: account.kvo.owner.firstName, transformer: Self.optional),
    ]
    screen.panel = nil
    #expect(person.firstName == "Ada")
    screen.panel = Pane()
    screen.performChanges { $0.panel = nil }
    #expect(person.firstName == "Ada")
    do {
      let owner = Person()
      account.owner = owner
      owner.firstName = "Grace"
      owner.nickname = "Amazing"
    }
    #expect(account.owner == nil)
    #expect((other.firstName, person.nickname) == ("Grace", "Amazing"))
    let panel = Pane()
    screen.panel = panel
    panel.title = "Alan"
    #expect(person.firstName == "Alan")
    #expect(bindings.allSatisfy { $0.isValid })
  }

  @Test("B1 Setting a member of a value notifies once for the whole value")
  func members() {
    let token = screen.kvo.frame.observe { [log] screen, _ in log.note("\(screen.frame.origin.x)") }
    let binding = person.kvo.account.balance.bind(to: screen.kvo.frame.origin.x) { $0 ?? -1 }
    person.account = Account(balance: 5)
    person.account?.balance = 6
    #expect(log.take() == ["-1.0", "5.0", "6.0"])
    screen.panel = Pane()
    let deep = person.kvo.account.balance.bind(to: screen.kvo.panel.frame.origin.y)
    #expect(screen.panel?.frame.origin.y == 6)
    screen.panel = Pane()
    #expect(screen.panel?.frame.origin.y == 6)
    #expect(binding.isValid && deep.isValid && token.isValid)
  }

  @Test("B3 Two-way bindings of two members of a value do not restore each other's old values")
  func membersOfOneValue() {
    let first = Screen()
    let bindings = [
      screen.kvo.frame.origin.x.bindTwoWay(to: first.kvo.frame.origin.x),
      screen.kvo.frame.origin.y.bindTwoWay(to: first.kvo.frame.origin.y),
    ]
    screen.frame.origin.x = 1
    screen.frame.origin.y = 2
    #expect(first.frame == screen.frame)
    first.frame.origin.y = 3
    first.frame.origin.x = 4
    #expect(first.frame == screen.frame)
    var both = Frame()
    both.origin.x = 5
    both.origin.y = 6
    screen.frame = both
    #expect((first.frame, screen.frame) == (both, both))
    #expect(bindings.allSatisfy { $0.isValid })
  }

  @Test("B3 A new whole value of the target's side keeps all its members")
  func membersOfSource() {
    let (first, other) = (Screen(), Screen())
    let bindings = [
      screen.kvo.frame.origin.x.bindTwoWay(to: first.kvo.frame.origin.x),
      screen.kvo.frame.origin.y.bindTwoWay(to: first.kvo.frame.origin.y),
      other.kvo.frame.origin.x.bindTwoWay(to: other.kvo.frame.origin.y),
    ]
    var both = Frame()
    both.origin.x = 5
    both.origin.y = 6
    first.frame = both
    #expect((first.frame, screen.frame) == (both, both))
    both.origin.x = 7
    both.origin.y = 8
    first.performChanges { $0.frame = both }
    #expect((first.frame, screen.frame) == (both, both))
    other.frame.origin.y = 6
    #expect((other.frame.origin.x, other.frame.origin.y) == (6, 6))
    #expect(bindings.allSatisfy { $0.isValid })
  }

  @Test("B3 Another member of the source's value does not set the target again")
  func otherMemberOfSource() {
    let digits = KeyValueTransformer<Double, String>(
      forward: { "\(Int($0))" }, backward: { Double($0) ?? -1 })
    let binding = screen.kvo.frame.origin.x.bindTwoWay(
      to: person.kvo.firstName, transformer: digits)
    person.firstName = "007"
    screen.frame.origin.y = 3
    #expect((screen.frame.origin.x, person.firstName) == (7, "007"))
    screen.frame.origin.x = 8
    #expect(person.firstName == "8")
    binding.invalidate()
  }

  @Test("B3 A refused text stays until its key is set, or until its member is another value")
  func refusedText() {
    let digits = KeyValueTransformer<Int, String>(
      forward: { "\($0)" },
      backward: { text in
        guard let number = Int(text) else { throw NotTwoDigits() }
        return number
      })
    let whole = KeyValueTransformer<Double, String>(
      forward: { "\(Int($0))" },
      backward: { text in
        guard let number = Double(text) else { throw NotTwoDigits() }
        return number
      })
    let (key, member) = (Person(), Person())
    let bindings = [
      screen.kvo.count.bindTwoWay(
        to: key.kvo.firstName, transformer: digits, onError: { [log] _ in log.note("key") }),
      screen.kvo.frame.origin.x.bindTwoWay(
        to: member.kvo.firstName, transformer: whole, onError: { [log] _ in log.note("member") }),
    ]
    func texts(after change: () -> Void) -> [String] {
      (key.firstName, member.firstName) = ("?", "?")
      #expect(log.take() == ["key", "member"])
      change()
      return [key.firstName, member.firstName]
    }
    #expect(texts { screen.text = "another key" } == ["?", "?"])
    #expect(texts { screen.count = 0 } == ["0", "?"])
    #expect(texts { screen.performChanges { $0.count = 0 } } == ["0", "?"])
    // A change of the key "frame" doesn't tell which member was set.
    #expect(texts { screen.frame.origin.x = 0 } == ["?", "?"])
    #expect(texts { screen.frame.origin.y = 1 } == ["?", "?"])
    #expect(texts { screen.frame = Frame() } == ["?", "?"])
    #expect(texts { screen.frame.origin.x = 1 } == ["?", "1"])
    #expect(log.take() == [] && bindings.allSatisfy { $0.isValid })
  }

  @KeyValueObservable
  final class Outlets {
    var name: String! = "outlet"
    var screen: Screen!
  }

  @Test("L1 A property declared with ! can only be set one-way; the message names the declaration")
  func implicitlyUnwrapped() {
    ViolationLog.record { violations in
      let (person, outlets) = (Person(), Outlets())
      let bindings = [
        person.kvo.firstName.bind(to: outlets.kvo.name),
        person.kvo.firstName.bind(to: outlets.kvo.screen.text),
        outlets.kvo.screen.text.bind(to: person.kvo.firstName),
      ]
      #expect(bindings.map(\.isValid) == [true, true, false])
      outlets.screen = Screen()
      person.firstName = "Grace"
      #expect((outlets.name, outlets.screen.text) == ("Grace", "Grace"))
      let screen =
        "unobservablePath: \\Outlets.screen! unwraps the key 'screen', so it names no key. Write "
        + ".screen without !. If it is declared as Screen!, declare it as Screen?: the compiler reads "
        + ".screen with ! here."
      #expect(violations.take() == [screen])
      withExtendedLifetime(bindings) {}
    }
  }

  @Test("B2 nil for a non-optional target is the error nilValue; the target keeps its value")
  func nilValues() throws {
    screen.panel = Pane()
    var errors: [String] = []
    let source = Screen()
    source.number = 7
    let bindings = [
      source.kvo.number.bind(to: screen.kvo.panel.count, onError: { errors.append("\($0)") }),
      try source.kvo("number").bind(
        to: screen.kvo("count", as: Any?.self), onError: { errors.append("\($0)") }),
    ]
    #expect((screen.panel?.count, screen.count) == (7, 7))
    source.number = nil
    #expect((screen.panel?.count, screen.count) == (7, 7))
    #expect(
      errors == [
        "Pane.count (component 2 of 'panel.count') cannot be nil: it holds Int.",
        "Screen.count cannot be nil: it holds Int.",
      ])
    source.number = 8
    #expect((screen.panel?.count, screen.count) == (8, 8))
    #expect(bindings.allSatisfy { $0.isValid })
  }

  @Test("B2 A target that cannot be set passes readOnly to onError at once; nothing is set")
  func readOnly() {
    var errors: [String] = []
    let note: (any Error) -> Void = { errors.append("\($0)") }
    let office = Office()
    let bindings = [
      person.kvo.age.bind(to: screen.kvo.locked, onError: note),
      person.kvo.age.bind(to: screen.kvo.fixed, onError: note),
      person.kvo.age.bind(to: screen.kvo.computed, onError: note),
      person.kvo.age.bind(to: screen.kvo.text.count, onError: note),
      person.kvo.age.bind(to: office.kvo.optionalRoom.width, onError: note),
      person.kvo.age.bind(to: person.kvo.books.count, onError: note),
      person.kvo.books.count.bindTwoWay(to: screen.kvo.count, onError: note),
    ]
    #expect(
      errors == [
        "Screen.locked can be read but not set: its setter is private.",
        "Screen.fixed can be read but not set: it is declared with let.",
        "Screen.computed can be read but not set: it has no setter.",
        "Screen.text._ can be read but not set: a member on the way to it cannot be set.",
        "Office.optionalRoom.width can be read but not set: it is a member of an optional value; set the whole "
          + "value.",
        "Person.books.@count can be read but not set: it is the value of an operator.",
        "Person.books.@count can be read but not set: it is the value of an operator.",
      ])
    #expect(!bindings.contains { $0.isValid })
    #expect(screen.count == 0)
    #expect(isIdle(person, screen))
  }

  @Test("L1 Without onError, a target that cannot be set is reported to the violation handler")
  func readOnlyUnhandled() {
    ViolationLog.record { violations in
      let screen = Screen()
      let binding = Person().kvo.age.bind(to: screen.kvo.locked)
      #expect(!binding.isValid)
      #expect(
        violations.take() == [
          "unobservablePath: Screen.locked can be read but not set: its setter is private."
        ])
    }
  }

  @Test("B2 If the source can't be observed, nothing is set, even in a new owner of the target")
  func unobservableSource() {
    ViolationLog.record { violations in
      let (source, screen) = (Screen(), Screen())
      let binding = source.kvo.shout.bind(to: screen.kvo.panel.title)
      #expect(!binding.isValid)
      #expect(violations.take().count == 1)
      screen.panel = Pane()
      #expect(screen.panel?.title == "-")
      #expect(isIdle(source, screen))
    }
  }

  @Test("B1 A binding retains neither side, and ends with either root")
  func lives() {
    weak var weakScreen: Screen?
    weak var weakPerson: Person?
    var binding: KeyValueBinding?
    do {
      let person = Person()
      do {
        let screen = Screen()
        screen.panel = Pane()
        weakScreen = screen
        binding = person.kvo.age.bind(to: screen.kvo.panel.count)
        #expect(binding?.isValid == true)
      }
      #expect(weakScreen == nil)
      #expect(binding?.isValid == false)
      person.age += 1
      weakPerson = person
    }
    #expect(weakPerson == nil)
  }

  // MARK: Proxies

  @Test("C1 A bound path has a proxy; behind an optional owner it is nil while the owner is nil")
  func proxies() throws {
    let office = Office()
    let token = office.kvo.next.staff.observe(
      options: .new, changeHandler: log.handler("staff"))
    office.kvo.staff.mutableArray().append(Clerk())
    office.kvo.bench.mutableSet().insert(office.staff[0])
    #expect(office.kvo.next.staff.mutableArray() == nil)
    office.kvo.pool.mutableArray()?.append(Clerk())
    #expect((office.staff.count, office.bench.count, office.pool?.count) == (1, 1, 1))
    office.next = Office()
    let clerk = Clerk()
    office.kvo.next.staff.mutableArray()?.insert(clerk, at: 0)
    #expect(
      log.take() == [
        "staff: setting, new: []", "staff: insertion, indexes: 0, new: [\(clerk)]",
      ])
    #expect(token.isValid)
  }

  // MARK: Recorder and controller

  @Test("U A recorder records bound paths of several objects, all or none")
  func recorder() throws {
    let recorder = KeyValueChangeRecorder()
    try recorder.record(person.kvo.age, screen.kvo.text, person.kvo.account.balance)
    person.account = Account(balance: 1)
    recorder.group {
      person.age = 1
      screen.text = "a"
      person.account?.balance = 2
    }
    try recorder.undo()
    #expect((person.age, screen.text, person.account?.balance) == (36, "", 1))
    recorder.stopRecording(person.kvo.age, screen.kvo.text)
    person.age = 9
    let isRedone = try recorder.redo()
    #expect(isRedone)
    #expect((person.age, screen.text, person.account?.balance) == (1, "a", 2))

    let other = KeyValueChangeRecorder()
    #expect(
      throws: KeyValueCodingError.readOnly(
        .init(
          type: "Screen", key: "frame.origin.x",
          reason: "it goes through a member of a value; record the key that holds the value"))
    ) {
      try other.record(person.kvo.firstName, screen.kvo.frame.origin.x)
    }
    person.firstName = "Grace"
    let isUndone = try other.undo()
    #expect(!isUndone)
    #expect(person.firstName == "Grace")
  }

  @Test(
    "X3 What several bindings set after one transaction of a form is a level each; in a group, it's one",
    arguments: [false, true])
  func answeredTogether(recordsGraph: Bool) throws {
    let firm = Firm()
    let recorder = KeyValueChangeRecorder()
    if recordsGraph {
      try recorder.record(graph: firm)
    } else {
      try recorder.record(firm.kvo.name, firm.kvo.watched)
    }
    let bindings = [
      firm.kvo.name.bindTwoWay(to: screen.kvo.text),
      firm.kvo.watched.bindTwoWay(to: screen.kvo.count),
    ]
    func fill(_ text: String, _ count: Int) {
      screen.performChanges {
        $0.text = text
        $0.count = count
      }
    }
    fill("A", 1)
    try recorder.undo()
    #expect((firm.name, firm.watched, screen.text, screen.count) == ("A", 0, "A", 0))
    try recorder.undo()
    #expect((firm.name, firm.watched, recorder.canUndo) == ("Engines", 0, false))

    recorder.group { fill("B", 2) }
    #expect((firm.name, firm.watched) == ("B", 2))
    try recorder.undo()
    #expect((firm.name, firm.watched, recorder.canUndo) == ("Engines", 0, false))
    #expect((screen.text, screen.count) == ("Engines", 0))
    try recorder.redo()
    #expect((firm.name, firm.watched, screen.text, screen.count) == ("B", 2, "B", 2))
    withExtendedLifetime(bindings) {}
  }

  @Test("U Elements are recorded while they are in the collection")
  func recordedElements() throws {
    let office = Office()
    let recorder = KeyValueChangeRecorder()
    try recorder.record(office.kvo.staff[each: \.pay])
    let clerk = Clerk()
    office.staff = [clerk]
    clerk.pay = 5
    try recorder.undo()
    #expect(clerk.pay == 1)
    office.staff = []
    clerk.pay = 6
    let isUndone = try recorder.undo()
    #expect(!isUndone)
  }

  @Test("O A controller returns a discardable token, and the same one for a second observation")
  func controller() {
    ViolationLog.record { violations in
      let (owner, person) = (Screen(), Person())
      let controller = KeyValueObserverController(owner: owner)
      let first = controller.observe(person.kvo.age) { screen, person, _ in
        screen.count = person.age
      }
      let second = controller.observe(person.kvo.age) { screen, _, _ in screen.count = -1 }
      #expect(first === second)
      #expect(violations.take().count == 1)
      controller.observe(person.kvo.firstName) { screen, person, _ in screen.text = person.firstName
      }
      person.age = 3
      person.firstName = "Grace"
      #expect((owner.count, owner.text) == (3, "Grace"))
      controller.unobserve(person.kvo.age)
      #expect(!first.isValid)
      person.age = 4
      #expect(owner.count == 3)
    }
  }

  // MARK: Members of objects

  @Test("B1 A member of an object without the macro is set in it, and in a new object at once")
  func membersOfObjects() {
    let works = Works()
    let (first, second) = (works.turbine, Turbine())
    let token = works.kvo.turbine.observe { [log] _, _ in log.note("turbine") }
    works.kvo.turbine.power.value = 3
    works.kvo.fixed.power.value = 4
    #expect(first.power == 3 && works.fixed.power == 4)
    let binding = person.kvo.age.bind(to: works.kvo.turbine.power)
    #expect(first.power == 36 && works.turbine === first)
    #expect(log.take() == [])
    works.turbine = second
    #expect(second.power == 36)
    person.age = 4
    #expect(first.power == 36 && second.power == 4)
    #expect(log.take() == ["turbine"])
    token.invalidate()
    binding.invalidate()
    #expect(isIdle(person, works))
  }

  @Test("B2 A member of an optional object without the macro can't be set, and nor is its key")
  func membersOfOptionalObjects() {
    ViolationLog.record { violations in
      let works = Works()
      let spare = Turbine()
      works.spare = spare
      works.kvo.spare.next.value = Turbine()
      let path = String(KeyValuePath(works.kvo.spare.next))
      #expect(
        violations.take() == [
          "unobservablePath: Works.\(path) can be read but not set: it is a member of an optional value; "
            + "set the whole value."
        ])
      #expect(works.spare === spare && spare.next == nil)
    }
  }

  @Test("C1 A collection of an object without the macro has no proxy, and nor has the object's key")
  func proxyOfMember() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Works().kvo.turbine.parts.mutableArray().removeAll()
    }
    try expectTrap(result, says: "'turbine.parts' of Works ends in no key that has a proxy.")
  }

  @Test("B3 A requirement behind a protocol's type is bound in the object that is there")
  func requirement() {
    let ledge = Ledge()
    let (first, second) = (Bust(), Bust())
    ledge.item = first
    let binding = person.kvo.firstName.bindTwoWay(to: ledge.kvo.item.mark)
    #expect(first.mark == "Ada" && ledge.item === first)
    first.mark = "Grace"
    #expect(person.firstName == "Grace")
    ledge.item = second
    #expect(person.firstName == "Grace" && second.mark == "Grace")
    second.mark = "Alan"
    #expect(person.firstName == "Alan" && first.mark == "Grace")
    binding.invalidate()
    #expect(isIdle(person, ledge, first, second))
  }

  @Test("B1 In generic code, a key behind a requirement and a member of its value are set")
  func behindRequirement() {
    func place<Object: Placed & KeyValueObservable>(_ object: Object) {
      object.kvo.frame.origin.x.value = 5
      object.kvo.screen.text.value = "a"
    }
    let pane = Pane()
    pane.screen = Screen()
    place(pane)
    #expect(pane.frame.origin.x == 5 && pane.screen?.text == "a")
  }

  // MARK: Owners and strings

  @Test("B3 What a target behind an owner is set to goes back, even if the source already means it")
  func equalBehindOwner() {
    let dialogue = Dialogue()
    let account = Account(balance: 2.4)
    person.nickname = nil
    let whole = KeyValueTransformer<Double, Int>(forward: { Int($0) }, backward: { Double($0) })
    let bindings = [
      person.kvo.nickname.bindTwoWay(to: dialogue.kvo.pane.title, placeholder: ""),
      account.kvo.balance.bindTwoWay(to: dialogue.kvo.pane.count, transformer: whole),
    ]
    #expect(dialogue.pane.title == "" && dialogue.pane.count == 2)
    dialogue.pane.title = ""
    dialogue.pane.count = 2
    #expect(person.nickname == "" && account.balance == 2)
    person.nickname = nil
    account.balance = 3.7
    dialogue.pane = Pane()
    #expect(dialogue.pane.title == "" && dialogue.pane.count == 3)
    #expect(person.nickname == nil && account.balance == 3.7)
    withExtendedLifetime(bindings) {}
  }

  @Test("B2 A target that is no key is refused at once, in the words of observing it")
  func noKey() {
    ViolationLog.record { violations in
      let (person, lid) = (Person(), Lid())
      let token = lid.kvo.cached.observe { _, _ in }
      let said = violations.take()
      let binding = person.kvo.firstName.bind(to: lid.kvo.cached)
      #expect(!token.isValid && !binding.isValid)
      #expect(violations.take() == said && said.count == 1)
      lid.kvo.cached.value = "a"
      #expect(violations.take() == said && lid.cached == "")
      #expect(isIdle(person, lid))
    }
  }

  @Test("B2 A string target that can't be set is refused at once, behind nil and in a dictionary")
  func readOnlyByString() throws {
    var errors: [String] = []
    let note: (any Error) -> Void = { errors.append("\($0)") }
    let cupboard = Cupboard()
    let bindings = [
      person.kvo.age.bind(to: try cupboard.kvo("lid.length"), onError: note),
      person.kvo.age.bind(to: try cupboard.kvo("fields.age"), onError: note),
      person.kvo.age.bind(to: try cupboard.kvo("inner.fields.age"), onError: note),
    ]
    #expect(
      errors == [
        "Cupboard.lid.length can be read but not set: it has no setter.",
        "Cupboard.fields (component 1 of 'fields.age') can be read but not set: its setter is private.",
        "Cupboard.fields (component 2 of 'inner.fields.age') can be read but not set: its setter is "
          + "private.",
      ])
    #expect(!bindings.contains { $0.isValid } && isIdle(person, cupboard))
  }

  @Test("B3 A path by string through a collection sets each element, and is bound one way only")
  func elementsByString() throws {
    let office = Office()
    office.staff = [Clerk(), Clerk()]
    try office.kvo("staff.pay").value = 5
    #expect(office.staff.map(\.pay) == [5, 5])
    let binding = person.kvo.age.bind(to: try office.kvo("staff.pay"))
    #expect(office.staff.map(\.pay) == [36, 36])
    var errors: [String] = []
    let refused = try person.kvo("age").bindTwoWay(
      to: try office.kvo("staff.pay"), onError: { errors.append("\($0)") })
    #expect(
      errors == [
        "Office.staff.pay can be read but not set: it is the values of several elements, which only a "
          + "one-way binding sets."
      ])
    #expect(binding.isValid && !refused.isValid)
  }
}

/// A class without the macro.
private final class Turbine {
  var power = 0
  var next: Turbine?
  var parts = ["a"]
}

@KeyValueObservable
private final class Works {
  let fixed = Turbine()
  var turbine = Turbine()
  var spare: Turbine?
}

private protocol Inscribed: AnyObject {
  var mark: String { get set }
}

@KeyValueObservable
private final class Bust: Inscribed {
  var mark = "-"
}

@KeyValueObservable
private final class Ledge {
  var item: any Inscribed = Bust()
}

private protocol Placed: AnyObject {
  var frame: Frame { get set }
  var screen: Screen? { get }
}

extension Pane: Placed {}

@KeyValueObservable
private final class Dialogue {
  var pane = Pane()
}

@KeyValueObservable
private final class Lid {
  let width = 1
  @KeyValueIgnored var cached = ""
  var length: Int { width }
}

@KeyValueObservable
private final class Cupboard {
  private(set) var fields: [String: Any] = [:]
  var lid: Lid?
  var inner: Cupboard?
}
