import FoundationKVO
import Testing

@KeyValueObservable
private final class Shelf: NSObject {
  dynamic var titles = ["c", "a", "b"]
  dynamic var numbers = NSArray(array: [3, 1, 2])
  dynamic var tags: Set<String> = ["t"]
  dynamic var names = NSSet(array: ["t"])
  dynamic var order = NSOrderedSet(array: ["p", "q"])
  dynamic var content: Any?
  dynamic var years: Set<Int> = []
  dynamic var switches: Set<Bool> = []
  dynamic var objects = NSMutableSet()
  dynamic var suits: Set<Suit> = []
  dynamic var hands: [Suit] = []
  dynamic var points: [CGPoint] = []
}

@KeyValueObservable
private final class Stack: NSObject {
  dynamic var titles = NSMutableArray()
}

/// Three elements, and how often one of them was read.
private final class CountedArray: NSMutableArray {
  private(set) var reads = 0

  override var count: Int { 3 }
  override func object(at index: Int) -> Any {
    reads += 1
    return "\(index)"
  }
}

private enum Suit: Int { case clubs, hearts, spades }

@Suite("FoundationKVO: live collections")
struct ProxyTests {
  private let shelf = Shelf()
  private let witness = Witness()

  /// Expects a change to have the same result on a proxy as on a plain array.
  private func agree(
    _ key: String, _ elements: [Any], _ change: (NSMutableArray) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    shelf.setValue(elements, forKey: key)
    let (proxy, plain) = (shelf.mutableArrayValue(forKey: key), NSMutableArray(array: elements))
    change(proxy)
    change(plain)
    #expect(proxy.isEqual(to: Array(plain)), sourceLocation: sourceLocation)
    #expect(
      (shelf.value(forKey: key) as? NSArray)?.isEqual(to: Array(plain)) == true,
      sourceLocation: sourceLocation)
    #expect(proxy.description == plain.description, sourceLocation: sourceLocation)
  }

  @Test("every mutating method of an array proxy has the same result as on an array")
  func arrays() {
    for key in ["titles", "numbers"] {
      let (x, y, z): (Any, Any, Any) = key == "titles" ? ("x", "y", "z") : (7, 8, 9)
      let start = [x, y, z, x]
      agree(key, start) { $0.add(y) }
      agree(key, start) { $0.addObjects(from: [y, z]) }
      agree(key, start) { $0.addObjects(from: []) }
      agree(key, start) { $0.insert(z, at: 0) }
      agree(key, start) { $0.insert([y, z], at: [0, 2]) }
      agree(key, start) { $0.exchangeObject(at: 0, withObjectAt: 2) }
      agree(key, start) { $0.replaceObject(at: 3, with: y) }
      agree(key, start) { $0.replaceObjects(at: [0, 1], with: [z, z]) }
      agree(key, start) {
        $0.replaceObjects(in: NSRange(location: 0, length: 2), withObjectsFrom: [z, z])
      }
      agree(key, start) {
        $0.replaceObjects(
          in: NSRange(location: 1, length: 1), withObjectsFrom: [x, z],
          range: NSRange(location: 1, length: 1))
      }
      agree(key, start) { $0.removeLastObject() }
      agree(key, start) { $0.removeObject(at: 1) }
      agree(key, start) { $0.removeObjects(at: [0, 3]) }
      agree(key, start) { $0.removeObjects(in: NSRange(location: 1, length: 2)) }
      agree(key, start) { $0.removeAllObjects() }
      agree(key, start) { $0.setArray([y]) }
      agree(key, start) { $0[2] = x }
      agree(key, start) { $0.sort { "\($1)".compare("\($0)") } }
      agree(key, start) {
        $0.sort({ left, right, _ in "\(left)".compare("\(right)").rawValue }, context: nil)
      }
      agree(key, start) { $0.sort(options: [], usingComparator: { "\($0)".compare("\($1)") }) }
    }
    // Foundation's methods remove one occurrence where Apple's remove all.
    func removing(_ change: (NSMutableArray) -> Void) -> [String] {
      shelf.titles = ["x", "y", "x"]
      change(shelf.mutableArrayValue(forKey: "titles"))
      return shelf.titles
    }
    #expect(removing { $0.remove("x") } == ["y"])
    #expect(removing { $0.remove("x", in: NSRange(location: 1, length: 2)) } == ["x", "y"])
    #expect(removing { $0.removeObjects(in: ["y", "z"]) } == ["x", "x"])
    #expect(removing { $0.removeObject(identicalTo: "y" as NSString) } == ["x", "y", "x"])
  }

  @Test("every reading method of an array proxy reads the key")
  func reading() {
    let proxy = shelf.mutableArrayValue(forKey: "titles")
    shelf.titles.append("d")
    #expect(proxy.count == 4)
    #expect(proxy.firstObject as? String == "c")
    #expect(proxy.lastObject as? String == "d")
    #expect(proxy.contains("b"))
    #expect(proxy.index(of: "d") == 3)
    #expect(proxy.index(of: "e") == NSNotFound)
    #expect(proxy.map { $0 as? String } == ["c", "a", "b", "d"])
    #expect(proxy as? [String] == ["c", "a", "b", "d"])
    #expect(proxy.componentsJoined(by: "") == "cabd")
    #expect(proxy.objectEnumerator().allObjects as? [String] == ["c", "a", "b", "d"])
    #expect(proxy.reverseObjectEnumerator().allObjects as? [String] == ["d", "b", "a", "c"])
    #expect((proxy.copy() as? [String]) == ["c", "a", "b", "d"])
    #expect(proxy.adding("e") as? [String] == ["c", "a", "b", "d", "e"])
    #expect(proxy.objects(at: [0, 3]) as? [String] == ["c", "d"])
    #expect(
      proxy.sortedArray(comparator: { "\($0)".compare("\($1)") }) as? [String] == [
        "a", "b", "c", "d",
      ])
  }

  @Test("a proxy of Foundation's array reads each element that it's asked for once")
  func readsOnce() {
    let (stack, titles) = (Stack(), CountedArray(capacity: 0))
    stack.titles = titles
    let proxy = stack.mutableArrayValue(forKey: "titles")
    let before = titles.reads
    #expect(proxy.index(of: "2") == 2)
    #expect(titles.reads - before == 3)
  }

  @Test("changes through an array proxy are delivered with kinds and indexes")
  func tellingArrays() {
    let keys = ["titles", "titles.@count", "numbers.@max.self"]
    shelf.watch(keys, witness)
    let titles = shelf.mutableArrayValue(forKey: "titles")
    titles.add("d")
    titles.removeObjects(at: [0, 2])
    titles[0] = "A"
    shelf.mutableArrayValue(forKey: "numbers").add(9)
    #expect(
      witness.take() == [
        "titles: insertion, at 3, new (d)", "titles.@count: setting, old 3, new 4",
        "titles: removal, at 0,2, old (c b)", "titles.@count: setting, old 4, new 2",
        "titles: replacement, at 0, old (a), new (A)", "titles.@count: setting, old 2, new 2",
        "numbers.@max.self: setting, old 3, new 9",
      ])
    shelf.unwatch(keys, witness)
  }

  @Test("every method of a set proxy has the same result as on a set")
  func sets() {
    for key in ["tags", "names"] {
      shelf.watch([key], witness)
      let set = shelf.mutableSetValue(forKey: key)
      set.add("k")
      set.addObjects(from: ["l", "m"])
      set.union(["z"])
      set.minus(["l"])
      set.intersect(["k", "z"])
      set.setSet(["1", "2"])
      set.remove("1")
      #expect(
        witness.take() == [
          "\(key): insertion, new {k}", "\(key): insertion, new {l m}",
          "\(key): insertion, new {z}", "\(key): removal, old {l}", "\(key): removal, old {m t}",
          "\(key): replacement, old {k z}, new {1 2}", "\(key): removal, old {1}",
        ])
      #expect(set.count == 1)
      #expect(set.contains("2"))
      #expect(set.member("2") as? String == "2")
      #expect(set.anyObject() as? String == "2")
      #expect(set.allObjects as? [String] == ["2"])
      #expect(set.isEqual(to: ["2"]))
      #expect(set.isSubset(of: ["2", "3"]))
      #expect(set.intersects(["2"]))
      #expect(Set(set.map { $0 as? String }) == ["2"])
      #expect(set.description == NSSet(array: ["2"]).description)
      #expect((set.copy() as? NSSet)?.count == 1)
      shelf.unwatch([key], witness)
      set.removeAllObjects()
      #expect((shelf.value(forKey: key) as? NSSet)?.count == 0)
    }
  }

  @Test("every method of an ordered set proxy has the same result as on an ordered set")
  func orderedSets() {
    func agree(
      _ change: (NSMutableOrderedSet) -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let start = ["p", "q", "r", "s"]
      shelf.order = NSOrderedSet(array: start)
      let proxy = shelf.mutableOrderedSetValue(forKey: "order")
      let plain = NSMutableOrderedSet(array: start)
      change(proxy)
      change(plain)
      #expect(proxy.array as? [String] == plain.array as? [String], sourceLocation: sourceLocation)
      #expect(
        shelf.order.array as? [String] == plain.array as? [String], sourceLocation: sourceLocation)
    }
    agree { $0.add("t") }
    agree { $0.add("p") }
    agree { $0.insert("t", at: 1) }
    agree { $0.remove("q") }
    agree { $0.removeObject(at: 0) }
    agree { $0.replaceObject(at: 0, with: "t") }
    agree { $0.addObjects(from: ["t", "p", "u"]) }
    agree { $0.removeObjects(in: ["p", "s"]) }
    agree { $0.removeObjects(at: [1, 2]) }
    agree { $0.exchangeObject(at: 0, withObjectAt: 3) }
    agree { $0.moveObjects(at: [0], to: 2) }
    agree { $0.removeAllObjects() }
    agree { $0.union(NSOrderedSet(array: ["s", "t"])) }
    agree { $0.minus(NSOrderedSet(array: ["s", "t"])) }
    agree { $0.unionSet(["t"]) }
    agree { $0.minusSet(["p"]) }
    agree { $0.sort { "\($1)".compare("\($0)") } }
    // Foundation's intersection never returns.
    shelf.order = NSOrderedSet(array: ["p", "q", "r"])
    shelf.mutableOrderedSetValue(forKey: "order").intersect(NSOrderedSet(array: ["r", "p", "x"]))
    #expect(shelf.order.array as? [String] == ["p", "r"])
    shelf.order = NSOrderedSet(array: ["p", "q"])
    shelf.watch(["order"], witness)
    let proxy = shelf.mutableOrderedSetValue(forKeyPath: "order")
    proxy.add("r")
    proxy.removeObject(at: 0)
    #expect(
      witness.take() == [
        "order: insertion, at 2, new (r)", "order: removal, at 0, old (p)",
      ])
    #expect(proxy.firstObject as? String == "q")
    #expect(proxy.lastObject as? String == "r")
    #expect(proxy.index(of: "r") == 1)
    shelf.unwatch(["order"], witness)
  }

  @Test("a key of the type Any has a proxy of the collection that it holds")
  func untyped() {
    shelf.watch(["content"], witness)
    shelf.content = NSOrderedSet(array: ["p"])
    let order = shelf.mutableOrderedSetValue(forKey: "content")
    order.add("q")
    order.replaceObject(at: 0, with: "r")
    order.remove("q")
    #expect((shelf.content as? NSOrderedSet)?.array as? [String] == ["r"])
    #expect(
      witness.take().dropFirst() == [
        "content: insertion, at 1, new (q)", "content: replacement, at 0, old (p), new (r)",
        "content: removal, at 1, old (q)",
      ])
    shelf.content = NSArray(array: [1])
    shelf.mutableArrayValue(forKey: "content").add(2)
    #expect((shelf.content as? NSArray)?.isEqual(to: [1, 2]) == true)
    shelf.content = NSSet(array: [1])
    shelf.mutableSetValue(forKey: "content").add(2)
    #expect((shelf.content as? NSSet)?.count == 2)
    shelf.unwatch(["content"], witness)
  }

  @Test("a number and its object are the same element")
  func numbers() {
    for key in ["years", "names", "objects"] {
      shelf.mutableSetValue(forKey: key).removeAllObjects()
      shelf.watch([key], witness)
      let set = shelf.mutableSetValue(forKey: key)
      set.add(1)
      set.add(NSNumber(value: 2))
      #expect(set.contains(1) && set.contains(NSNumber(value: 1)) && set.contains(2))
      #expect(set.member(2) as? Int == 2 && !set.contains(3))
      set.union([1, 3])
      set.minus([1, NSNumber(value: 4)])
      set.remove(NSNumber(value: 3))
      set.intersect([2, 5])
      set.add(2)
      set.setSet([6])
      #expect((shelf.value(forKey: key) as? NSSet)?.allObjects as? [Int] == [6])
      shelf.willChangeValue(forKey: key, withSetMutation: .minus, using: [6, 7])
      shelf.didChangeValue(forKey: key, withSetMutation: .minus, using: [6, 7])
      shelf.unwatch([key], witness)
      #expect(
        witness.take() == [
          "\(key): insertion, new {1}", "\(key): insertion, new {2}", "\(key): insertion, new {3}",
          "\(key): removal, old {1}", "\(key): removal, old {3}", "\(key): removal, old {}",
          "\(key): insertion, new {}", "\(key): replacement, old {2}, new {6}",
          "\(key): removal, old {6}",
        ])
    }
    let switches = shelf.mutableSetValue(forKey: "switches")
    switches.add(true)
    switches.union([false, true])
    switches.minus([false])
    #expect(shelf.switches == [true] && switches.contains(true) && !switches.contains(false))
    shelf.numbers = [1, 2, 1]
    let array = shelf.mutableArrayValue(forKey: "numbers")
    array.removeObjects(in: [1])
    #expect(shelf.numbers.isEqual(to: [2]))
    shelf.order = NSOrderedSet(array: [1, 2, 3])
    let order = shelf.mutableOrderedSetValue(forKey: "order")
    order.removeObjects(in: [1])
    order.intersect(NSOrderedSet(array: [3, 4]))
    #expect(shelf.order.array as? [Int] == [3])
  }

  @Test("collections of enumerations and of geometry")
  func enumerations() {
    shelf.watch(["suits", "hands"], witness)
    let suits = shelf.mutableSetValue(forKey: "suits")
    suits.add(Suit.hearts)
    suits.add(2)
    #expect(suits.contains(Suit.hearts) && suits.contains(1) && !suits.contains(Suit.clubs))
    suits.remove(Suit.hearts)
    #expect(shelf.suits == [.spades])
    let hands = shelf.mutableArrayValue(forKey: "hands")
    hands.add(Suit.hearts)
    hands.add(0)
    #expect(hands.index(of: Suit.clubs) == 1 && hands.index(of: 1) == 0)
    hands.remove(Suit.hearts)
    #expect(shelf.hands == [.clubs])
    shelf.setValue([1, 2], forKey: "hands")
    #expect(shelf.hands == [.hearts, .spades])
    shelf.unwatch(["suits", "hands"], witness)
    #expect(
      witness.take() == [
        "suits: insertion, new {1}", "suits: insertion, new {2}", "suits: removal, old {1}",
        "hands: insertion, at 0, new (1)", "hands: insertion, at 1, new (0)",
        "hands: removal, at 0, old (1)", "hands: setting, old (0), new (1 2)",
      ])
    let points = shelf.mutableArrayValue(forKey: "points")
    points.add(CGPoint(x: 1, y: 2))
    points.add(NSValue(point: CGPoint(x: 3, y: 4)))
    #expect(shelf.points == [CGPoint(x: 1, y: 2), CGPoint(x: 3, y: 4)])
    #expect(points.index(of: CGPoint(x: 3, y: 4)) == 1)
    points.remove(NSValue(point: CGPoint(x: 1, y: 2)))
    #expect(shelf.points == [CGPoint(x: 3, y: 4)])
  }

  @Test("a set proxy is equal to sets with its elements", arguments: ["tags", "years"])
  func comparingSets(key: String) {
    let proxy = shelf.mutableSetValue(forKey: key)
    let (x, y, z): (AnyHashable, AnyHashable, AnyHashable) =
      key == "tags" ? ("x", "y", "z") : (1, 2, 3)
    proxy.setSet([x, y])
    let (same, other) = (NSSet(array: [x.base, y.base]), NSSet(array: [x.base, z.base]))
    let proxies = [proxy, shelf.mutableSetValue(forKey: key)]
    #expect(proxies.allSatisfy { proxy.isEqual($0) && same.isEqual($0) && $0.isEqual(same) })
    #expect(!proxies.contains { proxy.isEqual(other) || other.isEqual($0) })
    let sets: [Set<AnyHashable>] = [[x, y], [x, z], [x, y, z], [z]]
    #expect(sets.map { proxy.isEqual(to: $0) } == [true, false, false, false])
    #expect(sets.map { proxy.isSubset(of: $0) } == [true, false, true, false])
    #expect(sets.map { proxy.intersects($0) } == [true, true, true, false])
    #expect(proxy.adding(z.base).count == 3)
    #expect(proxy.addingObjects(from: sets[1]).count == 3)
    #expect(proxy.addingObjects(from: [x.base, y.base]).count == 2)
  }

  @Test("Swift's sequences read an ordered set proxy as it is after each of its changes")
  func orderedSetSequences() {
    let shelf = Shelf()
    shelf.order = NSOrderedSet(array: [])
    let proxy = shelf.mutableOrderedSetValue(forKey: "order")
    func expect(_ elements: [String], sourceLocation: SourceLocation = #_sourceLocation) {
      var walked: [String] = []
      for element in proxy { walked.append(element as? String ?? "?") }
      #expect(walked == elements, sourceLocation: sourceLocation)
      #expect(Array(proxy) as? [String] == elements, sourceLocation: sourceLocation)
      #expect(proxy.map { "\($0)" } == elements, sourceLocation: sourceLocation)
      #expect(proxy.count == elements.count, sourceLocation: sourceLocation)
      #expect(shelf.order.array as? [String] == elements, sourceLocation: sourceLocation)
    }
    expect([])
    proxy.add("a")
    expect(["a"])
    proxy.insert("b", at: 0)
    expect(["b", "a"])
    proxy.addObjects(from: ["c", "a", "d"])
    expect(["b", "a", "c", "d"])
    proxy.insert(["e", "f"], at: [0, 2])
    expect(["e", "b", "f", "a", "c", "d"])
    proxy.exchangeObject(at: 0, withObjectAt: 5)
    expect(["d", "b", "f", "a", "c", "e"])
    proxy.moveObjects(at: [0, 1], to: 4)
    expect(["f", "a", "c", "e", "d", "b"])
    proxy.sort { "\($0)".compare("\($1)") }
    expect(["a", "b", "c", "d", "e", "f"])
    proxy.replaceObject(at: 0, with: "z")
    expect(["z", "b", "c", "d", "e", "f"])
    proxy.replaceObjects(at: [1, 2], with: ["y", "x"])
    expect(["z", "y", "x", "d", "e", "f"])
    proxy.removeObject(at: 0)
    proxy.remove("f")
    expect(["y", "x", "d", "e"])
    proxy.removeObjects(at: [1, 2])
    expect(["y", "e"])
    let other = shelf.mutableOrderedSetValue(forKey: "order")
    #expect(other.map { "\($0)" } == ["y", "e"])
    other.add("q")
    proxy.add("r")
    expect(["y", "e", "q", "r"])
    proxy.removeAllObjects()
    expect([])
  }

  @Test("they read what an observer has made of the change")
  func orderedSetSequencesAfterObservers() {
    let shelf = Shelf()
    shelf.order = NSOrderedSet(array: ["a", "b"])
    let proxy = shelf.mutableOrderedSetValue(forKey: "order")
    let token = shelf.observe(\.order) { _, _ in
      if proxy.contains("c") { proxy.replaceObject(at: 0, with: "d") }
    }
    proxy.replaceObject(at: 0, with: "c")
    #expect(shelf.order.array as? [String] == ["d", "b"])
    #expect(proxy.map { "\($0)" } == ["d", "b"])
    token.invalidate()
    // What others have set is read after the proxy's next change.
    shelf.order = NSOrderedSet(array: ["x", "y"])
    proxy.add("z")
    #expect(proxy.map { "\($0)" } == ["x", "y", "z"])
  }

  @Test("moved objects enter at the end of a set that an observer made shorter, and only once")
  func movingInAChangedSet() {
    let shelf = Shelf()
    shelf.order = NSOrderedSet(array: ["a", "b", "c", "d"])
    let proxy = shelf.mutableOrderedSetValue(forKey: "order")
    let shortening = shelf.observe(\.order) { _, change in
      if change.kind == .removal, proxy.contains("d") { proxy.remove("d") }
    }
    proxy.moveObjects(at: [0], to: 3)
    #expect(shelf.order.array as? [String] == ["b", "c", "a"])
    #expect(proxy.map { "\($0)" } == ["b", "c", "a"])
    shortening.invalidate()
    let restoring = shelf.observe(\.order) { _, change in
      if change.kind == .removal { proxy.add("b") }
    }
    proxy.moveObjects(at: [0], to: 1)
    #expect(shelf.order.array as? [String] == ["c", "a", "b"])
    restoring.invalidate()
  }

  @Test("an ordered set proxy enumerates, searches, sorts and filters its elements")
  func searchingOrderedSets() {
    shelf.order = NSOrderedSet(array: ["r", "p", "q"])
    let proxy = shelf.mutableOrderedSetValue(forKey: "order")
    var seen: [String] = []
    proxy.enumerateObjects { object, index, _ in seen.append("\(index)\(object)") }
    proxy.enumerateObjects(options: .reverse) { object, _, stop in
      seen.append("\(object)")
      stop.pointee = true
    }
    proxy.enumerateObjects(at: [0, 2]) { object, _, _ in seen.append("\(object)") }
    #expect(seen == ["0r", "1p", "2q", "q", "r", "q"])
    #expect(proxy.index { object, _, _ in object as? String == "p" } == 1)
    #expect(proxy.index(.reverse) { object, _, _ in object as? String != "p" } == 2)
    #expect(proxy.index(ofObjectAt: [1, 2]) { _, _, _ in true } == 1)
    #expect(proxy.indexes { object, _, _ in object as? String != "p" } == [0, 2])
    #expect(proxy.indexes(options: .reverse) { object, _, _ in object as? String == "p" } == [1])
    #expect(proxy.indexes(ofObjectsAt: [0, 1]) { _, _, _ in true } == [0, 1])
    let order: (Any, Any) -> ComparisonResult = { "\($0)".compare("\($1)") }
    let descriptor = NSSortDescriptor(keyPath: \NSString.description, ascending: true)
    #expect(proxy.sortedArray(comparator: order) as? [String] == ["p", "q", "r"])
    #expect(proxy.sortedArray(options: [], usingComparator: order) as? [String] == ["p", "q", "r"])
    #expect(proxy.intersects(NSOrderedSet(array: ["q", "x"])))
    #expect(!proxy.intersects(NSOrderedSet(array: ["x"])))
    #expect(proxy.intersectsSet(["q", "x"]) && !proxy.intersectsSet(["x"]))
    let sets: [Set<AnyHashable>] = [["p", "q", "r"], ["p", "q", "x"]]
    #expect(sets.map { proxy.isSubset(of: $0) } == [true, false])
    #expect(!proxy.isSubset(of: NSOrderedSet(array: ["p", "q", "x"])))
    #expect(proxy.filtered(using: NSPredicate { $0 as? String != "p" && $1 == nil }).count == 2)
    shelf.watch(["order"], witness)
    proxy.sortRange(NSRange(location: 1, length: 2), usingComparator: { order($1, $0) })
    proxy.sort(using: [descriptor])
    #expect(
      proxy.index(
        of: "q", inSortedRange: NSRange(location: 0, length: 3), usingComparator: order) == 1)
    proxy.filter(using: NSPredicate { object, _ in object as? String != "q" })
    proxy.filter(using: NSPredicate(value: true))
    shelf.unwatch(["order"], witness)
    #expect(
      witness.take() == [
        "order: replacement, at 1,2, old (p q), new (q p)",
        "order: replacement, at 0,1,2, old (r q p), new (p q r)", "order: removal, at 1, old (q)",
      ])
  }

  @Test("objects that change together make one change", arguments: ["order", "titles"])
  func together(key: String) {
    let proxy = shelf.mutableOrderedSetValue(forKey: key)
    proxy.removeAllObjects()
    shelf.watch([key], witness)
    proxy.addObjects(from: ["a", "b", "a", "c"])
    proxy.insert(["x", "y"], at: [0, 4])
    proxy.exchangeObject(at: 0, withObjectAt: 4)
    proxy.moveObjects(at: [0, 4], to: 2)
    proxy.replaceObjects(at: [0, 3], with: ["p", "q"])
    proxy.union(NSOrderedSet(array: ["b", "z", "p"]))
    let array = shelf.mutableArrayValue(forKey: key)
    array.exchangeObject(at: 0, withObjectAt: 5)
    array.exchangeObject(at: 1, withObjectAt: 1)
    shelf.unwatch([key], witness)
    #expect(
      witness.take() == [
        "\(key): insertion, at 0,1,2, new (a b c)", "\(key): insertion, at 0,4, new (x y)",
        "\(key): replacement, at 0,4, old (x y), new (y x)", "\(key): removal, at 0,4, old (y x)",
        "\(key): insertion, at 2,3, new (y x)", "\(key): replacement, at 0,3, old (a x), new (p q)",
        "\(key): insertion, at 5, new (z)", "\(key): replacement, at 0,5, old (p z), new (z p)",
      ])
    #expect(proxy.array as? [String] == ["z", "b", "y", "q", "c", "p"])
  }

  @Test("indexes and ranges out of bounds raise Cocoa's exceptions, before anything is announced")
  func bounds() async {
    await #expect(processExitsWith: .success) {
      expectException("NSRangeException: index 5") { $0.removeObjects(at: [5]) }
    }
    await #expect(processExitsWith: .success) {
      expectException("NSRangeException: index 4") { $0.insert(["x"], at: [4]) }
    }
    await #expect(processExitsWith: .success) {
      expectException("NSInvalidArgumentException: count") { $0.insert(["x"], at: [0, 1]) }
    }
    await #expect(processExitsWith: .success) {
      expectException("NSRangeException: range {2, 2}") {
        $0.removeObjects(in: NSRange(location: 2, length: 2))
      }
    }
    await #expect(processExitsWith: .success) {
      expectException("NSRangeException: range {\(NSNotFound), 1}") {
        $0.removeObjects(in: NSRange(location: NSNotFound, length: 1))
      }
    }
    await #expect(processExitsWith: .success) {
      expectException("NSRangeException: range {0, 2}") {
        let range = NSRange(location: 0, length: 2)
        $0.replaceObjects(in: range, withObjectsFrom: ["x"], range: range)
      }
    }
    await #expect(processExitsWith: .success) {
      expectException("NSRangeException: index 4") { _ in
        Shelf().mutableOrderedSetValue(forKey: "order").insert("x", at: 4)
      }
    }
    await #expect(processExitsWith: .success) {
      expectException("NSRangeException: index 99 beyond bounds [0 .. 1]") { _ in
        Shelf().mutableOrderedSetValue(forKey: "order").replaceObject(at: 99, with: "p")
      }
    }
    await #expect(processExitsWith: .success) {
      expectException("NSRangeException: range {\(NSNotFound), 1}") { _ in
        let range = NSRange(location: NSNotFound, length: 1)
        _ = Shelf().mutableOrderedSetValue(forKey: "order")
          .index(of: "p", inSortedRange: range, usingComparator: { _, _ in .orderedSame })
      }
    }
    await #expect(processExitsWith: .success) {
      expectException("NSRangeException: index 0 beyond bounds for empty collection") { _ in
        NSArray().addObserver(Witness(), toObjectsAt: [0], forKeyPath: "titles", context: nil)
      }
    }
  }
}

/// Ends the process, with success if the exception of a change begins with this text.
private func expectException(_ start: String, _ body: (NSMutableArray) -> Void) {
  KeyValueViolation.handler = { violation in
    exit(violation.kind == .exception && violation.description.hasPrefix(start) ? 0 : 1)
  }
  let (shelf, witness) = (Shelf(), Witness())
  shelf.watch(["titles"], witness, options: .prior)
  body(shelf.mutableArrayValue(forKey: "titles"))
  exit(1)
}
