import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Gem: Codable, Hashable {
  var carats = 1

  static func == (one: Gem, other: Gem) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private struct Setting: Codable {
  var name = "ring"
  var gem: Gem?
}

private enum Find: Codable {
  case nothing
  case gem(Gem)
  indirect case inside(Find)
}

/// Not observable, so it encodes itself.
private final class Pouch: Codable {
  var gems: [String: Gem] = [:]
  var pouch: Pouch?
}

/// Writes what it holds in each kind of container.
private struct Handwritten: Codable {
  enum Place: CaseIterable {
    case single, unkeyed, keyed, nestedInUnkeyed, nestedInKeyed, superOfUnkeyed, superOfKeyed
  }

  enum CodingKeys: CodingKey { case name, inner }

  let place: Place
  let gem: Gem

  init(_ place: Place, _ gem: Gem) { (self.place, self.gem) = (place, gem) }

  // Nothing is restored here.
  init(from decoder: any Decoder) throws { throw CancellationError() }

  func encode(to encoder: any Encoder) throws {
    switch place {
    case .single:
      var container = encoder.singleValueContainer()
      try container.encode(gem)
    case .unkeyed:
      var container = encoder.unkeyedContainer()
      try container.encode("gem")
      try container.encode(gem)
    case .keyed:
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode("gem", forKey: .name)
      try container.encode(gem, forKey: .inner)
    case .nestedInUnkeyed:
      var container = encoder.unkeyedContainer()
      var inner = container.nestedUnkeyedContainer()
      var keyed = inner.nestedContainer(keyedBy: CodingKeys.self)
      try keyed.encode(gem, forKey: .inner)
    case .nestedInKeyed:
      var container = encoder.container(keyedBy: CodingKeys.self)
      var inner = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .inner)
      var unkeyed = inner.nestedUnkeyedContainer(forKey: .inner)
      try unkeyed.encode(gem)
    case .superOfUnkeyed:
      var container = encoder.unkeyedContainer()
      try gem.encodeIn(container.superEncoder())
    case .superOfKeyed:
      var container = encoder.container(keyedBy: CodingKeys.self)
      try gem.encodeIn(container.superEncoder())
    }
  }
}

extension Gem {
  fileprivate func encodeIn(_ encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self)
  }
}

@KeyValueObservable
private final class Casket {
  var setting: Setting?
  var find = Find.nothing
  var pouch: Pouch?
  var settings: [Setting] = []
  var named: [String: Setting] = [:]
  var rows: [[Gem]] = []
  var next: [Gem: Casket] = [:]
  var handwritten: Handwritten?
  // Declared last, so that its objects are found last.
  var casket: Casket?
  var gems: [Gem] = []
  required init() {}
}

/// Counts how often it's encoded.
private struct Counted: Codable {
  var text = ""

  func encode(to encoder: any Encoder) throws {
    Counted.encodings += 1
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  init() {}
  init(from decoder: any Decoder) throws { text = try String(from: decoder) }

  // Only one test uses it.
  nonisolated(unsafe) static var encodings = 0
}

private struct Trivial: Codable {
  var number = 0

  func encode(to encoder: any Encoder) throws {
    Trivial.encodings += 1
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  init() {}
  init(from decoder: any Decoder) throws { number = try Int(from: decoder) }

  // Only one test uses it.
  nonisolated(unsafe) static var encodings = 0
}

@KeyValueObservable
private final class Ledger {
  var counted = Counted()
  var trivial = Trivial()
  var trivials = [Trivial(), Trivial()]
  var byName = ["one": Trivial()]
  let constant: Counted? = Counted()
  var ledger: Ledger?
  required init() {}
}

@KeyValueObservable
private final class Unwritable {
  /// It can't be written, and has nothing inside.
  var numbers: Bounds? = Bounds(upper: .max)
  required init() {}
}

@KeyValueObservable
private final class Atlas {
  var atlases: [Bounds: Atlas] = [:]
  required init() {}
}

private struct Bounds: Codable, Hashable {
  var name = ""
  var upper: UInt64

