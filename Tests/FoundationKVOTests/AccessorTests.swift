import FoundationKVO
import Testing

/// To-many keys implemented by accessor methods, spelled as in Cocoa's guide for Swift.
@KeyValueObservable
private final class Ledger: NSObject {
  private var list: [String] = ["a", "b"]
  private var members: Set<String> = []

  func countOfEntries() -> Int { list.count }
  func objectInEntriesAtIndex(_ index: Int) -> String { list[index] }
  func entriesAtIndexes(_ indexes: IndexSet) -> [String] { indexes.map { list[$0] } }
  dynamic func insertObject(_ object: String, inEntriesAtIndex index: Int) {
    list.insert(object, at: index)
  }
  dynamic func removeObjectFromEntriesAtIndex(_ index: Int) { list.remove(at: index) }
  dynamic func insertEntries(_ entries: [String], at indexes: IndexSet) {
    for (entry, index) in zip(entries, indexes) { list.insert(entry, at: index) }
  }
  dynamic func removeEntries(at indexes: IndexSet) {
    for index in indexes.reversed() { list.remove(at: index) }
  }
  dynamic func replaceObjectInEntriesAtIndex(_ index: Int, withObject object: String) {
    list[index] = object
  }

  func countOfPeople() -> Int { members.count }
  func enumeratorOfPeople() -> NSEnumerator {
    NSArray(array: members.sorted()).objectEnumerator()
  }
  func memberOfPeople(_ object: String) -> String? { members.contains(object) ? object : nil }
  dynamic func addPeopleObject(_ object: String) { members.insert(object) }
  dynamic func removePeopleObject(_ object: String) { members.remove(object) }
  dynamic func addPeople(_ objects: Set<String>) { members.formUnion(objects) }
}

/// The same with Foundation's collections and untyped elements.
@KeyValueObservable
private final class Archive: NSObject {
  private let list = NSMutableArray()
  private let members = NSMutableSet()

  func countOfEntries() -> Int { list.count }
  func objectInEntriesAtIndex(_ index: Int) -> Any { list.object(at: index) }
  dynamic func insertEntries(_ entries: NSArray, at indexes: IndexSet) {
    list.insert(Array(entries), at: indexes)
  }
  dynamic func removeEntries(at indexes: IndexSet) { list.removeObjects(at: indexes) }
  dynamic func replaceEntries(at indexes: IndexSet, with entries: NSArray) {
    list.replaceObjects(at: indexes, with: Array(entries))
  }

  var people: NSSet { members }
  dynamic func addPeopleObject(_ object: Any) { members.add(object) }
  dynamic func removePeopleObject(_ object: Any) { members.remove(object) }
  dynamic func addPeople(_ objects: NSSet) { members.addObjects(from: objects.allObjects) }
  dynamic func removePeople(_ objects: NSSet) {
    for object in objects.allObjects { members.remove(object) }
  }
  dynamic func intersectPeople(_ objects: NSSet) {
    for object in members.allObjects where !objects.contains(object) { members.remove(object) }
  }
}

/// Accessors that lack their counterpart, with which Cocoa doesn't replace the others.
@KeyValueObservable
private class Half: NSObject {
  dynamic var items: [String] = []
  dynamic func insertObject(_ item: String, inItemsAtIndex index: Int) {
    // No announcement by the property itself.
    list.append(item)
  }
  dynamic func replaceObjectInItemsAtIndex(_ index: Int, withObject item: String) {
    list.append(item)
  }
  dynamic var people: Set<String> = []
  dynamic func addPeopleObject(_ person: String) { list.append(person) }
  dynamic func intersectPeople(_ people: Set<String>) { list.append("intersect") }
  fileprivate var list: [String] = []
}

/// Has the counterparts.
@KeyValueObservable
private final class Whole: Half {
  dynamic func removeObjectFromItemsAtIndex(_ index: Int) {}
  func removePeople(_ people: Set<String>) {}
}

/// Accessors that ignore an index that isn't there.
@KeyValueObservable
private final class Tolerant: NSObject {
  private var list = ["a"]

  func countOfEntries() -> Int { list.count }
  func objectInEntriesAtIndex(_ index: Int) -> String { list[index] }
  dynamic func insertObject(_ object: String, inEntriesAtIndex index: Int) {
    if list.indices.contains(index) { list.insert(object, at: index) }
  }
  dynamic func removeObjectFromEntriesAtIndex(_ index: Int) {
    if list.indices.contains(index) { list.remove(at: index) }
  }
}

