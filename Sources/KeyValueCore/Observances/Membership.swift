/// The elements that left and entered a collection in one change, whatever their indexes.
///
/// A path through the collection attaches to the elements and detaches from them; how the collection was
/// changed doesn't matter to it.
@usableFromInline
struct Membership {
  var left: [Any?] = []
  var entered: [Any?] = []
}
