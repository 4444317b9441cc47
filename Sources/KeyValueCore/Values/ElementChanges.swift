extension Array: ElementComparing {
  static func changes(from old: [Element], to new: [Element]) -> [ElementChange]? {
    guard let areEqual = equality(of: Element.self) else { return nil }
    return differences(from: old, to: new, by: areEqual).map { difference in
      ElementChange(
        kind: difference.kind, ranges: IndexRanges(difference.indexes),
        old: difference.left.map { ValueBox($0) }, new: difference.entered.map { ValueBox($0) })
    }
  }

  /// What turns one array into another: removals, then insertions, or one replacement.
  struct Difference {
    let kind: KeyValueChangeKind
    let indexes: RangeSet<Int>
    var left: [Element]?
    var entered: [Element]?
  }

  static func differences(
    from old: [Element], to new: [Element], by areEqual: (Element, Element) -> Bool
  ) -> [Difference] {
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
        Difference(
          kind: .replacement, indexes: RangeSet(removed), left: Array(old[removed]),
          entered: Array(new[inserted]))
      ]
    }
    let (left, entered) = difference(old[removed], new[inserted], areEqual)
    var differences: [Difference] = []
    if !left.isEmpty {
      differences.append(Difference(kind: .removal, indexes: left, left: Array(old[left])))
    }
    if !entered.isEmpty {
      differences.append(
        Difference(kind: .insertion, indexes: entered, entered: Array(new[entered])))
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
  static func changes(from old: Set<Element>, to new: Set<Element>) -> [ElementChange]? {
    let left = old.subtracting(new)
    let entered = new.subtracting(old)
    var changes: [ElementChange] = []
    if !left.isEmpty {
      changes.append(ElementChange(kind: .removal, ranges: nil, old: ValueBox(left), new: nil))
    }
    if !entered.isEmpty {
      changes.append(ElementChange(kind: .insertion, ranges: nil, old: nil, new: ValueBox(entered)))
    }
    return changes
  }
}

extension Optional: ElementComparing where Wrapped: ElementComparing {
  /// Nil, which has no elements, is told as a setting.
  static func changes(from old: Wrapped?, to new: Wrapped?) -> [ElementChange]? {
    guard let old, let new else { return nil }
    return Wrapped.changes(from: old, to: new)?.map { change in
      ElementChange(
        kind: change.kind, ranges: change.ranges, old: optional(change.old),
        new: optional(change.new))
    }
  }

  private static func optional(_ part: (any CapturedValue)?) -> (any CapturedValue)? {
    (part as? ValueBox<Wrapped>).map { ValueBox<Wrapped?>($0.value) }
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
