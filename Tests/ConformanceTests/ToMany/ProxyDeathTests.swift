import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Proxies release removed elements when observers have been told, because their `deinit` may change keys.
@Suite("C4 R5. Elements that die when a proxy removes them")
struct ProxyDeathTests {
  @Test("C4 R5 The deinit of a removed element may change a key that depends on the collection's")
  func dependent() throws {
    try expectCounts { $0.mutableArrayValue(for: \.eggs).removeAll() }
    try expectCounts { $0.mutableArrayValue(for: \.eggs).remove(at: RangeSet([0..<1, 2..<3])) }
    try expectCounts { $0.mutableArrayValue(for: \.eggs)[0] = Egg(nil) }
    try expectCounts { $0.mutableArrayValue(for: \.eggs).remove(at: 0) }
    try expectCounts { $0.mutableArrayValue(for: \.eggs).replaceSubrange(0..<2, with: []) }
    try expectCounts {
      $0.mutableArrayValue(for: \.eggs).replaceSubrange(0..<2, with: [Egg(nil), Egg(nil)])
    }
    try expectCounts { try $0.mutableArrayValue(forKey: "eggs").removeAll() }
    try expectCounts { $0.mutableSetValue(for: \.spares).removeAll() }
    try expectCounts { $0.mutableSetValue(for: \.spares).formIntersection([]) }
    try expectCounts { $0.mutableSetValue(for: \.spares).replaceAll(with: [Egg(nil)]) }
    try expectCounts { basket in
      basket.mutableSetValue(for: \.spares).subtract(basket.spares)
    }
  }

  @Test("C4 R5 An observer of another key may read the collection when removed elements die")
  func reader() {
    let basket = Basket()
    var counts: [Int] = []
    let token = basket.observe(\.broken) { basket, _ in counts.append(basket.eggs.count) }
    basket.mutableArrayValue(for: \.eggs).removeAll()
    #expect(counts == [0, 0, 0])
    token.invalidate()
  }

  @Test(
    "C4 R5 What the deinit of a removed element changes in the same collection is told after it")
  func sameCollection() throws {
    let removals: [(key: String, kind: String, make: (Nest) -> Void)] = [
      ("birds", "removal", { $0.mutableArrayValue(for: \.birds).removeAll() }),
      ("birds", "removal", { $0.mutableArrayValue(for: \.birds).removeSubrange(0..<1) }),
      ("birds", "removal", { $0.mutableArrayValue(for: \.birds).remove(at: 0) }),
      (
        "birds", "replacement",
        { $0.mutableArrayValue(for: \.birds).replace(at: RangeSet(0..<1), with: [Bird()]) }
      ),
      ("birds", "replacement", { $0.mutableArrayValue(for: \.birds)[0] = Bird() }),
      ("flock", "removal", { $0.mutableSetValue(for: \.flock).removeAll() }),
      ("flock", "replacement", { $0.mutableSetValue(for: \.flock).replaceAll(with: [Bird()]) }),
      ("perches", "removal", { $0.mutableArrayValue(for: \.perches).removeAll() }),
    ]
    for (key, kind, make) in removals {
      for nest in [Nest(), TreeNest()] {
        nest.fill()
        var kinds: [String] = []
        let token = try nest.observe(key, options: .new) { _, change in
          kinds.append("\(change.kind)")
        }
        make(nest)
        #expect(kinds == [kind, "setting"], "\(type(of: nest)).\(key)")
        token.invalidate()
      }
    }
  }

  /// Changes a basket with observers of each kind, and compares the last summary they received.
  private func expectCounts(
    _ change: (Basket) throws -> Void, _ location: SourceLocation = #_sourceLocation
  ) throws {
    for options in [[], [.new], [.old, .new, .prior]] as [KeyValueObservingOptions] {
      let basket = Basket()
      var summaries: [String] = []
      let token = basket.observe(\.summary, options: options) { basket, change in
        if !change.isPrior { summaries.append(change.newValue ?? basket.summary) }
      }
      try change(basket)
      #expect(basket.broken > 0, sourceLocation: location)
      #expect(summaries.last == basket.summary, sourceLocation: location)
      token.invalidate()
    }
  }
}

@KeyValueObservable
private final class Basket {
  var eggs: [Egg] = []
  var spares: Set<Egg> = []
  var broken = 0
  var summary: String { "\(eggs.count) and \(spares.count), \(broken) broken" }

  init() {
    eggs = [Egg(self), Egg(self), Egg(self)]
    spares = [Egg(self), Egg(self)]
  }
}

/// Counts its death in the basket.
private final class Egg: Hashable {
  private weak var basket: Basket?

  init(_ basket: Basket?) { self.basket = basket }

  deinit { basket?.broken += 1 }

  static func == (left: Egg, right: Egg) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Its first bird in each collection is followed by another one there.
@KeyValueObservable
private class Nest {
  var birds: [Bird] = []
  var flock: Set<Bird> = []
  var perches: [Bird] = []

  func insertObject(_ bird: Bird, inPerchesAt index: Int) { perches.insert(bird, at: index) }
  func removeObject(fromPerchesAt index: Int) { perches.remove(at: index) }

  func fill() {
    birds = [Bird { [weak self] in self?.birds.append(Bird()) }]
    flock = [Bird { [weak self] in self?.flock.insert(Bird()) }]
    perches = [Bird { [weak self] in self?.perches.append(Bird()) }]
  }
}

/// Its proxies call the setters.
private final class TreeNest: Nest {}

private final class Bird: Hashable {
  private let onDeath: () -> Void

  init(_ onDeath: @escaping () -> Void = {}) { self.onDeath = onDeath }

  deinit { onDeath() }

  static func == (left: Bird, right: Bird) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
