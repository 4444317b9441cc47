extension Edit {
  /// What two edits of one property, one after the other, amount to; without elements.
  ///
  /// The elements of an ordered collection that stay keep their order, so the indexes of those that leave
  /// and of those that enter say everything. For an unordered collection only the values tell what
  /// changed.
  ///
  /// - Complexity: O(*n*), where *n* is the number of ranges of both.
  func merging(_ next: Edit) -> Edit {
    guard isAlike(next) else { return .setting }
    guard let (removed, inserted) = indexes, let (leaving, entering) = next.indexes else {
      return .algebra(.set, [])
    }
    // Which of the elements that leave were there before the first edit, and where.
    let survivors = leaving.subtracting(inserted).collapsed(over: inserted)
    let staying = inserted.subtracting(leaving).collapsed(over: leaving)
    return .exchange(
      removed: IndexRanges(removed.union(survivors.expanded(around: removed))),
      inserted: IndexRanges(staying.expanded(around: entering).union(entering)))
  }

  /// Whether both name elements, and in the same way.
  func isAlike(_ other: Edit) -> Bool {
    switch (self, other) {
    case (.setting, _), (_, .setting): false
    case (.algebra, .algebra): true
    case (.algebra, _), (_, .algebra): false
    default: true
    }
  }

  /// Whether it names so many stretches that telling of the whole value costs less.
  var isFragmented: Bool {
    guard case .exchange(let removed, let inserted) = self else { return false }
    return removed.ranges.count + inserted.ranges.count > 512
  }

  /// The indexes of the elements that leave an ordered collection, before the edit, and of those that
  /// enter, after it; nil where the edit names no indexes.
  private var indexes: (removed: RangeSet<Int>, inserted: RangeSet<Int>)? {
    switch self {
    case .insertion(let indexes, _): (RangeSet(), indexes.set)
    case .removal(let indexes): (indexes.set, RangeSet())
    case .replacement(let indexes, _): (indexes.set, indexes.set)
    case .exchange(let removed, let inserted): (removed.set, inserted.set)
    case .setting, .algebra: nil
    }
  }
}

extension RangeSet<Int> {
  /// The indexes that these elements have once those with the other indexes, none of them among these,
  /// are gone.
  fileprivate func collapsed(over others: RangeSet<Int>) -> RangeSet<Int> {
    guard others.reaches(into: self) else { return self }
    return moved(others.stretchesBetween.map { (from: $0.whole, to: $0.alone) })
  }

  /// The indexes that these elements have once others have arrived, which then have the other indexes.
  fileprivate func expanded(around others: RangeSet<Int>) -> RangeSet<Int> {
    guard others.reaches(into: self) else { return self }
    return moved(others.stretchesBetween.map { (from: $0.alone, to: $0.whole) })
  }

  /// Whether any of these indexes is not past the end of the others.
  private func reaches(into others: RangeSet<Int>) -> Bool {
    guard let first = ranges.first, let last = others.ranges.last else { return false }
    return first.lowerBound < last.upperBound
  }

  /// The stretches of indexes that are not in the set, and what these are if only they are counted.
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

  private func moved(_ stretches: [(from: Range<Int>, to: Range<Int>)]) -> RangeSet<Int> {
    var result = RangeSet<Int>()
    for (from, to) in stretches {
      for range in intersection(RangeSet(from)).ranges {
        let distance = to.lowerBound - from.lowerBound
        result.insert(contentsOf: range.lowerBound + distance..<range.upperBound + distance)
      }
    }
    return result
  }
}
