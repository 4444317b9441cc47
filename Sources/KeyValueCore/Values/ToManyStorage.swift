/// How a stored array is read and changed in the type of its elements, whatever its class.
///
/// Made where the class is compiled, so that nothing here goes through run-time metadata; code that knows
/// the elements only as `Any` uses `Edit`.
@usableFromInline
package class ToManyStorage: @unchecked Sendable {
  // Checked by hand: closures over nothing but other closures of the class's own.
  let count: (AnyObject) -> Int
  /// A copy of the elements that have these indexes; indexes past the end are ignored.
  let capture: (AnyObject, IndexRanges) -> any CapturedValue
  /// Lends a copy of the elements that have the indexes in a range.
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
