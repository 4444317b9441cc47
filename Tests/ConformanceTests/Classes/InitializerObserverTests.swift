import KeyValueObserving
import KeyValueTestSupport
import Observation
import Testing

/// Compares the property observers that run in an initialiser with the same class without the macro.
@Suite("Property observers in initialisers", .serialized)
struct InitializerObserverTests {
  @Test("N1 an initialiser's own changes run no willSet or didSet, as in plain Swift")
  func designated() {
    #expect(heard { _ = Plain.Staff(names: ["a"]) } == ["function [\"f\"]", "closure [\"c\"]"])
    #expect(
      heard { _ = Observed.Staff(names: ["a"]) } == ["function [\"f\"]", "closure [\"c\"]"])
  }

  @Test("N1 several properties with observers are set through self, as in plain Swift")
  func several() {
    var values: [String] = []
    let plain = heard { values.append(Plain.Couple(first: "a", second: "b").first) }
    let observed = heard { values.append(Observed.Couple(first: "a", second: "b").first) }
    #expect(plain == [])
    #expect(observed == [])
    #expect(values == ["ab", "ab"])
  }

  @Test("N1 a convenience initialiser's own changes run no willSet or didSet either")
  func convenience() {
    var names: [[String]] = []
    let plain = heard { names.append(Plain.Staff().names) }
    let observed = heard { names.append(Observed.Staff().names) }
    #expect(observed == plain)
    #expect(names == [["z", "y"], ["z", "y"]])
    #expect(plain.count == 2)
  }

  @Test("N1 deinit's own changes run no willSet or didSet either")
  func death() {
    let plain = heard { _ = Plain.Mortal() }
    #expect(plain == ["method 1"])
    #expect(heard { _ = Observed.Mortal() } == plain)
  }

  @Test("N1 in a subclass's initialiser, only changes of inherited properties run observers")
  func subclass() {
    let plain = heard { _ = Plain.Team(lead: 3) }
    #expect(plain == ["names [\"team\"]", "method 8"])
    #expect(heard { _ = Observed.Team(lead: 3) } == plain)
    #expect(Observed.Team(lead: 3).lead == 8)
  }

  @Test("N1 every kind of statement sets the same values and runs the same code as in plain Swift")
  func shapes() {
    for flag in [false, true] {
      var values: [[Int]] = []
      let plain = heard { values.append(Plain.Shapes(flag: flag, items: [4]).state) }
      let observed = heard { values.append(Observed.Shapes(flag: flag, items: [4]).state) }
      #expect(observed == plain)
      #expect(values[0] == values[1])
      #expect(plain == ["method 40"])
    }
  }

  @Test("N1 so do statements on one line")
  func oneLine() {
    var values: [[Int]] = []
    let plain = heard { values.append(Plain.OneLine(flag: true).state) }
    let observed = heard { values.append(Observed.OneLine(flag: true).state) }
    #expect(plain == ["total 3"])
    #expect(observed == plain)
    #expect(values == [[3, 8, 2], [3, 8, 2]])
  }

  @Test("N1 an object that observes itself in its initialiser receives the changes that follow")
  func selfObserving() {
    let logged = heard {
      let object = SelfObserving()
      #expect(object.heard == ["1 → 2", "2 → 4", "4 → 6"])
      #expect(object.value == 6)
      #expect(object.list == [1, 2])
      #expect(object.appended == 2)
    }
    #expect(logged == ["didSet list 2"])
  }

  @Test("N1 N8 a value that an initialiser assigns is computed before its change begins")
  func computedFirst() {
    let logged = heard {
      let object = Computing()
      #expect(
        object.heard == [
          "0 → 1", "failed", "failed", "1 → 5", "5 → 6", "6 → 10", "10 → 12", "12 → 20",
        ])
    }
    #expect(logged == ["didSet 5", "didSet 10"])
  }

  @Test("N1 an assigned value gets its type from the property, as in plain Swift")
  func inferred() {
    let object = Inferred()
    let values = """
      \(object.ratio), \(object.mode.map { "\($0)" } ?? "nil"), \(object.action?(1) ?? 0), \
      \(object.tags.sorted()), \(object.table), \(object.label ?? "nil"), \(object.anything), \
      \(object.text), \(object.other === object), \(object.names), \(object.count)
      """
    #expect(values == #"1.5, quick, 2, ["a", "b"], ["a": 1], x, y, 1.5, true, ["a"], 4"#)
  }

  @Test("N1 in a tracking class, Observation is told of an initialiser's changes")
  func tracked() {
    let logged = heard {
      _ = Page { page in
        withObservationTracking {
          _ = (page.number, page.lines)
        } onChange: {
          Heard.note("changes")
        }
      }
    }
    #expect(logged == ["changes", "changes"])
  }

  @Test("M3 an initialiser does not notify for a key whose automatic notification is off")
  func switchedOff() {
    #expect(Silent().heard == 0)
  }

  private func heard(_ body: () -> Void) -> [String] {
    Heard.log.withLock { $0 = [] }
    body()
    return Heard.log.withLock { $0 }
  }
}

