import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("B. Targets of two-way bindings")
struct TwoWayTargetTests {
  private let log = ChangeLog()
  private let person = Person()
  private let screen = Screen()

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

@KeyValueObservable
private final class Dialogue {
  var pane = Pane()
}
