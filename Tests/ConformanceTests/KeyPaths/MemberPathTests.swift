import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P1. Typed paths through members of values")
struct MemberPathTests {
  private let log = ChangeLog()
  private let sheet = Sheet()

  @Test("P1 An object reached through a member of a value is observed, and follows the value")
  func values() {
    let (a, b) = (Gauge(1), Gauge(2))
    sheet.gauges = [a]
    sheet.panel = Dashboard(main: a)
    sheet.state = .on(a)
    let tokens = [
      sheet.observe(\.gauges.first?.level, options: .new, changeHandler: log.handler("first")),
      sheet.observe(\.gauges[0].level, options: .new, changeHandler: log.handler("[0]")),
      sheet.observe(\.panel.main.level, options: [.old, .new], changeHandler: log.handler("main")),
      sheet.observe(\.panel.all[sum: \.level], options: .new, changeHandler: log.handler("sum")),
      sheet.observe(\.state.gauge?.level, options: .new, changeHandler: log.handler("payload")),
    ]
    a.level = 5
    #expect(
      log.take() == [
        "first: setting, new: 5", "[0]: setting, new: 5", "main: setting, old: 1, new: 5",
        "payload: setting, new: 5",
      ])
    sheet.gauges.insert(b, at: 0)
    sheet.panel.main = b
    sheet.panel.all = [b, b]
    sheet.state = .off
    _ = log.take()
    a.level = 6
    #expect(log.take() == [])
    b.level = 7
    #expect(
      log.take() == [
        "first: setting, new: 7", "[0]: setting, new: 7", "main: setting, old: 2, new: 7",
        "sum: setting, new: 14",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(sheet, a, b))
  }

  @Test("M1 A manual pair announces the key of the object that a member leads to")
  func manualPair() {
    let gauge = Gauge(1)
    sheet.panel = Dashboard(main: gauge)
    let token = gauge.observe(\.level, options: .new, changeHandler: log.handler("level"))
    sheet.withChange(of: \.panel.main.level) {}
    #expect(log.take() == ["level: setting, new: 1"])
    token.invalidate()
  }

  @Test("P1 A protocol's requirement is observed if it is a key of the object")
  func existential() {
    let gauge = Gauge(1)
    sheet.meter = gauge
    let token = sheet.observe(
      \.meter.level, options: [.old, .new], changeHandler: log.handler("level"))
    let optional = sheet.observe(
      \.spare?.level, options: .new, changeHandler: log.handler("spare"))
    gauge.level = 2
    sheet.meter = FixedLevel(level: 4)
    gauge.level = 5
    sheet.spare = gauge
    gauge.level = 6
    #expect(
      log.take() == [
        "level: setting, old: 1, new: 2", "level: setting, old: 2, new: 4",
        "spare: setting, new: 5", "spare: setting, new: 6",
      ])
    token.invalidate()
    optional.invalidate()
    #expect(isIdle(sheet, gauge))
  }

  @Test("A value typed as a protocol is traced, with balanced retains and releases")
  func tracedExistential() {
    weak var last: Gauge?
    do {
      let gauge = Gauge(1)
      last = gauge
      sheet.meter = gauge
      let token = sheet.observe(\.meter.level, options: .new, changeHandler: log.handler("level"))
      let trace = KeyValueTrace.recording {
        sheet.meter = FixedLevel(level: 4)
        sheet.meter = gauge
        sheet.meter = FixedLevel(level: 5)
      }
      let changes = trace.events.filter { $0.kind == .changeEnded }
      #expect(changes.map(\.keyPath) == ["meter", "meter", "meter"])
      #expect(gauge.level == 1)
      token.invalidate()
    }
    #expect(last == nil)
    #expect(log.take().count == 3)
  }

  @Test("Observers receive the values of a property whose type is a protocol", arguments: [1, 2])
  func valuesBehindProtocol(observers: Int) {
    let gauge = Gauge(1)
    let tokens = (1...observers).map { number in
      sheet.observe(\.meter, options: [.old, .new]) { [log] _, change in
        log.note("\(number): \(change.oldValue!.level) \(change.newValue!.level)")
      }
    }
    sheet.meter = FixedLevel(level: 4)
    sheet.meter = gauge
    sheet.meter = FixedLevel(level: 5)
    let expected = ["1 4", "4 1", "1 5"].flatMap { values in
      (1...observers).map { "\($0): \(values)" }
    }
    #expect(log.take() == expected)
    for token in tokens { token.invalidate() }
    #expect(gauge.level == 1 && isIdle(sheet, gauge))
  }

  @Test("P1 Generic code observes a protocol's requirement that is a key")
  func requirement() {
    func observe<Object: LevelMeter & KeyValueObservable>(_ object: Object) -> KeyValueObservation {
      object.observe(\.level, options: [.old, .new], changeHandler: log.handler("level"))
    }
    let gauge = Gauge(1)
    let token = observe(gauge)
    gauge.level = 2
    gauge.level += 1
    #expect(log.take() == ["level: setting, old: 1, new: 2", "level: setting, old: 2, new: 3"])
    token.invalidate()
    #expect(isIdle(gauge))
  }

  @Test("L3 An object without the macro on a typed path is reported once for its class and key")
  func objectWithoutMacro() {
    ViolationLog.record { violations in
      let log = ChangeLog()
      for _ in 0..<2 {
        let sheet = Sheet()
        let token = sheet.observe(
          \.motor.speed, options: .new, changeHandler: log.handler("speed"))
        sheet.motor.speed = 1
        sheet.motor = Motor()
        token.invalidate()
      }
      #expect(log.take() == ["speed: setting, new: 0", "speed: setting, new: 0"])
      #expect(
        violations.take() == [
          "tolerated: Sheet.motor leads to an object of Motor, which is not @KeyValueObservable, so "
            + "'motor._' is observed as far as 'motor', and what changes in that object is not "
            + "announced. Annotate Motor with @KeyValueObservable."
        ])
    }
  }

  @Test(
    "L3 A member of an object that isn't one of its keys is reported with the keys that it reads")
  func memberThatIsNoKey() {
    ViolationLog.record { violations in
      let sheet = Sheet()
      let token = sheet.observe(\.meter.double) { _, _ in }
      #expect(
        violations.take() == [
          "tolerated: Sheet.meter leads to an object of Gauge of which the path reads a member that is "
            + "not one of its keys, or not known to be, so it is observed as far as 'meter'. Observe "
            + "the member by its name, as the string \"meter.<name>\", or declare meter with the class "
            + "instead of a protocol. Reading it reads 'level'."
        ])
      token.invalidate()
    }
  }

  @Test("L3 A requirement that reads one key but has another value isn't taken for that key")
  func requirementMadeOfOneKey() {
    ViolationLog.record { violations in
      let (sheet, log) = (Sheet(), ChangeLog())
      let gauge = Gauge(4)
      sheet.spare = gauge
      let token = sheet.observe(
        \.spare?.half, options: [.old, .new], changeHandler: log.handler("half"))
      #expect(
        violations.take() == [
          "tolerated: Sheet.spare leads to an object of Gauge of which the path reads a member that is "
            + "not one of its keys, or not known to be, so it is observed as far as 'spare'. Observe "
            + "the member by its name, as the string \"spare.<name>\", or declare spare with the class "
            + "instead of a protocol. Reading it reads 'level'."
        ])
      gauge.level = 6
      #expect(log.take() == [])
      sheet.spare = Gauge(10)
      #expect(log.take() == ["half: setting, old: 3, new: 5"])
      token.invalidate()
      #expect(isIdle(sheet, gauge))
    }
  }
}

private protocol LevelMeter {
  var level: Int { get }
  var half: Int { get }
}

extension LevelMeter {
  fileprivate var half: Int { level / 2 }
  fileprivate var double: Int { level * 2 }
}

private struct FixedLevel: LevelMeter {
  var level: Int
}

@KeyValueObservable
private final class Gauge: LevelMeter {
  var level: Int

  init(_ level: Int) {
    self.level = level
  }
}

private struct Dashboard {
  var main: Gauge
  var all: [Gauge] = []
}

private enum State {
  case off
  case on(Gauge)

  var gauge: Gauge? {
    if case .on(let gauge) = self { gauge } else { nil }
  }
}

private class Motor {
  var speed = 0
}

@KeyValueObservable
private final class Sheet {
  var gauges: [Gauge] = []
  var panel = Dashboard(main: Gauge(0))
  var state = State.off
  var motor = Motor()
  var meter: any LevelMeter = Gauge(1)
  var spare: (any LevelMeter)?
}
