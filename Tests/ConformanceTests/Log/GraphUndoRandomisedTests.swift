import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("U. Recorded graphs: random levels")
struct GraphUndoRandomisedTests {
  @Test(
    "X3 undoing and redoing gives all objects their values, in the graph or outside",
    arguments: [471, 1_753] + Array(0..<TestVolume.either(40, few: 10, full: 2_000)))
  func levels(seed: Int) throws {
    try check(RandomLevels(seed: UInt64(seed)), seed) { $0.state }
  }

  @Test(
    "X3 so it does where unrecorded changes of what comes back come before it's in the graph",
    arguments: [508, 1_753] + Array(0..<TestVolume.either(40, few: 10, full: 2_000)))
  func changedOnReturn(seed: Int) throws {
    try check(RandomLevels(seed: UInt64(seed), changesWhatReturns: true), seed) { $0.stateOfGraph }
  }

  /// Compares what `read` returns of the objects.
  private func check(
    _ levels: RandomLevels, _ seed: Int, _ read: (RandomLevels) -> [String]
  ) throws {
    var changes = levels
    var states = [read(changes)]
    for _ in 0..<40 {
      let (graph, all) = (changes.stateOfGraph, changes.state)
      changes.makeLevel()
      if changes.stateOfGraph != graph {
        states.append(read(changes))
      } else if changes.state != all {
        // What only came, changed and went makes no level.
        changes.recorder.removeAll()
        states = [read(changes)]
      }
      guard changes.number(3) == 0 else { continue }
      for _ in 0..<changes.number(3) {
        let isUndone = try changes.recorder.undo()
        #expect(isUndone == (states.count > 1), "seed \(seed)")
        guard isUndone else { break }
        #expect(read(changes) == states[states.count - 2], "seed \(seed), undone")
        if changes.number(2) == 0 {
          #expect(try changes.recorder.redo())
          #expect(read(changes) == states.last, "seed \(seed), redone")
        } else {
          states.removeLast()
        }
      }
    }
    let isUndoneLast = changes.recorder.canRedo
    for pass in 1...2 {
      for (index, state) in states.enumerated().dropLast().reversed() {
        #expect(try changes.recorder.undo(), "seed \(seed)")
        try #require(read(changes) == state, "seed \(seed), pass \(pass), undone to \(index)")
      }
      #expect(!changes.recorder.canUndo)
      for (index, state) in states.enumerated().dropFirst() {
        #expect(try changes.recorder.redo(), "seed \(seed)")
        try #require(read(changes) == state, "seed \(seed), pass \(pass), redone to \(index)")
      }
      #expect(changes.recorder.canRedo == isUndoneLast, "seed \(seed)")
    }
  }
}

/// Levels of random changes of a graph whose objects leave, change and come back.
private struct RandomLevels {
  let recorder = KeyValueChangeRecorder()
  private let root: Branch
  private let all: [Branch]
  /// Whether objects that aren't in the graph are changed before something refers to them, and by its `didSet`.
  private let changesWhatReturns: Bool
  private var random: SeededGenerator

  init(seed: UInt64, changesWhatReturns: Bool = false) throws {
    random = SeededGenerator(seed: seed)
    self.changesWhatReturns = changesWhatReturns
    root = Branch(0)
    all = [root] + (1...9).map(Branch.init)
    try recorder.record(graph: root)
  }

  mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private var reachable: [Branch] {
    var found = [root]
    var next = 0
    while next < found.count {
      for target in found[next].targets where !found.contains(target) { found.append(target) }
      next += 1
    }
    return found
  }

  /// The values of all objects.
  var state: [String] { all.map(\.state) }

  /// The values of the objects in the graph.
  var stateOfGraph: [String] { reachable.map(\.state) }

  /// Makes changes that are undone as one.
  mutating func makeLevel() {
    let kind = number(changesWhatReturns ? 6 : 5)
    var copy = self
    let count = kind == 0 ? 1 : 1 + number(5)
    func steps() { for _ in 0..<count { copy.step() } }
    switch kind {
    case 0, 1: recorder.group(steps)
    case 2: KeyValueTransaction.perform(steps)
    case 3: copy.setWithPropertyObserver()
    case 5: copy.bringBack(to: root)
    default:
      struct Refusal: Error {}
      KeyValueTransaction.perform {
        copy.step()
        try? KeyValueTransaction.perform(rollingBack: true) {
          steps()
          if copy.number(2) == 0 { throw Refusal() }
        }
        copy.step()
      }
    }
    random = copy.random
  }

