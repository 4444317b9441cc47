/// Whom an assignment concerns, found under the registrar's lock before it happens.
@usableFromInline
struct Assignment {
  @usableFromInline
  enum Audience {
    case nobody
    /// The property is being modified in place at this moment.
    case overlapping
    /// A single observance, retained for whoever tells it.
    case one(SoleAudience)
    case many(WatchList)
  }

  @usableFromInline let audience: Audience
  /// How many attachments there had been at that moment.
  @usableFromInline let attachment: UInt64
  /// How the property is read and stored; nil where no schema is at hand.
  ///
  /// The schema keeps it for ever.
  @usableFromInline var storage: Unmanaged<ValueStorage>?

  init(_ audience: Audience, _ attachment: UInt64, _ storage: Unmanaged<ValueStorage>? = nil) {
    self.audience = audience
    self.attachment = attachment
    self.storage = storage
  }

  var watches: WatchList {
    switch audience {
    case .nobody, .overlapping: .none
    case .one(let sole): sole.watches
    case .many(let watches): watches
    }
  }
}

/// The observance that alone watches a property and asks for nothing but its values.
///
/// Trivial to copy; whoever takes it out of the registrar's state retains the observance.
@usableFromInline
struct SoleAudience {
  @usableFromInline let observance: Unmanaged<Observance>
  /// The property, where it is the end of another object's path; a schema keeps it for ever.
  let leaf: Unmanaged<Property>?

  /// The same as a change set, but without the place on the observance's path, which matters to nobody
  /// who finds a sole audience.
  var watches: WatchList {
    .one(Watch(observance: observance.takeUnretainedValue(), hop: nil))
  }

  @inlinable
  @inline(__always)
  var wantsOld: Bool { observance._withUnsafeGuaranteedRef { $0.wantsOld } }

  /// Tells of an assignment.
  @inlinable
  @inline(__always)
  func tell<Value>(
    _ object: AnyObject, old: UnsafeRawPointer?, _ storage: BorrowedStorage<Value>
  ) {
    let wantsNew = observance._withUnsafeGuaranteedRef { $0.wantsNew }
    guard wantsNew else { return tell(object, old: old, new: nil) }
    let new = storage.get(object)
    withUnsafePointer(to: new) { tell(object, old: old, new: UnsafeRawPointer($0)) }
  }

  /// Tells of an assignment, with the values' addresses.
  @usableFromInline
  func tell(_ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?) {
    observance._withUnsafeGuaranteedRef { observance in
      var delivery = Delivery(.deliver)
      delivery.old = Delivery.Source(old)
      delivery.new = Delivery.Source(new)
      guard let leaf else {
        return withUnsafePointer(to: delivery) { observance.deliverInline($0, of: object) }
      }
      guard observance.isActive, let root = observance.root else { return }
      delivery.leaf = leaf
      observance.deliver(delivery, of: root)
    }
  }
}

extension Observance {
  /// Whether it asks for the value before, or after, a mutation.
  @inlinable var wantsOld: Bool { options.contains(.old) }
  @inlinable var wantsNew: Bool { options.contains(.new) }
}
