import Foundation
import KeyValueTestSupport

@testable import KeyValueCore

/// The id with this number.
func id(_ number: UInt64) -> KeyValueObjectID {
  KeyValueObjectID(UniqueNumber(high: 0x4000, low: 1 << 63 | number))
}

/// The JSON of a value, with sorted fields.
func json(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return String(decoding: try encoder.encode(value), as: UTF8.self)
}

func decoded<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
  try JSONDecoder().decode(type, from: Data(json.utf8))
}

/// The field and the description of the error, or what came instead.
func decodingError(_ body: () throws -> some Any) -> String {
  do {
    return "no error: \(try body())"
  } catch let error as DecodingError {
    switch error {
    case .dataCorrupted(let context): return text(context)
    case .keyNotFound(let key, let context):
      return text(context, [key], "there's no '\(key.stringValue)'")
    case .typeMismatch(let type, let context): return text(context, [], "it isn't \(type)")
    case .valueNotFound(let type, let context): return text(context, [], "no \(type)")
    @unknown default: return "\(error)"
    }
  } catch {
    return "\(error)"
  }
}

private func text(
  _ context: DecodingError.Context, _ rest: [any CodingKey] = [], _ description: String? = nil
) -> String {
  let path = (context.codingPath + rest).map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
  return "\(path.joined(separator: ".")): \(description ?? context.debugDescription)"
}

/// A graph as data, and random edits that fit it.
struct RandomGraph {
  var snapshot: KeyValueSnapshot
  var random: SeededGenerator
  private var nextID: UInt64 = 100

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    snapshot = KeyValueSnapshot(root: id(1), schema: 3)
    for number in 1...4 as ClosedRange<UInt64> {
      snapshot.objects[id(number)] = .init(class: "Node", values: Self.values)
    }
  }

  private static let values: [String: KeyValueLogValue] = [
    "scalar": nil, "list": [1, 2, 3], "set": [], "map": [:], "pairs": [], "~/@ é": 0,
  ]

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private mutating func anyID() -> KeyValueObjectID {
    snapshot.objects.keys.sorted { $0.number < $1.number }[below(snapshot.objects.count)]
  }

  mutating func value(depth: Int = 0) -> KeyValueLogValue {
    switch below(depth > 2 ? 7 : 9) {
    case 0: nil
    case 1: .bool(below(2) == 0)
    case 2: .integer(below(6))
    case 3: .number(Double(below(8)) / 4)
    case 4: ["", "a", "é", "\u{0}\"\\/~", "@", "日本"].randomElement(using: &random)!
    case 5: .reference(anyID())
    case 6: .number([.infinity, -.infinity, .nan, 1e300, 0x1p60].randomElement(using: &random)!)
    case 7: .array((0..<below(4)).map { _ in value(depth: depth + 1) })
    default:
      .dictionary(
        Dictionary(
          uniqueKeysWithValues: ["a", "@", "@@b", "~1/", ""].shuffled(using: &random)
            .prefix(below(4)).map { ($0, value(depth: depth + 1)) }))
    }
  }

  /// Some of the numbers below the limit.
  private mutating func some(below limit: Int) -> RangeSet<Int> {
    var indexes = RangeSet<Int>()
    for index in 0..<limit where below(3) == 0 { indexes.insert(contentsOf: index..<index + 1) }
    return indexes
  }

  private func list(_ id: KeyValueObjectID, _ key: String) -> [KeyValueLogValue] {
    guard case .array(let elements)? = snapshot.objects[id]?.values[key] else { return [] }
    return elements
  }

  /// An edit that fits the graph; the graph isn't changed.
  mutating func edit() -> KeyValueEdit {
    let id = anyID()
    let elements = list(id, "list")
    switch below(11) {
    case 0:
      nextID += 1
      var values = Self.values
      values["scalar"] = value()
      return .create(KeyValueCoreTests.id(nextID), class: "Node", values: values)
    case 1:
      // An object that no other one refers to.
      var targets: Set<KeyValueObjectID> = [snapshot.root]
      for object in snapshot.objects.values {
        for value in object.values.values { value.forEachReference { targets.insert($0) } }
      }
      guard !targets.contains(id) else { break }
      let object = snapshot.objects[id]!
      return .delete(id, class: object.class, values: object.values)
    case 2:
      let count = 1 + below(3)
      let total = elements.count + count
      let places = (0..<total).shuffled(using: &random).prefix(count)
      let indexes = places.reduce(into: RangeSet<Int>()) { $0.insert(contentsOf: $1..<$1 + 1) }
      return .insert(
        id, key: "list", indexes: indexes, elements: (0..<count).map { _ in value() })
    case 3:
      let indexes = some(below: elements.count)
      return .remove(
        id, key: "list", indexes: indexes, elements: indexes.ranges.joined().map { elements[$0] })
    case 4:
      let indexes = some(below: elements.count)
      let old = indexes.ranges.joined().map { elements[$0] }
      return .replace(id, key: "list", indexes: indexes, old: old, new: old.map { _ in value() })
    case 5:
      let removed = some(below: elements.count)
      let old = removed.ranges.joined().map { elements[$0] }
      let inserted = some(below: elements.count - old.count)
      let new = inserted.ranges.joined().map { _ in value() }
      return .amend(
        id, key: "list", removed: .init(indexes: removed, elements: old),
        inserted: .init(indexes: inserted, elements: new))
    case 6, 7:
      let set = list(id, "set")
      let leaving = set.filter { _ in below(3) == 0 }
      let entering = Set((0..<below(4)).map { _ in value() }).subtracting(set)
      let ascending = entering.sorted(by: KeyValueLogValue.precedes)
      return leaving.isEmpty
        ? .union(id, key: "set", elements: ascending)
        : ascending.isEmpty
          ? .subtract(id, key: "set", elements: leaving)
          : .exchange(id, key: "set", old: leaving, new: ascending)
    case 8:
      guard case .dictionary(let map)? = snapshot.objects[id]?.values["map"] else { break }
      let name = ["a", "@", "@x", "~0/", "é"].randomElement(using: &random)!
      return .setEntry(
        id, key: "map", entry: .string(name), old: map[name], new: below(3) == 0 ? .none : value())
    case 9:
      let entry = value(depth: 2)
      let pair = list(id, "pairs").first { $0 == .array([entry, $0.second]) }
      return .setEntry(
        id, key: "pairs", entry: entry, old: pair?.second, new: below(3) == 0 ? .none : value())
    default: break
    }
    let key = ["scalar", "~/@ é"].randomElement(using: &random)!
    return .set(id, key: key, old: snapshot.objects[id]!.values[key]!, new: value())
  }

  /// A record of up to five edits, which the graph has when it returns.
  mutating func record() throws -> KeyValueTransactionRecord {
    var edits: [KeyValueEdit] = []
    for _ in 0..<1 + below(5) {
      let edit = edit()
      try snapshot.apply(KeyValueTransactionRecord([edit]))
      edits.append(edit)
    }
    return KeyValueTransactionRecord(
      edits, isTransaction: below(2) == 0, origin: below(2) == 0 ? .local : .remote("a\"b"))
  }
}

extension KeyValueLogValue {
  /// The value of an entry that's written as a pair.
  fileprivate var second: KeyValueLogValue {
    if case .array(let pair) = self, pair.count == 2 { pair[1] } else { nil }
  }
}

/// A value of so many arrays and dictionaries in each other.
func nested(_ depth: Int) -> KeyValueLogValue {
  (1..<depth).reduce([] as KeyValueLogValue) { value, level in
    level % 2 == 0 ? [value] : ["a": value]
  }
}
