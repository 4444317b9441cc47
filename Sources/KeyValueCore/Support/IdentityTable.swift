/// Values by the identities of objects.
///
/// Identities are addresses, which nothing chooses, so one multiplication hashes them. A dictionary whose keys
/// are `ObjectIdentifier`s takes 90 instructions for each hash.
struct IdentityTable<Value> {
  private var table: [IdentityKey: Value] = [:]

  var isEmpty: Bool { table.isEmpty }
  var count: Int { table.count }
  var values: some Collection<Value> { table.values }
  var identities: [ObjectIdentifier] { table.keys.map(\.identity) }

  subscript(identity: ObjectIdentifier) -> Value? {
    get { table[IdentityKey(identity: identity)] }
    set { table[IdentityKey(identity: identity)] = newValue }
  }

  /// Inserts a value; false, with nothing changed, if there is one.
  mutating func insert(_ value: Value, for identity: ObjectIdentifier) -> Bool {
    let old = table.updateValue(value, forKey: IdentityKey(identity: identity))
    guard let old else { return true }
    self[identity] = old
    return false
  }
}

private struct IdentityKey: Hashable {
  let identity: ObjectIdentifier

  // What `Hashable` has for integers and the like; without it, `hash(into:)` is called.
  func _rawHashValue(seed: Int) -> Int {
    // The multiplication leaves its best bits at the top, and a table uses the lowest.
    let factor = UInt(truncatingIfNeeded: 0x9E37_79B9_7F4A_7C15 as UInt64)
    let product = UInt(bitPattern: identity) &* factor
    return Int(bitPattern: product.byteSwapped) ^ seed
  }
}
