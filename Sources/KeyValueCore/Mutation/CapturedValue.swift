/// A value kept from before or after a mutation, whose type only its reader knows.
///
/// The parts keep that type: the elements of an optional array are an optional array. What is no
/// collection, or nil, has no parts and answers itself.
package protocol CapturedValue: AnyObject {
  func withAddress(_ body: (UnsafeRawPointer) -> Void)
  /// The elements of a to-many value, nil where an optional element is.
  var anyElements: [Any?] { get }
  /// How many elements an ordered to-many value has.
  var elementCount: Int? { get }
  func elements(at indexes: IndexRanges) -> any CapturedValue
  func elements(in others: Set<AnyHashable>) -> any CapturedValue
  func elements(notIn others: Set<AnyHashable>) -> any CapturedValue
  func missing(of others: Set<AnyHashable>) -> any CapturedValue
}

@usableFromInline
package final class ValueBox<Value>: CapturedValue {
  @usableFromInline let value: Value

  @inlinable
  package init(_ value: Value) {
    self.value = value
  }

  package func withAddress(_ body: (UnsafeRawPointer) -> Void) {
    withUnsafePointer(to: value) { body(UnsafeRawPointer($0)) }
  }

  package var anyElements: [Any?] { (value as? any ToMany)?.anyElements ?? [] }

  package var elementCount: Int? { (value as? any OrderedToMany)?.elementCount }

  package func elements(at indexes: IndexRanges) -> any CapturedValue {
    part((value as? any OrderedToMany)?.elements(at: indexes))
  }

  package func elements(in others: Set<AnyHashable>) -> any CapturedValue {
    part(((value as? any UnorderedToMany) ?? emptySet)?.elements(in: others))
  }

  package func elements(notIn others: Set<AnyHashable>) -> any CapturedValue {
    part(((value as? any UnorderedToMany) ?? emptySet)?.elements(notIn: others))
  }

  package func missing(of others: Set<AnyHashable>) -> any CapturedValue {
    part(((value as? any UnorderedToMany) ?? emptySet)?.missing(of: others))
  }

  /// What an optional set that is nil is to set algebra.
  private var emptySet: (any UnorderedToMany)? {
    (unwrapped(Value.self) as? any UnorderedToMany.Type)?.empty as? any UnorderedToMany
  }

  private func part(_ elements: Any?) -> any CapturedValue {
    guard let elements, let typed = elements as? Value else { return self }
    return ValueBox(typed)
  }
}
