/// What a mutation does to a property.
///
/// Announcements, proxies, transactions and the recorder all describe a mutation in this form. With the
/// values before and after, it makes the `KeyValueObservedChange` that an observer receives.
@usableFromInline
enum Edit {
  /// Replaces the whole value.
  case setting
  /// Inserts elements into an ordered collection, one for each index; the indexes are those after the
  /// insertion.
  ///
  /// An insertion or `replacement` that's only announced has no elements.
  case insertion(IndexRanges, [Any] = [])
  case removal(IndexRanges)
  case replacement(IndexRanges, [Any] = [])
  /// Removes elements from an ordered collection and inserts others: the result of several edits.
  ///
  /// The removed indexes are those before the edits, and the inserted ones those after them.
  case exchange(removed: IndexRanges, inserted: IndexRanges)
  /// Combines an unordered collection with these elements.
  case algebra(KeyValueSetMutationKind, Set<AnyHashable>)

  /// Creates an edit of elements by index; one that's only announced has no elements.
  init(_ kind: KeyValueChangeKind, at indexes: IndexRanges, _ elements: [Any] = []) {
    self =
      switch kind {
      case .setting: .setting
      case .insertion: .insertion(indexes, elements)
      case .removal: .removal(indexes)
      case .replacement: .replacement(indexes, elements)
      }
  }

  /// The part of the edit that a collection can take; what would be inserted behind its end is inserted there.
  ///
  /// - Parameter count: The number of elements in the collection.
  /// - Returns: The part.
  func fitting(_ count: Int) -> Edit {
    switch self {
    case .removal(let indexes): return .removal(indexes.within(count))
    case .replacement(let indexes, let elements):
      if indexes.isWithin(count) { return self }
      let present = indexes.within(count)
      return .replacement(present, Array(elements.prefix(present.count)))
    case .insertion(let indexes, let elements):
      if indexes.isWithin(count + indexes.count) { return self }
      var places = RangeSet<Int>()
      for (offset, index) in indexes.indices.enumerated() {
        let place = min(index, count + offset)
        places.insert(contentsOf: place..<place + 1)
      }
      return .insertion(IndexRanges(places), elements)
    case .setting, .exchange, .algebra: return self
    }
  }

  /// The kind of change that observers receive.
  var kind: KeyValueChangeKind {
    switch self {
    case .setting: .setting
    case .insertion, .algebra(.union, _): .insertion
    case .removal, .algebra(.minus, _), .algebra(.intersect, _): .removal
    case .replacement, .exchange, .algebra(.set, _): .replacement
    }
  }

  /// The indexes of the affected elements; nil if there are none, or two sets of them.
  var ranges: IndexRanges? {
    switch self {
    case .insertion(let indexes, _), .removal(let indexes), .replacement(let indexes, _): indexes
    case .setting, .exchange, .algebra: nil
    }
  }

  /// The removed elements' indexes before the edit, and the inserted elements' indexes after it; nil if
  /// the edit has no indexes.
  var indexes: (left: IndexRanges, entered: IndexRanges)? {
    switch self {
    case .insertion(let indexes, _): (.none, indexes)
    case .removal(let indexes): (indexes, .none)
    case .replacement(let indexes, _): (indexes, indexes)
    case .exchange(let removed, let inserted): (removed, inserted)
    case .setting, .algebra: nil
    }
  }

  /// Whether the edit is one of elements by index, and there are none.
  var isOfNothing: Bool { ranges?.isEmpty == true }

  /// Whether the edit identifies the affected elements.
  var isPartial: Bool { if case .setting = self { false } else { true } }
}

extension KeyValueChangeKind {
  /// The kind of the change that reverts one of this kind.
  var inverse: KeyValueChangeKind {
    switch self {
    case .insertion: .removal
    case .removal: .insertion
    case .setting, .replacement: self
    }
  }
}

