import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A class with keys named like members of bound paths, and with keys for every kind of path.
@KeyValueObservable
final class Office {
  var values = 1
  var observe = 2
  var bind = 3
  var description = "an office"
  var hash = 4
  var next: Office?
  var room = Room()
  var optionalRoom: Room?
  var staff: [Clerk] = []
  var bench: Set<Clerk> = []
  var pool: [Clerk]?
  var boss: Clerk?
  var lead: Clerk { staff.first ?? Clerk() }

  struct Room: Equatable {
    var width = 1
    var door = Door()
    struct Door: Equatable { var height = 2 }
  }
}

extension Office.Room {
  // Members whose names a key path doesn't know.
  fileprivate var area: Int { width * width }
  fileprivate var girth: Int { width * 4 }
}

@KeyValueObservable
final class Clerk: Hashable {
  var name: String
  var pay = 1
  var bonus: Int?
  var office: Office?

  init(_ name: String = "") { self.name = name }

  static func == (left: Clerk, right: Clerk) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A class whose paths are spelled in one test only.
@KeyValueObservable
final class Fresh {
  var a = 0
  var b = ""
  var c: Int?
  var d = 0.0
  var e: [Int] = []
  var f = 0
  var g = 0
  var h = 0
}

@Suite("P. Bound paths")
struct BoundPathTests {
  private let log = ChangeLog()
  private let office = Office()

  /// Observes a path and logs its changes under its own name.
  private func watch<Root, Value>(_ path: KeyValueBoundPath<Root, Value>) -> KeyValueObservation {
    path.observe(options: [.old, .new], changeHandler: log.handler(path.debugDescription))
  }

