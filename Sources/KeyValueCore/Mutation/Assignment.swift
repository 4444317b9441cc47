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
  /// How many attachments there had been at that moment.
  @usableFromInline let attachment: UInt64

  init(_ audience: Audience, _ attachment: UInt64) {
    self.audience = audience
    self.attachment = attachment
  }

  var watches: WatchList {
    switch audience {
    case .nobody: .none
    case .one(let observance): .one(Watch(observance: observance, hop: nil))
    case .many(let watches): watches
    }
  }
}

extension Assignment {
  /// Makes the assignment and tells those whom it concerns.
  ///
  /// Inlinable, so that the values are handled in the client's own types.
  @inlinable
  @inline(never)
  func perform<Root: KeyValueObservable, Value>(
    _ newValue: Value, on object: Root, _ id: Int, get: (Root) -> Value,
    set: (Root, Value) -> Void
  ) {
    switch audience {
    case .nobody:
      set(object, newValue)
      follow(object, id)
    case .one(let observance):
      if observance.wantsOld {
        let old = get(object)
        set(object, newValue)
        follow(object, id)
        withUnsafePointer(to: old) { observance.tell(object, old: UnsafeRawPointer($0), get: get) }
      } else {
        set(object, newValue)
        follow(object, id)
        observance.tell(object, old: nil, get: get)
      }
    case .many(let watches):
      var change = Change(watches, attachment: attachment)
      if change.needsOld {
        let old = get(object)
        withUnsafePointer(to: old) { old in
          change.will(object, old: UnsafeRawPointer(old))
          set(object, newValue)
          change.finish(id, object, old: UnsafeRawPointer(old), get: get)
        }
      } else {
        change.will(object, old: nil)
        set(object, newValue)
        change.finish(id, object, old: nil, get: get)
      }
    }
  }

  @usableFromInline
  func follow(_ object: some KeyValueObservable, _ id: Int) {
    guard RegistrarState.attachmentCount != attachment else { return }
    object._$kvoWithRegistrar { registrar in
      _ = registrar.followLateHops(of: id, since: attachment, besides: watches)
    }
  }
}

extension Change {
  /// Tells of an assignment, or a modification in place, that has happened.
  @inlinable
  func finish<Root: KeyValueObservable, Value>(
    _ id: Int, _ object: Root, old: UnsafeRawPointer?, get: (Root) -> Value
  ) {
    follow(object, id)
    if needsNew {
      let new = get(object)
      withUnsafePointer(to: new) {
        did(object, old: old, new: UnsafeRawPointer($0), membership: nil)
      }
    } else {
      did(object, old: old, new: nil, membership: nil)
    }
  }

  @usableFromInline
  func follow(_ object: some KeyValueObservable, _ id: Int) {
    guard RegistrarState.attachmentCount != attachment else { return }
    object._$kvoWithRegistrar { registrar in
      _ = registrar.followLateHops(of: id, since: attachment, besides: watches)
    }
  }
}

extension Observance {
  /// Whether it asks for the value before, or after, a mutation.
  @inlinable var wantsOld: Bool { options.contains(.old) }
  @inlinable var wantsNew: Bool { options.contains(.new) }

  /// Tells of an assignment to the observed property, of which it is the only observer.
  @inlinable
  func tell<Root: AnyObject, Value>(
    _ object: Root, old: UnsafeRawPointer?, get: (Root) -> Value
  ) {
    guard wantsNew else { return tell(object, old: old, new: nil) }
    let new = get(object)
    withUnsafePointer(to: new) { tell(object, old: old, new: UnsafeRawPointer($0)) }
  }

  /// Tells of an assignment to the observed property, with the values' addresses.
  @usableFromInline
  func tell(_ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?) {
    var delivery = Delivery(root: object, to: self, request: .deliver)
    delivery.old = Delivery.Source(old)
    delivery.new = Delivery.Source(new)
    deliver(delivery)
  }
}
