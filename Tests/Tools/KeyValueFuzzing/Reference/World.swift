/// The objects of a program as the reference models them: numbers, plain values, and reference counts.
///
/// This uses nothing of the library. It counts references as Swift does, so that the reference knows when an
/// object dies.
final class World {
  private struct Entry {
    var values: [String: FuzzValue] = [:]
    var owners = 0
    var isAlive = true
  }

  private var entries: [Int: Entry] = [:]
  /// Called when an object begins to die, and when its registrar is destroyed (see Freedoms).
  var objectWillDie: (Int) -> Void = { _ in }
  var objectDied: (Int) -> Void = { _ in }

  // MARK: Objects

  func create(_ id: Int) {
    var entry = Entry()
    for (key, found) in ReferenceKey.table where !found.isComputed {
      if ReferenceKey.of(id, key) == nil { continue }
      entry.values[key] = World.initial(key)
    }
    entries[id] = entry
  }

  private static func initial(_ key: String) -> FuzzValue {
    key == "level" ? .int(1) : ReferenceKey.table[key]?.initial ?? .none
  }

  /// All stored values at one moment.
  struct Model {
    fileprivate let values: [Int: [String: FuzzValue]]

    /// The value at that moment, or the initial value of an object that didn't exist yet.
    func value(_ id: Int, _ key: String) -> FuzzValue {
      values[id]?[key] ?? World.initial(key)
    }
  }

  var model: Model { Model(values: entries.mapValues(\.values)) }

  func isKnown(_ id: Int) -> Bool { entries[id] != nil }
  func isAlive(_ id: Int) -> Bool { entries[id]?.isAlive ?? false }
  var alive: [Int] { entries.filter(\.value.isAlive).keys.sorted() }

  func retain(_ id: Int) { entries[id]?.owners += 1 }

  func release(_ id: Int) {
    guard var entry = entries[id], entry.isAlive else { return }
    entry.owners -= 1
    entry.isAlive = entry.owners > 0
    entries[id] = entry
    if !entry.isAlive { die(id) }
  }

  private func die(_ id: Int) {
    objectWillDie(id)
    for key in ReferenceKey.storedOrder where ReferenceKey.of(id, key)?.keepsAlive == true {
      World.objects(in: stored(id, key)).forEach(release)
    }
    objectDied(id)
  }

  // MARK: Values

  /// The value of a key; a weak reference to a dying or dead object is nil.
  func value(_ id: Int, _ key: String) -> FuzzValue {
    guard let found = ReferenceKey.of(id, key) else { return .other("no key \(key)") }
    if case .computed(_, let get) = found.shape { return get(self, id) }
    let value = entries[id]?.values[key] ?? .none
    if found.isWeak, let target = value.objectNumber, !isAlive(target) { return .none }
    return value
  }

  /// The stored value, even if it refers to a dead object.
  func stored(_ id: Int, _ key: String) -> FuzzValue { entries[id]?.values[key] ?? .none }

  func store(_ value: FuzzValue, _ id: Int, _ key: String) {
    let old = entries[id]?.values[key] ?? .none
    let keepsAlive = ReferenceKey.of(id, key)?.keepsAlive == true
    if keepsAlive { World.objects(in: value).forEach(retain) }
    entries[id]?.values[key] = value
    if keepsAlive { World.objects(in: old).forEach(release) }
  }

  static func objects(in value: FuzzValue) -> [Int] {
    if let id = value.objectNumber { return [id] }
    if let entries = value.entries { return entries.values.flatMap(objects).sorted() }
    return value.elements?.flatMap(objects) ?? []
  }

  // MARK: For getters

  func number(_ id: Int, _ key: String) -> Int { value(id, key).integer }
  func object(_ id: Int, _ key: String) -> Int? { value(id, key).objectNumber }

  func text(_ id: Int, _ key: String) -> String {
    if case .text(let text) = value(id, key) { text } else { "" }
  }

  func sum(of key: String, over collection: FuzzValue) -> Int {
    collection.elements?.compactMap(\.objectNumber).reduce(0) { $0 + number($1, key) } ?? 0
  }

  // MARK: Paths

  /// The recomputed value of a path (Parity P1, P3, K3, K5, K6).
  func value(_ id: Int, _ path: FuzzPath) -> FuzzValue {
    let value = read(path.keys[...], of: .object(id))
    guard path.countsValue else { return value }
    if case .text(let text) = value { return .int(text.count) }
    return .none
  }

  private func read(_ keys: ArraySlice<String>, of value: FuzzValue) -> FuzzValue {
    guard let key = keys.first else { return value }
    let rest = keys.dropFirst()
    if key.hasPrefix("@") { return value == .none ? .none : apply(key, rest, to: value) }
    return read(rest, of: step(key, of: value))
  }

  private func step(_ key: String, of value: FuzzValue) -> FuzzValue {
    switch value {
    case .object(let id): self.value(id, key)
    case .list(let elements): .list(elements.map { step(key, of: $0) })
    case .bag(let elements): .bag(Set(elements.map { step(key, of: $0) }).subtracting([.none]))
    case .map(let entries): entries[key] ?? .none
    case .none: .none
    case .int, .double, .text, .tag, .other, .unsettled: .other("\(value) has no keys")
    }
  }

  private func apply(_ name: String, _ rest: ArraySlice<String>, to value: FuzzValue) -> FuzzValue {
    let elements = value.elements ?? []
    if name == "@count" { return .int(elements.count) }
    let values = elements.map { read(rest, of: $0) }
    let numbers = values.map(\.integer)
    switch name {
    case "@sum": return .int(numbers.reduce(0, +))
    case "@avg":
      return .double(
        numbers.isEmpty ? 0 : Double(numbers.reduce(0, +)) / Double(numbers.count))
    case "@min": return values.filter { $0 != .none }.min(by: World.precedes) ?? .none
    case "@max": return values.filter { $0 != .none }.max(by: World.precedes) ?? .none
    case "@unionOfObjects": return .list(values)
    default: return .other(name)
    }
  }

  private static func precedes(_ a: FuzzValue, _ b: FuzzValue) -> Bool {
    if case .text(let a) = a, case .text(let b) = b { a < b } else { a.integer < b.integer }
  }
}
