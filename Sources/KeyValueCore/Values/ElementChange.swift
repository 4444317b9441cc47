/// One part of what a plain assignment to a to-many property amounts to (Parity C8).
struct ElementChange {
  let kind: KeyValueChangeKind
  /// Nil for an unordered value.
  let ranges: IndexRanges?
  /// The elements that left, in the property's type.
  let old: (any CapturedValue)?
  /// The elements that entered, in the property's type.
  let new: (any CapturedValue)?
}