/// Has a class whose keys and accessors have types that the enclosing type's body declares.
private enum Plan {
  enum Kind: Int { case draft, done }

  @KeyValueObservable
  class Step: NSObject {
    private var ownKind = Kind.draft
    private var ownNext: Step?
    private var list: [Step] = []

    dynamic var kind: Kind {
      get { ownKind }
      set { ownKind = newValue }
    }
    dynamic var next: Step? {
      get { ownNext }
      set { ownNext = newValue }
    }

    func countOfSteps() -> Int { list.count }
    func objectInStepsAtIndex(_ index: Int) -> Step { list[index] }
    dynamic func insertObject(_ step: Step, inStepsAtIndex index: Int) {
      list.insert(step, at: index)
    }
    dynamic func removeObjectFromStepsAtIndex(_ index: Int) { list.remove(at: index) }
  }
}

@Suite("FoundationKVO: collection accessors")
struct AccessorTests {
  private let ledger = Ledger()
  private let witness = Witness()

  @Test("a dynamic accessor announces a direct call, and a proxy's call once")
  func ordered() {
    ledger.watch(["entries"], witness)
    ledger.insertObject("c", inEntriesAtIndex: 2)
    ledger.removeObjectFromEntriesAtIndex(0)
    ledger.replaceObjectInEntriesAtIndex(0, withObject: "B")
    ledger.insertEntries(["x", "y"], at: [0, 2])
    ledger.removeEntries(at: [0, 2])
    let proxy = ledger.mutableArrayValue(forKey: "entries")
    proxy.add("d")
    proxy.removeObject(at: 0)
    proxy.insert(["1", "2"], at: [0, 1])
    #expect(
      witness.take() == [
        "entries: insertion, at 2, new (c)", "entries: removal, at 0, old (a)",
        "entries: replacement, at 0, old (b), new (B)", "entries: insertion, at 0,2, new (x y)",
        "entries: removal, at 0,2, old (x y)", "entries: insertion, at 2, new (d)",
        "entries: removal, at 0, old (B)", "entries: insertion, at 0,1, new (1 2)",
      ])
    #expect(ledger.value(forKey: "entries") as? [String] == ["1", "2", "c", "d"])
    ledger.unwatch(["entries"], witness)
  }

  @Test("a set's accessors announce direct calls and a proxy's calls once")
  func unordered() {
    ledger.watch(["people"], witness)
    ledger.addPeopleObject("Ada")
    ledger.addPeople(["Alan", "Grace"])
    ledger.removePeopleObject("Ada")
    let proxy = ledger.mutableSetValue(forKey: "people")
    proxy.add("Kay")
    proxy.remove("Alan")
    #expect(
      witness.take() == [
        "people: insertion, new {Ada}", "people: insertion, new {Alan Grace}",
        "people: removal, old {Ada}", "people: insertion, new {Kay}", "people: removal, old {Alan}",
      ])
    #expect((ledger.value(forKey: "people") as? NSSet)?.count == 2)
    ledger.unwatch(["people"], witness)
  }

  @Test("a nested class's setters and accessors announce, also with types of the enclosing one")
  func nestedClass() {
    let step = Plan.Step()
    let keys = ["kind", "next", "steps"]
    step.watch(keys, witness)
    step.kind = .done
    step.next = Plan.Step()
    step.insertObject(Plan.Step(), inStepsAtIndex: 0)
    step.removeObjectFromStepsAtIndex(0)
    step.unwatch(keys, witness)
    #expect(
      witness.take() == [
        "kind: setting, old 0, new 1", "next: setting, old <null>, new Step",
        "steps: insertion, at 0, new (Step)", "steps: removal, at 0, old (Step)",
      ])
  }

  @Test("an accessor without its counterpart announces nothing when it's called directly")
  func lonely() {
    for object in [Half(), Whole()] {
      object.watch(["items", "people"], witness)
      object.items = ["x"]
      object.insertObject("a", inItemsAtIndex: 0)
      object.replaceObjectInItemsAtIndex(0, withObject: "b")
      object.addPeopleObject("Ada")
      object.intersectPeople([])
      #expect(object.list == ["a", "b", "Ada", "intersect"])
      object.unwatch(["items", "people"], witness)
    }
    #expect(
      witness.take() == [
        "items: setting, old (), new (x)",
        "items: setting, old (), new (x)", "items: insertion, at 0, new (x)",
        "items: replacement, at 0, old (x), new (x)", "people: insertion, new {Ada}",
        "people: removal, old {}",
      ])
  }

  @Test("an index that isn't there matters only to observers", arguments: [NSNotFound, -1])
  func absentIndexes(index: Int) async {
    await #expect(processExitsWith: .success) { [index = index as Int] in
      let (tolerant, witness) = (Tolerant(), Witness())
      tolerant.insertObject("b", inEntriesAtIndex: index)
      tolerant.removeObjectFromEntriesAtIndex(index)
      if tolerant.value(forKey: "entries") as? [String] != ["a"] { exit(1) }
      KeyValueViolation.handler = { violation in
        let start = "Tolerant.entries has 1 elements, so there can be no insertion at "
        exit(violation.description.hasPrefix(start) ? 0 : 2)
      }
      tolerant.watch(["entries"], witness)
      tolerant.insertObject("b", inEntriesAtIndex: index)
      exit(3)
    }
  }

  @Test("accessors may take Foundation's collections and untyped elements")
  func foundationCollections() {
    let archive = Archive()
    archive.watch(["entries", "people"], witness)
    archive.insertEntries(["a", "b"], at: [0, 1])
    archive.replaceEntries(at: [1], with: ["B"])
    archive.mutableArrayValue(forKey: "entries").replaceObject(at: 0, with: "A")
    archive.mutableArrayValue(forKey: "entries").add("c")
    archive.addPeopleObject("Ada")
    archive.addPeople(NSSet(array: ["Alan", 1]))
    archive.removePeople(NSSet(array: [1]))
    archive.removePeopleObject("Ada")
    archive.intersectPeople(NSSet(array: ["Kay"]))
    let proxy = archive.mutableSetValue(forKey: "people")
    proxy.union(["Kay", "Grace"])
    proxy.intersect(["Kay"])
    proxy.setSet(["Barbara"])
    #expect(
      witness.take() == [
        "entries: insertion, at 0,1, new (a b)", "entries: replacement, at 1, old (b), new (B)",
        "entries: replacement, at 0, old (a), new (A)", "entries: insertion, at 2, new (c)",
        "people: insertion, new {Ada}", "people: insertion, new {1 Alan}",
        "people: removal, old {1}", "people: removal, old {Ada}", "people: removal, old {Alan}",
        "people: insertion, new {Grace Kay}", "people: removal, old {Grace}",
        "people: replacement, old {Kay}, new {Barbara}",
      ])
    #expect(archive.value(forKey: "entries") as? [String] == ["A", "B", "c"])
    #expect(archive.people.isEqual(to: ["Barbara"]))
    archive.unwatch(["entries", "people"], witness)
  }

  @Test("one call observes several elements of an array")
  func objectsOfArrays() {
    let ledgers = NSArray(array: [Ledger(), Ledger(), Ledger()])
    ledgers.addObserver(
      witness, toObjectsAt: [0, 2], forKeyPath: "entries", options: [.new], context: nil)
    for case let ledger as Ledger in ledgers { ledger.removeEntries(at: [0]) }
    #expect(witness.take() == ["entries: removal, at 0", "entries: removal, at 0"])
    ledgers.removeObserver(witness, fromObjectsAt: [0, 2], forKeyPath: "entries")
    for case let ledger as Ledger in ledgers { ledger.removeEntries(at: [0]) }
    #expect(witness.take() == [])
  }
}