  /// Sets a key whose `didSet` sets others.
  private mutating func setWithPropertyObserver() {
    let present = reachable
    present[number(present.count)].label += 1
  }

  /// Takes a twig off, changes it and adds it somewhere else.
  private mutating func move(from owner: Branch) {
    guard let twig = owner.twigs.first else { return }
    owner.twigs.removeFirst()
    twig.size += 1
    twig.near = number(2) == 0 ? nil : root
    let rest = reachable
    rest[number(rest.count)].twigs.append(twig)
  }

  /// Changes what is outside of the graph, and puts it into a list whose `didSet` changes it, too.
  private mutating func bringBack(to owner: Branch) {
    let present = reachable
    let outside = all.filter { !present.contains($0) }
    guard let target = outside.randomElement(using: &random) else { return }
    switch number(4) {
    case 0: target.size += 1
    case 1: target.twigs = number(2) == 0 ? [] : [all[1 + number(all.count - 1)]]
    case 2: target.only = all[1 + number(all.count - 1)]
    default: break
    }
    if number(2) == 0 { owner.owned.append(target) } else { owner.owned = [target] }
  }

  private mutating func step() {
    let present = reachable
    let owner = present[number(present.count)]
    let target = all[1 + number(all.count - 1)]
    if changesWhatReturns, number(4) == 0 { return bringBack(to: owner) }
    if changesWhatReturns, number(8) == 0 { return owner.owned.removeAll() }
    switch number(16) {
    case 0, 1, 2: owner.size = number(4)
    case 3: owner.twigs.append(target)
    case 4: owner.mutableArrayValue(for: \.twigs).append(target)
    case 5: if !owner.twigs.isEmpty { owner.twigs.remove(at: number(owner.twigs.count)) }
    case 6:
      let twigs = owner.mutableArrayValue(for: \.twigs)
      if !twigs.isEmpty { twigs.remove(at: number(twigs.count)) }
    case 7: owner.only = number(2) == 0 ? nil : target
    case 8: owner.members.formSymmetricDifference([target])
    case 9: owner.mutableSetValue(for: \.members).formSymmetricDifference([target])
    case 10: owner.byName["\(number(2))"] = number(2) == 0 ? nil : target
    case 11: owner.near = number(2) == 0 ? nil : present[number(present.count)]
    case 12:
      let twigs = owner.mutableArrayValue(for: \.twigs)
      if !twigs.isEmpty { twigs[number(twigs.count)] = target }
    case 13: move(from: owner)
    case 14: setWithPropertyObserver()
    default:
      owner.only = target
      target.size += 1
    }
  }
}

@KeyValueObservable
private final class Branch: Hashable {
  var number = 0
  var size = 0
  var label = 0 {
    didSet {
      size += 1
      only?.size += 1
    }
  }
  var twigs: [Branch] = []
  var owned: [Branch] = [] {
    didSet {
      for branch in oldValue where !owned.contains(branch) { branch.near = nil }
      for branch in owned {
        branch.near = self
        branch.size += 1
      }
    }
  }
  var only: Branch?
  var members: Set<Branch> = []
  var byName: [String: Branch] = [:]
  weak var near: Branch?

  init() {}
  convenience init(_ number: Int) { self.init(); self.number = number }

  var targets: [Branch] {
    twigs + owned + (only.map { [$0] } ?? []) + members.sorted { $0.number < $1.number }
      + byName.sorted { $0.key < $1.key }.map(\.value)
  }

  var state: String {
    """
    \(number): \(size) \(label) \(twigs.map(\.number)) \(owned.map(\.number)) \(only?.number ?? -1) \(members.map(\.number).sorted()) \
    \(byName.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.number)" }) \(near?.number ?? -1)
    """
  }

  static func == (left: Branch, right: Branch) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
