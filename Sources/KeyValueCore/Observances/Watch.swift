/// One observance's interest in one property of one object.
@usableFromInline
struct Watch {
  let observance: Observance
  /// The property's hop on the observance's path; nil if the property is the whole path and has no
  /// dependencies.
  let hop: WatchedHop?

  var identity: ObjectIdentifier {
    hop.map { ObjectIdentifier($0) } ?? ObjectIdentifier(observance)
  }

  /// Whether the property's value is the observed value, not just one of its sources.
  var isLeaf: Bool { hop?.isLeaf ?? true }

  /// Whether a change requires nothing besides delivering the property's own values.
  var isPlain: Bool { isLeaf && needs.isDisjoint(with: Needs.beyondValues) }

  var needs: Needs { hop?.needs ?? observance.needs }
}
