/// Whom an assignment concerns, found under the registrar's lock before it happens.
@usableFromInline
struct Assignment {
  @usableFromInline
  enum Audience {
    case nobody
    /// The only observance, of the property itself, that asks for nothing but values.
    case one(Observance)
    case many(WatchList)
  }

  @usableFromInline let audience: Audience
  /// The registrar's last attachment at that moment.
  @usableFromInline let attachment: UInt64
  /// Whether no path can lead on from the property, so that none can have been attached meanwhile.
  @usableFromInline let isPlainValue: Bool

  init(_ audience: Audience, _ attachment: UInt64, isPlainValue: Bool) {
    self.audience = audience
    self.attachment = attachment
    self.isPlainValue = isPlainValue
  }

  var watches: WatchList {
    switch audience {
    case .nobody: .none
    case .one(let observance): .one(Watch(observance: observance, hop: nil))
    case .many(let watches): watches
    }
  }
}

extension Observance {
  /// Whether it asks for the value before, or after, a mutation.
  @inlinable var wantsOld: Bool { options.contains(.old) }
  @inlinable var wantsNew: Bool { options.contains(.new) }

  /// Tells of an assignment to the observed property, with the values' addresses.
  @usableFromInline
  func tell(_ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?) {
    var delivery = Delivery(root: object, to: self, request: .deliver)
    delivery.old = Delivery.Source(old)
    delivery.new = Delivery.Source(new)
    deliver(delivery)
  }
}