  @Test("P1 A bound path observes keys, through optionals without `?`, and members of values")
  func spelling() {
    let tokens = [
      watch(office.kvo.boss), watch(office.kvo.boss.name), watch(office.kvo.boss.bonus),
      watch(office.kvo.next.boss.office[\.values]), watch(office.kvo.room.door.height),
      watch(office.kvo.optionalRoom.width), watch(office.kvo.description),
      watch(office.kvo.next.description), watch(office.kvo.hash),
    ]
    #expect(
      tokens.map(\.keyPath) == [
        "boss", "boss.name", "boss.bonus", "next.boss.office.values", "room.door.height",
        "optionalRoom.width", "description", "next.description", "hash",
      ])
    let clerk = Clerk("Ada")
    office.boss = clerk
    #expect(
      log.take() == [
        "Office.boss: setting, old: nil, new: \(clerk)",
        "Office.boss.name: setting, old: nil, new: \"Ada\"",
        "Office.boss.bonus: setting, old: nil, new: nil",
      ])
    clerk.bonus = 5
    clerk.name = "Grace"
    office.room.door.height = 3
    office.room.width = 9
    office.optionalRoom = Office.Room()
    office.description = "a hall"
    office.hash = 5
    #expect(
      log.take() == [
        "Office.boss.bonus: setting, old: nil, new: 5",
        "Office.boss.name: setting, old: \"Ada\", new: \"Grace\"",
        "Office.room.door.height: setting, old: 2, new: 3",
        "Office.room.door.height: setting, old: 3, new: 3",
        "Office.optionalRoom.width: setting, old: nil, new: 1",
        "Office.description: setting, old: \"an office\", new: \"a hall\"",
        "Office.hash: setting, old: 4, new: 5",
      ])
    let next = Office()
    next.boss = clerk
    clerk.office = office
    office.next = next
    office.values = 7
    #expect(
      log.take() == [
        "Office.next.boss.office.values: setting, old: nil, new: 1",
        "Office.next.description: setting, old: nil, new: \"an office\"",
        "Office.next.boss.office.values: setting, old: 1, new: 7",
      ])
    clerk.office = nil  // the circle
    #expect(log.take() == ["Office.next.boss.office.values: setting, old: 7, new: nil"])
    withExtendedLifetime(tokens) {}
  }

  @Test("P1 A key named like a member is written in brackets, anywhere in a path")
  func brackets() {
    let tokens = [
      watch(office.kvo[\.values]), watch(office.kvo[\.observe]), watch(office.kvo[\.bind]),
      watch(office.kvo.next[\.values]), watch(office.kvo.next[\.next].description),
      watch(office.kvo.next[\.boss][\.bonus]),
    ]
    office.values = 10
    office.observe = 20
    office.bind = 30
    let next = Office()
    office.next = next
    next.values = 11
    next.boss = Clerk()
    next.boss?.bonus = 1
    #expect(
      log.take() == [
        "Office.values: setting, old: 1, new: 10", "Office.observe: setting, old: 2, new: 20",
        "Office.bind: setting, old: 3, new: 30", "Office.next.values: setting, old: nil, new: 1",
        "Office.next.next.description: setting, old: nil, new: nil",
        "Office.next.boss.bonus: setting, old: nil, new: nil",
        "Office.next.values: setting, old: 1, new: 11",
        "Office.next.boss.bonus: setting, old: nil, new: nil",
        "Office.next.boss.bonus: setting, old: nil, new: 1",
      ])
    #expect(tokens.allSatisfy { $0.isValid })
  }

  @Test("P1 Operators and `each` observe arrays, sets, optional collections and optional owners")
  func collections() throws {
    let tokens = [
      watch(office.kvo.staff[sum: \.pay]), watch(office.kvo.staff[sum: \.bonus]),
      watch(office.kvo.bench[maximum: \.pay]), watch(office.kvo.pool[average: \.pay]),
      watch(office.kvo.next.staff[minimum: \.bonus]), watch(office.kvo.staff[each: \.name]),
      watch(office.kvo.pool[each: \.office.values]), watch(office.kvo.staff.count),
    ]
    let clerk = Clerk("Ada")
    office.staff = [clerk]
    #expect(
      log.take() == [
        "Office.staff.@sum.pay: setting, old: 0, new: 1",
        "Office.staff.@sum.bonus: setting, old: 0, new: 0",
        "Office.staff.name: setting, old: [], new: [\"Ada\"]",
        "Office.staff.@count: setting, old: 0, new: 1",
      ])
    office.bench = [clerk]
    office.pool = [clerk]
    office.next = office
    clerk.pay = 4
    clerk.bonus = 2
    clerk.office = office
    office.next = nil
    clerk.office = nil
    #expect(
      log.take() == [
        "Office.bench.@max.pay: setting, old: nil, new: 1",
        "Office.pool.@avg.pay: setting, old: nil, new: 1.0",
        "Office.pool.office.values: setting, old: nil, new: [nil]",
        "Office.next.staff.@min.bonus: setting, old: nil, new: nil",
        "Office.staff.@sum.pay: setting, old: 1, new: 4",
        "Office.bench.@max.pay: setting, old: 1, new: 4",
        "Office.pool.@avg.pay: setting, old: 1.0, new: 4.0",
        "Office.staff.@sum.bonus: setting, old: 0, new: 2",
        "Office.next.staff.@min.bonus: setting, old: nil, new: 2",
        "Office.pool.office.values: setting, old: [nil], new: [1]",
        "Office.next.staff.@min.bonus: setting, old: 2, new: nil",
        "Office.pool.office.values: setting, old: [1], new: [nil]",
      ])
    #expect(tokens.count == 8)
  }

  @Test("P1 A held path, a held key path and a string have the same type and changes")
  func held() throws {
    let path = KeyValuePath<Office, String?>(\.boss.name)
    let keyPath = \Office.values
    let tokens = [
      watch(office.kvo[path]), watch(office.kvo[KeyValuePath(office.kvo.boss.name)]),
      watch(try office.kvo("boss.name", as: String?.self)), watch(try office.kvo("boss.name")),
      watch(office.kvo[keyPath]), watch(try office.kvo("values", as: Int.self)),
    ]
    office.boss = Clerk("Ada")
    office.values = 2
    #expect(
      log.take() == Array(repeating: "Office.boss.name: setting, old: nil, new: \"Ada\"", count: 4)
        + Array(repeating: "Office.values: setting, old: 1, new: 2", count: 2))
    #expect(tokens.allSatisfy { $0.isValid })
  }

  @Test("P1 Paths are equal in every spelling, and differ by the members of a value")
  func equality() throws {
    let typed = KeyValuePath(office.kvo.boss.name)
    let string = KeyValuePath(try office.kvo("boss.name", as: String?.self))
    let sum = KeyValuePath(try office.kvo("staff.@sum.pay", as: Int.self))
    #expect(typed == KeyValuePath<Office, String?>(\.boss.name))
    #expect(typed == KeyValuePath<Office, String?>(\.boss?.name))
    #expect(typed == string)
    #expect(typed == KeyValuePath(Office().kvo[typed]))
    #expect(typed.hashValue == string.hashValue)
    #expect(KeyValuePath(office.kvo.room.width) != KeyValuePath(office.kvo.room.door.height))
    #expect(KeyValuePath(office.kvo.room.width) == KeyValuePath(office.kvo.room.width))
    #expect(KeyValuePath(office.kvo.staff[sum: \.pay]) == sum)
    #expect(String(typed) == "boss.name")
    #expect("\(typed)" == "boss.name")
    #expect(office.kvo.debugDescription == "Office")
  }

  @Test("P1 A string with `self`, or with a path behind `@count`, is equal to the path without it")
  func droppedComponents() throws {
    let typed = KeyValuePath(office.kvo.boss.name)
    let string = KeyValuePath(try office.kvo("boss.self.name", as: String?.self))
    #expect(typed == string && typed.hashValue == string.hashValue)
    #expect(String(string) == "boss.self.name")
    #expect(
      KeyValuePath(try office.kvo("staff.@count.pay", as: Int.self))
        == KeyValuePath(office.kvo.staff.count))
    let owner = ObservingOwner(log)
    owner.observer.observe(office.kvo.boss.name) { _, _, _ in }
    owner.observer.unobserve(try office.kvo("boss.self.name", as: String?.self))
    #expect(isIdle(office))
  }

  @Test("P1 Operators' paths differ by the members of a value, and by where they end")
  func operatorEquality() throws {
    let area = office.kvo.staff[sum: \.office.room.area]
    let girth = office.kvo.staff[sum: \.office.room.girth]
    #expect("\(KeyValuePath(area))" == "\(KeyValuePath(girth))")
    #expect(KeyValuePath(area) != KeyValuePath(girth))
    let again = KeyValuePath(office.kvo.staff[sum: \.office.room.area])
    #expect(KeyValuePath(area) == again && KeyValuePath(area).hashValue == again.hashValue)
    let last = KeyValuePath(office.kvo.staff[maximum: \.name].count)
    let longest = KeyValuePath(office.kvo.staff[maximum: \.name.count])
    #expect(last != longest)
    #expect(last == KeyValuePath(office.kvo.staff[maximum: \.name].count))
    let owner = ObservingOwner(log)
    owner.observer.observe(area, options: .new, changeHandler: { $0.log.note("area", $2) })
    owner.observer.observe(girth, options: .new, changeHandler: { $0.log.note("girth", $2) })
    let clerk = Clerk()
    clerk.office = Office()
    office.staff = [clerk]
    #expect(Set(log.take()) == ["area: setting, new: 1", "girth: setting, new: 4"])
    owner.observer.unobserve(girth)
    clerk.office?.room.width = 2
    #expect(log.take() == ["area: setting, new: 4"])
  }

  @Test(
    "P1 A path spelled again is the same path; a key path in two subscripts is two components")
  func remembered() {
    func spelled() -> KeyValuePath<Office, Int?> { KeyValuePath(office.kvo.next.boss.bonus) }
    let first = spelled()
    for _ in 0..<3 { #expect(spelled() == first) }
    // `\Office.next` leads from an Office to an Office?, and from an Office? to a flattened Office?.
    let keyPath = \Office.next
    let once = watch(office.kvo[keyPath][\.values])
    let twice = watch(office.kvo[keyPath][keyPath][\.values])
    office.next = Office()
    office.next?.next = Office()
    office.next?.next?.values = 5
    #expect(
      log.take() == [
        "Office.next.values: setting, old: nil, new: 1",
        "Office.next.next.values: setting, old: nil, new: nil",
        "Office.next.next.values: setting, old: nil, new: 1",
        "Office.next.next.values: setting, old: 1, new: 5",
      ])
    #expect(once.isValid && twice.isValid)
  }

  @Test("P1 Generic code makes new key paths on each call, and finds the same path")
  func generic() {
    func name<Object: Clerk>(_ object: Object) -> KeyValueBoundPath<Object, String> {
      object.kvo.name
    }
    let clerk = Clerk()
    let token = watch(name(clerk))
    // More than the number of different paths that are remembered.
    for _ in 0..<3_000 { _ = name(clerk) }
    clerk.name = "Ada"
    #expect(log.take() == ["Clerk.name: setting, old: \"\", new: \"Ada\""])
    #expect(token.isValid)
  }

  @Test("P1 Elements can be observed by index, even more of them than are remembered")
  func subscripts() {
    office.staff = (0..<1_200).map { _ in Clerk() }
    for index in 0..<1_200 { _ = office.kvo.staff[index].pay }
    for index in [0, 600, 1_199] {
      let token = watch(office.kvo.staff[index].pay)
      office.staff[index].pay = 7
      #expect(log.take() == ["Office.staff._.pay: setting, old: 1, new: 7"])
      #expect(token.isValid)
    }
  }

  @Test("T1 Threads that first spell the same paths concurrently find the same paths")
  func threads() {
    let tokens = Lock<[Set<String>]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      var spelled: Set<String> = []
      for _ in 0..<200 {
        let fresh = Fresh()
        spelled.formUnion([
          fresh.kvo.a.debugDescription, fresh.kvo.b.count.debugDescription,
          fresh.kvo.c.debugDescription, fresh.kvo.d.debugDescription, fresh.kvo.e.debugDescription,
          fresh.kvo.f.debugDescription, fresh.kvo.g.debugDescription, fresh.kvo.h.debugDescription,
        ])
      }
      tokens.withLock { $0.append(spelled) }
    }
    let all = tokens.withLock { $0 }
    #expect(all.count == 8)
    #expect(
      all.allSatisfy {
        $0.sorted() == [
          "Fresh.a", "Fresh.b._", "Fresh.c", "Fresh.d", "Fresh.e", "Fresh.f", "Fresh.g",
          "Fresh.h",
        ]
      })
  }

  // MARK: Lifetimes

  @Test("R5 A bound path retains its object; tokens and sequences made from it do not")
  func lives() {
    weak var weakOffice: Office?
    var path: KeyValueBoundPath<Office, String?>?
    var token: KeyValueObservation?
    do {
      let office = Office()
      weakOffice = office
      path = office.kvo.boss.name
      token = office.kvo.description.observe { _, _ in }
    }
    #expect(weakOffice != nil)
    let values = path?.values()
    let changes = path?.changes()
    path = nil
    #expect(weakOffice == nil)
    #expect(token?.isValid == false)
    #expect(values != nil && changes != nil)
  }

  @Test("P2 `until:` ends the observation by returning true; a trailing closure is a handler")
  func until() {
    let token = office.kvo[\.values].observe(
      options: .new,
      until: { [log] _, change in
        log.note("until", change)
        return change.newValue == 3
      })
    let other = office.kvo[\.values].observe { [log] _, _ in log.note("handler") }
    for value in 2...4 { office.values = value }
    #expect(
      log.take() == [
        "until: setting, new: 2", "handler", "until: setting, new: 3", "handler", "handler",
      ])
    #expect(!token.isValid && other.isValid)
  }

  @Test("L1 `kvo` alone is not a path, and is reported to the violation handler")
  func startAlone() {
    ViolationLog.record { violations in
      let office = Office()
      let token = office.kvo.observe { _, _ in }
      #expect(
        violations.take() == [
          "unobservablePath: The key path \\.self names no property. Observe one, as in "
            + "person.kvo.name."
        ])
      #expect(!token.isValid)
    }
  }
}
