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
