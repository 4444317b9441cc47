extension Assignment {
  /// Performs the assignment and notifies its audience.
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
    case .empty, .overlapping:
      storage.store(newValue, in: object)
      follow(registrar, id, object)
    case .one(let sole):
      if sole.wantsOld {
        let old = storage.get(object)
        storage.store(newValue, in: object)
        follow(registrar, id, object)
        withUnsafePointer(to: old) {
          // The old value isn't released yet, so storing ran no code unless the property has its own.
          if storage.mayAdjust {
            sole.tell(object, old: UnsafeRawPointer($0), storage)
          } else {
            sole.tell(object, old: UnsafeRawPointer($0), assigned: newValue)
          }
        }
      } else {
        storage.store(newValue, in: object)
        follow(registrar, id, object)
        sole.tell(object, old: nil, storage)
      }
      sole.observance.release()
    case .many(let watches):
      let attachment = attachment
      withUnsafeTemporaryAllocation(of: Value.self, capacity: 2) { values in
        let old = values.baseAddress.unsafelyUnwrapped
        let new = old + 1
        let copied = Change.perform(
          watches, attachment: attachment, id, on: object, registrar, old: old, new: new,
          copy: { $0.initializeMemory(as: Value.self, to: storage.get(object)) },
          set: { storage.store(newValue, in: object) })
        if copied.old { old.deinitialize(count: 1) }
        if copied.new { new.deinitialize(count: 1) }
      }
    }
  }

  @usableFromInline
  func follow(_ registrar: UnsafePointer<KeyValueRegistrar>, _ id: Int, _ object: AnyObject) {
    if RegistrarState.attachmentCount != attachment { followLateHops(registrar, id, object) }
  }

  /// A separate function, so that `follow` almost always only compares.
  @inline(never)
  private func followLateHops(
    _ registrar: UnsafePointer<KeyValueRegistrar>, _ id: Int, _ object: AnyObject
  ) {
    registrar.pointee.followLateHops(of: id, in: object, since: attachment, besides: watches)
  }
}

extension Change {
  /// Performs an assignment and notifies a change set.
  ///
  /// The property's value before and after the assignment is copied only if it's needed: `copy`
  /// initializes the memory with the current value. Closures that lend the value would have to be nested,
  /// and allocated for that.
  ///
  /// - Returns: Which of the two values are initialized.
  @usableFromInline
  static func perform(
    _ watches: WatchList, attachment: UInt64, _ id: Int, on object: AnyObject,
    _ registrar: UnsafePointer<KeyValueRegistrar>, old: UnsafeMutableRawPointer,
    new: UnsafeMutableRawPointer, copy: (_ memory: UnsafeMutableRawPointer) -> Void,
    set: () -> Void
  ) -> (old: Bool, new: Bool) {
    var change = Change(watches, attachment: attachment)
    let (needsOld, needsNew) = (change.needsOld, change.needsNew)
    if needsOld { copy(old) }
    let oldValue = needsOld ? UnsafeRawPointer(old) : nil
    change.will(object, old: oldValue)
    set()
    change.follow(registrar, id, object)
    if needsNew { copy(new) }
    change.did(object, old: oldValue, new: needsNew ? UnsafeRawPointer(new) : nil, membership: nil)
    return (needsOld, needsNew)
  }

  func follow(_ registrar: UnsafePointer<KeyValueRegistrar>, _ id: Int, _ object: AnyObject) {
    guard RegistrarState.attachmentCount != attachment else { return }
    registrar.pointee.followLateHops(of: id, in: object, since: attachment, besides: watches)
  }
}
