import KeyValueObserving
import KeyValueTestSupport
import Testing

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
}

private protocol Placed: AnyObject {
  var frame: Frame { get set }
  var screen: Screen? { get }
}

extension Pane: Placed {}
