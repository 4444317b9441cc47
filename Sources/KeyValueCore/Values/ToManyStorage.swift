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
  /// The same of the array at an address.
  let part: (UnsafeRawPointer, IndexRanges) -> any CapturedValue
  /// Whether elements are equal where their bits are, and have the size of a word.
  let comparesWords: Bool
  /// Lends the contents of the arrays at two addresses.
  let lendBytes:
    (
      UnsafeRawPointer, UnsafeRawPointer,
      (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) -> Void
  /// Passes a copy of the elements in a range to a closure.
  let lend: (AnyObject, Range<Int>, (UnsafeRawPointer) -> Void) -> Void

  @usableFromInline
  init(
    count: @escaping (AnyObject) -> Int,
    capture: @escaping (AnyObject, IndexRanges) -> any CapturedValue,
    part: @escaping (UnsafeRawPointer, IndexRanges) -> any CapturedValue,
    comparesWords: Bool,
    lendBytes:
      @escaping (
        UnsafeRawPointer, UnsafeRawPointer,
        (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
      ) -> Void,
    lend: @escaping (AnyObject, Range<Int>, (UnsafeRawPointer) -> Void) -> Void
  ) {
    self.count = count
    self.capture = capture
    self.part = part
    self.comparesWords = comparesWords
    self.lendBytes = lendBytes
    self.lend = lend
  }
}
