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

  /// Whether set algebra made the change, whose elements have no indexes.
  var isAlgebra: Bool { kind != .setting && ranges == nil }

  /// The part of set algebra's inverse that a collection doesn't show yet; nil if it shows all of it.
  func inverse(missingFrom present: RecordedValue) -> RecordedChange? {
    let (entered, left) = (new.members, old.members)
    guard let members = present.members(among: entered.union(left)) else { return inverse }
    let (leaving, returning) = (entered.intersection(members), left.subtracting(members))
    if leaving.count == entered.count, returning.count == left.count { return inverse }
    if leaving.isEmpty, returning.isEmpty { return nil }
    return RecordedChange(
      kind: kind.inverse, ranges: nil, old: RecordedValue(leaving), new: RecordedValue(returning))
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
    if case (.string(let left), .string(let right)) = (self, other) {
      return left.hasSameScalars(as: right)
    }
    return isSame(as: other)
  }

  /// The elements of an ordered to-many value.
  var elements: [Any] {
    // A nil element belongs to an optional element type.
    (value as? any ToMany)?.anyElements.map { $0 ?? Optional<Any>.none as Any } ?? []
  }

  /// The elements of an unordered to-many value.
  var members: Set<AnyHashable> { (value as? any ToMany)?.anyElements.hashableElements ?? [] }

  /// Those of some elements that a to-many value has; nil if it isn't one.
  ///
  /// - Complexity: Linear in these elements, if the value is unordered.
  func members(among elements: Set<AnyHashable>) -> Set<AnyHashable>? {
    switch value {
    case nil: []
    case let value as any UnorderedToMany:
      value.elements(in: elements).anyElements.hashableElements
    case let value as any ToMany: elements.intersection(value.anyElements.hashableElements)
    default: nil
    }
  }
}

extension RecordedValue: CustomStringConvertible {
  var description: String { value.map(plainDescription) ?? "nil" }
}
