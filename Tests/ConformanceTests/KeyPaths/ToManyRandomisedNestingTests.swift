import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Node: Hashable {
  var value: Int
  var weight: Double
  var label: String?
  weak var partner: Node?

  init(_ value: Int) {
    self.value = value
    weight = Double(value) / 7
  }

  static func == (left: Node, right: Node) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@KeyValueObservable
private final class Group {
  var nodes: [Node] = []
  var marked: Set<Node> = []
  var spare: [Node]?

  @DependsOn("nodes.@sum.value", "marked.@count")
  var score: Int { nodes.reduce(marked.count) { $0 + $1.value } }

  @KeyValueIgnored var isBusy = false

  // The proxies of `nodes` call these methods, which also make other changes.
  func insertObject(_ node: Node, inNodesAt index: Int) {
    isBusy = true
    nodes.insert(node, at: index)
    nodes.first?.value += 1
    isBusy = false
  }

  func removeObject(fromNodesAt index: Int) {
    isBusy = true
    let node = nodes.remove(at: index)
    node.label = nil
    isBusy = false
  }

  func replaceObject(inNodesAt index: Int, with node: Node) {
    isBusy = true
    nodes[index] = node
    node.weight += 1
    isBusy = false
  }
}

@KeyValueObservable
private final class World {
  var groups: [Group] = []
  var current: Group?
}

/// A model whose callbacks change it again, up to a maximum depth.
private final class Turmoil {
  let world = World()
  let groups = [Group(), Group(), Group()]
  var pool = (0..<10).map { Node($0) }
  var generator: SeededGenerator
  var depth = 0
  var operations = 0
  var isQuiet = true
  var last: [String: String] = [:]
  var tokens: [KeyValueObservation] = []

  init(seed: Int) {
    generator = SeededGenerator(seed: UInt64(seed))
    world.groups = [groups[0], groups[1]]
    world.current = groups[0]
  }

  func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  /// Notes a delivered value, and sometimes makes another change in the middle of the delivery.
  func note(_ name: String, _ value: Any?, isPrior: Bool = false) {
    last[name] = described(value)
    // A removal in a prior, or while one of the methods runs, would invalidate the indexes of the
    // announced change.
    guard !isQuiet, !isPrior, depth < 3, !groups.contains(where: \.isBusy), number(12) == 0 else {
      return
    }
    change()
  }

  func watch(_ keyPath: String) throws {
    tokens.append(
      try world.observe(keyPath, options: [.old, .new, .prior]) { [unowned self] _, change in
        note(keyPath, change.newValue ?? nil, isPrior: change.isPrior)
      })
  }

  func watchTyped<Value>(
    _ name: String, _ keyPath: KeyPath<KeyValuePath<World, World>, KeyValuePath<World, Value>>
  ) {
    tokens.append(
      world.observe(keyPath, options: [.new]) { [unowned self] _, change in
        note(name, change.newValue.map { $0 as Any })
      })
  }

  /// Makes one random change.
  func change() {
    depth += 1
    operations += 1
    defer { depth -= 1 }
    let group = groups[number(groups.count)]
    let node = pool[number(pool.count)]
    let nodes = group.mutableArrayValue(for: \.nodes)
    let marked = group.mutableSetValue(for: \.marked)
    switch number(18) {
    case 0, 1: node.value = number(200) - 100
    case 2: node.weight = Double(number(1 << 40)) / 1024 - 1e6
    case 3: node.label = number(2) == 0 ? nil : "\(number(5))"
    case 4: node.partner = number(3) == 0 ? nil : pool[number(pool.count)]
    case 5 where nodes.count < 20: nodes.append(node)
    case 6 where nodes.count < 20: nodes.insert(contentsOf: [node, pool[0]], at: 0)
    case 7 where !nodes.isEmpty: nodes.remove(at: number(nodes.count))
    case 8 where !nodes.isEmpty: nodes[number(nodes.count)] = node
    case 9 where nodes.count < 20: group.nodes.append(node)
    case 10: group.nodes = (0..<number(6)).map { _ in pool[number(pool.count)] }
    case 11: marked.formUnion([node, pool[number(pool.count)]])
    case 12: marked.formIntersection([node, pool[number(pool.count)], pool[number(pool.count)]])
    case 13: marked.replaceAll(with: [node])
    case 14: group.spare = group.spare == nil ? [node] : nil
    case 15: world.current = [nil, groups[0], groups[2]][number(3)]
    case 16: world.groups = (0..<number(4)).map { groups[$0 % 3] }
    default:
      // A node may die here. A node in a collection lives on; only partners lose it. It must not
      // die during the change of the pool, because its partners' observers read the pool.
      let index = number(pool.count)
      let node = pool[index]
      pool[index] = Node(number(100))
      withExtendedLifetime(node) {}
    }
  }

  /// Assigns each property its own value, so that every observer is notified of its current value.
  func flush() {
    isQuiet = true
    for node in Set(groups.flatMap { $0.nodes + $0.marked + ($0.spare ?? []) }) {
      node.value = node.value
      node.weight = node.weight
      node.label = node.label
      node.partner = node.partner
    }
    isQuiet = false
  }
}

@Suite("P6, P7, N8. Random changes inside callbacks")
struct ToManyRandomisedNestingTests {
  private static let strings = [
    "current.nodes.@sum.value", "current.nodes.@avg.value", "current.nodes.@max.value",
    "current.nodes.@min.label", "current.nodes.@sum.weight", "current.nodes.@max.partner.value",
    "current.nodes.label", "current.marked.@sum.value", "current.spare.@sum.value",
    "current.score", "groups.@sum.nodes.@sum.value", "groups.nodes.value", "groups.@max.score",
    "current.nodes.@unionOfObjects.value", "groups.@unionOfArrays.nodes.value",
  ]

  @Test(
    "Paths follow every change made in nested callbacks, and nothing stays attached",
    arguments: 1...TestVolume.either(2, full: 5))
  func nesting(seed: Int) async {
    // In a process of its own, because a nested change also gives later observers values out of date,
    // which debug builds report.
    await #expect(processExitsWith: .success) { [seed] in
      let violations = ViolationLog.install()
      try ToManyRandomisedNestingTests.nest(seed: seed)
      #expect(violations.take().filter { !$0.contains(" was given values out of date: ") } == [])
    }
  }

  private static func nest(seed: Int) throws {
    let turmoil = Turmoil(seed: seed)
    for path in strings { try turmoil.watch(path) }
    turmoil.watchTyped("sum", \.current.nodes[sum: \.value])
    turmoil.watchTyped("sums", \.groups[each: \.nodes[sum: \.value]])
    turmoil.isQuiet = false
    let steps = TestVolume.either(500, few: 100, full: 1_500)
    for step in 0..<steps {
      turmoil.change()
      turmoil.flush()
      for (name, value) in turmoil.last.sorted(by: { $0.key < $1.key }) {
        let path =
          ["sum": "current.nodes.@sum.value", "sums": "groups.nodes.value"][name] ?? name
        let isConcerned = isInReach(turmoil, path)
        guard isConcerned else { continue }
        let now = try turmoil.world.value(forKeyPath: path)
        let expected =
          name == "sums"
          ? described((now as? [[Int]])?.map { $0.reduce(0, +) } ?? []) : described(now)
        if value != expected {
          Issue.record("seed \(seed), step \(step), \(name): \(value), not \(expected)")
          return
        }
      }
      turmoil.last = [:]
    }
    #expect(turmoil.operations > steps)
    for token in turmoil.tokens { token.invalidate() }
    turmoil.tokens = []
    #expect(isIdle(turmoil.world))
    #expect(turmoil.groups.allSatisfy { isIdle($0) })
    #expect(turmoil.pool.allSatisfy { isIdle($0) })
  }

  /// Whether the flush notified the path's observer, so that the last delivered value is the
  /// current one.
  private static func isInReach(_ turmoil: Turmoil, _ path: String) -> Bool {
    let current = turmoil.world.current
    switch path {
    case let path where path.hasPrefix("current.marked"): return current?.marked.isEmpty == false
    case let path where path.hasPrefix("current.spare"): return current?.spare?.isEmpty == false
    case let path where path.hasPrefix("current"): return current?.nodes.isEmpty == false
    default: return turmoil.world.groups.contains { !$0.nodes.isEmpty }
    }
  }
}
