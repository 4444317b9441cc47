/// The properties of a class by key.
///
/// A hash table for string access. A class has few keys, known in advance, and no attacker can
/// choose them to collide. Hashing a key for a `Dictionary` takes longer than the rest of
/// `value(forKey:)`.
struct KeyTable: Sendable {
  /// A power of two slots, at most half full; -1 if empty.
  private let slots: ContiguousArray<Int32>
  /// Keeps the properties alive.
  private let properties: [Property]
  /// The same properties as unretained references, so that a look-up retains none of those it passes.
  private let references: ContiguousArray<Unmanaged<Property>>

  /// `indexes` holds the index of each key's property.
  init(_ properties: [Property], indexes: [String: Int]) {
    var capacity = 4
    while capacity < indexes.count * 2 { capacity *= 2 }
    var slots = ContiguousArray<Int32>(repeating: -1, count: capacity)
    for (key, index) in indexes {
      var slot = key.quickHash & (capacity - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (capacity - 1) }
      slots[slot] = Int32(index)
    }
    self.slots = slots
    self.properties = properties
    references = ContiguousArray(properties.map { .passUnretained($0) })
  }

  subscript(key: String) -> Property? {
    unretained(key, hash: key.quickHash)?.takeUnretainedValue()
  }

  /// The property of a key, which lives as long as the table; `hash` is the key's `quickHash`.
  func unretained(_ key: String, hash: Int) -> Unmanaged<Property>? {
    let mask = slots.count - 1
    var slot = hash & mask
    while slots[slot] >= 0 {
      let property = references[Int(slots[slot])]
      if property._withUnsafeGuaranteedRef({ $0.key == key }) { return property }
      slot = (slot + 1) & mask
    }
    return nil
  }
}
