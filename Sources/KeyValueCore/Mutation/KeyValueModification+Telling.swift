extension KeyValueModification {
  // MARK: A sole audience

  /// Keeps the old value, which the sole audience needs.
  mutating func readOld(of object: AnyObject) {
    storage?._withUnsafeGuaranteedRef { storage in
      if storage.isTrivial {
        withUnsafeMutablePointer(to: &old) { storage.read(object, into: $0) }
      } else {
        kept = storage.box(object)
      }
    }
  }

  /// Notifies the sole audience, with the values that it needs, and releases it.
  mutating func tellSole(_ object: AnyObject) {
    guard let sole else { return }
    let (wantsOld, wantsNew) = sole.observance._withUnsafeGuaranteedRef {
      ($0.wantsOld, $0.wantsNew)
    }
    if wantsOld || wantsNew {
      storage?._withUnsafeGuaranteedRef { storage in
        if storage.isTrivial {
          tell(sole, object, storage, wantsOld: wantsOld, wantsNew: wantsNew)
        } else {
          tellFromBox(sole, object, storage, wantsNew: wantsNew)
        }
      }
    } else {
      sole.tell(object, old: nil, new: nil)
    }
    sole.observance.release()
  }

  /// Notifies the sole audience of values in the stack frames of the accessor and of this function.
  private mutating func tell(
    _ sole: SoleAudience, _ object: AnyObject, _ storage: ValueStorage, wantsOld: Bool,
    wantsNew: Bool
  ) {
    var new = TrivialValue()
    withUnsafeMutablePointer(to: &new) { new in
      if wantsNew { storage.read(object, into: new) }
      withUnsafeMutablePointer(to: &old) { old in
        sole.tell(
          object, old: wantsOld ? UnsafeRawPointer(old) : nil,
          new: wantsNew ? UnsafeRawPointer(new) : nil)
      }
    }
  }

  private func tellFromBox(
    _ sole: SoleAudience, _ object: AnyObject, _ storage: ValueStorage, wantsNew: Bool
  ) {
    func tell(old: UnsafeRawPointer?) {
      guard wantsNew else { return sole.tell(object, old: old, new: nil) }
      storage.withValue(of: object) { sole.tell(object, old: old, new: $0) }
    }
    if let kept {
      storage.withValue(in: kept) { tell(old: $0) }
    } else {
      tell(old: nil)
    }
  }

  // MARK: A change set

  /// Captures old values and delivers the priors.
  mutating func announce(to watches: WatchList, of object: any KeyValueObservable) {
    kept = Announcement(watches, attachment: attachment, id, of: object)
  }

  /// Notifies the change set that the modification has happened.
  func finishAnnouncement(
    _ registrar: UnsafePointer<KeyValueRegistrar>, of object: any KeyValueObservable
  ) {
    guard let kept else { return }
    // In this stage, `kept` holds nothing else.
    unsafeDowncast(kept, to: Announcement.self).finish(id, of: object, registrar)
  }
}

/// An in-place modification that has been announced to its change set.
private final class Announcement {
  private let change: Change
  private let old: (any CapturedValue)?

  init(
    _ watches: WatchList, attachment: UInt64, _ id: Int, of object: any KeyValueObservable
  ) {
    var change = Change(watches, attachment: attachment)
    change.context?.isSplit = true
    old = change.needsOld ? object.schema.property(id: id)?.capture(from: object) : nil
    old.withAddress { change.will(object, old: $0) }
    self.change = change
  }

  func finish(
    _ id: Int, of object: any KeyValueObservable, _ registrar: UnsafePointer<KeyValueRegistrar>
  ) {
    change.follow(registrar, id, object)
    old.withAddress { old in
      guard change.needsNew else {
        return change.did(object, old: old, new: nil, membership: nil)
      }
      object.schema.property(id: id)?.withValue(of: object) {
        change.did(object, old: old, new: $0, membership: nil)
      }
    }
  }
}
