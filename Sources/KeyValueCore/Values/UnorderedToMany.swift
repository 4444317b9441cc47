/// A to-many value whose elements have no order and occur once.
package protocol UnorderedToMany: ToMany {
  func elements(in others: Set<AnyHashable>) -> Self
  func elements(notIn others: Set<AnyHashable>) -> Self
  /// The other elements that this value doesn't contain.
  func missing(of others: Set<AnyHashable>) -> Self
  mutating func apply(_ kind: KeyValueSetMutationKind, _ others: Set<AnyHashable>)
}
