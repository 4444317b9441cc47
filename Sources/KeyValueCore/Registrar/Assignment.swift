/// An assignment's audience, found under the registrar's lock before the assignment happens.
@usableFromInline
struct Assignment {
  @usableFromInline
  enum Audience {
    case empty
    /// The property is currently being modified in place.
    case overlapping
    /// A single observance, retained until it has been notified.
    case one(SoleAudience)
    case many(WatchList)
  }

  @usableFromInline let audience: Audience
  /// The attachment count when the audience was found.
  @usableFromInline let attachment: UInt64
  /// How the property is read and stored; nil if no schema is available.
  ///
  /// The schema never releases it.
  @usableFromInline var storage: Unmanaged<ValueStorage>?

  init(_ audience: Audience, _ attachment: UInt64, _ storage: Unmanaged<ValueStorage>? = nil) {
    self.audience = audience
    self.attachment = attachment
    self.storage = storage
  }

  var watches: WatchList {
    switch audience {
    case .empty, .overlapping: .none
    case .one(let sole): sole.watches
    case .many(let watches): watches
    }
  }
}
