extension Array: ElementComparing {
  static func changes(
    from old: [Element], to new: [Element]
  ) -> [KeyValueObservedChange<any CapturedValue>]? {
    changes(from: old, to: new) { ValueBox($0) }
  }

  /// The changes that turn one array into another, with the removed and inserted elements in boxes.
  ///
  /// The changes are made of boxes at once, because a change of a generic type costs more than the
  /// comparison.
  static func changes(
    from old: [Element], to new: [Element], boxing box: ([Element]) -> any CapturedValue
  ) -> [KeyValueObservedChange<any CapturedValue>]? {
    difference(old, new).map { difference in
      elementChanges(
        difference, left: { box(old.elements(at: $0)) }, entered: { box(new.elements(at: $0)) })
    }
  }

  /// The indexes of the removed elements and of the inserted ones.
  ///
  /// Elements are compared by their own equality, objects without one, optional or not, by identity; nil if
  /// neither applies.
  private static func difference(
    _ old: [Element], _ new: [Element]
  ) -> (left: IndexRanges, entered: IndexRanges)? {
    func compared<Value: Equatable>(
      as type: Value.Type
    ) -> (left: IndexRanges, entered: IndexRanges) {
      old.withUnsafeBufferPointer { old in
        new.withUnsafeBufferPointer { new in
          old.withMemoryRebound(to: type) { old in
            new.withMemoryRebound(to: type) { new in differingIndexes(old, new) }
          }
        }
      }
    }
    // `Element` itself, found to be equatable at run time.
    if let equatable = Element.self as? any Equatable.Type { return compared(as: equatable) }
    // An object reference, optional or not, is one word.
    if areComparedByIdentity(Element.self) { return compared(as: Int.self) }
    guard isExistential(unwrapped(Element.self)), let old = identities(of: old),
      let new = identities(of: new)
    else { return nil }
    return old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in differingIndexes(old, new) }
    }
  }

  /// The identities of elements of a protocol's type, with 0 for nil; nil if one of them is another value.
  private static func identities(of elements: [Element]) -> [Int]? {
    var identities: [Int] = []
    identities.reserveCapacity(elements.count)
    for element in elements {
      guard let value = flattened(element) else {
        identities.append(0)
        continue
      }
      guard isClass(type(of: value)) else { return nil }
      identities.append(Int(bitPattern: ObjectIdentifier(value as AnyObject)))
    }
    return identities
  }
}

extension ToManyStorage {
  /// The changes that turn one array into another, given their addresses; nil if the elements aren't
  /// compared as words.
  ///
  /// Only closures that are compiled with the class handle the elements' type.
  func changes(
    from old: UnsafeRawPointer, to new: UnsafeRawPointer
  ) -> [KeyValueObservedChange<any CapturedValue>]? {
    guard comparesWords else { return nil }
    var changes: [KeyValueObservedChange<any CapturedValue>] = []
    lendBytes(old, new) { oldBytes, newBytes in
      changes = elementChanges(
        differingIndexes(oldBytes.bindMemory(to: Int.self), newBytes.bindMemory(to: Int.self)),
        left: { part(old, $0) }, entered: { part(new, $0) })
    }
    return changes
  }
}

/// The removals and insertions at these indexes, in this order, or one replacement.
private func elementChanges(
  _ difference: (left: IndexRanges, entered: IndexRanges),
  left: (IndexRanges) -> any CapturedValue, entered: (IndexRanges) -> any CapturedValue
) -> [KeyValueObservedChange<any CapturedValue>] {
  let indexes = difference
  if indexes.left.sole?.count == 1, indexes.left == indexes.entered {
    return [
      KeyValueObservedChange(
        kind: .replacement, newValue: entered(indexes.entered), oldValue: left(indexes.left),
        ranges: indexes.left)
    ]
  }
  var changes: [KeyValueObservedChange<any CapturedValue>] = []
  if !indexes.left.isEmpty {
    changes.append(
      .init(kind: .removal, oldValue: left(indexes.left), ranges: indexes.left))
  }
  if !indexes.entered.isEmpty {
    changes.append(
      .init(kind: .insertion, newValue: entered(indexes.entered), ranges: indexes.entered))
  }
  return changes
}

