/// What a mutation does to a property: its kind, and the elements concerned where those are known by index.
@usableFromInline
struct Edit {
  let kind: KeyValueChangeKind
  /// Nil for a setting, and for a collection without order.
  let ranges: IndexRanges?

  init(_ kind: KeyValueChangeKind = .setting, at ranges: IndexRanges? = nil) {
    self.kind = kind
    self.ranges = ranges
  }
}
