@_spi(Replication) import KeyValueCore
import Testing

@testable import KeyValueReplica

/// What it takes to make a transaction again; counts, not times.
@Suite("Rebases")
struct RebaseTests {
  @Test("S2 making a setting again doesn't look through the graph, and a removal does")
  func setting() throws {
    let root = KeyValueObjectID()
    let nodes = (0..<100).map { _ in KeyValueObjectID() }
    let references = nodes.map { KeyValueLogValue.reference($0) }
    var base = KeyValueSnapshot(root: root)
    base.objects[root] = .init(
      class: "Root", values: ["name": "a", "motto": "", "nodes": .array(references)])
    for node in nodes { base.objects[node] = .init(class: "Node", values: ["tags": []]) }
    var asked = 0
    let model = Model(
      shape: { key, _ in
        asked += 1
        let isList = key == "nodes" || key == "tags"
        return KeyValueLoggedShape(
          kind: isList ? .ordered : .whole, isFollowed: key == "nodes", isWeak: false,
          isDistinct: false)
      }, isInCycle: { _ in false })
    let remote = KeyValueTransactionRecord([.set(root, key: "motto", old: "", new: "Onward")])
    var rebase = try Rebase(on: base, over: remote, isWhole: true, model, .reject)
    asked = 0
    let names = ["a", "b", "c", "d"].map { KeyValueLogValue.string($0) }
    let settings = zip(names, names.dropFirst()).map { old, new in
      KeyValueTransactionRecord([.set(root, key: "name", old: old, new: new)])
    }
    let outcomes = rebase.redo(settings)
    #expect(outcomes.map(\.isComplete) == [true, true, true])
    #expect(asked < nodes.count)
    let removal = KeyValueTransactionRecord(
      [
        .remove(root, key: "nodes", indexes: RangeSet(0..<1), elements: [references[0]]),
        .delete(nodes[0], class: "Node", values: ["tags": []]),
      ], isTransaction: true)
    let outcome = rebase.redo(removal)
    #expect(outcome.isComplete)
    #expect(rebase.state.objects[root]?.values["name"] == "d")
    #expect(rebase.state.objects.count == nodes.count)
  }

  @Test("S2 a list or a set that another writer has edited as the other is one that it has set")
  func editsOfAnotherKind() throws {
    let root = KeyValueObjectID()
    var base = KeyValueSnapshot(root: root)
    base.objects[root] = .init(
      class: "Root", values: ["rooms": ["a", "b"], "labels": ["a", "b"]])
    let model = Model(
      shape: { key, _ in
        KeyValueLoggedShape(
          kind: key == "rooms" ? .ordered : .unordered, isFollowed: false, isWeak: false,
          isDistinct: false)
      }, isInCycle: { _ in false })
    // A list is the other's. Of a set, both sides' members are kept.
    for (key, isKept, members) in [
      ("rooms", false, ["a", "b", "y"]), ("labels", true, ["y", "z"]),
    ] as [(String, Bool, KeyValueLogValue)] {
      let remote = KeyValueTransactionRecord(
        [
          .union(root, key: key, elements: ["x"]),
          .insert(root, key: key, indexes: RangeSet(3..<4), elements: ["y"]),
          .remove(root, key: key, indexes: RangeSet(2..<3), elements: ["x"]),
        ], isTransaction: true)
      var rebase = try Rebase(on: base, over: remote, isWhole: true, model, .reject)
      let own = KeyValueTransactionRecord([.set(root, key: key, old: ["a", "b"], new: ["z"])])
      let outcome = rebase.redo(own)
      #expect(outcome.isComplete == isKept)
      #expect(rebase.state.objects[root]?.values[key] == members)
    }
  }

  @Test("S2 a record has nothing to do with what is acknowledged, also if the queue is never empty")
  func acknowledged() {
    let ids = (0..<10).map { _ in KeyValueObjectID() }
    let model = Model(shape: { _, _ in nil }, isInCycle: { _ in false })
    let graph = GraphReader(KeyValueSnapshot(root: ids[0]), model)
    func change(_ id: KeyValueObjectID) -> KeyValueTransactionRecord {
      KeyValueTransactionRecord([.set(id, key: "name", old: "a", new: "b")])
    }
    var queue = PendingQueue()
    queue.append(change(ids[0]))
    var touched: [Bool] = []
    for id in ids.dropFirst() {
      queue.append(change(id))
      touched.append(queue.mayBeTouched(by: change(id), in: graph))
      queue.removeFirst(1)
    }
    touched.append(queue.mayBeTouched(by: change(ids[0]), in: graph))
    #expect(touched == Array(repeating: true, count: 9) + [false])
  }
}
