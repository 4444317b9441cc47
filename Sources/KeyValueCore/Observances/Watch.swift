/// One observance's interest in one property of one object.
@usableFromInline
struct Watch {
  let observance: Observance
  /// The hop of the observance's path that this property is; nil where the property is the whole path
  /// and depends on nothing.
  let hop: WatchedHop?

  var identity: ObjectIdentifier {
    hop.map { ObjectIdentifier($0) } ?? ObjectIdentifier(observance)
  }

  /// Whether the property's value is the observed value, and not just one of its sources.
  var isLeaf: Bool { hop?.isLeaf ?? true }

  /// Whether nothing has to be done besides telling of the property's own values.
  var isPlain: Bool { isLeaf && needs.isDisjoint(with: Needs.beyondValues) }

  var needs: Needs { hop?.needs ?? observance.needs }
}
