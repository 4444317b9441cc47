/// The values once each, in order of first appearance.
///
/// Values that define equality but no hash are compared with one another; objects that define neither are
/// compared by identity; every other such value counts as different.
func onceEach(_ values: [Any]) -> [Any] {
  var seen: Set<AnyHashable> = []
  var unhashable: [any Equatable] = []
  return values.filter { value in
    if let identity = identity(of: value) { return seen.insert(identity).inserted }
    guard let value = value as? any Equatable else { return true }
    if unhashable.contains(where: { isEqual($0, value) == true }) { return false }
    unhashable.append(value)
    return true
  }
}

/// The values as a set, or as an array without duplicates if it contains objects that define no equality.
func asSet(_ values: [Any]) -> Any {
  let hashable = values.compactMap { asHashable($0) }
  return hashable.count == values.count ? Set(hashable) as Any : onceEach(values)
}

extension [Any?] {
  /// The hashable elements as a set; nil is one of them.
  var hashableElements: Set<AnyHashable> { Set(compactMap { asHashable($0) }) }
}

/// A value with its hash value, without any level of optionality; nil if it has none.
///
/// Every nil has the same one, whatever its type, because the type of a set's elements isn't known here. An object
/// that holds a number has the number's: on Linux, an `NSDecimalNumber` has no hash value.
func asHashable(_ value: Any?) -> AnyHashable? {
  guard let value = value.flatMap({ flattened($0) }) else { return AnyHashable(Optional<Int>.none) }
  return ((value as? any NumberObject)?.exactNumber ?? value) as? AnyHashable
}

/// What distinguishes a value: its own hash and equality, or for an object its identity.
private func identity(of value: Any) -> AnyHashable? {
  if let hashable = asHashable(value) { return hashable }
  guard type(of: value) is AnyObject.Type, !(value is any Equatable) else { return nil }
  return AnyHashable(ObjectIdentifier(value as AnyObject))
}

/// Whether two values are equal; nil if their type isn't `Equatable`.
package func isEqual(_ left: Any, _ right: Any) -> Bool? {
  let values = (flattened(left), flattened(right))
  guard let left = values.0, let right = values.1 else {
    return values.0 == nil && values.1 == nil
  }
  func isEqual<Left: Equatable>(_ left: Left) -> Bool? { (right as? Left).map { left == $0 } }
  if let equatable = left as? any Equatable {
    if let result = isEqual(equatable) { return result }
    guard let type = commonClass(left, right) as? any Equatable.Type else { return false }
    return areEqual(left, right, as: type)
  }
  return type(of: left) is AnyClass ? left as AnyObject === right as AnyObject : nil
}

private func areEqual<Common: Equatable>(_ left: Any, _ right: Any, as type: Common.Type) -> Bool {
  guard let left = left as? Common, let right = right as? Common else { return false }
  return left == right
}

/// The nearest class that two objects share; nil if they share none, or one of the values isn't an object.
///
/// They are compared in it, because a comparison in the class of one of them would depend on their order.
func commonClass(_ left: Any, _ right: Any) -> AnyClass? {
  guard isClass(type(of: left)), isClass(type(of: right)) else { return nil }
  let superclass: (AnyClass) -> AnyClass? = { _getSuperclass($0) }
  let others = sequence(first: type(of: right as AnyObject), next: superclass)
  return sequence(first: type(of: left as AnyObject), next: superclass).first { type in
    others.contains { $0 == type }
  }
}
