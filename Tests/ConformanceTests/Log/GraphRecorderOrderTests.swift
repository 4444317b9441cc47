import KeyValueObserving
import Testing

@Suite("U. KeyValueChangeRecorder: values whose elements have no order of their own")
struct GraphRecorderOrderTests {
  private let recorder = KeyValueChangeRecorder()

  @Test("G3 X3 values that their types write in another order each time are undone and replayed")
  func writtenInAnyOrder() throws {
    let root = LooseRoot()
    let log = try KeyValueChangeLog(of: root)
    let history = try KeyValueHistory(log)
    try recorder.record(graph: root)
    let changes: [(LooseRoot) -> Void] = [
      { $0.value.names.append("c") },
      { $0.value.names.append("d") },
      { $0.list[0].names.append("c") },
      { $0.list[0].names.append("d") },
      { $0.byName["x"]?.names.append("c") },
      { $0.byName["x"]?.names.append("d") },
      { $0.mutableSetValue(for: \.members).insert(LooseElement("a", "b")) },
      { $0.mutableSetValue(for: \.members).remove(LooseElement("b", "a")) },
      { $0.parts[0].value.names.append("c") },
      { root in
        root.performChanges {
          $0.parts[0].value.names.append("d")
          $0.parts.removeAll()
        }
      },
    ]
    var states = [root.state]
    for change in changes {
      change(root)
      states.append(root.state)
      #expect(history.root.state == root.state)
    }
    for _ in 1...2 {
      for state in states.dropLast().reversed() {
        #expect(try recorder.undo())
        #expect(root.state == state)
        #expect(history.root.state == state)
      }
      for state in states.dropFirst() {
        #expect(try recorder.redo())
        #expect(root.state == state)
        #expect(history.root.state == state)
      }
    }
  }

  @Test("G3 an answer to a record that fits otherwise is recorded; the record has what was there")
  func answeredInAnyOrder() throws {
    let root = LooseRoot()
    let log = try KeyValueChangeLog(of: root)
    let history = try KeyValueHistory(log)
    let token = root.observe(\.value) { root, _ in root.members = [LooseElement("x")] }
    let id = try #require(log.id(of: root))
    try log.apply(
      KeyValueTransactionRecord([.set(id, key: "value", old: ["a", "b"], new: ["c"])]))
    #expect(root.value.names == ["c"] && root.members == [LooseElement("x")])
    #expect(history.root.state == root.state)
    #expect(
      history.records.first?.edits == [.set(id, key: "value", old: ["b", "a"], new: ["c"])])
    token.invalidate()
  }

  @Test("X3 other elements are another value, and another order is where the type's own == says so")
  func changedOutsideWithoutOrder() throws {
    let root = LooseRoot()
    let part = root.parts[0]
    try recorder.record(graph: root)
    part.ordered.names = ["b", "a", "c"]
    root.parts = []
    part.ordered.names = ["c", "b", "a"]
    #expect(try recorder.undo())
    #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    #expect(part.ordered.names == ["c", "b", "a"])
    recorder.removeAll()
    part.value.names = ["b", "a", "c"]
    root.parts = []
    part.value.names = ["d", "b", "a"]
    #expect(try recorder.undo())
    #expect(throws: KeyValueLogError.self) { try recorder.undo() }
    #expect(part.value.names == ["d", "b", "a"])
  }
}

/// Writes its elements in another order than it has them, as a set may.
private struct LooseValue: Codable, Equatable {
  var names = ["a", "b"]

  init() {}

  init(from decoder: any Decoder) throws { names = try [String](from: decoder) }

  func encode(to encoder: any Encoder) throws { try Array(names.reversed()).encode(to: encoder) }

  static func == (left: LooseValue, right: LooseValue) -> Bool {
    Set(left.names) == Set(right.names)
  }
}

/// The same, and equal whatever the order is.
private struct LooseElement: Codable, Hashable {
  var names: [String]

  init(_ names: String...) { self.names = names }

  init(from decoder: any Decoder) throws { names = try [String](from: decoder) }

  func encode(to encoder: any Encoder) throws { try Array(names.reversed()).encode(to: encoder) }

  static func == (left: LooseElement, right: LooseElement) -> Bool {
    Set(left.names) == Set(right.names)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(Set(names)) }
}

private struct OrderedValue: Codable, Equatable {
  var names = ["a", "b", "c"]
}

@KeyValueObservable
private final class LooseRoot {
  var value = LooseValue()
  var list: [LooseElement] = [LooseElement("a", "b")]
  var byName: [String: LooseElement] = ["x": LooseElement("a", "b")]
  var members: Set<LooseElement> = []
  var parts: [LoosePart] = [LoosePart()]

  init() {}
}

@KeyValueObservable
private final class LoosePart {
  var value = LooseValue()
  var ordered = OrderedValue()

  init() {}
}

extension LooseRoot {
  /// What the root has, apart from the order in which its values have it.
  fileprivate var state: [String] {
    var names = [value.names]
    names += list.map(\.names)
    names += byName.values.map(\.names)
    names += members.map(\.names)
    names += parts.map(\.value.names)
    return names.map { $0.sorted().joined() }
  }
}