/// Counts how often a proxy reads an element.
@KeyValueObservable
private final class CountingShelf: NSObject {
  private var stored: [Any] = Array(0..<50)
  private(set) var reads = 0

  func take() -> Int {
    defer { reads = 0 }
    return reads
  }

  func countOfItems() -> Int { stored.count }
  func objectInItemsAtIndex(_ index: Int) -> Any {
    reads += 1
    return stored[index]
  }
  func insertItems(_ items: [Any], at indexes: IndexSet) {
    for (item, index) in zip(items, indexes) { stored.insert(item, at: index) }
  }
  func removeItems(at indexes: IndexSet) {
    for index in indexes.reversed() { stored.remove(at: index) }
  }
  func replaceObject(inItemsAt index: Int, with item: Any) { stored[index] = item }
}

@Suite("FoundationKVO: an ordered set over accessors")
struct OrderedSetAccessorTests {
  private let shelf = CountingShelf()

  @Test("each element is read once to look objects up, and once after the change")
  func cost() {
    let items = shelf.mutableOrderedSetValue(forKey: "items")
    let some = Array(40..<70)
    for (change, count) in [
      ({ items.addObjects(from: some) }, 70), ({ items.removeObjects(in: some) }, 40),
      ({ items.unionSet(Set(some)) }, 70), ({ items.minus(NSOrderedSet(array: some)) }, 40),
      ({ items.union(NSOrderedSet(array: some)) }, 70), ({ items.minusSet(Set(some)) }, 40),
      ({ items.intersect(NSOrderedSet(array: Array(0..<30))) }, 30),
      ({ items.intersectSet(Set(0..<20)) }, 20),
    ] as [(() -> Void, Int)] {
      let before = items.count
      _ = shelf.take()
      change()
      #expect(shelf.take() == before + count)
      #expect(items.count == count)
    }
    #expect(items.array as? [Int] == Array(0..<20))
  }

