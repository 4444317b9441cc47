import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A class whose key has the name of the member that reads a path.
@KeyValueObservable
private final class Gauge {
  var value = 1.0
  var limit: Int? = 9
}

/// The same with a key that can be nil.
@KeyValueObservable
private final class MaybeGauge {
  var value: Int?
}

/// A class that leads to keys named `value` in every way.
@KeyValueObservable
private final class Cockpit {
  let serial = 7
  var count = 5
  var title: String?
  var gauge = Gauge()
  var spare: Gauge?
  var maybe: MaybeGauge?
  var gauges: [Gauge] = []
  weak var watched: Gauge?
  private(set) var locked = 1
  private var hidden = 2
  var twice: Int { count * 2 }
  var half: Int {
    get { count / 2 }
    set { count = newValue * 2 }
  }
  var checked = 0

  func validateChecked(_ value: inout Int) throws { value = 100 }

  func changeHidden() -> Int {
    kvo.hidden.value = 3
    return kvo.hidden.value
  }
}

@Suite("P. Values of bound paths")
struct BoundValueTests {
  private let log = ChangeLog()
  private let panel = Cockpit()

  @Test("P9 A path reads its value, of a key, along objects, behind nil and in a value")
  func reads() throws {
    let person = Person()
    #expect(person.kvo.firstName.value == "Ada")
    #expect(person.kvo.fullName.value == "Ada Lovelace")
    #expect(person.kvo.nickname.value == nil)
    #expect(person.kvo.account.balance.value == nil)
    person.account = Account()
    person.account?.balance = 100
    #expect(person.kvo.account.balance.value == 100)
    #expect(person.kvo.frame.origin.x.value == person.frame.origin.x)
    #expect(person.kvo.firstName.count.value == 3)
    #expect(person.kvo.value === person)
    #expect(panel.kvo.watched.limit.value == nil)
    let path = KeyValuePath(person.kvo.account.balance)
    #expect(person.kvo[path].value == 100)
    #expect(try person.kvo("account.balance", as: Double?.self).value == 100)
    #expect(try person.kvo("account.balance").value as? Double == 100)
  }

  @Test("P9 A path through a collection reads what its elements have now")
  func readsElements() throws {
    panel.gauges = [Gauge(), Gauge()]
    panel.gauges[1].value = 4
    panel.gauges[1].limit = nil
    #expect(panel.kvo.gauges[sum: \.value].value == 5)
    #expect(panel.kvo.gauges[maximum: \.value].value == 4)
    #expect(panel.kvo.gauges[each: \.value].value == [1, 4])
    #expect(panel.kvo.gauges[each: \.limit].value == [9, nil])
    #expect(panel.kvo.gauges.count.value == 2)
    #expect(try panel.kvo("gauges.@sum.value", as: Double.self).value == 5)
    panel.gauges = []
    #expect(panel.kvo.gauges[sum: \.value].value == 0)
    #expect(panel.kvo.gauges[maximum: \.value].value == nil)
  }

