import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("K6. Operators, accessors and getters as Cocoa documents them")
struct CocoaWordsTests {
  private let log = ChangeLog()

  @Test("K6 @count ignores a path on its right, whether read, observed or nested")
  func count() throws {
    let orchard = Orchard()
    let (first, second) = (Tree([3, 4]), Tree([5]))
    orchard.trees = [first]
    #expect(try orchard.value(forKeyPath: "trees.@count.fruit") as? Int == 1)
    #expect(try orchard.value(forKeyPath: "trees.@sum.fruit.@count.value") as? Int == 2)
    #expect(try orchard.trees.value(forKeyPath: "@count.whatever") as? Int == 1)
    let tokens = [
      try orchard.observe("trees.@count.fruit", options: .new, changeHandler: log.handler("count")),
      try orchard.observe(
        "trees.@sum.fruit.@count.value", options: .new, changeHandler: log.handler("sum")),
    ]
    orchard.trees.append(second)
    second.fruit.append(6)
    #expect(
      log.take() == [
        "count: setting, new: 2", "sum: setting, new: 3", "sum: setting, new: 4",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(orchard, first, second))
  }

  @Test("K5 @count is a key of arrays and sets")
  func countAsKey() throws {
    #expect(try [1, 2].value(forKey: "@count") as? Int == 2)
    #expect(try Set([1]).value(forKey: "@count") as? Int == 1)
    #expect(throws: KeyValueCodingError.self) { try [1].value(forKey: "@sum") }
    #expect(throws: KeyValueCodingError.self) { try [1].value(forKey: "a.self") }
  }

  @Test("C4 a set proxy calls the method for the requested operation")
  func setOperations() throws {
    let club = Members()
    let members = try club.mutableSetValue(forKey: "names")
    members.formUnion(["a"])
    members.insert("b")
    members.subtract(["a"])
    members.remove("b")
    #expect(club.calls == ["add [\"a\"]", "add b", "remove [\"a\"]", "remove b"])
  }

  @Test("K1 C4 <key>(at:) reads several elements in one call, and count calls countOf<Key> once")
  func objectsAtIndexes() throws {
    let shelf = Rack()
    #expect(try shelf.value(forKey: "items") as? [String] == ["a", "b", "c"])
    #expect(shelf.takeCalls() == ["count", "at 0..<3"])
    let items = try shelf.mutableArrayValue(forKey: "items")
    #expect(items.count == 3)
    #expect(shelf.takeCalls() == ["count"])
    let token = try shelf.observe(
      "items", options: [.old, .new], changeHandler: log.handler("items"))
    items.append("d")
    items.remove(at: 0)
    #expect(
      log.take() == [
        "items: insertion, indexes: 3, new: [\"d\"]", "items: removal, indexes: 0, old: [\"a\"]",
      ])
    token.invalidate()
  }

  @Test("D3 a dependent key is read once before and once after a change, for all its observers")
  func gettersRunOnce() throws {
    let tree = Tree([1])
    var tokens = (0..<3).map { index in
      tree.observe(\.total, options: [.old, .new], changeHandler: log.handler("typed \(index)"))
    }
    tokens += try (0..<2).map { index in
      try tree.observe(
        "total", options: [.old, .new], changeHandler: log.handler("string \(index)"))
    }
    tokens.append(tree.observe(\.total, changeHandler: log.handler("bare")))
    tree.reads = 0
    tree.fruit.append(2)
    #expect(tree.reads == 2)
    #expect(
      log.take() == [
        "typed 0: setting, old: 1, new: 3", "typed 1: setting, old: 1, new: 3",
        "typed 2: setting, old: 1, new: 3", "string 0: setting, old: 1, new: 3",
        "string 1: setting, old: 1, new: 3", "bare: setting",
      ])
    for token in tokens.dropLast() { token.invalidate() }
    tree.reads = 0
    tree.fruit = []
    #expect(tree.reads == 0)
    #expect(log.take() == ["bare: setting"])
    tokens.last?.invalidate()
    #expect(isIdle(tree))
  }

  @Test("D3 a key that depends on another object is also read once before and once after")
  func gettersRunOnceAcrossObjects() {
    let (tree, gardener) = (Tree([1]), Gardener())
    gardener.tree = tree
    let tokens = (0..<3).map { index in
      gardener.observe(\.harvest, options: [.old, .new], changeHandler: log.handler("\(index)"))
    }
    gardener.reads = 0
    tree.fruit = [5]
    #expect(gardener.reads == 2)
    #expect(
      log.take() == [
        "0: setting, old: 1, new: 1", "1: setting, old: 1, new: 1", "2: setting, old: 1, new: 1",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(tree, gardener))
  }

  @Test("L3 a recorder refuses an empty list of key paths")
  func emptyList() {
    let tree = Tree([])
    let refusal =
      "'[]' is not a key path: the list of key paths of Tree is empty; name at least one, "
      + "or record everything with record(graph:)."
    func message(_ body: () throws -> Void) -> String? {
      do {
        try body()
        return nil
      } catch {
        return "\(error)"
      }
    }
    #expect(message { try KeyValueChangeRecorder().record(tree, []) } == refusal)
    #expect(message { try KeyValueChangeRecorder().record(tree) } == refusal)
    #expect((try? tree.dictionaryWithValues(forKeys: [])) != nil)
  }
}

@KeyValueObservable
private final class Tree {
  var fruit: [Int]
  @KeyValueIgnored var reads = 0

  var total: Int {
    reads += 1
    return fruit.reduce(0, +)
  }

  init(_ fruit: [Int]) {
    self.fruit = fruit
  }
}

@KeyValueObservable
private final class Gardener {
  var tree: Tree?
  @KeyValueIgnored var reads = 0

  @DependsOn("tree.fruit")
  var harvest: Int {
    reads += 1
    return tree?.fruit.count ?? 0
  }
}

@KeyValueObservable
private final class Orchard {
  var trees: [Tree] = []
}

@KeyValueObservable
private final class Members {
  @KeyValueIgnored var stored: Set<String> = []
  @KeyValueIgnored var calls: [String] = []

  func getNames() -> Set<String> { stored }
  func addNamesObject(_ name: String) {
    calls.append("add \(name)")
    stored.insert(name)
  }
  func removeNamesObject(_ name: String) {
    calls.append("remove \(name)")
    stored.remove(name)
  }
  func addNames(_ names: Set<String>) {
    calls.append("add \(names.sorted())")
    stored.formUnion(names)
  }
  func removeNames(_ names: Set<String>) {
    calls.append("remove \(names.sorted())")
    stored.subtract(names)
  }
}

@KeyValueObservable
private final class Rack {
  @KeyValueIgnored var stored = ["a", "b", "c"]
  @KeyValueIgnored var calls: [String] = []

  func takeCalls() -> [String] {
    defer { calls = [] }
    return calls
  }

  func countOfItems() -> Int {
    calls.append("count")
    return stored.count
  }
  func items(at indexes: RangeSet<Int>) -> [String] {
    calls.append("at " + indexes.ranges.map { "\($0)" }.joined(separator: ", "))
    return Array(stored[indexes])
  }
  func insertObject(_ item: String, inItemsAt index: Int) {
    stored.insert(item, at: index)
  }
  func removeObject(fromItemsAt index: Int) {
    stored.remove(at: index)
  }
}