/// Whether elements of this type are compared by identity: objects, optional or not, without an equality of their
/// own.
@usableFromInline
func areComparedByIdentity(_ type: Any.Type) -> Bool {
  unwrapped(type) is AnyObject.Type && !(type is any Equatable.Type)
}

/// The indexes of the removed elements and of the inserted ones.
///
/// Specialised for the most frequent types: otherwise each comparison goes through run-time metadata.
@_specialize(where Value == Int)
@_specialize(where Value == Double)
@_specialize(where Value == String)
private func differingIndexes<Value: Equatable>(
  _ old: UnsafeBufferPointer<Value>, _ new: UnsafeBufferPointer<Value>
) -> (left: IndexRanges, entered: IndexRanges) {
  let shorter = min(old.count, new.count)
  var prefix = 0
  var suffix = 0
  if Value.self == Int.self {
    prefix = commonPrefix(old, new)
    suffix = commonSuffix(old, new, atMost: shorter - prefix)
  } else {
    while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
    while suffix < shorter - prefix,
      old[old.count - 1 - suffix] == new[new.count - 1 - suffix]
    {
      suffix += 1
    }
  }
  let removed = prefix..<old.count - suffix
  let inserted = prefix..<new.count - suffix
  // Finding the shortest difference costs up to the product of the lengths, so two long stretches
  // are exchanged as a whole. So is one element.
  let isWhole =
    removed.count == 1 && inserted.count == 1 || removed.isEmpty || inserted.isEmpty
    || removed.count * inserted.count > 4_000_000
  if isWhole { return (IndexRanges(removed), IndexRanges(inserted)) }
  return shortestDifference(
    UnsafeBufferPointer(rebasing: old[removed]), UnsafeBufferPointer(rebasing: new[inserted]),
    behind: prefix)
}

/// The same if some elements in between may stay; `start` elements precede them.
private func shortestDifference<Value: Equatable>(
  _ old: UnsafeBufferPointer<Value>, _ new: UnsafeBufferPointer<Value>, behind start: Int
) -> (left: IndexRanges, entered: IndexRanges) {
  var left = RangeSet<Int>()
  var entered = RangeSet<Int>()
  for step in new.difference(from: old) {
    switch step {
    case .remove(let offset, _, _): left.insert(contentsOf: start + offset..<start + offset + 1)
    case .insert(let offset, _, _): entered.insert(contentsOf: start + offset..<start + offset + 1)
    }
  }
  return (IndexRanges(left), IndexRanges(entered))
}

extension Set: ElementComparing {
  static func changes(
    from old: Set<Element>, to new: Set<Element>
  ) -> [KeyValueObservedChange<any CapturedValue>]? {
    let left = old.subtracting(new)
    let entered = new.subtracting(old)
    var changes: [KeyValueObservedChange<any CapturedValue>] = []
    if !left.isEmpty { changes.append(.init(kind: .removal, oldValue: ValueBox(left))) }
    if !entered.isEmpty { changes.append(.init(kind: .insertion, newValue: ValueBox(entered))) }
    return changes
  }
}

extension Optional: ElementComparing where Wrapped: ElementComparing {
  /// A nil value, which has no elements, is delivered as a setting.
  static func changes(
    from old: Wrapped?, to new: Wrapped?
  ) -> [KeyValueObservedChange<any CapturedValue>]? {
    guard let old, let new else { return nil }
    return Wrapped.changes(from: old, to: new)?.map { change in
      change.mapValues { part in
        (part as? ValueBox<Wrapped>).map { ValueBox<Wrapped?>($0.value) } ?? part
      }
    }
  }
}
