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
    let attachment = attachment
    switch consume audience {
    case .empty:
      storage.store(newValue, in: object)
      Assignment.follow(registrar, id, object, since: attachment, besides: nil)
    case .one(let sole):
      if sole.wantsOld {
        let old = storage.get(object)
        storage.store(newValue, in: object)
        Assignment.follow(registrar, id, object, since: attachment, besides: sole)
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
        Assignment.follow(registrar, id, object, since: attachment, besides: sole)
        sole.tell(object, old: nil, storage)
      }
      sole.observance.release()
    case .many(let watches):
      var change = Change(consume watches, attachment: attachment)
      withUnsafeTemporaryAllocation(of: Value.self, capacity: 2) { values in
        let old = values.baseAddress.unsafelyUnwrapped
        let new = old + 1
        let copied = change.perform(
          id, on: object, registrar, old: old, new: new,
          copy: { $0.initializeMemory(as: Value.self, to: storage.get(object)) },
          set: { storage.store(newValue, in: object) })
        if copied.old { old.deinitialize(count: 1) }
        if copied.new { new.deinitialize(count: 1) }
      }
    }
  }

  @usableFromInline
  static func follow(
    _ registrar: UnsafePointer<KeyValueRegistrar>, _ id: Int, _ object: AnyObject,
    since attachment: UInt64, besides sole: SoleAudience?
  ) {
    if RegistrarState.attachmentCount != attachment {
      followLateHops(registrar, id, object, since: attachment, besides: sole)
    }
  }

  /// A separate function, so that `follow` almost always only compares.
  @inline(never)
  private static func followLateHops(
    _ registrar: UnsafePointer<KeyValueRegistrar>, _ id: Int, _ object: AnyObject,
    since attachment: UInt64, besides sole: SoleAudience?
  ) {
    registrar.pointee.followLateHops(
      of: id, in: object, since: attachment, besides: sole?.watches ?? .none)
  }
}

extension Change {
  /// A change set's part of an assignment.
  @usableFromInline
  init(_ watches: consuming WatchList, attachment: UInt64) {
    self.init(consume watches, attachment: attachment, .setting)
  }

  /// Performs the assignment and notifies the change set.
  ///
  /// The property's value before and after the assignment is copied only if it's needed: `copy`
  /// initializes the memory with the current value. Closures that lend the value would have to be nested,
  /// and allocated for that.
  ///
  /// - Returns: Which of the two values are initialized.
  @usableFromInline
  mutating func perform(
    _ id: Int, on object: AnyObject, _ registrar: UnsafePointer<KeyValueRegistrar>,
    old: UnsafeMutableRawPointer, new: UnsafeMutableRawPointer,
    copy: (_ memory: UnsafeMutableRawPointer) -> Void, set: () -> Void
  ) -> (old: Bool, new: Bool) {
    let (needsOld, needsNew) = (needsOld, needsNew)
    if needsOld { copy(old) }
    let oldValue = needsOld ? UnsafeRawPointer(old) : nil
    will(object, old: oldValue)
    set()
    follow(registrar, id, object)
    if needsNew { copy(new) }
    did(object, old: oldValue, new: needsNew ? UnsafeRawPointer(new) : nil, membership: nil)
    return (needsOld, needsNew)
  }

  func follow(_ registrar: UnsafePointer<KeyValueRegistrar>, _ id: Int, _ object: AnyObject) {
    guard RegistrarState.attachmentCount != attachment else { return }
    registrar.pointee.followLateHops(of: id, in: object, since: attachment, besides: watches)
  }
}