private enum Heard {
  static let log = Lock<[String]>([])
  static func note(_ line: String) { log.withLock { $0.append(line) } }
}

@KeyValueObservable
private final class SelfObserving {
  var value = 0 {
    didSet { Heard.note("didSet value") }
  }
  var list: [Int] {
    didSet { Heard.note("didSet list \(list.count)") }
  }
  @KeyValueIgnored var heard: [String] = []
  @KeyValueIgnored var appended = 0
  @KeyValueIgnored var tokens: [KeyValueObservation] = []

  init() {
    value = 1
    list = []
    list.append(1)
    tokens = [
      observe(\.value, options: [.old, .new]) { object, change in
        object.heard.append("\(change.oldValue!) → \(change.newValue!)")
      },
      observe(\.list) { object, _ in object.appended = object.list.count },
    ]
    value = 2
    value *= 2
    do { value = try next(value) } catch {}
    list.append(2)
  }

  private func next(_ value: Int) throws -> Int { value + 2 }
}

/// Computes what it assigns with code that fails, changes the key or registers the first observer.
@KeyValueObservable
private final class Computing {
  private struct Failure: Error {}

  var level = 0 {
    didSet { Heard.note("didSet \(level)") }
  }
  @KeyValueIgnored var heard: [String] = []
  @KeyValueIgnored var tokens: [KeyValueObservation] = []

  init() {
    level = observed(1)
    do { level = try failing() } catch { heard.append("failed") }
    do { try level = failing() } catch { heard.append("failed") }
    level = changed(to: 5, 6)
    level += changed(to: 10, 2)
    unsafe level = unchecked()
  }

  private func observed(_ result: Int) -> Int {
    tokens.append(
      observe(\.level, options: [.old, .new]) { object, change in
        object.heard.append("\(change.oldValue!) → \(change.newValue!)")
      })
    return result
  }

  private func failing() throws -> Int { throw Failure() }

  private func changed(to value: Int, _ result: Int) -> Int {
    level = value
    return result
  }

  @unsafe private func unchecked() -> Int { 20 }
}

/// Assigns values whose types only the properties tell.
@KeyValueObservable
private final class Inferred {
  enum Mode { case quick, slow(Int) }

  var ratio = 0.0 { didSet {} }
  var mode: Mode? { didSet {} }
  var action: ((Int) -> Int)? { didSet {} }
  var tags: Set<String> = [] { didSet {} }
  var table: [String: Int] = ["b": 2] { didSet {} }
  var label: String! { didSet {} }
  var anything: Any = 0 { didSet {} }
  var text: any CustomStringConvertible = 0 { didSet {} }
  weak var other: Inferred? { didSet {} }
  var names: [String] = [] { didSet {} }
  var count = 0 { didSet {} }
  @KeyValueIgnored var token: KeyValueObservation?

