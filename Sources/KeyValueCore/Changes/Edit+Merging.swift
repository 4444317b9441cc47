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
