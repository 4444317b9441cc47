extension KeyValueSnapshot {
  /// Changes the snapshot as the record changes the graph.
  ///
  /// A snapshot of a graph and the records made since then give the graph's snapshot now, without its
  /// classes:
  ///
  /// ```swift
  /// var snapshot = try log.snapshot()
  /// let record = KeyValueTransactionRecord([.set(id, key: "count", old: 0, new: 1)])
  /// try snapshot.apply(record)
  /// print(snapshot.objects[id]!.values["count"]!)   // 1
  /// try snapshot.apply(record.inverse)
  /// print(snapshot.objects[id]!.values["count"]!)   // 0
  /// do { try snapshot.apply(record.inverse) } catch { print(error) }
  /// // Counter.count can't be edited so (edit 1, object 7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12): it's 0, not 1.
  /// ```
  ///
  /// Every edit is checked: its object and key exist, what it replaces or removes is there, its indexes
  /// are within the collection, the elements that enter a set aren't in it. A reference that the record
  /// writes leads to an object once the record is applied. Whether deleted objects are still referred to
  /// isn't checked.
  ///
  /// - Parameter record: The record.
  /// - Throws: `KeyValueLogError`, which names the edit, the object and the key. The snapshot is then as
  ///   it was.
  /// - Complexity: Linear in the size of the record and of the collections that it changes.
  public mutating func apply(_ record: KeyValueTransactionRecord) throws {
    let (changed, deleted) = try SnapshotApplication.changes(by: record, in: self)
    for id in deleted { objects[id] = nil }
    objects.merge(changed) { $1 }
  }
}

/// The objects of a snapshot while a record is applied: those that it has changed, over those before.
///
/// Only they are copied, and nothing is undone if an edit fails.
struct SnapshotApplication {
  typealias Value = KeyValueLogValue

  private let snapshot: KeyValueSnapshot
  private var changed: [KeyValueObjectID: KeyValueSnapshot.Object] = [:]
  private var deleted: Set<KeyValueObjectID> = []
  /// The place of each reference that an edit has written.
  private var references: [(to: KeyValueObjectID, at: Place, edit: Int)] = []
  /// The sets that are known to be in ascending order.
  private var sets: Set<Place> = []
  /// The number of edits up to the one that's being applied.
  private var position = 0

  private struct Place: Hashable {
    let id: KeyValueObjectID
    let key: String
  }

  init(to snapshot: KeyValueSnapshot) { self.snapshot = snapshot }

  /// What a record changes and deletes.
  ///
  /// The snapshot's objects have one owner again when it returns, and are changed in place.
  static func changes(
    by record: KeyValueTransactionRecord, in snapshot: KeyValueSnapshot
  ) throws -> (
    changed: [KeyValueObjectID: KeyValueSnapshot.Object], deleted: Set<KeyValueObjectID>
  ) {
    var application = SnapshotApplication(to: snapshot)
    for edit in record.edits { try application.apply(edit) }
    try application.checkReferences()
    return (application.changed, application.deleted)
  }

  /// The object as it is now.
  func object(_ id: KeyValueObjectID) -> KeyValueSnapshot.Object? {
    changed[id] ?? (deleted.contains(id) ? nil : snapshot.objects[id])
  }

  /// The key's value as it is now.
  func value(_ id: KeyValueObjectID, _ key: String) -> Value? { object(id)?.values[key] }

  // MARK: Edits

