import KeyValueObserving
import KeyValueTestSupport

/// Makes random programs.
package struct ProgramGenerator {
  private var random: SeededGenerator
  private let seed: UInt64
  private(set) var nextToken = 0
  /// How many more bindings there may be: what passes through many of them grows beyond measure.
  var bindingsLeft = 6
  /// Objects are numbered from 0; the fourth, eighth … are of the subclass.
  private let objectCount: Int

  package init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    objectCount = Int.random(in: 1...8, using: &random)
  }

  /// A program of about so many steps.
  package mutating func program(length: Int) -> Program {
    var operations: [Operation] = (0..<objectCount).map { .create($0) }
    // Something to walk along, before there is anybody to watch.
    for _ in 0..<objectCount * 2 { operations.append(.mutate(object(), relationship())) }
    for _ in 0..<3 { operations.append(.register(registration(depth: 2))) }
    while operations.count < length { operations.append(operation(depth: 2)) }
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
  private mutating func positions() -> [Int] { (0..<1 + below(3)).map { _ in below(8) } }

  // MARK: Steps

  private mutating func operation(depth: Int) -> Operation {
    switch below(100) {
    case 0..<18: .register(registration(depth: depth))
    case 18..<24: .end(token: below(nextToken + 1), byDropping: chance(50))
    case 24..<27: removal()
    case 27..<28: leaving()
    case 28..<29: .dropObserver(below(3))
    case 29..<32: .drop(object())
    case 32..<33: .create(objectCount + below(3))
    case 33..<36: .will(object(), pick(ProgramGenerator.pairKeys))
    case 36..<40: .did(object(), pick(ProgramGenerator.pairKeys))
    case 40..<42: .read(object(), path())
    case 42..<47: .transaction(batch(depth: depth, isInCallback: false))
    case 47..<51: binding()
    case 51..<59: .mutate(object(), relationship())
    default: .mutate(object(), mutation())
    }
  }

  /// What a callback may do: nothing that lets a collection shrink under the feet of an edit.
  mutating func action(depth: Int) -> Operation {
    switch below(109) {
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
    case 75..<82:
      .mutate(object(), .proxy("items", .insert([.object(object())], at: positions())))
    default: .mutate(object(), .assign("number", .int(below(10))))
    }
  }

  static let pairKeys = ["number", "text", "manual", "label", "total", "values"]

  mutating func removal() -> Operation {
    .remove(
      observer: below(3), object: object(), path: pick(ProgramGenerator.observerPaths),
      context: chance(50) ? below(3) : nil)
  }

  /// An owner stops observing, or goes.
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

  /// Few, so that an observer is registered several times for the same.
  private static let observerPaths = [
    "number", "next.number", "label", "items", "items.@sum.number", "reach",
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
    if registration.hasToken, chance(15) { registration.lastCall = 1 + below(4) }
    if depth > 0, chance(35) {
      for _ in 0..<1 + below(2) {
        registration.script[1 + below(3)] = action(depth: depth)
      }
    }
    return registration
  }

  private static let ownersTypedPaths = [
    "number", "next.number", "label", "items", "items.@sum.number", "reach", "text._",
  ]

  private mutating func options() -> KeyValueObservingOptions {
    var options = KeyValueObservingOptions(rawValue: UInt(below(16)))
    if chance(60) { options.formUnion([.old, .new]) }
    if chance(20) { options.insert(.elementChanges) }
    return options
  }

  // MARK: Paths

  private static let scalars = [
    "number", "number", "text", "width", "note", "label", "caption", "reach", "total", "wealth",
    "ping",
    "pong", "doubled", "manual",
  ]
  private static let numbers = [
    "number", "reach", "total", "doubled", "next.number", "peer.number",
  ]

  private mutating func path() -> String {
    if chance(2) { return "bogus" }
    if chance(5) { return pick(["level", "rank"]) }
    return path(depth: 3, isInCollection: false)
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
      return pick(["items", "group", "values", "marks", "staff", "shelf"])
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

  // MARK: Mutations

  private mutating func target() -> FuzzValue { chance(25) ? .none : .object(object()) }

  mutating func objects() -> [FuzzValue] { (0..<below(4)).map { _ in .object(object()) } }

  mutating func relationship() -> Mutation {
    switch below(10) {
    case 0..<4: .assign("next", target())
    case 4..<6: .assign("peer", target())
    case 6: .assign("items", .list(objects()))
    case 7: chance(50) ? .assign("group", .bag(Set(objects()))) : .announce("link", target())
    case 8: .proxy("items", listEdit(objects() + [.object(object())]))
    default: .announced("staff", announcedEdit())
    }
  }

  mutating func mutation() -> Mutation {
    let number = below(10)
    return switch below(17) {
    case 0..<3: .assign("number", .int(number))
    case 3: .assign("text", .text("t\(number)"))
    case 4: .assign("note", number < 4 ? .none : .text("o\(number)"))
    case 5: .assign(pick(["manual", "level", "doubled", "width"]), .int(number))
    case 6: .inPlace(pick(["number", "text", "level", "width"]), .add(number))
    case 7: .code(codedPath(), codedValue())
    case 8: .inPlace("items", listEdit(objects()))
    case 9, 10: .proxy("items", listEdit(objects()))
    case 11: .proxy("values", listEdit([.int(number), .int(number + 1)]))
    case 12: .inPlace(pick(["values", "shelf"]), listEdit([.int(number)]))
    case 15: .proxy("shelf", listEdit([.int(number), .int(number + 1)]))
    case 13:
      chance(50) ? .proxy("marks", algebra(numbers())) : .inPlace("marks", algebra(numbers()))
    case 14:
      chance(50) ? .proxy("group", algebra(objects())) : .inPlace("group", algebra(objects()))
    default:
      chance(50) ? .assign("values", .list(numbers())) : .assign("marks", .bag(Set(numbers())))
    }
  }

  private mutating func numbers() -> [FuzzValue] { (0..<below(4)).map { _ in .int(below(6)) } }

  mutating func algebra(_ elements: [FuzzValue]) -> Edit {
    .algebra(pick(KeyValueSetMutationKind.allCases), elements)
  }

  mutating func listEdit(_ elements: [FuzzValue]) -> Edit {
    switch below(10) {
    case 0..<4: .insert(elements, at: positions())
    case 4..<6: .remove(at: positions())
    case 6: .replace(elements, at: positions())
    case 7: .replaceSubrange(below(6), below(4), with: elements)
    case 8: .swap(below(6), below(6))
    default: .move(below(6), below(6))
    }
  }

  mutating func announcedEdit() -> Edit {
    switch below(5) {
    case 0..<2: .insert([.object(object())], at: positions())
    case 2: .remove(at: positions())
    case 3: .replace([.object(object())], at: positions())
    default: .swap(below(6), below(6))
    }
  }

  private mutating func codedPath() -> String {
    let key = pick([
      "number", "text", "width", "note", "next", "peer", "items", "group", "values", "marks",
      "manual",
      "label", "doubled", "bogus",
    ])
    return pick(["", "", "next.", "items.", "next.peer."]) + key
  }

  private mutating func codedValue() -> FuzzValue {
    switch below(7) {
    case 0: .none
    case 1, 2: .int(below(10))
    case 3: .text("c\(below(10))")
    case 4: .object(object())
    case 5: chance(50) ? .list(objects()) : .bag(Set(objects()))
    default: chance(50) ? .list(numbers()) : .bag(Set(numbers()))
    }
  }
}
