/// The values of dependent keys, by object and key; each is read once for all observances that one side of
/// a change concerns.
struct SharedCaptures {
  private struct Key: Hashable {
    let root: ObjectIdentifier
    let property: ObjectIdentifier
  }

  /// There are almost always few, which are found faster without hashing.
  private var first: [(key: Key, value: KeptValue)] = []
  private var rest: [Key: KeptValue] = [:]

  /// The value, read for `observance`, which is one of those that need it.
  mutating func value(
    of property: Property, _ root: AnyObject, for observance: Observance
  ) -> KeptValue {
    let key = Key(root: ObjectIdentifier(root), property: ObjectIdentifier(property))
    if let known = first.first(where: { $0.key == key })?.value ?? rest[key] { return known }
    let value = KeptValue.stored(
      Delivery.read(root, for: observance, property.capture(from:)), property)
    if first.count < 8 { first.append((key, value)) } else { rest[key] = value }
    return value
  }
}
