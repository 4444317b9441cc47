/// A to-many value whose elements have no order and occur once.
package protocol UnorderedToMany: ToMany {
  func elements(in others: Set<AnyHashable>) -> Self
  func elements(notIn others: Set<AnyHashable>) -> Self
  /// Those of the others that are not here.
  func missing(of others: Set<AnyHashable>) -> Self
  mutating func apply(_ kind: KeyValueSetMutationKind, _ others: Set<AnyHashable>)
}
