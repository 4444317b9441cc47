import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Proxies release removed elements after the change, because their `deinit` may change other keys.
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