  mutating func apply(_ edit: KeyValueEdit) throws {
    position += 1
    switch edit {
    case .create(let id, let name, let values): try create(id, name, values)
    case .delete(let id, let name, let values): try delete(id, name, values)
    case .set(let id, let key, let old, let new):
      try change(id, key, writing: [new]) { value in
        try Self.expect(old, value)
        value = new
      }
    case .insert(let id, let key, let indexes, let elements):
      try changeElements(id, key, writing: elements) {
        try Self.insert(.init(indexes: indexes, elements: elements), into: &$0)
      }
    case .remove(let id, let key, let indexes, let elements):
      try changeElements(id, key, writing: []) {
        try Self.remove(.init(indexes: indexes, elements: elements), from: &$0)
      }
    case .replace(let id, let key, let indexes, let old, let new):
      try changeElements(id, key, writing: new) {
        let indexes = IndexRanges(indexes)
        try Self.check(indexes, old, in: $0, count: $0.count)
        try Self.check(indexes, new, count: $0.count)
        for (index, element) in zip(indexes.indices, new) { $0[index] = element }
      }
    case .amend(let id, let key, let removed, let inserted):
      try changeElements(id, key, writing: inserted.elements) {
        try Self.remove(removed, from: &$0)
        try Self.insert(inserted, into: &$0)
      }
    case .union(let id, let key, let elements):
      try changeSet(id, key, old: [], new: elements)
    case .subtract(let id, let key, let elements):
      try changeSet(id, key, old: elements, new: [])
    case .exchange(let id, let key, let old, let new):
      try changeSet(id, key, old: old, new: new)
    case .setEntry(let id, let key, let entry, let old, let new):
      try change(id, key, writing: [entry] + (new.map { [$0] } ?? [])) {
        try Self.setEntry(entry, old, new, in: &$0)
      }
    }
  }

  private mutating func create(
    _ id: KeyValueObjectID, _ name: String, _ values: [String: Value]
  ) throws {
    if let object = object(id) {
      throw KeyValueLogError.invalidEdit(
        details(
          id, nil,
          "there is such an object already, of class \(object.class); the record may have been "
            + "applied before", type: name))
    }
    for (key, value) in values { note([value], Place(id: id, key: key)) }
    deleted.remove(id)
    changed[id] = KeyValueSnapshot.Object(class: name, values: values)
  }

