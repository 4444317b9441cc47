extension Assignment {
  /// Makes the assignment and notifies its audience.
  ///
  /// Inlinable, so that the values are handled in the client's own types.
  @inlinable
  @inline(never)
  consuming func perform<Value>(
    _ newValue: Value, on object: AnyObject, _ registrar: UnsafePointer<KeyValueRegistrar>,
    _ id: Int
  ) {
    let storage = BorrowedStorage<Value>(storage.unsafelyUnwrapped)
    switch audience {
    case .nobody, .overlapping:
      storage.store(newValue, in: object)
      follow(registrar, id, object)
    case .one(let sole):
      if sole.wantsOld {
        let old = storage.get(object)
        storage.store(newValue, in: object)
        follow(registrar, id, object)
        withUnsafePointer(to: old) {
          sole.tell(object, old: UnsafeRawPointer($0), storage)
        }
      } else {
        storage.store(newValue, in: object)
        follow(registrar, id, object)
        sole.tell(object, old: nil, storage)
      }
      sole.observance.release()
    case .many(let watches):
      Change.perform(
        watches, attachment: attachment, id, on: object, registrar,
        read: { body in
          let value = storage.get(object)
          withUnsafePointer(to: value) { body(UnsafeRawPointer($0)) }
        },
        set: { storage.store(newValue, in: object) })
    }
  }

  @usableFromInline
  func follow(_ registrar: UnsafePointer<KeyValueRegistrar>, _ id: Int, _ object: AnyObject) {
    if RegistrarState.attachmentCount != attachment { followLateHops(registrar, id, object) }
  }

  /// A function of its own, so that nearly always only the comparison is made.
  @inline(never)
  private func followLateHops(
    _ registrar: UnsafePointer<KeyValueRegistrar>, _ id: Int, _ object: AnyObject
  ) {
    registrar.pointee.followLateHops(of: id, in: object, since: attachment, besides: watches)
  }
}

extension Change {
  /// Makes an assignment and tells a change set.
  ///
  /// `read` lends the address of the property's value at that moment.
  @usableFromInline
  static func perform(
    _ watches: WatchList, attachment: UInt64, _ id: Int, on object: AnyObject,
    _ registrar: UnsafePointer<KeyValueRegistrar>,
    read: (_ body: (UnsafeRawPointer) -> Void) -> Void, set: () -> Void
  ) {
    var change = Change(watches, attachment: attachment)
    if change.needsOld {
      return change.performReadingOld(id, on: object, registrar, read: read, set: set)
    }
    change.will(object, old: nil)
    set()
    change.finish(id, object, registrar, old: nil, read: read)
  }

  /// A function of its own, so that a change of which nothing captures a part isn't copied.
  private mutating func performReadingOld(
    _ id: Int, on object: AnyObject, _ registrar: UnsafePointer<KeyValueRegistrar>,
    read: (_ body: (UnsafeRawPointer) -> Void) -> Void, set: () -> Void
  ) {
    // The rule against handing one closure to another is for closures that change the same variable.
    withoutActuallyEscaping(read) { read in
      withoutActuallyEscaping(set) { set in
        read { old in
          will(object, old: old)
          set()
          finish(id, object, registrar, old: old, read: read)
        }
      }
    }
  }

  /// Tells of an assignment, or a modification in place, that has happened.
  func finish(
    _ id: Int, _ object: AnyObject, _ registrar: UnsafePointer<KeyValueRegistrar>,
    old: UnsafeRawPointer?,
    read: (_ body: (UnsafeRawPointer) -> Void) -> Void
  ) {
    follow(registrar, id, object)
    if needsNew {
      read { did(object, old: old, new: $0, membership: nil) }
    } else {
      did(object, old: old, new: nil, membership: nil)
    }
  }

  private func follow(
    _ registrar: UnsafePointer<KeyValueRegistrar>, _ id: Int, _ object: AnyObject
  ) {
    guard RegistrarState.attachmentCount != attachment else { return }
    registrar.pointee.followLateHops(of: id, in: object, since: attachment, besides: watches)
  }
}