  init() {
    token = observe(\.count) { _, _ in }
    ratio = 1
    ratio += 0.5
    mode = .slow(2)
    mode = nil
    mode = ratio > 1 ? .quick : nil
    action = { $0 + 1 }
    tags = ["a", "b"]
    table = [:]
    table["a"] = 1
    label = nil
    label = "x"
    anything = "y"
    text = ratio
    other = self
    names += ["a"]
    count = if ratio > 1 { 2 } else { 3 }
    count =
      switch mode {
      case .quick: count + 2
      default: 5
      }
  }
}

@KeyValueObservable(tracking: true)
private final class Page {
  var number = 0 {
    didSet { Heard.note("didSet number") }
  }
  var lines: [String] = [] {
    didSet { Heard.note("didSet lines") }
  }

  init(_ show: (Page) -> Void) {
    show(self)
    number = 1
    show(self)
    lines.append("a")
  }
}

@KeyValueObservable
private final class Silent {
  var value = 0 {
    didSet { Heard.note("didSet value") }
  }
  @KeyValueIgnored var heard = 0
  @KeyValueIgnored var token: KeyValueObservation?

  static func automaticallyNotifiesObserversOfValue() -> Bool { false }

  init() {
    token = observe(\.value) { object, _ in object.heard += 1 }
    value = 1
  }
}

private enum Observed {
  @KeyValueObservable
  class Staff {
    var count: Int
    var names: [String] {
      didSet { Heard.note("\(how) \(names)") }
    }
    @KeyValueIgnored var how = "names"

    init(names: [String]) {
      self.names = names
      self.names.append("b")
      count = 1
      self.names = []
      self.names += ["d"]
      how = "function"
      func change() { self.names = ["f"] }
      change()
      how = "closure"
      let assign = { self.names = ["c"] }
      assign()
      how = "names"
    }

    convenience init() {
      self.init(names: [])
      names = ["z"]
      names.append("y")
    }
  }

  @KeyValueObservable
  final class Couple {
    var first: String { didSet { Heard.note("first \(first)") } }
    var second: String { willSet { Heard.note("second \(newValue)") } }

    init(first: String, second: String) {
      self.first = first
      self.second = second
      self.first += self.second
    }
  }

  @KeyValueObservable
  final class Mortal {
    var age = 0 {
      willSet { Heard.note("method \(newValue)") }
    }

    init() { grow() }

    func grow() { age += 1 }

    deinit {
      age = 7
      self.age += 1
    }
  }

  @KeyValueObservable
  class Team: Staff {
    var lead: Int {
      didSet { Heard.note("method \(lead)") }
    }

    init(lead: Int) {
      self.lead = lead
      super.init(names: [])
      Heard.log.withLock { $0 = [] }
      self.lead = 5
      names = ["team"]
      self.lead += 1
      set()
    }

    func set() { lead = 8 }
  }

  @KeyValueObservable
  final class Shapes {
    var size: Size {
      didSet { Heard.note("size") }
    }
    var items: [Int] {
      willSet { Heard.note("items") }
    }
    var total: Int {
      didSet { Heard.note("method \(total)") }
    }
    var optional: [Int]? {
      didSet { Heard.note("optional") }
    }
    let flag: Bool

    var state: [Int] { [size.width, total] + items + (optional ?? []) }

    struct Size { var width = 1 }

    init(flag: Bool, items: [Int]) {
      if flag {
        total = 1
      } else {
        total = 2
      }
      self.items = items
      self.items[0] = 5
      size = Size()
      size.width = 2
      self.flag = flag
      optional = items
      set()
      defer { total = 77 }
      size.width += 3
      self.items[0] += 1
      optional?.append(6)
      optional![0] = 9
      for item in items { total += item }
      switch flag {
      case true: self.items.append(1)
      case false: self.items = [total]
      }
      if let total = optional?.first { self.total = total }
      do {
        let size = 4
        self.items.append(size)
        if size > 3 { swap(&self.items, &optional!) }
      }
      while total < 12 {
        total += 1
      }
      guard flag else {
        total = 13
        return
      }
      (total, self.size) = (14, Size())
    }