  func encode(to encoder: any Encoder) throws {
    struct Unbounded: Error {}
    if upper == .max { throw Unbounded() }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(upper, forKey: .upper)
  }
}

@Suite("G. Observable objects inside values")
struct ObjectsInValuesTests {
  private let refusal =
    "its value has an object of Gem inside, whose changes are not seen. Let a key of its own refer to the object."

  private func error(_ body: () throws -> Void) -> String? {
    #expect(throws: KeyValueLogError.self, performing: body).map { "\($0)" }
  }

  /// A casket for each way in which a value can have an object inside, by the value's key.
  private func caskets(_ gem: Gem) -> [(key: String, casket: Casket)] {
    func casket(_ key: String, _ change: (Casket) -> Void) -> (key: String, casket: Casket) {
      let casket = Casket()
      change(casket)
      return (key, casket)
    }
    let pouch = Pouch()
    pouch.pouch = Pouch()
    pouch.pouch?.gems["red"] = gem
    return [
      casket("setting") { $0.setting = Setting(gem: gem) },
      casket("find") { $0.find = .inside(.gem(gem)) },
      casket("pouch") { $0.pouch = pouch },
      casket("settings") { $0.settings = [Setting(), Setting(gem: gem)] },
      casket("named") { $0.named = ["new": Setting(gem: gem)] },
      casket("rows") { $0.rows = [[], [gem]] },
      casket("next") { $0.next = [gem: Casket()] },
    ]
      + Handwritten.Place.allCases.map { place in
        casket("handwritten") { $0.handwritten = Handwritten(place, gem) }
      }
  }

  @Test(
    "G4 an observable object inside a value is an error at attachment, and nothing is attached")
  func attached() throws {
    for (key, casket) in caskets(Gem()) {
      let outer = Casket()
      outer.casket = casket
      let expected = "Casket.\(key) can't be logged: \(refusal)"
      for root in [casket, outer] {
        #expect(error { _ = try KeyValueChangeLog(of: root) } == expected)
        #expect(error { try KeyValueChangeRecorder().record(graph: root) } == expected)
      }
      #expect(casket._$kvoWithRegistrar { $0.isIdle } && outer._$kvoWithRegistrar { $0.isIdle })
    }
  }

  @Test("G4 an object inside a value that a key leads to, wherever, is a reference")
  func elsewhere() throws {
    for (key, casket) in caskets(Gem()) {
      let gem = try #require(casket.gemInside)
      let outer = Casket()
      outer.casket = casket
      outer.gems = [gem]
      let log = try KeyValueChangeLog(of: outer)
      let (id, snapshot) = (try #require(log.id(of: gem)), try log.snapshot())
      let values = snapshot.objects[try #require(log.id(of: casket))]?.values
      #expect(values?[key]?.refers(to: id) == true)
      if key == "handwritten" { continue }
      let copy = try KeyValueChangeLog(
        restoring: KeyValueSnapshot(json: snapshot.json()), as: Casket.self)
      #expect(copy.root.casket?.gemInside === copy.root.gems[0])
      #expect(try copy.snapshot() == snapshot)
    }
  }

  @Test("G4 a snapshot with an object that only a value refers to can't be restored")
  func restored() throws {
    let casket = Casket()
    let gem = Gem()
    casket.setting = Setting(gem: gem)
    casket.gems = [gem]
    var snapshot = try KeyValueChangeLog(of: casket).snapshot()
    snapshot.objects[snapshot.root]?.values["gems"] = []
    #expect(
      error { _ = try KeyValueChangeLog(restoring: snapshot, as: Casket.self) }
        == "Casket.setting can't be logged: \(refusal)")
  }

  @Test("G4 a value that enters with an object inside is one violation, with and without listeners")
  func entered() throws {
    let unseen = " It came into a graph that is logged, and its changes are not recorded."
    let unrecorded = " A change of a graph that is logged was not recorded."
    for (key, casket) in caskets(Gem()) {
      for (isListening, isTransaction) in [
        (false, false), (false, true), (true, false), (true, true),
      ] {
        let outer = Casket()
        let log = try KeyValueChangeLog(of: outer)
        var records: [KeyValueTransactionRecord] = []
        let token = isListening ? log.observe { records.append($0) } : nil
        ViolationLog.record { violations in
          if isTransaction {
            outer.performChanges { $0.casket = casket }
          } else {
            outer.casket = casket
          }
          let id = log.id(of: casket).map { "\($0)" } ?? ""
          #expect(
            violations.take() == [
              "unobservableValue: Casket.\(key) can't be logged (object \(id)): \(refusal)"
                + (isListening ? unrecorded : unseen)
            ])
        }
        #expect(records.isEmpty)
        token?.invalidate()
      }
    }
  }

