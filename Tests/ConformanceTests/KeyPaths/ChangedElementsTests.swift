import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P. Key paths through collections: which elements changed")
struct ChangedElementsTests {
  private final class Log {
    var lines: [String] = []
    func note(_ line: String) { lines.append(line) }
    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  private let log = Log()
  private let ada = Employee("Ada", salary: 1)
  private let ben = Employee("Ben", salary: 10)
  private let cleo = Employee("Cleo", salary: 100)
  private let division: Division

  init() {
    division = Division("one", [ada, ben, cleo])
  }

  /// A change with the names of its elements; `-` for nil.
  private static func line<Value>(_ change: KeyValueObservedChange<Value>) -> String {
    let names = change.elements.map { elements in
      elements.map { element in
        (element as? Employee)?.name ?? (element as? Division)?.name ?? "?"
      }
    }
    return "\(change); \(names.map { $0.joined(separator: " ") } ?? "-")"
  }

  private func names(
    _ options: KeyValueObservingOptions = [.elementChanges]
  ) -> KeyValueObservation {
    division.kvo.employees[each: \.name].observe(options: options) { [log] _, change in
      log.note(Self.line(change))
    }
  }

  @Test("P10 An element's change tells the element")
  func element() {
    let token = names([.old, .new, .elementChanges])
    ben.name = "Bob"
    cleo.name = "Cloe"
    #expect(
      log.take() == [
        #"setting, old: ["Ada", "Ben", "Cleo"], new: ["Ada", "Bob", "Cleo"]; Bob"#,
        #"setting, old: ["Ada", "Bob", "Cleo"], new: ["Ada", "Bob", "Cloe"]; Cloe"#,
      ])
    #expect(token.isValid)
  }

  @Test("P10 Without elementChanges no elements are told")
  func without() {
    let token = names([.new])
    ben.name = "Bob"
    #expect(log.take() == [#"setting, new: ["Ada", "Bob", "Cleo"]; -"#])
    _ = token
  }

