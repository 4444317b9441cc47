/// What a row of insertions, removals and replacements in an ordered collection amounts to.
///
/// The elements that are neither removed nor inserted keep their order, so two sets of indexes say
/// everything. Applying a change costs time in proportion to the number of ranges.
struct IndexedChanges {
  private let countBefore: Int
  /// The elements that are gone, by their indexes before the first change.
  private(set) var removed = RangeSet<Int>()
  /// The elements that are new, by their indexes after the last change.
  private(set) var inserted = RangeSet<Int>()

  init(countBefore: Int) {
    self.countBefore = countBefore
  }

  /// How many elements there are if the changes were what they were announced as.
  var count: Int { countBefore - removed.indexCount + inserted.indexCount }

  /// Whether it has become cheaper to tell of the collection as a whole.
  var isFragmented: Bool { removed.ranges.count + inserted.ranges.count > 512 }

  mutating func apply(_ kind: KeyValueChangeKind, at indexes: RangeSet<Int>) {
    switch kind {
    case .insertion:
      inserted = inserted.expanded(around: indexes).union(indexes)
    case .removal:
      remove(indexes)
      inserted = inserted.subtracting(indexes).collapsed(over: indexes)
    case .replacement:
      remove(indexes)
      inserted.formUnion(indexes)
    case .setting: break
    }
  }

  /// Notes which of the elements that have these indexes now were there before the first change.
  private mutating func remove(_ indexes: RangeSet<Int>) {
    let survivors = indexes.subtracting(inserted).collapsed(over: inserted)
    removed.formUnion(survivors.expanded(around: removed))
  }
}

extension RangeSet<Int> {
  /// How many indexes there are.
  var indexCount: Int { ranges.reduce(0) { $0 + $1.count } }

  /// The indexes that these elements have once those with the other indexes, none of them among these,
  /// are gone.
  func collapsed(over others: RangeSet<Int>) -> RangeSet<Int> {
    guard others.reaches(into: self) else { return self }
    return moved(others.stretchesBetween.map { (from: $0.whole, to: $0.alone) })
  }

  /// The indexes that these elements have once others have arrived, which then have the other indexes.
  func expanded(around others: RangeSet<Int>) -> RangeSet<Int> {
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