    func set() { total = 40 }
  }

  @KeyValueObservable
  final class OneLine {
    var total = 0 { didSet { Heard.note("total \(total)") } }
    var items: [Int] = [] { didSet { Heard.note("items") } }
    var state: [Int] { [total] + items }

    init(flag: Bool) {
      grow()
      if flag { total = 4; items.append(8); items.append(2) } else { total = 1; items = [] }
      total = 3; if items.isEmpty { return }
    }

    func grow() { total = 3 }
  }
}

private enum Plain {
  class Staff {
    var count: Int
    var names: [String] {
      didSet { Heard.note("\(how) \(names)") }
    }
    var how = "names"

    init(names: [String]) {
      self.names = names
      self.names.append("b")
      count = 1
      self.names = []
      self.names += ["d"]
      how = "function"
      func change() { self.names = ["f"] }
      change()
      how = "closure"
      let assign = { self.names = ["c"] }
      assign()
      how = "names"
    }

    convenience init() {
      self.init(names: [])
      names = ["z"]
      names.append("y")
    }
  }

  final class Couple {
    var first: String { didSet { Heard.note("first \(first)") } }
    var second: String { willSet { Heard.note("second \(newValue)") } }

    init(first: String, second: String) {
      self.first = first
      self.second = second
      self.first += self.second
    }
  }

  final class Mortal {
    var age = 0 {
      willSet { Heard.note("method \(newValue)") }
    }

    init() { grow() }

    func grow() { age += 1 }

    deinit {
      age = 7
      self.age += 1
    }
  }

  class Team: Staff {
    var lead: Int {
      didSet { Heard.note("method \(lead)") }
    }

    init(lead: Int) {
      self.lead = lead
      super.init(names: [])
      Heard.log.withLock { $0 = [] }
      self.lead = 5
      names = ["team"]
      self.lead += 1
      set()
    }

    func set() { lead = 8 }
  }

  final class Shapes {
    var size: Size {
      didSet { Heard.note("size") }
    }
    var items: [Int] {
      willSet { Heard.note("items") }
    }
    var total: Int {
      didSet { Heard.note("method \(total)") }
    }
    var optional: [Int]? {
      didSet { Heard.note("optional") }
    }
    let flag: Bool

    var state: [Int] { [size.width, total] + items + (optional ?? []) }

    struct Size { var width = 1 }

    init(flag: Bool, items: [Int]) {
      if flag {
        total = 1
      } else {
        total = 2
      }
      self.items = items
      self.items[0] = 5
      size = Size()
      size.width = 2
      self.flag = flag
      optional = items
      set()
      defer { total = 77 }
      size.width += 3
      self.items[0] += 1
      optional?.append(6)
      optional![0] = 9
      for item in items { total += item }
      switch flag {
      case true: self.items.append(1)
      case false: self.items = [total]
      }
      if let total = optional?.first { self.total = total }
      do {
        let size = 4
        self.items.append(size)
        if size > 3 { swap(&self.items, &optional!) }
      }
      while total < 12 {
        total += 1
      }
      guard flag else {
        total = 13
        return
      }
      (total, self.size) = (14, Size())
    }

    func set() { total = 40 }
  }

  final class OneLine {
    var total = 0 { didSet { Heard.note("total \(total)") } }
    var items: [Int] = [] { didSet { Heard.note("items") } }
    var state: [Int] { [total] + items }

    init(flag: Bool) {
      grow()
      if flag { total = 4; items.append(8); items.append(2) } else { total = 1; items = [] }
      total = 3; if items.isEmpty { return }
    }

    func grow() { total = 3 }
  }
}
