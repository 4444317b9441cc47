/// A value kept from before or after a mutation, whose type only its reader knows.
///
/// Parts keep that type: the elements of an optional array are an optional array. A value that is
/// nil or isn't a collection has no parts and returns itself.
@usableFromInline
package protocol CapturedValue: AnyObject {
  func withAddress(_ body: (UnsafeRawPointer) -> Void)
  /// The value as traces show it.
  var traced: KeyValueTrace.Value { get }
  /// The elements of a to-many value, with nil for a nil element.
  var anyElements: [Any?] { get }
  /// How many elements an ordered to-many value has.
  var elementCount: Int? { get }
  func elements(at indexes: IndexRanges) -> any CapturedValue
  func elements(in others: Set<AnyHashable>) -> any CapturedValue
  func elements(notIn others: Set<AnyHashable>) -> any CapturedValue
  func missing(of others: Set<AnyHashable>) -> any CapturedValue
}

extension Optional where Wrapped == any CapturedValue {
  /// Lends the value's address, or nil if there is no value.
  func withAddress(_ body: (UnsafeRawPointer?) -> Void) {
    if let value = self { value.withAddress { body($0) } } else { body(nil) }
  }
}
