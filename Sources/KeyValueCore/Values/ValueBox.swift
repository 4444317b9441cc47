@usableFromInline
package final class ValueBox<Value>: CapturedValue {
  // Never set again; a variable only so that its address can be passed on without a copy.
  @exclusivity(unchecked) @usableFromInline private(set) var value: Value

  @inlinable
  package init(_ value: Value) {
    self.value = value
  }

  @usableFromInline
  package func withAddress(_ body: (UnsafeRawPointer) -> Void) {
    withUnsafeMutablePointer(to: &value) { body(UnsafeRawPointer($0)) }
  }

  @usableFromInline package var traced: KeyValueTrace.Value { KeyValueTrace.Value(of: value) }

  @usableFromInline package var anyElements: [Any?] { (value as? any ToMany)?.anyElements ?? [] }

  @usableFromInline package var elementCount: Int? { (value as? any OrderedToMany)?.anyCount }

  @usableFromInline
  package func elements(at indexes: IndexRanges) -> any CapturedValue {
    part((value as? any OrderedToMany)?.elements(at: indexes))
  }

  @usableFromInline
  package func elements(in others: Set<AnyHashable>) -> any CapturedValue {
    part(((value as? any UnorderedToMany) ?? emptySet)?.elements(in: others))
  }

  @usableFromInline
  package func elements(notIn others: Set<AnyHashable>) -> any CapturedValue {
    part(((value as? any UnorderedToMany) ?? emptySet)?.elements(notIn: others))
  }

  @usableFromInline
  package func missing(of others: Set<AnyHashable>) -> any CapturedValue {
    part(((value as? any UnorderedToMany) ?? emptySet)?.missing(of: others))
  }

  /// The empty set that stands for nil in set algebra.
  private var emptySet: (any UnorderedToMany)? {
    (unwrapped(Value.self) as? any UnorderedToMany.Type)?.empty as? any UnorderedToMany
  }

  private func part(_ elements: Any?) -> any CapturedValue {
    guard let elements, let typed = elements as? Value else { return self }
    return ValueBox(typed)
  }
}
