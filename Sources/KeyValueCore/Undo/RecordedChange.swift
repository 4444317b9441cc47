/// A change of a recorded key, with its values.
///
/// A class, because its values are copied several times on their way to an undo level.
final class RecordedChange {
  let kind: KeyValueChangeKind
  /// The elements' indexes in an ordered collection.
  let ranges: IndexRanges?
  // Before the old value, so that the new one dies first, as with the change that observers receive.
  let new: RecordedValue
  /// The whole old value of a setting, the elements that left otherwise.
  let old: RecordedValue

  init(kind: KeyValueChangeKind, ranges: IndexRanges?, old: RecordedValue, new: RecordedValue) {
    self.kind = kind
    self.ranges = ranges
    self.old = old
    self.new = new
  }

  /// The change that reverts this one.
  var inverse: RecordedChange {
    RecordedChange(kind: kind.inverse, ranges: ranges, old: new, new: old)
  }

  /// Whether the change did nothing.
  var isEmpty: Bool {
    if kind == .setting { return old.isUnchanged(in: new) == true }
    guard let ranges else { return old.members.isEmpty && new.members.isEmpty }
    guard kind == .replacement else { return ranges.isEmpty }
    return areUnchanged(old.elements, in: new.elements) == true
  }
}

/// A value that a recorder keeps.
///
/// Values of the usual types have cases of their own, and others are in a box: copying or comparing values of any
/// type asks run-time metadata, which takes 400 instructions.
enum RecordedValue {
  case integer(Int)
  case string(String)
  case double(Double)
  case bool(Bool)
  /// An optional value unwrapped; nil if there's none.
  case other(ValueBox<Any?>?)

  init(_ value: Any?) {
    self = .other(value.map { ValueBox($0) })
  }

  /// The value at an address that holds the property's type.
  init(_ property: Property, at address: UnsafeRawPointer) {
    let type = property.valueType
    if type == Int.self {
      self = .integer(address.assumingMemoryBound(to: Int.self).pointee)
    } else if type == String.self {
      self = .string(address.assumingMemoryBound(to: String.self).pointee)
    } else if type == Double.self {
      self = .double(address.assumingMemoryBound(to: Double.self).pointee)
    } else if type == Bool.self {
      self = .bool(address.assumingMemoryBound(to: Bool.self).pointee)
    } else {
      self.init(property.anyValue(at: address))
    }
  }

  /// The value of an object's property, as its getter returns it.
  init(_ property: Property, of object: AnyObject) {
    var value = RecordedValue.other(nil)
    property.withValue(of: object) { value = RecordedValue(property, at: $0) }
    self = value
  }

  var value: Any? {
    switch self {
    case .integer(let value): value
    case .string(let value): value
    case .double(let value): value
    case .bool(let value): value
    case .other(let box): box?.value
    }
  }

  /// Whether two values are equal, or the same objects; nil if that can't be known.
  func isSame(as other: RecordedValue) -> Bool? {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): left == right
    case (.string(let left), .string(let right)): left == right
    case (.double(let left), .double(let right)): left == right || left.isNaN && right.isNaN
    case (.bool(let left), .bool(let right)): left == right
    default: KeyValueCore.isSame(value, other.value)
    }
  }

  /// Whether another value has all that this one has; nil if that can't be known.
  func isUnchanged(in other: RecordedValue) -> Bool? {
    if case .other = self { return KeyValueCore.isUnchanged(value, in: other.value) }
    return isSame(as: other)
  }

  /// The elements of an ordered to-many value.
  var elements: [Any] {
    // A nil element belongs to an optional element type.
    (value as? any ToMany)?.anyElements.map { $0 ?? Optional<Any>.none as Any } ?? []
  }

  /// The elements of an unordered to-many value.
  var members: Set<AnyHashable> { (value as? any ToMany)?.anyElements.hashableElements ?? [] }
}

extension RecordedValue: CustomStringConvertible {
  var description: String { value.map(plainDescription) ?? "nil" }
}

/// Whether elements are equal, or the same objects, each to each; false also if that can't be known.
private func areSame(_ left: [Any], _ right: [Any]) -> Bool {
  left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) == true }
}

/// Whether two values are equal, or the same objects; nil if that can't be known.
///
/// Observable objects are compared by identity. A value that doesn't equal itself, such as one that isn't a number,
/// is the same as its copy.
func isSame(_ left: Any?, _ right: Any?) -> Bool? {
  guard let left, let right else { return (left == nil) == (right == nil) }
  if left is any KeyValueObservable { return left as AnyObject === right as AnyObject }
  if let equal = isEqual(left, right) {
    if equal || isEqual(left, left) == false && isEqual(right, right) == false { return true }
    // An array equals itself, whatever it contains.
    guard let left = left as? any OrderedToMany, let right = right as? any OrderedToMany,
      unwrapped(type(of: left).elementType) is any FloatingPoint.Type
    else { return false }
    return areSame(RecordedValue(left).elements, RecordedValue(right).elements)
  }
  if isClass(type(of: left)), isClass(type(of: right)) {
    return left as AnyObject === right as AnyObject
  }
  guard let left = (left as? any ToMany)?.references, let right = (right as? any ToMany)?.references
  else { return nil }
  return left.elementsEqual(right, by: ===)
}

/// Whether another value has all that this one has; nil if that can't be known.
///
/// They are the same objects, or are equal and have the same data: a type's own equality may leave out a part.
func isUnchanged(_ value: Any?, in other: Any?) -> Bool? {
  let isSame = isSame(value, other)
  guard isSame == true, let value, let other else { return isSame }
  if value is any PlainLogValue || value is any KeyValueObservable || value is any NumberObject {
    return true
  }
  if let value = value as? any Keyed, let other = other as? any Keyed {
    return areUnchanged(value.entries, in: other.entries)
  }
  if let value = value as? any ToMany, let other = other as? any ToMany {
    if value is any OrderedToMany { return areUnchanged(value.anyElements, in: other.anyElements) }
    return areUnchanged(value.anyElements.hashableElements, in: other.anyElements.hashableElements)
  }
  if hasSameBits(value, other) { return true }
  guard let data = encoded(value), let otherData = encoded(other) else { return nil }
  return data == otherData
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
    others[key].map { isUnchanged(value, in: $0) } ?? false
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