  @Test(
    "G4 a value with an object inside that is set later is a violation, unless the graph has the object by then"
  )
  func set() throws {
    for isListening in [false, true] {
      let casket = Casket()
      let log = try KeyValueChangeLog(of: casket)
      let id = try #require(log.id(of: casket))
      var count = 0
      let token = isListening ? log.observe { _ in count += 1 } : nil
      let expected =
        "unobservableValue: Casket.setting can't be logged (object \(id)): \(refusal) "
        + (isListening
          ? "A change of a graph that is logged was not recorded."
          : "It came into a graph that is logged, and its changes are not recorded.")
      ViolationLog.record { violations in
        casket.setting = Setting(gem: Gem())
        #expect(violations.take() == [expected])
        casket.performChanges { casket in
          for _ in 1...3 { casket.setting = Setting(gem: Gem()) }
        }
        #expect(violations.take() == [expected])
        casket.performChanges { casket in
          casket.setting = nil
          casket.find = .gem(Gem())
          casket.find = .nothing
        }
        // The old value is part of the record.
        #expect(violations.take() == (isListening ? [expected] : []))
        casket.performChanges { casket in
          let gem = Gem()
          casket.setting = Setting(gem: gem)
          casket.casket = Casket()
          casket.casket?.find = .gem(gem)
          casket.gems = [gem]
        }
        #expect(violations.take() == [])
        try? casket.performChanges(rollingBack: true) { casket in
          casket.setting = Setting(gem: Gem())
          casket.casket = Casket()
          casket.casket?.find = .gem(Gem())
          throw CancellationError()
        }
        #expect(violations.take() == [])
      }
      #expect(count == (isListening ? 1 : 0))
      #expect(try log.snapshot().objects.count == 3)
      token?.invalidate()
    }
  }

  @Test("G4 a value that several changes of a transaction fill with objects is one violation")
  func severalChanges() throws {
    let casket = Casket()
    let log = try KeyValueChangeLog(of: casket)
    ViolationLog.record { violations in
      casket.performChanges { casket in
        let settings = casket.mutableArrayValue(for: \.settings)
        for _ in 1...3 { settings.append(Setting(gem: Gem())) }
      }
      #expect(violations.take().map { $0.contains(refusal) } == [true])
    }
    withExtendedLifetime(log) {}
  }

  @Test("G4 a change from before the first listener, in the same transaction, is checked")
  func listenerInTransaction() throws {
    let casket = Casket()
    let log = try KeyValueChangeLog(of: casket)
    var tokens: [KeyValueObservation] = []
    ViolationLog.record { violations in
      casket.performChanges { casket in
        casket.setting = Setting(gem: Gem())
        tokens.append(log.observe { _ in })
      }
      #expect(violations.take().map { $0.contains(refusal) } == [true])
    }
  }

  @Test("G4 what has left by the end of the transaction isn't checked")
  func gone() throws {
    let casket = Casket()
    casket.casket = Casket()
    let log = try KeyValueChangeLog(of: casket)
    ViolationLog.record { violations in
      casket.performChanges { casket in
        casket.casket?.setting = Setting(gem: Gem())
        casket.casket = Casket()
        casket.casket?.find = .gem(Gem())
        casket.casket = nil
      }
      #expect(violations.take() == [])
    }
    #expect(try log.snapshot().objects.count == 1)
  }

  @Test("G4 a log that has ended checks nothing")
  func ended() throws {
    let casket = Casket()
    var log: KeyValueChangeLog? = try KeyValueChangeLog(of: casket)
    ViolationLog.record { violations in
      casket.performChanges { casket in
        casket.setting = Setting(gem: Gem())
        casket.casket = Casket()
        casket.casket?.find = .gem(Gem())
        withExtendedLifetime(log) {}
        log = nil
      }
      #expect(violations.take() == [])
    }
  }

