/// Whether two values are equal, or the same objects; nil if that can't be known.
///
/// Observable objects are compared by identity. A value that doesn't equal itself, such as one that isn't a number,
/// is the same as its copy, which has the same data.
func isSame(_ left: Any?, _ right: Any?) -> Bool? {
  guard let left, let right else { return (left == nil) == (right == nil) }
  if left is any KeyValueObservable { return left as AnyObject === right as AnyObject }
  if let equal = isEqual(left, right) { return equal ? true : isCopyOfUnequal(left, right) }
  if isClass(type(of: left)), isClass(type(of: right)) {
    return left as AnyObject === right as AnyObject
  }
  guard let left = left as? any ToMany, let right = right as? any ToMany else { return nil }
  if let left = left.references, let right = right.references {
    return left.elementsEqual(right, by: ===)
  }
  guard areComparedByIdentity(type(of: left).elementType) else { return nil }
  return left.anyElements.elementsEqual(right.anyElements) { isSame($0, $1) == true }
}

/// Whether two values are equal, or copies of one that doesn't equal itself; nil if that can't be known.
func isEqualOrCopy(_ left: Any, _ right: Any) -> Bool? {
  let isEqual = isEqual(left, right)
  return isEqual == false ? isCopyOfUnequal(left, right) : isEqual
}

/// Whether two values that aren't equal are copies of one that doesn't equal itself; nil if that can't be known.
private func isCopyOfUnequal(_ left: Any, _ right: Any) -> Bool? {
  if isEqual(left, left) == false, isEqual(right, right) == false {
    // Numbers that aren't numbers are all the same.
    if left is any FloatingPoint, right is any FloatingPoint { return true }
    return haveSameData(left, right)
  }
  // An array equals itself, whatever it contains.
  guard let left = left as? any OrderedToMany, let right = right as? any OrderedToMany,
    unwrapped(type(of: left).elementType) is any FloatingPoint.Type
  else { return false }
  return left.anyCount == right.anyCount
    && zip(left.anyElements, right.anyElements).allSatisfy { isSame($0, $1) == true }
}

/// Whether another value has all that this one has; nil if that can't be known.
///
/// They are the same objects, or are equal and have the same data: a type's own equality may leave out a part, and
/// equal strings may have other Unicode scalars.
func isUnchanged(_ value: Any?, in other: Any?) -> Bool? {
  let isSame = isSame(value, other)
  guard isSame == true, let value, let other else { return isSame }
  if let value = value as? String, let other = other as? String {
    return value.hasSameScalars(as: other)
  }
  if let value = value as? [String], let other = other as? [String] {
    return value.elementsEqual(other) { $0.hasSameScalars(as: $1) }
  }
  if value is any PlainLogValue {
    return equalityIsExact(for: type(of: value)) || haveSameData(value, other) != false
  }
  if value is any KeyValueObservable || value is any NumberObject { return true }
  if let value = value as? any Keyed, let other = other as? any Keyed {
    return areUnchanged(value.entries, in: other.entries)
  }
  if let value = value as? any ToMany, let other = other as? any ToMany {
    if value is any OrderedToMany { return areUnchanged(value.anyElements, in: other.anyElements) }
    return areUnchanged(value.anyElements.hashableElements, in: other.anyElements.hashableElements)
  }
  return haveSameData(value, other)
}

/// Whether two values have the same bits, or are encoded as the same data; nil if that can't be known.
private func haveSameData(_ value: Any, _ other: Any) -> Bool? {
  if hasSameBits(value, other) { return true }
  guard let data = encoded(value), let otherData = encoded(other) else { return nil }
  return data.isIdentical(to: otherData)
}

/// Whether plain values of a type that are equal have the same data, as numbers and Booleans have, and arrays of them.
///
/// Equal strings may not: "é" is one Unicode scalar, or an "e" and an accent.
func equalityIsExact(for type: Any.Type) -> Bool {
  let type = unwrapped(type)
  if type is any ScalarLogValue.Type { return type != String.self }
  guard type is any PlainLogValue.Type, let many = type as? any ToMany.Type else { return false }
  return equalityIsExact(for: many.elementType)
}

func areUnchanged(_ elements: [Any?], in others: [Any?]) -> Bool? {
  guard elements.count == others.count else { return false }
  return areAllTrue(zip(elements, others)) { isUnchanged($0, in: $1) }
}

func areUnchanged(_ members: Set<AnyHashable>, in others: Set<AnyHashable>) -> Bool? {
  guard members == others else { return false }
  return areAllTrue(members) { member in
    others.firstIndex(of: member).flatMap { isUnchanged(member.base, in: others[$0].base) }
  }
}

private func areUnchanged(
  _ entries: [AnyHashable: Any?], in others: [AnyHashable: Any?]
) -> Bool? {
  guard entries.count == others.count else { return false }
  return areAllTrue(entries) { key, value in
    guard let index = others.index(forKey: key) else { return false }
    let other: (key: AnyHashable, value: Any?) = others[index]
    // Keys that are equal are the same if nothing shows that they differ.
    if isUnchanged(key.base, in: other.key.base) == false { return false }
    return isUnchanged(value, in: other.value)
  }
}

/// Whether something is true of all elements; nil if that can't be known of one.
private func areAllTrue<Element>(
  _ elements: some Sequence<Element>, _ isTrue: (Element) -> Bool?
) -> Bool? {
  var result: Bool? = true
  for element in elements {
    switch isTrue(element) {
    case true?: break
    case false?: return false
    case nil: result = nil
    }
  }
  return result
}

/// Whether both are of one type and have the same bytes, which values that are the same needn't have.
///
/// Both buffers are of copies that live until the closures end, and have the size of their common type.
private func hasSameBits(_ value: Any, _ other: Any) -> Bool {
  func compare<Value>(_ value: Value) -> Bool {
    guard let other = other as? Value else { return false }
    return withUnsafeBytes(of: value) { bytes in
      withUnsafeBytes(of: other) { areSameBits(bytes, from: 0, $0, from: 0, bytes.count) }
    }
  }
  return _openExistential(value, do: compare)
}

private func encoded(_ value: Any) -> KeyValueLogValue? {
  guard let value = value as? any Encodable else { return nil }
  return try? LogValueEncoder { _ in nil }.encode(value)
}

extension Keyed {
  fileprivate var entries: [AnyHashable: Any?] {
    Dictionary(
      anyPairs.compactMap { pair in (pair.key as? AnyHashable).map { ($0, pair.value) } },
      uniquingKeysWith: { $1 })
  }
}
