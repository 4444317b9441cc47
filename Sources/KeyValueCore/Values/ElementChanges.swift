extension Array: ElementComparing {
  static func changes(
    from old: [Element], to new: [Element]
  ) -> [KeyValueObservedChange<any CapturedValue>]? {
    guard let areEqual = equality(of: Element.self) else { return nil }
    return differences(from: old, to: new, by: areEqual).map { $0.mapValues { ValueBox($0) } }
  }

  /// What turns one array into another: removals, then insertions, or one replacement.
  static func differences(
    from old: [Element], to new: [Element], by areEqual: (Element, Element) -> Bool
  ) -> [KeyValueObservedChange<[Element]>] {
    let shorter = Swift.min(old.count, new.count)
    var prefix = 0
    while prefix < shorter, areEqual(old[prefix], new[prefix]) { prefix += 1 }
    var suffix = 0
    while suffix < shorter - prefix,
      areEqual(old[old.count - 1 - suffix], new[new.count - 1 - suffix])
    {
      suffix += 1
    }
    let removed = prefix..<old.count - suffix
    let inserted = prefix..<new.count - suffix
    if removed.count == 1, inserted.count == 1 {
      return [
        KeyValueObservedChange(
          kind: .replacement, newValue: Array(new[inserted]), oldValue: Array(old[removed]),
          ranges: IndexRanges(removed))
      ]
    }
    let (left, entered) = difference(old[removed], new[inserted], areEqual)
    var differences: [KeyValueObservedChange<[Element]>] = []
    if !left.isEmpty {
      differences.append(
        .init(kind: .removal, oldValue: Array(old[left]), ranges: IndexRanges(left)))
    }
    if !entered.isEmpty {
      differences.append(
        .init(kind: .insertion, newValue: Array(new[entered]), ranges: IndexRanges(entered)))
    }
    return differences
  }

  /// The indexes that have to go, and those that come instead.
  private static func difference(
    _ old: ArraySlice<Element>, _ new: ArraySlice<Element>,
    _ areEqual: (Element, Element) -> Bool
  ) -> (left: RangeSet<Int>, entered: RangeSet<Int>) {
    // The shortest difference costs up to the product of the lengths, so two long stretches that have
    // little in common are exchanged as a whole.
    guard old.count * new.count <= 4_000_000 else {
      return (RangeSet(old.indices), RangeSet(new.indices))
    }
    var left = RangeSet<Int>()
    var entered = RangeSet<Int>()
    for step in new.difference(from: old, by: areEqual) {
      switch step {
      case .remove(let offset, _, _):
        let index = old.startIndex + offset
        left.insert(contentsOf: index..<index + 1)
      case .insert(let offset, _, _):
        let index = new.startIndex + offset
        entered.insert(contentsOf: index..<index + 1)
      }
    }
    return (left, entered)
  }
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
  /// Nil, which has no elements, is told as a setting.
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

/// How elements of a type are compared: by their own equality, objects without one by identity; nil
/// where neither is there.
private func equality<Element>(of type: Element.Type) -> ((Element, Element) -> Bool)? {
  if let equatable = type as? any Equatable.Type {
    func compare<Value: Equatable>(_ type: Value.Type) -> (Element, Element) -> Bool {
      // Value is Element, found to be equatable only now.
      { unsafeBitCast($0, to: Value.self) == unsafeBitCast($1, to: Value.self) }
    }
    return compare(equatable)
  }
  guard type is AnyObject.Type else { return nil }
  return { ($0 as AnyObject) === ($1 as AnyObject) }
}