  @Test("P9 A key named value is the key's path, behind an optional too")
  func keysNamedValue() {
    panel.spare = Gauge()
    panel.maybe = MaybeGauge()
    let tokens: [KeyValueObservation] = [
      panel.gauge.kvo.value.observe(options: .new, changeHandler: log.handler("own")),
      panel.kvo.gauge.value.observe(options: .new, changeHandler: log.handler("path")),
      panel.kvo.spare.value.observe(options: .new, changeHandler: log.handler("optional")),
      panel.kvo.maybe.value.observe(options: .new, changeHandler: log.handler("flat")),
    ]
    panel.gauge.kvo.value.value = 2
    panel.kvo.spare.value.value = 3
    panel.kvo.maybe.value.value = 4
    panel.kvo.gauge.value.value += 1
    #expect(
      log.take() == [
        "own: setting, new: 2.0", "path: setting, new: 2.0",
        "optional: setting, new: 3.0", "flat: setting, new: 4",
        "own: setting, new: 3.0", "path: setting, new: 3.0",
      ])
    #expect(panel.kvo.spare.value.value == 3)
    #expect(panel.kvo.maybe.value.value == 4)
    #expect(panel.gauge.kvo[\.value].value == 3)
    withExtendedLifetime(tokens) {}
  }

  @Test("P9 Setting is announced once, as an assignment to the last key")
  func sets() throws {
    let person = Person()
    let token = person.kvo.firstName.observe(
      options: [.old, .new, .prior], changeHandler: log.handler("name"))
    person.kvo.firstName.value = "Grace"
    person.kvo.firstName.value += " B."
    try person.kvo("firstName", as: String.self).value = "Alan"
    try person.kvo("firstName").value = "Edsger"
    #expect(
      log.take() == [
        "name: setting, old: \"Ada\", prior", "name: setting, old: \"Ada\", new: \"Grace\"",
        "name: setting, old: \"Grace\", prior",
        "name: setting, old: \"Grace\", new: \"Grace B.\"",
        "name: setting, old: \"Grace B.\", prior",
        "name: setting, old: \"Grace B.\", new: \"Alan\"",
        "name: setting, old: \"Alan\", prior", "name: setting, old: \"Alan\", new: \"Edsger\"",
      ])
    person.kvo.nickname.value = "Ed"
    person.kvo.nickname.value = nil
    #expect(person.nickname == nil)
    person.kvo.frame.origin.x.value = 8
    #expect(person.frame.origin.x == 8)
    panel.kvo.half.value = 20
    #expect(panel.count == 40)
    #expect(panel.changeHidden() == 3)
    withExtendedLifetime(token) {}
  }

  @Test("P9 Setting behind nil does nothing, and calls no validator")
  func setsBehindNil() {
    ViolationLog.record { violations in
      let panel = Cockpit()
      panel.kvo.spare.limit.value = 1
      panel.kvo.spare.value.value = 1
      panel.kvo.watched.limit.value = nil
      panel.spare = Gauge()
      panel.kvo.spare.limit.value = 2
      panel.kvo.checked.value = 5
      #expect(panel.spare?.limit == 2)
      panel.kvo.spare.limit.value = nil
      #expect(panel.spare?.limit == nil)
      #expect(panel.checked == 5)
      #expect(violations.take() == [])
    }
  }

  @Test("P9 What can't be set is a violation, and nothing changes")
  func refuses() {
    ViolationLog.record { violations in
      let panel = Cockpit()
      panel.gauges = [Gauge()]
      panel.spare = Gauge()
      panel.kvo.serial.value = 3
      panel.kvo.twice.value = 3
      panel.kvo.locked.value = 3
      panel.kvo.gauges.count.value = 3
      panel.kvo.gauges[sum: \.value].value = 3
      panel.kvo.gauges[each: \.value].value = []
      panel.kvo.spare.value.value = nil
      panel.kvo.value = Cockpit()
      #expect(
        violations.take() == [
          "unobservablePath: Cockpit.serial can be read but not set: it is declared with let.",
          "unobservablePath: Cockpit.twice can be read but not set: it has no setter.",
          "unobservablePath: Cockpit.locked can be read but not set: its setter is private.",
          "unobservablePath: Cockpit.gauges.@count can be read but not set: it is the value of an "
            + "operator.",
          "unobservablePath: Cockpit.gauges.@sum.value can be read but not set: it is the value of an "
            + "operator.",
          "unobservablePath: Cockpit.gauges.value can be read but not set: it is the values of several "
            + "elements.",
          "unobservablePath: Gauge.value (component 2 of 'spare.value') cannot be nil: it holds Double.",
          "unobservablePath: The key path \\.self names no property. Observe one, as in person.kvo.name.",
        ])
      #expect((panel.serial, panel.twice, panel.locked) == (7, 10, 1))
      #expect((panel.gauges.count, panel.spare?.value) == (1, 1))
    }
  }

  @Test(
    "P9 A path's value may be read and set while its observers are called, and in a transaction")
  func whileCalled() {
    let panel = panel
    let token = panel.kvo.count.observe(options: .new) { [log] panel, change in
      log.note("\(change), now \(panel.kvo.count.value), twice \(panel.kvo.twice.value)")
      if panel.kvo.count.value < 8 { panel.kvo.count.value += 1 }
    }
    panel.kvo.count.value = 7
    panel.performChanges { _ in
      panel.kvo.count.value = 9
      panel.kvo.count.value += 1
    }
    #expect(
      log.take() == [
        "setting, new: 7, now 7, twice 14", "setting, new: 8, now 8, twice 16",
        "setting, new: 10, now 10, twice 20",
      ])
    token.invalidate()
    #expect(isIdle(panel))
  }

  @Test(
    "P9 In generic code a path's value is typed, also where the class may have a key named value")
  func generic() throws {
    func doubled<Object: KeyValueObservable>(_ object: Object, _ key: String) throws -> Int {
      let path = try object.kvo(key, as: Int.self)
      path.value *= 2
      return path.value
    }
    #expect(try doubled(panel, "count") == 10)
    #expect(panel.count == 10)
  }
}