  @Test("P10 A change of the collection, and the initial call, tell no elements")
  func collection() {
    let token = names([.initial, .prior, .elementChanges])
    division.employees.append(Employee("Dan"))
    division.employees = [ada]
    ada.name = "Eve"
    ben.name = "Bob"
    #expect(
      log.take() == [
        "setting; -", "setting, prior; -", "setting; -", "setting, prior; -", "setting; -",
        "setting, prior; Ada", "setting; Eve",
      ])
    _ = token
  }

  @Test("P10 An element that's in the collection twice is told once")
  func twice() {
    division.employees = [ada, ben, ada]
    let token = names()
    ada.name = "Eve"
    #expect(log.take() == ["setting; Eve"])
    _ = token
  }

  @Test("P10 Several elements that lead to one object are told in the collection's order")
  func shared() {
    let account = Account()
    for employee in [ada, ben, cleo] { employee.account = account }
    ben.account = nil
    let token = division.kvo.employees[each: \.account.balance].observe(
      options: .elementChanges
    ) { [log] _, change in log.note(Self.line(change)) }
    account.balance = 5
    division.employees.reverse()
    account.balance = 6
    ben.account = account
    #expect(log.take() == ["setting; Ada Cleo", "setting; -", "setting; Cleo Ada", "setting; Ben"])
    _ = token
  }

  @Test("P10 The elements of a path through several collections are the first one's")
  func nested() {
    let other = Division("two", [ben])
    let enterprise = Enterprise()
    enterprise.divisions = [division, other]
    let names = enterprise.kvo.divisions[each: \.employees[each: \.name]].observe(
      options: .elementChanges
    ) { [log] _, change in log.note(Self.line(change)) }
    let sums = enterprise.kvo.divisions[each: \.employees[sum: \.salary]].observe(
      options: [.new, .elementChanges]
    ) { [log] _, change in log.note(Self.line(change)) }
    ben.name = "Bob"
    other.employees = [cleo]
    cleo.salary = 7
    #expect(
      log.take() == [
        "setting; one two", "setting; two", "setting, new: [111, 100]; two",
        "setting, new: [18, 7]; one two",
      ])
    _ = (names, sums)
  }

  @Test("P10 String paths tell elements, operators don't")
  func strings() throws {
    let names = try division.observe("employees.name", options: .elementChanges) {
      [log] _, change in log.note(Self.line(change))
    }
    let sum = division.kvo.employees[sum: \.salary].observe(options: [.new, .elementChanges]) {
      [log] _, change in log.note(Self.line(change))
    }
    ben.name = "Bob"
    ben.salary = 0
    #expect(log.take() == ["setting; Bob", "setting, new: 101; -"])
    _ = (names, sum)
  }

  @Test("P10 A transaction tells the elements of its changes in one call")
  func transaction() throws {
    let token = names([.new, .elementChanges])
    KeyValueTransaction.perform {
      cleo.name = "Cloe"
      ada.name = "Eve"
      cleo.name = "Clio"
    }
    KeyValueTransaction.perform {
      cleo.name = "Cleo"
      division.employees.removeFirst()
    }
    KeyValueTransaction.perform {
      ben.name = "Bob"
      try? KeyValueTransaction.perform(rollingBack: true) {
        cleo.name = "Carl"
        throw CancellationError()
      }
    }
    #expect(
      log.take() == [
        #"setting, new: ["Eve", "Ben", "Clio"]; Eve Clio"#, #"setting, new: ["Ben", "Cleo"]; -"#,
        #"setting, new: ["Bob", "Cleo"]; Bob"#,
      ])
    _ = token
  }

  @Test("P10 Elements among nil are told in the collection's order, however it was changed")
  func amongNil() throws {
    let bench = Bench([nil, ada, ben])
    let token = try bench.observe("seats.name", options: .elementChanges) {
      [log] _, change in log.note(Self.line(change))
    }
    func rename() {
      KeyValueTransaction.perform {
        for employee in [ada, ben, cleo] { employee.name += "a" }
      }
    }
    let seats = bench.mutableArrayValue(for: \.seats)
    seats.insert(cleo, at: 1)
    rename()
    seats.move(from: 1, to: 3)
    rename()
    seats.remove(at: 0)
    seats.remove(at: 1)
    rename()
    bench.seats.swapAt(0, 1)
    rename()
    #expect(bench.seats.map { $0?.name } == ["Cleoaaaa", "Adaaaaa"])
    #expect(
      log.take() == [
        "setting; -", "setting; Cleoa Adaa Bena", "setting; -", "setting; -",
        "setting; Adaaa Benaa Cleoaa", "setting; -", "setting; -", "setting; Adaaaa Cleoaaa",
        "setting; -", "setting; Cleoaaaa Adaaaaa",
      ])
    _ = token
  }

  @Test("P10 D2 A part that depends on the collection itself is told for each element")
  func dependsOnCollection() {
    let choir = Choir()
    choir.singers = ["Ada", "Ben"].map { Singer($0, choir) }
    let token = choir.kvo.singers[each: \.cue].observe(options: .elementChanges) {
      [log] _, change in
      log.note(change.elements?.map { ($0 as? Singer)?.name ?? "?" }.joined(separator: " ") ?? "-")
    }
    choir.mutableArrayValue(for: \.singers).append(Singer("Cleo", choir))
    choir.singers[2].name = "Cloe"
    choir.singers[0].name = "Eve"
    choir.singers.swapAt(0, 2)
    choir.singers[2].name = "Eva"
    #expect(log.take() == ["-", "Ada Ben Cloe", "-", "Cloe Ben Eva"])
    #expect(choir.singers.map(\.cue) == ["Eva", "Eva", "Eva"])
    _ = token
  }

  @Test("P10 Elements that nothing else keeps are released at the call's end")
  func lifetime() {
    weak var weakDan: Employee?
    var kept: KeyValueObservedChange<[String]>?
    let token = division.kvo.employees[each: \.name].observe(options: .elementChanges) {
      _, change in kept = change
    }
    do {
      let dan = Employee("Dan")
      weakDan = dan
      division.employees.append(dan)
      dan.name = "Don"
    }
    let change = kept
    division.employees.removeLast()
    #expect(weakDan == nil)
    ViolationLog.record { violations in
      #expect(change?.elements == nil)
      #expect(
        violations.take() == [
          "tolerated: The elements of a change were read after the call that told of it, or on another "
            + "thread, and are nil there. Read 'elements' in the observer, and keep what you need."
        ])
      #expect(change?.indexes == nil)
      #expect(violations.take() == [])
    }
    _ = token
  }

  @Test("P10 Another thread reads no elements, also during the call")
  func otherThread() {
    let wereNil = Lock<[Bool]>([])
    let token = division.kvo.employees[each: \.name].observe(options: .elementChanges) {
      _, change in
      onAnotherThread { wereNil.withLock { $0.append(change.elements == nil) } }
      #expect(change.elements?.count == 1)
    }
    ben.name = "Bob"
    #expect(wereNil.withLock { $0 } == [true])
    _ = token
  }

  @Test("P10 elementChanges alone evaluates no value of a path")
  func reads() {
    let gauge = GaugeRack()
    let token = gauge.kvo.gauges[each: \.level].observe(options: .elementChanges) {
      [log] _, change in log.note("\(change.elements?.count ?? -1)")
    }
    gauge.gauges[0].reads = 0
    gauge.gauges[0].raw = 3
    #expect(log.take() == ["1"])
    #expect(gauge.gauges[0].reads == 0)
    gauge.gauges = gauge.gauges
    #expect(log.take() == ["-1"])
    #expect(gauge.gauges[0].reads == 0)
    _ = token
  }
}

@KeyValueObservable
private final class Bench {
  var seats: [Employee?]

  init(_ seats: [Employee?]) {
    self.seats = seats
  }
}

/// A singer follows the last one of the choir.
@KeyValueObservable
private final class Singer {
  var name: String
  weak var choir: Choir?

  @DependsOn("choir.singers")
  var leader: Singer? { choir.flatMap { last(of: $0.singers) } }
  var cue: String { leader?.name ?? "" }

  init(_ name: String, _ choir: Choir) {
    self.name = name
    self.choir = choir
  }
}

@KeyValueObservable
private final class Choir {
  var singers: [Singer] = []
}

private func last(of singers: [Singer]) -> Singer? { singers.last }

@KeyValueObservable
private final class Gauge {
  var raw = 0
  @KeyValueIgnored var reads = 0
  @DependsOn("raw")
  var level: Int {
    reads += 1
    return raw * 2
  }
}

@KeyValueObservable
private final class GaugeRack {
  var gauges = [Gauge()]
}
