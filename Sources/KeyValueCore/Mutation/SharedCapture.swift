/// The value of a dependent key, read once for all observances that a change concerns.
final class SharedCapture {
  let property: Property
  let value: any CapturedValue

  init(_ property: Property, of root: AnyObject) {
    self.property = property
    value = property.capture(from: root)
  }

  /// A captured value if it is a shared one, rather than the box of an observance's own sink.
  static func from(_ captured: AnyObject?) -> SharedCapture? {
    // Comparing the classes costs less than a cast.
    guard let captured, type(of: captured) == SharedCapture.self else { return nil }
    return unsafeDowncast(captured, to: SharedCapture.self)
  }
}

/// The shared values of one side of a change, by object and key.
struct SharedCaptures {
  private struct Key: Hashable {
    let root: ObjectIdentifier
    let property: ObjectIdentifier
  }

  /// There are almost always few, which are found faster without hashing.
  private var first: [(key: Key, capture: SharedCapture)] = []
  private var rest: [Key: SharedCapture] = [:]

  /// The value, read for `observance`, which is one of those that need it.
  mutating func value(
    of property: Property, _ root: AnyObject, for observance: Observance
  ) -> SharedCapture {
    let key = Key(root: ObjectIdentifier(root), property: ObjectIdentifier(property))
    if let known = first.first(where: { $0.key == key })?.capture ?? rest[key] { return known }
    // Does the same as `Delivery.read`, whose parameter can't be an object of any class.
    #if DEBUG || KVO_AUDIT
      let capture = DependencyAudit.reading(observance, root) { SharedCapture(property, of: root) }
    #else
      let capture = SharedCapture(property, of: root)
    #endif
    if first.count < 8 { first.append((key, capture)) } else { rest[key] = capture }
    return capture
  }
}