extension Edit {
  /// Combines two consecutive edits of one property into one, without elements.
  ///
  /// The remaining elements of an ordered collection keep their order, so the removed and the inserted
  /// indexes describe the whole edit. For an unordered collection, only the values show what changed.
  ///
  /// - Complexity: O(*n*), where *n* is the number of ranges in both edits, apart from the ranges that `RangeSet`
  ///   moves where it takes others out.
  func merging(_ next: Edit) -> Edit {
    guard isAlike(next) else { return .setting }
    guard let before = indexes, let after = next.indexes else { return .algebra(.set, []) }
    let (removed, inserted) = (before.left.set, before.entered.set)
    let (leaving, entering) = (after.left.set, after.entered.set)
    // The elements that the second edit removes and that were present before the first.
    let survivors = leaving.subtracting(inserted).collapsed(over: inserted)
    let staying = inserted.subtracting(leaving).collapsed(over: leaving)
    return .exchange(
      removed: IndexRanges(removed.union(survivors.expanded(around: removed))),
      inserted: IndexRanges(staying.expanded(around: entering).union(entering)))
  }

  /// Whether both edits identify elements, and in the same way.
  func isAlike(_ other: Edit) -> Bool {
    switch (self, other) {
    case (.setting, _), (_, .setting): false
    case (.algebra, .algebra): true
    case (.algebra, _), (_, .algebra): false
    default: true
    }
  }

  /// Whether the edit has so many ranges that reporting the whole value costs less.
  var isFragmented: Bool {
    guard case .exchange(let removed, let inserted) = self else { return false }
    return removed.ranges.count + inserted.ranges.count > 512
  }
}

extension RangeSet<Int> {
  /// The indexes of these elements after the elements at the other indexes are removed; the two sets
  /// are disjoint.
  fileprivate func collapsed(over others: RangeSet<Int>) -> RangeSet<Int> {
    guard others.reaches(into: self) else { return self }
    return moved(others.stretchesBetween.map { (from: $0.whole, to: $0.alone) })
  }

  /// The indexes of these elements after others are inserted at the other indexes.
  fileprivate func expanded(around others: RangeSet<Int>) -> RangeSet<Int> {
    guard others.reaches(into: self) else { return self }
    return moved(others.stretchesBetween.map { (from: $0.alone, to: $0.whole) })
  }

  /// Whether any of these indexes precedes the end of the others.
  private func reaches(into others: RangeSet<Int>) -> Bool {
    guard let first = ranges.first, let last = others.ranges.last else { return false }
    return first.lowerBound < last.upperBound
  }

  /// The stretches of indexes outside the set, and their indexes if only such stretches are counted.
  private var stretchesBetween: [(whole: Range<Int>, alone: Range<Int>)] {
    var stretches: [(whole: Range<Int>, alone: Range<Int>)] = []
    var start = 0
    var counted = 0
    for range in ranges + [Int.max..<Int.max] {
      let length = range.lowerBound - start
      stretches.append((start..<range.lowerBound, counted..<counted + length))
      counted += length
      start = range.upperBound
    }
    return stretches
  }

  /// These indexes, each as far from the start of its stretch as before; both lists ascend, so one pass is enough.
  private func moved(_ stretches: [(from: Range<Int>, to: Range<Int>)]) -> RangeSet<Int> {
    var result = RangeSet<Int>()
    let ranges = ranges
    var next = ranges.startIndex
    for (from, to) in stretches {
      let distance = to.lowerBound - from.lowerBound
      while next < ranges.endIndex, ranges[next].lowerBound < from.upperBound {
        let part = ranges[next].clamped(to: from)
        result.insert(contentsOf: part.lowerBound + distance..<part.upperBound + distance)
        // The rest of the range is in the next stretch.
        if ranges[next].upperBound > from.upperBound { break }
        next += 1
      }
    }
    return result
  }
}

/// The elements that left and entered a collection in one change.
///
/// A path through the collection attaches to the elements and detaches from them; how the collection was
/// changed doesn't matter to it.
struct Membership {
  var left: [Any?] = []
  var entered: [Any?] = []
  /// The indexes of an ordered collection's elements: before the change of those that left, and after it of
  /// those that entered.
  var indexes: (left: IndexRanges, entered: IndexRanges)?
}
