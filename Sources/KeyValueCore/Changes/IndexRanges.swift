/// The indexes of a change, as their ranges: ascending, none empty, none adjoining.
///
/// Users see a `RangeSet`. That has no fixed layout, so handling it costs more than the change; it's made
/// when a user asks for it. This is one reference, because a larger change is destroyed through run-time
/// metadata even where it has no indexes: 120 instructions of each set.
@usableFromInline
package struct IndexRanges: Sendable, Hashable {
  /// Nearly every change has one range, which takes no array.
  @usableFromInline
  final class Content: Sendable {
    /// The first range; `0..<0` if there's none.
    let first: Range<Int>
    /// The ranges behind the first one; nil if there are none.
    let others: [Range<Int>]?

    init(_ first: Range<Int>, _ others: [Range<Int>]?) {
      self.first = first
      self.others = others
    }
  }

  @usableFromInline let content: Content

  init(_ indexes: RangeSet<Int>) {
    self.init(ranges: Array(indexes.ranges))
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

  /// No indexes.
  static var none: IndexRanges { IndexRanges(ranges: []) }

  private init(ranges: [Range<Int>]) {
    content = Content(
      ranges.first ?? 0..<0, ranges.count > 1 ? Array(ranges.dropFirst()) : nil)
  }

  @usableFromInline
  package static func == (left: IndexRanges, right: IndexRanges) -> Bool {
    left.content.first == right.content.first && left.content.others == right.content.others
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    hasher.combine(content.first)
    hasher.combine(content.others)
  }

  /// The ranges, in an array made for the caller; `sole` nearly always does without one.
  @usableFromInline var ranges: [Range<Int>] {
    isEmpty ? [] : [content.first] + (content.others ?? [])
  }

  /// The range, if there's exactly one.
  @usableFromInline var sole: Range<Int>? {
    content.others == nil && !isEmpty ? content.first : nil
  }

  /// The end of the last range.
  private var end: Int { content.others?.last?.upperBound ?? content.first.upperBound }

  /// The same as a `RangeSet`; making it from one range takes a sixth of the time a list takes.
  package var set: RangeSet<Int> {
    sole.map { RangeSet($0) } ?? RangeSet(ranges)
  }

  var isEmpty: Bool { content.first.isEmpty }

  /// How many indexes there are.
  var count: Int { ranges.reduce(0) { $0 + $1.count } }

  /// Each index, ascending.
  package var indices: some Sequence<Int> { ranges.lazy.flatMap { $0 } }

  func contains(_ index: Int) -> Bool {
    ranges.contains { $0.contains(index) }
  }

  /// The indexes that a collection of this size has.
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