  private mutating func delete(
    _ id: KeyValueObjectID, _ name: String, _ values: [String: Value]
  ) throws {
    let object = try existing(id)
    if id == snapshot.root {
      throw KeyValueLogError.invalidEdit(details(id, nil, "it's the root"))
    }
    if object.class != name {
      throw KeyValueLogError.invalidEdit(details(id, nil, "it isn't of class \(name)"))
    }
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      guard let present = object.values[key] else { throw unknownKey(id, key) }
      do {
        try Self.expect(value, present)
      } catch let refusal as Refusal {
        throw error(refusal, id, key)
      }
    }
    for key in object.values.keys.sorted() where values[key] == nil {
      throw KeyValueLogError.invalidEdit(details(id, key, "the edit doesn't have its value"))
    }
    for key in values.keys { sets.remove(Place(id: id, key: key)) }
    changed[id] = nil
    deleted.insert(id)
  }

  private mutating func changeElements(
    _ id: KeyValueObjectID, _ key: String, writing elements: [Value],
    _ body: (inout [Value]) throws -> Void
  ) throws {
    try change(id, key, writing: elements) { value in
      guard case .array(var elements) = value else {
        throw Refusal.mismatch("it's \(Self.short(value)), not an array")
      }
      // The array has one owner, so it's changed in place.
      value = .null
      try body(&elements)
      value = .array(elements)
    }
  }

  private mutating func changeSet(
    _ id: KeyValueObjectID, _ key: String, old: [Value], new: [Value]
  ) throws {
    let place = Place(id: id, key: key)
    let isAscending = sets.contains(place)
    try changeElements(id, key, writing: new) { elements in
      if !isAscending {
        elements = Value.ascending(elements)
        guard Value.isAscending(elements) else {
          throw Refusal.mismatch("it isn't a set: an element occurs twice")
        }
      }
      // Each part leaves and enters as a whole, in ascending order.
      if !old.isEmpty { try Self.remove(Self.places(leaving: old, elements), from: &elements) }
      if !new.isEmpty { try Self.insert(Self.places(entering: new, elements), into: &elements) }
    }
    sets.insert(place)
  }

  /// Changes a key's value in place.
  private mutating func change(
    _ id: KeyValueObjectID, _ key: String, writing values: [Value],
    _ body: (inout Value) throws -> Void
  ) throws {
    if changed[id] == nil { changed[id] = try existing(id, key) }
    guard changed[id]?.values[key] != nil else { throw unknownKey(id, key) }
    if !sets.isEmpty { sets.remove(Place(id: id, key: key)) }
    do {
      try body(&changed[id]!.values[key]!)
    } catch let refusal as Refusal {
      throw error(refusal, id, key)
    }
    note(values, Place(id: id, key: key))
  }

  // MARK: References

  private mutating func note(_ values: [Value], _ place: Place) {
    for value in values {
      value.forEachReference { references.append((to: $0, at: place, edit: position)) }
    }
  }

  /// Checks that what the record has referred to exists, unless the reference is gone again.
  func checkReferences() throws {
    for (target, place, edit) in references where object(target) == nil {
      guard let holder = object(place.id), let value = holder.values[place.key] else { continue }
      var remains = false
      value.forEachReference { remains = remains || $0 == target }
      guard remains else { continue }
      throw KeyValueLogError.unknownObject(
        .init(object: target, type: holder.class, key: place.key, edit: edit))
    }
  }

  // MARK: Errors

  private func existing(
    _ id: KeyValueObjectID, _ key: String? = nil
  ) throws -> KeyValueSnapshot.Object {
    guard let object = object(id) else {
      throw KeyValueLogError.unknownObject(.init(object: id, key: key, edit: position))
    }
    return object
  }

  private func unknownKey(_ id: KeyValueObjectID, _ key: String) -> KeyValueLogError {
    var details = details(id, key, nil)
    details.suggestions = nearest(to: key, among: object(id).map { Array($0.values.keys) } ?? [])
    return .unknownKey(details)
  }

  private func details(
    _ id: KeyValueObjectID, _ key: String?, _ reason: String?, type: String? = nil
  ) -> KeyValueLogError.Details {
    .init(
      object: id, type: type ?? object(id)?.class, key: key, edit: position, reason: reason)
  }

  /// Why a value can't be changed, without the place.
  private enum Refusal: Error {
    case invalid(String)
    case mismatch(String)
  }

  private func error(
    _ refusal: Refusal, _ id: KeyValueObjectID, _ key: String
  ) -> KeyValueLogError {
    switch refusal {
    case .invalid(let reason): .invalidEdit(details(id, key, reason))
    case .mismatch(let reason): .typeMismatch(details(id, key, reason))
    }
  }

  static func short(_ value: Value) -> String {
    let text = "\(value)"
    return text.utf8.count > 60 ? "\(text.prefix(60))…" : text
  }

  // MARK: Values

  private static func expect(_ old: Value, _ value: Value) throws {
    if value != old { throw Refusal.invalid("it's \(short(value)), not \(short(old))") }
  }

  private static func insert(
    _ part: KeyValueEdit.Elements, into elements: inout [Value]
  ) throws {
    let total = elements.count + part.elements.count
    let indexes = IndexRanges(part.indexes)
    try check(indexes, part.elements, count: total)
    if let range = indexes.sole {
      makeRoom(for: total, in: &elements)
      elements.insert(contentsOf: part.elements, at: range.lowerBound)
      return
    }
    var result: [Value] = []
    result.reserveCapacity(total)
    var (rest, entering) = (elements[...], part.elements[...])
    for range in indexes.ranges {
      let kept = range.lowerBound - result.count
      result += rest.prefix(kept)
      rest = rest.dropFirst(kept)
      result += entering.prefix(range.count)
      entering = entering.dropFirst(range.count)
    }
    elements = result + rest
  }

  /// Doubles the capacity of an array that's full; an insertion alone doesn't, and copies each time.
  private static func makeRoom(for count: Int, in elements: inout [Value]) {
    if elements.capacity < count { elements.reserveCapacity(max(count, 2 * elements.count)) }
  }

  private static func remove(
    _ part: KeyValueEdit.Elements, from elements: inout [Value]
  ) throws {
    let indexes = IndexRanges(part.indexes)
    try check(indexes, part.elements, in: elements, count: elements.count)
    if let range = indexes.sole {
      elements.removeSubrange(range)
    } else {
      elements.removeSubranges(part.indexes)
    }
  }

  /// Checks that there's an element for each index, and that the indexes are within the collection.
  private static func check(
    _ indexes: IndexRanges, _ elements: [Value], in present: [Value]? = nil, count: Int
  ) throws {
    guard indexes.isWithin(count) else {
      throw Refusal.invalid("index \(listing(indexes.set)) isn't within \(count) elements")
    }
    guard indexes.count == elements.count else {
      throw Refusal.invalid("the edit has \(elements.count) elements for \(indexes.count) indexes")
    }
    guard let present else { return }
    for (index, element) in zip(indexes.indices, elements) where present[index] != element {
      throw Refusal.invalid(
        "element \(index) is \(short(present[index])), not \(short(element))")
    }
  }

  /// Where elements are that leave a set.
  private static func places(
    leaving part: [Value], _ elements: [Value]
  ) throws -> KeyValueEdit.Elements {
    let leaving = Value.ascending(part)
    var indexes = RangeSet<Int>()
    for element in leaving {
      let (index, isPresent) = search(element, in: elements)
      guard isPresent, !indexes.contains(index) else {
        throw Refusal.invalid("it doesn't have \(short(element))")
      }
      indexes.insert(contentsOf: index..<index + 1)
    }
    return KeyValueEdit.Elements(indexes: indexes, elements: leaving)
  }

  /// Where elements will be that enter a set.
  private static func places(
    entering part: [Value], _ elements: [Value]
  ) throws -> KeyValueEdit.Elements {
    let entering = Value.ascending(part)
    var indexes = RangeSet<Int>()
    for (count, element) in entering.enumerated() {
      let (index, isPresent) = search(element, in: elements)
      if isPresent || count > 0 && entering[count - 1] == element {
        throw Refusal.invalid("it has \(short(element)) already")
      }
      indexes.insert(contentsOf: index + count..<index + count + 1)
    }
    return KeyValueEdit.Elements(indexes: indexes, elements: entering)
  }

  /// Where an element is in a set, or belongs.
  static func search(_ element: Value, in elements: [Value]) -> (index: Int, isPresent: Bool) {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if Value.precedes(elements[middle], element) { low = middle + 1 } else { high = middle }
    }
    return (low, low < elements.count && elements[low] == element)
  }

  private static func setEntry(
    _ entry: Value, _ old: Value?, _ new: Value?, in value: inout Value
  ) throws {
    switch value {
    case .dictionary(var entries):
      guard let name = entry.entryName else {
        throw Refusal.mismatch("its entries have strings as keys, not \(short(entry))")
      }
      value = .null
      try expectEntry(old, entries[name], entry)
      entries[name] = new
      value = .dictionary(entries)
    case .array(var pairs):
      value = .null
      var keys = try pairs.map(key)
      if !Value.isAscending(keys) {
        pairs = Value.ascending(pairs)
        keys = try pairs.map(key)
        guard Value.isAscending(keys) else {
          throw Refusal.mismatch("it isn't a dictionary: a key occurs twice")
        }
      }
      let (index, isPresent) = search(entry, in: keys)
      var present: Value?
      if isPresent, case .array(let pair) = pairs.remove(at: index) { present = pair[1] }
      try expectEntry(old, present, entry)
      if let new { pairs.insert(.array([entry, new]), at: index) }
      value = .array(pairs)
    default:
      throw Refusal.mismatch("it's \(short(value)), not a dictionary")
    }
  }

  /// The key of an entry that's written as a pair.
  private static func key(_ pair: Value) throws -> Value {
    guard case .array(let parts) = pair, parts.count == 2 else {
      throw Refusal.mismatch("it isn't a dictionary: it has \(short(pair))")
    }
    return parts[0]
  }

  private static func expectEntry(_ old: Value?, _ value: Value?, _ entry: Value) throws {
    guard value != old else { return }
    func text(_ value: Value?) -> String { value.map { short($0) } ?? "absent" }
    throw Refusal.invalid("entry \(short(entry)) is \(text(value)), not \(text(old))")
  }
}

extension KeyValueLogValue {
  /// The name of an entry in a dictionary with strings as keys; an integer's digits.
  var entryName: String? {
    switch self {
    case .string(let name): name
    case .integer(let number): "\(number)"
    default: nil
    }
  }
}
