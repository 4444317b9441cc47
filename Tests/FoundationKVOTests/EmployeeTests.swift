import FoundationKVO
import Testing

@KeyValueObservable
private class Person: NSObject {
  dynamic var firstName = ""
  dynamic var lastName = ""
  dynamic var age = 0
  dynamic var manager: Person?
  var silent = 1
  lazy var cache = [1]
  private var balance = 0.0

  dynamic var fullName: String { "\(firstName) \(lastName)" }

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    var keyPaths = super.keyPathsForValuesAffectingValue(forKey: key)
    if key == "fullName" { keyPaths.formUnion(["firstName", "lastName"]) }
    return keyPaths
  }

  dynamic var openingBalance: Double {
    get { balance }
    set { balance = newValue }
  }

  var plainBalance: Double {
    get { balance }
    set { balance = newValue }
  }
}

@KeyValueObservable
private final class Boss: Person {
  dynamic var level = 1
  override dynamic var openingBalance: Double {
    get { super.openingBalance * 2 }
    set { super.openingBalance = newValue / 2 }
  }
}

/// The guide's account, which notifies manually.
@KeyValueObservable
private final class Account: NSObject {
  private var _openingBalance = 0.0
  dynamic var openingBalance: Double {
    get { _openingBalance }
    set {
      guard newValue != _openingBalance else { return }
      willChangeValue(forKey: "openingBalance")
      _openingBalance = newValue
      didChangeValue(forKey: "openingBalance")
    }
  }

  override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
    if key == "openingBalance" { return false }
    return super.automaticallyNotifiesObservers(forKey: key)
  }
}

@KeyValueObservable
private final class Circle: NSObject {
  dynamic var radius = 1.0
  dynamic var colour = ""
  var area: Double { radius * radius }

  class var keyPathsForValuesAffectingArea: Set<String> { ["radius"] }
  class var automaticallyNotifiesObserversOfColour: Bool { false }
}

@Suite("FoundationKVO: dynamic members announce themselves")
struct EmployeeTests {
  private let witness = Witness()

  @Test("dynamic stored and computed properties announce themselves, other properties don't")
  func dynamicMembers() {
    let person = Person()
    let keyPaths = [
      "firstName", "age", "fullName", "openingBalance", "plainBalance", "silent", "manager.age",
    ]
    person.watch(keyPaths, witness)
    person.firstName = "Ada"
    person.age = 36
    person.openingBalance = 5
    person.plainBalance = 6
    person.silent = 2
    let boss = Person()
    person.manager = boss
    boss.age = 3
    person.setValue(37, forKey: "age")
    #expect(
      witness.take() == [
        "firstName: setting, old , new Ada", "fullName: setting, old  , new Ada ",
        "age: setting, old 0, new 36", "openingBalance: setting, old 0, new 5",
        "manager.age: setting, old <null>, new 0", "manager.age: setting, old 0, new 3",
        "age: setting, old 36, new 37",
      ])
    #expect(person.observationInfo != nil)
    person.unwatch(keyPaths, witness)
    #expect(person.observationInfo == nil)
    person.age = 1
    #expect(witness.take() == [])
  }

  @Test("a class property declares dependencies as a class function does")
  func classProperties() {
    let circle = Circle()
    circle.watch(["area", "colour"], witness)
    circle.radius = 2
    circle.colour = "red"
    #expect(witness.take() == ["area: setting, old 1, new 4"])
    circle.unwatch(["area", "colour"], witness)
  }

  @Test("an override that calls super announces once")
  func overrides() {
    let boss = Boss()
    boss.watch(["openingBalance", "level", "age"], witness)
    boss.openingBalance = 10
    boss.level = 2
    boss.age = 50
    #expect(
      witness.take() == [
        "openingBalance: setting, old 0, new 10", "level: setting, old 1, new 2",
        "age: setting, old 0, new 50",
      ])
    boss.unwatch(["openingBalance", "level", "age"], witness)
  }

  @Test("the guide's manual setter notifies once, and only if the value differs")
  func manual() {
    let account = Account()
    account.watch(["openingBalance"], witness, options: [.old, .new, .prior])
    account.openingBalance = 0
    account.openingBalance = 2
    account.setValue(2, forKey: "openingBalance")
    #expect(
      witness.take() == [
        "openingBalance: prior, setting, old 0", "openingBalance: setting, old 0, new 2",
      ])
    account.unwatch(["openingBalance"], witness)
  }

  @Test("a change handler receives Foundation's types for a key path")
  func typed() {
    let person = Person()
    var lines: [String] = []
    let tokens = [
      person.observe(\.age, options: [.old, .new, .initial]) { person, change in
        lines.append("age \(change.oldValue as Int?) \(change.newValue as Int?) \(change.kind)")
      },
      person.observe(\.manager?.age, options: [.new]) { _, change in
        lines.append("manager \(change.newValue as Int??)")
      },
    ]
    person.age = 1
    person.manager = Person()
    tokens[0].invalidate()
    person.age = 2
    person.manager?.age = 9
    #expect(
      lines == [
        "age nil Optional(0) setting", "age Optional(0) Optional(1) setting",
        "manager Optional(Optional(0))", "manager Optional(Optional(9))",
      ])
    person.willChangeValue(for: \.silent)
    person.didChangeValue(for: \.silent)
    tokens[1].invalidate()
  }
}
