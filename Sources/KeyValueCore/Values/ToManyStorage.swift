/// Reads and changes a stored array in the type of its elements, whatever the object's class.
///
/// A storage is created where the class is compiled, so nothing here goes through run-time metadata.
/// Code that knows the elements only as `Any` uses `Edit`.
@usableFromInline
package class ToManyStorage: @unchecked Sendable {
  // Checked by hand: the closures capture only other closures of the class.
  let count: (AnyObject) -> Int
  /// A copy of the elements at these indexes; indexes past the end are ignored.
  let capture: (AnyObject, IndexRanges) -> any CapturedValue
  /// Passes a copy of the elements in a range to a closure.
  let lend: (AnyObject, Range<Int>, (UnsafeRawPointer) -> Void) -> Void

  @usableFromInline
  init(
    count: @escaping (AnyObject) -> Int,
    capture: @escaping (AnyObject, IndexRanges) -> any CapturedValue,
    lend: @escaping (AnyObject, Range<Int>, (UnsafeRawPointer) -> Void) -> Void
  ) {
    self.count = count
    self.capture = capture
    self.lend = lend
  }
}
