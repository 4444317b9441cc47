/// The indexes of a change, as their ranges: ascending, none empty, none adjoining.
///
/// Users see a `RangeSet`. It has no fixed layout, so handling it costs more than the change; it's created
/// on demand. `IndexRanges` is one reference, because a larger change is destroyed through run-time
/// metadata even if it has no indexes: 120 instructions for each property set.
@usableFromInline
package struct IndexRanges: Sendable, Hashable {
  /// Nearly every change has one range, which needs no array.
  @usableFromInline
  final class Content: Sendable {
    /// The first range; `0..<0` if there's none.
    let first: Range<Int>
    /// The ranges behind the first one; nil if there are none.
    let others: [Range<Int>]?
    /// Elements instead of indexes, for a change of parts of them.
    let elements: LentElements?

    init(_ first: Range<Int>, _ others: [Range<Int>]?, _ elements: LentElements? = nil) {
      self.first = first
      self.others = others
      self.elements = elements
    }
  }

  @usableFromInline let content: Content

  init(_ indexes: RangeSet<Int>) {
    let ranges = indexes.ranges
    // Copying a range set's ranges takes eight times as long as taking one.
    if ranges.count == 1 { self.init(ranges[0]) } else { self.init(ranges: Array(ranges)) }
  }

  init(_ range: Range<Int>) {
    content = Content(range.isEmpty ? 0..<0 : range, nil)
  }

  /// Creates the ranges of two different indexes.
  init(_ index: Int, _ other: Int) {
    let (low, high) = (min(index, other), max(index, other))
    let ranges = low + 1 == high ? [low..<high + 1] : [low..<low + 1, high..<high + 1]
    self.init(ranges: ranges)
  }

  /// No indexes, but elements that the observer may read while it's called.
  init(lending elements: LentElements) {
    content = Content(0..<0, nil, elements)
  }

  /// No indexes.
  static var none: IndexRanges { IndexRanges(ranges: []) }

  private init(ranges: [Range<Int>]) {
    content = Content(
      ranges.first ?? 0..<0, ranges.count > 1 ? Array(ranges.dropFirst()) : nil)
  }

  @usableFromInline
  package static func == (left: IndexRanges, right: IndexRanges) -> Bool {
    left.content.first == right.content.first && left.content.others == right.content.others
      && left.content.elements?.identities == right.content.elements?.identities
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    hasher.combine(content.first)
    hasher.combine(content.others)
    hasher.combine(content.elements?.identities)
  }

  /// The ranges, in a new array; `sole` nearly always avoids it.
  @usableFromInline var ranges: [Range<Int>] {
    isEmpty ? [] : [content.first] + (content.others ?? [])
  }

  /// The range, if there's exactly one.
  @usableFromInline var sole: Range<Int>? {
    content.others == nil && !isEmpty ? content.first : nil
  }

  /// The end of the last range.
  private var end: Int { content.others?.last?.upperBound ?? content.first.upperBound }

  /// The indexes as a `RangeSet`; creating it from one range takes a sixth of the time that an array takes.
  package var set: RangeSet<Int> {
    sole.map { RangeSet($0) } ?? RangeSet(ranges)
  }

  /// The indexes of a change; nil if it has elements instead.
  var ofChange: RangeSet<Int>? { content.elements == nil ? set : nil }

  /// Ends the reading of elements, with the call that they were lent to.
  func endLending() { content.elements?.end() }

  var isEmpty: Bool { content.first.isEmpty }

  /// How many indexes there are.
  var count: Int { sole?.count ?? ranges.reduce(0) { $0 + $1.count } }

  /// Each index, ascending.
  package var indices: some Sequence<Int> { ranges.lazy.flatMap { $0 } }

  /// Whether all indexes are within a collection of this size.
  func isWithin(_ count: Int) -> Bool { content.first.lowerBound >= 0 && end <= count }

  /// The indexes that are within a collection of this size.
  @usableFromInline
  func within(_ count: Int) -> IndexRanges {
    guard end > count else { return self }
    return IndexRanges(
      ranges: ranges.compactMap { range in
        let present = range.clamped(to: 0..<Swift.max(count, 0))
        return present.isEmpty ? nil : present
      })
  }
}

/// Elements that an observer may read while it's called.
// Checked by hand: `objects` is accessed on the thread of the call only, where no two accesses can overlap.
// The call's end releases them there.
@usableFromInline
final class LentElements: @unchecked Sendable {
  private let thread = ThreadIdentity.current
  let identities: [ObjectIdentifier]
  @exclusivity(unchecked) private var objects: [AnyObject]?

  init(_ objects: [AnyObject]) {
    self.objects = objects
    identities = objects.map { ObjectIdentifier($0) }
  }

  /// The elements; nil if the call has ended or is on another thread.
  var readable: [AnyObject]? { thread == .current ? objects : nil }

  /// Called on the thread of the call, when it has ended.
  func end() { objects = nil }
}

/// The indexes as ranges: `0, 2–4`.
package func listing(_ indexes: RangeSet<Int>) -> String {
  indexes.ranges
    .map { range in
      // Not by its count, which `Int` needn't hold.
      let last = range.upperBound - 1
      return range.lowerBound == last ? "\(last)" : "\(range.lowerBound)–\(last)"
    }
    .joined(separator: ", ")
}
