import KeyValueObserving
import KeyValueTestSupport

/// Generates random programs.
package struct ProgramGenerator {
  private var random: SeededGenerator
  private let seed: UInt64
  /// Whether the program changes relationships without announcing it.
  private(set) var isSneaky = false
  /// Whether the program records changes and undoes them; then its handlers only set keys.
  private(set) var isRecorded = false
  private(set) var nextToken = 0
  private var fleetingCount = 0
  private(set) var guestCount = 0
  /// How many more bindings are allowed; the changes passed on through many bindings grow beyond measure.
  var bindingsLeft = 6
  /// Objects are numbered from 0; every fourth object is of the subclass.
  private let objectCount: Int

  package init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    objectCount = Int.random(in: 1...8, using: &random)
    isSneaky = chance(6)
    isRecorded = !isSneaky && chance(14)
    if isSneaky { bindingsLeft = 0 }
    if isRecorded { bindingsLeft = 2 }
  }

  /// A program of about `length` steps.
  package mutating func program(length: Int) -> Program {
    let serials = Array(0..<objectCount) + FuzzBadge.serials + FuzzCoin.serials
    var operations = serials.map { Operation.create($0) }
    // Relationships to walk along, before the first registration.
    for _ in 0..<objectCount * 2 { operations.append(.mutate(object(), relationship())) }
    for _ in 0..<3 { operations.append(.register(registration(depth: 2))) }
    if isRecorded { for _ in 0..<4 { operations.append(recording()) } }
    while operations.count < length {
      if isRecorded, chance(30) {
        operations += recorderSteps()
        continue
      }
      switch below(28) {
      case 25: operations += equalChanges()
      case 26: operations += optionalChanges()
      case 27: operations += overriddenChanges()
      case 0: operations += fleeting()
      case 1: operations += guests(of: object())
      default: operations.append(operation(depth: 2))
      }
    }
    return Program(seed: seed, operations: operations)
  }

  mutating func makeToken() -> Int {
    nextToken += 1
    return nextToken - 1
  }

  // MARK: Choices

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[below(choices.count)]
  }
  mutating func object() -> Int { below(objectCount) }
  mutating func badge() -> Int { pick(Array(FuzzBadge.serials)) }
  mutating func positions() -> [Int] { (0..<1 + below(3)).map { _ in below(8) } }

  // MARK: Steps

  /// A short-lived object that only a weak reference leads to.
  private mutating func fleeting() -> [Operation] {
    fleetingCount += 1
    let id = ProgramGenerator.firstFleeting + fleetingCount
    var steps: [Operation] = [.create(id), .mutate(object(), .assign("peer", .object(id)))]
    if chance(30) { steps.append(.mutate(badge(), .assign("bearer", .object(id)))) }
    if chance(30) { steps.append(.mutate(coin(), .assign("owner", .object(id)))) }
    if chance(50) { steps.append(operation(depth: 1)) }
    return steps + [.drop(id)]
  }

  private static let firstFleeting = 19

  mutating func makeGuest() -> Int {
    guestCount += 1
    return -guestCount
  }

  mutating func operation(depth: Int) -> Operation {
    switch below(114) {
    case 100..<106: equalChange()
    case 106..<110: .mutate(object(), optionalMutation())
    case 110..<114: .mutate(object(), overriddenMutation())
    case 0..<18: .register(registration(depth: depth))
    case 18..<24: .end(token: below(nextToken + 1), byDropping: chance(50))
    case 24..<27: removal()
    case 27..<28: leaving()
    case 28..<29: .dropObserver(below(3))
    case 29..<32: .drop(chance(15) ? badge() : object())
    case 32..<33: .create(objectCount + below(3))
    case 33..<36 where !isRecorded: .will(object(), pick(ProgramGenerator.pairKeys + ["beat"]))
    case 36..<40 where !isRecorded: .did(object(), pick(ProgramGenerator.pairKeys + ["beat"]))
    case 40..<41: .read(object(), readPath())
    case 41..<43: registrationOfAll(depth: depth)
    case 43..<47 where !isSneaky: .transaction(batch(depth: depth, isInCallback: false))
    case 47..<51: binding()
    case 51..<54: .mutate(badge(), badgeMutation())
    case 54..<61: .mutate(object(), relationship())
    case 61..<70: .mutate(object(), plainChange())
    case 70..<72: .mutate(guest(), .assign("number", guestsValue()))
    default: .mutate(object(), mutation())
    }
  }

  /// A step for a callback, which must not make a collection smaller during an edit of it.
  mutating func action(depth: Int) -> Operation {
    switch below(118) {
    case 116..<118: .mutate(object(), overriddenMutation())
    case 111..<116: equalReaction()
    case 109..<111: .mutate(badge(), badgeMutation())
    case 107..<109: binding()
    case 103..<107: leaving()
    case 100..<103 where depth > 0: .transaction(batch(depth: depth - 1, isInCallback: true))
    case 0..<25: .end(token: below(nextToken + 2), byDropping: chance(50))
    case 25..<30: removal()
    case 30..<45: .register(registration(depth: depth - 1))
    case 45..<50: .drop(object())
    case 50..<55: .will(object(), pick(ProgramGenerator.pairKeys))
    case 55..<60: .did(object(), pick(ProgramGenerator.pairKeys))
    case 60..<75: .mutate(object(), .assign(pick(["next", "peer"]), target()))
    case 75..<80:
      .mutate(object(), .proxy("items", .insert([.object(object())], at: positions())))
    case 80..<84: .mutate(object(), .inPlace("items", growth()))
    default: .mutate(object(), .assign("number", .int(below(10))))
    }
  }

  static let pairKeys = [
    "number", "text", "manual", "label", "total", "values", "pulse", "phase", "rhythm", "beat",
  ]

  mutating func removal() -> Operation {
    .remove(
      observer: below(3), object: object(), path: pick(ProgramGenerator.observerPaths),
      context: chance(50) ? below(3) : nil)
  }

  private mutating func registrationOfAll(depth: Int) -> Operation {
    let objects = (0..<1 + below(3)).map { _ in object() }
    let (observer, context) = (below(3), below(3))
    if chance(30) {
      return .removeAll(
        observer: observer, objects: objects, path: pick(ProgramGenerator.observerPaths),
        context: context)
    }
    var registration = registration(depth: depth - 1)
    registration.form = .observer(observer, context: context)
    registration.lastCall = nil
    registration.path = chance(40) ? "level" : pick(ProgramGenerator.observerPaths)
    return .registerAll(registration, objects: objects)
  }

  /// An owner stops observing, or is released.
  mutating func leaving() -> Operation {
    let owner = below(ProgramGenerator.ownerCount)
    switch below(8) {
    case 0: return .dropOwner(owner)
    case 1: return .dropController(ofOwner: owner)
    case 2: return .unobserve(owner: owner, .all)
    case 3, 4: return .unobserve(owner: owner, .object(object()))
    default:
      let path = pick(ProgramGenerator.observerPaths)
      return .unobserve(owner: owner, .path(object(), path))
    }
  }

  private static let ownerCount = 4

  /// Few paths, so that an observer is registered several times for the same path.
  private static let observerPaths = [
    "number", "next.number", "label", "items", "items.@sum.number", "reach", "rack", "peer",
    "self.number", "folder.a.number",
  ]

  mutating func registration(depth: Int) -> Registration {
    var form = pick([Registration.Form.typed, .string, .string])
    if chance(25) { form = .observer(below(3), context: below(3)) }
    if chance(20) { form = .owner(below(ProgramGenerator.ownerCount), isTyped: chance(40)) }
    var path = self.path()
    switch form {
    case .typed:
      path = pick(TypedPaths.table.keys.sorted())
    case .owner(_, isTyped: true): path = pick(ProgramGenerator.ownersTypedPaths)
    case .observer where chance(80), .owner where chance(80):
      path = pick(ProgramGenerator.observerPaths)
    default: break
    }
    var registration = Registration(
      token: makeToken(), form: form, object: object(), path: path, options: options())
    if isSneaky { return registration }
    if isRecorded {
      for _ in 0..<below(3) { registration.script[1 + below(4)] = reaction() }
      return registration
    }
    if registration.hasToken, chance(15) { registration.lastCall = 1 + below(4) }
    if depth > 0, chance(35) {
      for _ in 0..<1 + below(2) {
        registration.script[1 + below(3)] = action(depth: depth)
      }
    }
    return registration
  }

  private static let ownersTypedPaths = [
    "number", "next.number", "label", "items", "items.@sum.number", "reach", "rack", "text._",
  ]

  mutating func options() -> KeyValueObservingOptions {
    var options = KeyValueObservingOptions(rawValue: UInt(below(16)))
    if chance(60) { options.formUnion([.old, .new]) }
    if chance(20) { options.insert(.elementChanges) }
    return options
  }

  // MARK: Paths

  private static let scalars = [
    "number", "number", "text", "width", "note", "label", "caption", "reach", "total", "load",
    "wealth", "ping", "pong", "doubled", "manual", "filed", "lonely",
  ]
  private static let numbers = [
    "number", "reach", "total", "doubled", "next.number", "peer.number", "filed", "lonely",
    "folder.a.number",
  ]

  /// A path that may contain `self`, which has no effect there.
  private mutating func path() -> String {
    if chance(1) { return "self" }
    let path = plainPath()
    return chance(12) ? withSelf(path) : path
  }

  /// The path with `self` inserted at one or two places.
  mutating func withSelf(_ path: String) -> String {
    var components = path.split(separator: ".").map(String.init)
    for _ in 0..<1 + below(2) { components.insert("self", at: below(components.count + 1)) }
    return components.joined(separator: ".")
  }

  /// A path that may end with a key that only a class's own coding knows.
  private mutating func readPath() -> String {
    guard chance(20) else { return path() }
    if chance(30) { return pick(["items.badge.notes", "items.badge.self.notes.self"]) }
    return pick(["", "next."]) + "badge.notes" + pick(["", ".@count", ".@sum.self", ".self"])
  }

  private mutating func folderPath() -> String {
    let owner = pick(["", "", "next.", "peer.", "items."])
    var rests = [
      "", ".a", ".b", ".a.number", ".b.label", ".a.next.number", ".b.folder.a.number", ".a.peer",
      ".b.lonely", ".a.badge.count",
    ]
    if owner != "items." { rests += [".a.items", ".b.items.number", ".a.items.@sum.number"] }
    return owner + "folder" + pick(rests)
  }

  private mutating func plainPath() -> String {
    if chance(2) { return "bogus" }
    if chance(8) { return folderPath() }
    if chance(4) { return pick(["peer", "next.peer", "lonely", "badge.bearer", "index"]) }
    if chance(2) { return pick(["values.@sum.self", "values.@max.self", "values.@count.self"]) }
    if chance(5) { return pick(["level", "rank"]) }
    if chance(9) { return equalPath() }
    if chance(6) { return optionalPath() }
    if chance(6) { return overriddenPath() }
    if chance(4) { return pick(["rack", "rack", "flags", "line"]) }
    if chance(12) { return pick(["", "", "next.", "peer.", "items."]) + badgePath() }
    // A set of values that aren't hashable would be an array in no particular order.
    if chance(2) { return "group.badge." + pick(["count", "title", "bearer.number"]) }
    return path(depth: 3, isInCollection: false)
  }

  private mutating func badgePath() -> String {
    let path = pick([
      "count", "title", "bearer", "bearer.number", "bearer.label", "bearer.badge.count",
    ])
    return chance(20) ? "badge" : "badge.\(path)"
  }

  private mutating func path(depth: Int, isInCollection: Bool) -> String {
    let roll = depth == 0 ? 0 : below(100)
    switch roll {
    case 0..<30: return pick(ProgramGenerator.scalars)
    case 30..<35: return pick(isInCollection ? ["next", "peer"] : ["next", "peer", "nearest"])
    case 35..<65:
      let key = pick(["next", "next", "peer", "nearest", "link"])
      return key + "." + path(depth: depth - 1, isInCollection: isInCollection)
    case 65..<75 where !isInCollection:
      return pick([
        "items", "group", "values", "marks", "staff", "shelf", "rack", "flags", "line",
        "line.@count",
      ])
    case 75..<88 where !isInCollection:
      let key = pick(["items", "items", "group", "staff"])
      let operation = pick(["@sum", "@avg", "@min", "@max", "@count"])
      return operation == "@count"
        ? "\(key).@count" : "\(key).\(operation).\(pick(ProgramGenerator.numbers))"
    case 88..<98 where !isInCollection:
      return pick(["items", "items", "group", "staff"]) + "."
        + path(depth: depth - 1, isInCollection: true)
    case 98..<100 where !isInCollection: return "items.items.number"
    default: return pick(ProgramGenerator.scalars)
    }
  }
}
