/// A value that an aggregate orders to maintain the extremum.
// Checked by hand: only the thread that changes the heap touches the index.
final class HeapEntry: @unchecked Sendable {
  let value: Any
  let kind: Contribution.Kind
  var index = -1

  init(_ value: Any, _ kind: Contribution.Kind) {
    self.value = value
    self.kind = kind
  }
}
