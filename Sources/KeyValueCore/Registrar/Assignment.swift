/// An assignment's audience, found under the registrar's lock before the assignment happens.
///
/// Noncopyable, so that the audience is handed on instead of being retained once more.
@usableFromInline
struct Assignment: ~Copyable {
  @usableFromInline
  enum Audience: ~Copyable {
    case empty
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

  init(_ audience: consuming Audience, _ attachment: UInt64) {
    self.audience = audience
    self.attachment = attachment
  }
}
