/// A value in the order of which an aggregate keeps the extremum.
// Checked by hand: the place is touched only by whoever changes the heap.
final class HeapEntry: @unchecked Sendable {
  let value: Any
  let kind: Contribution.Kind
  var index = -1

  init(_ value: Any, _ kind: Contribution.Kind) {
    self.value = value
    self.kind = kind
  }
}
