import Synchronization

// The automatic bracket of an in-place modification: what a property's `_modify` calls.
//
// An observed property takes the lock twice: at the beginning, to find the audience and mark the
// property, and at the end, to clear the mark. If an old value is read or a prior delivered, the mark is
// set afterwards, which takes the lock once more.
extension KeyValueRegistrar {
  // Both halves read the property through its schema. Closures of the class would add two functions to a
  // client's module for each property.

  /// Begins an in-place modification: notifies the observers, then marks the property.
  public borrowing func beginModify(_ id: Int, of object: any KeyValueObservable)
    -> KeyValueModification
  {
    var modification = KeyValueModification(id)
    if markIdle(id) { return modification }
    #if DEBUG || KVO_AUDIT
      TokenLifetime.noteChange()
    #endif
    switch begin(&modification) {
    case .marked: return modification
    case .overlapping: overlappingAccess(id)
    case .readsOld: modification.readOld(of: object)
    case .announces(let watches): modification.announce(to: watches, of: object)
    case .unheld: break
    }
    // The code that ran until here may have begun another modification, so this checks again.
    mark(id, of: object)
    return modification
  }

  /// Ends an in-place modification: clears the mark, then notifies the observers.
  public borrowing func endModify(
    _ modification: inout KeyValueModification, of object: any KeyValueObservable
  ) {
    // If an observer was added in the meantime, the mark has moved from the word into the state. If the
    // property has observers of its own, they have already cleared it.
    endAccess(modification.id)
    switch modification.stage {
    case .unobserved: break
    case .silent: followLateHops(of: object, after: modification)
    case .announced: modification.finishAnnouncement(address(), of: object)
    case .sole:
      followLateHops(of: object, after: modification)
      modification.tellSole(object)
    }
  }

  private borrowing func followLateHops(
    of object: any KeyValueObservable, after modification: borrowing KeyValueModification
  ) {
    guard RegistrarState.attachmentCount != modification.attachment else { return }
    followLateHops(
      of: modification.id, in: object, since: modification.attachment,
      besides: modification.sole?.watches ?? .none)
  }

  /// Lets a proxy change a property in place; the proxy announces the change itself.
  borrowing func modifyStorage(
    _ id: Int, of object: any KeyValueObservable, _ body: () -> Void
  ) {
    mark(id, of: object)
    body()
    endAccess(id)
  }

  // MARK: The mark

  /// Marks a property of an object that isn't observed; false if the object isn't idle.
  @inline(__always)
  borrowing func markIdle(_ id: Int) -> Bool {
    isIdle
      && word.compareExchange(
        expected: 0, desired: KeyValueRegistrar.mark(id), ordering: .acquiring
      ).exchanged
  }

  /// Finds what a modification has to announce, and marks the property if nothing has to happen first.
  @inline(__always)
  borrowing func begin(
    _ modification: inout KeyValueModification, hasOld: Bool = true
  ) -> KeyValueModification.Beginning {
    let registrarGuard = RegistrarGuard(address())
    registrarGuard.lock()
    defer { registrarGuard.unlock() }
    let value = word.load(ordering: .acquiring)
    guard let storage = RegistrarStorage.from(word: value) else {
      modification.begin(.silent, RegistrarState.attachmentCount)
      return KeyValueRegistrar.markedID(value) == modification.id ? .overlapping : .unheld
    }
    let beginning = storage._withUnsafeGuaranteedRef { storage in
      storage.lockedUpdate { $0.begin(&modification, storage.schema, hasOld: hasOld) }
    }
    if case .marked = beginning {
      word.store(value | KeyValueRegistrar.modifyingBit, ordering: .releasing)
    }
    return beginning
  }

  /// Marks a property as being modified; traps if it already is.
  borrowing func mark(_ id: Int, of object: any KeyValueObservable) {
    let registrarGuard = RegistrarGuard(address())
    registrarGuard.lock()
    let value = word.load(ordering: .acquiring)
    guard let storage = RegistrarStorage.from(word: value) else {
      registrarGuard.unlock()
      return markInNewStorage(id, of: object)
    }
    let isMarked = storage._withUnsafeGuaranteedRef { $0.beginModifying(id) }
    if isMarked { word.store(value | KeyValueRegistrar.modifyingBit, ordering: .releasing) }
    registrarGuard.unlock()
    if !isMarked { overlappingAccess(id) }
  }

  @inline(never)
  private borrowing func markInNewStorage(_ id: Int, of object: any KeyValueObservable) {
    let isOverlapping = update(of: object) { _, state in
      if state.isModifying(id) { return true }
      state.beginModifying(id)
      return false
    }
    if isOverlapping { overlappingAccess(id) }
  }

  /// Clears the mark of an in-place modification before the property's own observers run.
  ///
  /// They may read the property, because the access itself is over by then.
  @inlinable
  @inline(__always)
  public borrowing func endAccess(_ id: @autoclosure () -> Int) {
    if word.load(ordering: .relaxed) & KeyValueRegistrar.modifyingBit != 0 { unmark(id()) }
  }

  @usableFromInline
  @inline(never)
  borrowing func unmark(_ id: Int) {
    if word.load(ordering: .relaxed) & KeyValueRegistrar.markBit != 0 {
      let cleared = word.compareExchange(
        expected: KeyValueRegistrar.mark(id), desired: 0, ordering: .releasing)
      if cleared.exchanged { return }
    }
    let registrarGuard = RegistrarGuard(address())
    registrarGuard.lock()
    let value = word.load(ordering: .acquiring)
    var released: Unmanaged<RegistrarStorage>?
    if let storage = RegistrarStorage.from(word: value) {
      released = storage._withUnsafeGuaranteedRef { storage in
        guard storage.endModifying(id) else { return storage.settle() }
        word.store(value & ~KeyValueRegistrar.modifyingBit, ordering: .releasing)
        return nil
      }
    }
    registrarGuard.unlock()
    released?.release()
  }
}