  @Test(
    "a new order replaces, and where several elements can't be replaced at once, removes and inserts"
  )
  func order() {
    let witness = Witness()
    let items = shelf.mutableOrderedSetValue(forKey: "items")
    items.removeObjects(at: IndexSet(3..<50))
    shelf.watch(["items"], witness)
    items.exchangeObject(at: 0, withObjectAt: 2)
    items.replaceObject(at: 1, with: 7)
    items.replaceObject(at: 1, with: 0)
    shelf.unwatch(["items"], witness)
    #expect(
      witness.take() == [
        "items: removal, at 0,2, old (0 2)", "items: insertion, at 0,2, new (2 0)",
        "items: replacement, at 1, old (1), new (7)",
      ])
    #expect(items.array as? [Int] == [2, 7, 0])
  }
}

@KeyValueObservable
private final class Coin: NSObject {
  dynamic var worth = 1
}

/// Makes its coins when they are asked for, or keeps one.
@KeyValueObservable
private final class Mint: NSObject {
  @KeyValueIgnored var kept: Coin?
  @KeyValueIgnored var whenCounted: (() -> Void)?

  func countOfCoins() -> Int {
    whenCounted?()
    return 1
  }
  func objectInCoinsAtIndex(_ index: Int) -> Any { kept ?? Coin() }
}

@KeyValueObservable
private final class Tray: NSObject {
  dynamic var content = NSArray()
}

@Suite("FoundationKVO: a live array as a value on a path")
struct LiveArrayOnPathTests {
  private let mint = Mint()
  private let tray = Tray()

  private var coins: NSArray { mint.mutableArrayValue(forKey: "coins") }

  @Test("P2 R5 elements that the accessors make anew are alive while they are attached to")
  func madeAnew() {
    let witness = Witness()
    tray.content = coins
    tray.watch(["content.worth"], witness)
    for _ in 1...3 { tray.content = coins }
    #expect(
      witness.take() == Array(repeating: "content.worth: setting, old (1), new (1)", count: 3))
    tray.unwatch(["content.worth"], witness)
  }

  @Test("P7 an operator over Foundation's arrays follows their elements", arguments: [false, true])
  func operators(isLive: Bool) {
    let witness = Witness()
    let coin = Coin()
    mint.kept = coin
    tray.content = isLive ? coins : NSArray(array: [coin])
    tray.watch(["content.@sum.worth", "content.@max.worth"], witness)
    coin.worth = 7
    tray.content = NSArray(array: [coin, Coin()])
    coin.worth = 8
    #expect(
      Set(witness.take()) == [
        "content.@sum.worth: setting, old 1, new 7", "content.@max.worth: setting, old 1, new 7",
        "content.@sum.worth: setting, old 7, new 8", "content.@max.worth: setting, old 7, new 7",
        "content.@sum.worth: setting, old 8, new 9", "content.@max.worth: setting, old 7, new 8",
      ])
    tray.unwatch(["content.@sum.worth", "content.@max.worth"], witness)
  }

  @Test("N10 the accessors may change what the same operator adds up")
  func changedWhileCounted() {
    let witness = Witness()
    let coin = Coin()
    mint.kept = coin
    tray.content = coins
    tray.watch(["content.@sum.worth"], witness)
    mint.whenCounted = { [unowned mint] in
      mint.whenCounted = nil
      coin.worth += 1
    }
    tray.content = coins
    #expect(mint.whenCounted == nil && tray.value(forKeyPath: "content.@sum.worth") as? Int == 2)
    coin.worth = 5
    #expect(
      witness.take() == [
        "content.@sum.worth: setting, old 1, new 2", "content.@sum.worth: setting, old 2, new 2",
        "content.@sum.worth: setting, old 2, new 5",
      ])
    tray.unwatch(["content.@sum.worth"], witness)
  }
}