  @Test(
    "G4 an object that leaves while a value has it inside is found when the value is written next")
  func left() throws {
    let (casket, gem) = (Casket(), Gem())
    casket.setting = Setting(gem: gem)
    casket.gems = [gem]
    let log = try KeyValueChangeLog(of: casket)
    ViolationLog.record { violations in
      casket.gems = []
      #expect(violations.take() == [])
    }
    let id = try #require(log.id(of: casket))
    #expect(
      error { _ = try log.snapshot() }
        == "Casket.setting can't be logged (object \(id)): \(refusal)")
  }

  @Test("G4 attaching encodes a value once if it may have objects inside, else not at all")
  func encodings() throws {
    let ledger = Ledger()
    ledger.ledger = Ledger()
    func encodings(_ body: () throws -> Void) rethrows -> [Int] {
      (Counted.encodings, Trivial.encodings) = (0, 0)
      try body()
      return [Counted.encodings, Trivial.encodings]
    }
    var log: KeyValueChangeLog<Ledger>?
    #expect(try encodings { log = try KeyValueChangeLog(of: ledger) } == [4, 0])
    #expect(encodings { ledger.ledger = Ledger() } == [2, 0])
    #expect(encodings { ledger.counted.text = "a" } == [1, 0])
    #expect(encodings { ledger.trivial.number = 1 } == [0, 0])
    let token = log?.observe { _ in }
    // Both values are written.
    #expect(encodings { ledger.counted.text = "b" } == [2, 0])
    withExtendedLifetime(token) {}
  }

  @Test("G4 a value that can't be written for another reason is an error when it's written")
  func unwritable() throws {
    let log = try KeyValueChangeLog(of: Unwritable())
    #expect(throws: KeyValueLogError.self) { try log.snapshot() }
  }

  @Test("G4 a value that contains itself is an error when it's written")
  func endless() throws {
    let casket = Casket()
    casket.pouch = Pouch()
    casket.pouch?.pouch = casket.pouch
    let log = try KeyValueChangeLog(of: casket)
    #expect(throws: KeyValueLogError.self) { try log.snapshot() }
    casket.pouch?.pouch = nil
  }

  @Test("G4 a dictionary's keys that can't be written or read are errors that name the property")
  func dictionaryKeys() throws {
    let atlas = Atlas()
    atlas.atlases[Bounds(upper: 1)] = Atlas()
    let log = try KeyValueChangeLog(of: atlas)
    var snapshot = try log.snapshot()
    guard case .array(let entries) = snapshot.objects[snapshot.root]?.values["atlases"],
      case .array(let entry) = entries.first
    else { throw CancellationError() }
    snapshot.objects[snapshot.root]?.values["atlases"] = [["no bounds", entry[1]]]
    #expect(
      error { _ = try KeyValueChangeLog(restoring: snapshot, as: Atlas.self) }
        == "Atlas.atlases was given a value of the wrong type (object \(snapshot.root)): it takes Bounds, not "
        + "\"no bounds\".")
    atlas.atlases[Bounds(upper: .max)] = Atlas()
    let refusal = error { _ = try log.snapshot() }
    #expect(
      refusal?.hasPrefix("Atlas.atlases can't be logged (object \(snapshot.root)): ") == true)
  }
}

extension Casket {
  fileprivate var gemInside: Gem? {
    func inside(_ find: Find) -> Gem? {
      switch find {
      case .nothing: nil
      case .gem(let gem): gem
      case .inside(let find): inside(find)
      }
    }
    return setting?.gem ?? inside(find) ?? pouch?.pouch?.gems.values.first
      ?? settings.last?.gem ?? named["new"]?.gem ?? rows.last?.last ?? next.keys.first
      ?? handwritten?.gem
  }
}

extension KeyValueLogValue {
  fileprivate func refers(to id: KeyValueObjectID) -> Bool {
    switch self {
    case .reference(let other): other == id
    case .array(let elements): elements.contains { $0.refers(to: id) }
    case .dictionary(let entries): entries.values.contains { $0.refers(to: id) }
    default: false
    }
  }
}
