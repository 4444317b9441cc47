/// The locked storage of one observed object's state; it exists only while there is state to hold.
///
/// Mutable state and its guard: `registrar` and `state`, both under `lock`. Observances retain the
/// storage, never the object. `registrar` is nil unless the registrar's word points to this storage,
/// so it's nil after the object's death.
// Checked by hand: `registrar` and `state` are accessed only under `lock`.
final class RegistrarStorage: RegistrarContents, @unchecked Sendable {
  let schema: KeyValueSchema
  let lock: RegistrarGuard
  var registrar: UnsafePointer<KeyValueRegistrar>?
  // Its accesses can't overlap: each is one closure under the lock, which calls nothing that could
  // reenter.
  @exclusivity(unchecked) private var state = RegistrarState()

  init(schema: KeyValueSchema, lock: RegistrarGuard) {
    self.schema = schema
    self.lock = lock
  }

  /// The storage that a word points to.
  static func from(word: UInt) -> Unmanaged<RegistrarStorage>? {
    KeyValueRegistrar.contents(word).map { .fromOpaque($0) }
  }

  /// Reads or changes the state; the caller holds the lock.
  @inline(__always)
  func lockedUpdate<Result: ~Copyable>(_ body: (inout RegistrarState) -> Result) -> Result {
    // A reader gets no copy either, which would retain everything that the state holds.
    body(&state)
  }

  /// Changes the state, and abandons the storage if that leaves it empty.
  @discardableResult
  func update<Result>(_ body: (inout RegistrarState) -> Result) -> Result {
    let (result, released) = lock.withLock { () -> (Result, Unmanaged<RegistrarStorage>?) in
      let result = body(&state)
      return (result, settle())
    }
    released?.release()
    return result
  }

  func read<Result>(_ body: (RegistrarState) -> Result) -> Result {
    lock.withLock { body(state) }
  }

  /// The object that the storage belongs to, unless it's being deallocated.
  ///
  /// A weak reference in each observance would also work, but the first one makes every later retain of the
  /// object more expensive. Only objects that are asked for here pay that.
  func retained(_ unretained: UnretainedObject) -> (any KeyValueObservable)? {
    if let owner = schema.registrarOwner { return lock.withLock { registrar }.flatMap(owner) }
    return lock.withLock {
      // A storage that isn't empty belongs to the registrar, which closes it under the lock before it's
      // destroyed, so the object's memory is still valid. Its reference count may already be zero. Then
      // the weak reference is nil, and no reference leaves the lock.
      guard registrar != nil, !state.isEmpty else { return nil }
      let object = unretained.object
      return withExtendedLifetime(object) {
        weak let living = object
        return living
      }
    }
  }

  /// Whether the object has died, and the storage doesn't know of it yet.
  var isOrphaned: Bool {
    guard let owner = schema.registrarOwner else { return false }
    return lock.withLock { registrar }.flatMap(owner) == nil
  }

  // MARK: In-place modification; the caller holds the lock

  /// Marks a property as being modified, unless it already is; the caller sets the word's bit.
  @inline(__always)
  func beginModifying(_ id: Int) -> Bool {
    if state.hasModification, state.isModifying(id) { return false }
    state.beginModifying(id)
    return true
  }

  /// Removes a mark.
  ///
  /// - Returns: Whether the caller only has to clear the word's bit; otherwise it calls `settle()`.
  @inline(__always)
  func endModifying(_ id: Int) -> Bool {
    state.endModifying(id)
    #if KVO_INVARIANTS
      state.checkInvariants()
    #endif
    return !state.hasModification && state.hasWatches
  }

  // MARK: Removal

  /// Removes an observance's interest in one property.
  func remove(_ observance: Observance, _ hop: Hop?, id: Int) {
    update { $0.remove(observance, hop, id: id) }
  }

  /// Empties the storage when the object is deallocated.
  func close() -> (watches: [Watch], openPairs: [Int]) {
    let last = lock.withLock {
      registrar = nil
      let last = state
      state = RegistrarState()
      return last
    }
    // The state's contents are released here, outside the lock, because a deinit may run.
    return (last.allWatches(), last.openPairs)
  }

  /// Updates the registrar's word from the state; the caller holds the lock, and releases the result after
  /// unlocking.
  func settle() -> Unmanaged<RegistrarStorage>? {
    #if KVO_INVARIANTS
      state.checkInvariants()
    #endif
    guard let registrar else { return nil }
    if state.isEmpty { return registrar.pointee.abandon(self) }
    registrar.pointee.setModifying(state.hasModification, self)
    return nil
  }

  // MARK: Death

  /// Ends the object's observances, and notifies those whose path leads through it.
  ///
  /// Called when the object's registrar is destroyed: after the class's `deinit`, when no code can reach
  /// the object any more.
  override func objectDied() {
    let (watches, openPairs) = close()
    let death = traceDeath(watches)
    defer { if let death { death.thread.leave(death.event) } }
    for id in openPairs {
      KeyValueViolation.report(
        .tolerated,
        "An object of \(schema.name) died with willChangeValue(forKey: "
          + "\"\(schema.property(id: id)?.key ?? "?")\") called and didChangeValue not. "
          + "Call both, or use withChange(of:_:).")
    }
    for watch in watches where watch.hop?.parent == nil { watch.observance.end() }
    let orphaned = watches.filter { watch in
      guard let hop = watch.hop, let tree = watch.observance.tree else { return false }
      return watch.observance.isActive && tree.objectDied(at: hop, in: self)
    }
    var last: Observance?
    for watch in orphaned.sorted(by: { $0.observance.number < $1.observance.number })
    where watch.observance !== last {
      last = watch.observance
      guard let root = watch.observance.root else { continue }
      #if DEBUG || KVO_AUDIT
        TokenLifetime.noteChange()
      #endif
      watch.observance.deliverUnannounced(of: root, isMaintained: true)
    }
  }

  /// Traces the object's death; the events that follow are nested in it.
  private func traceDeath(_ watches: [Watch]) -> (thread: ThreadTrace, event: UInt64)? {
    guard !watches.isEmpty, let thread = Tracer.thread else { return nil }
    // The object can't be asked any more. Another thread may end a registration meanwhile, so each is
    // looked up once; a lazy sequence would look it up twice.
    var object = KeyValueTrace.Object(type: schema.type)
    for watch in watches where watch.hop?.isOnRoot ?? true {
      guard let known = Tracer.object(of: watch.observance.number) else { continue }
      object = known
      break
    }
    return (thread, thread.enter(.died) { $0.object = object })
  }
}

extension KeyValueRegistrar {
  /// The object's storage, if it has one.
  borrowing func storage() -> RegistrarStorage? {
    guard !isIdle else { return nil }
    return RegistrarGuard(address()).withLock {
      RegistrarStorage.from(word: word.load(ordering: .acquiring))?.takeUnretainedValue()
    }
  }

  /// The change set of a mutation that is announced from outside the accessors, and the current attachment
  /// count.
  ///
  /// `isAnnounced` is whether observers are notified, and `wrapsAccessors` whether
  /// the accessors make the change.
  borrowing func watches(
    of id: Int, isAnnounced: Bool = true, wrapsAccessors: Bool = false
  ) -> (WatchList, attachment: UInt64) {
    guard !isIdle else { return (.none, 0) }
    let address = address()
    return RegistrarGuard(address).withLock {
      guard let storage = RegistrarStorage.from(word: word.load(ordering: .acquiring)) else {
        return (.none, 0)
      }
      return storage._withUnsafeGuaranteedRef { storage in
        storage.lockedUpdate {
          let watches = $0.watches(
            of: id, at: address, isAnnounced: isAnnounced, wrapsAccessors: wrapsAccessors)
          return (watches, RegistrarState.attachmentCount)
        }
      }
    }
  }

  /// Lends the object's storage and state to `body`; creates the storage if there is none.
  ///
  /// `schema` is the schema of the object's class, if the caller has it.
  borrowing func update<Result>(
    of object: any KeyValueObservable, _ schema: KeyValueSchema? = nil,
    _ body: (RegistrarStorage, inout RegistrarState) -> Result
  ) -> Result {
    let address = address()
    let lock = RegistrarGuard(address)
    while true {
      let storage =
        storage() ?? RegistrarStorage(schema: schema ?? object.schema, lock: lock)
      // Meanwhile another thread may have emptied this storage, or installed its own.
      let outcome = lock.withLock { () -> (Result, Unmanaged<RegistrarStorage>?)? in
        guard adopt(storage) else { return nil }
        let result = storage.lockedUpdate { body(storage, &$0) }
        return (result, storage.settle())
      }
      guard let (result, released) = outcome else { continue }
      released?.release()
      return result
    }
  }

  /// Makes the word point to this storage; false if it points to another.
  ///
  /// The caller holds the lock.
  private borrowing func adopt(_ storage: RegistrarStorage) -> Bool {
    var value = word.load(ordering: .acquiring)
    if let present = RegistrarStorage.from(word: value) {
      return present.takeUnretainedValue() === storage
    }
    home.store(UInt(bitPattern: address()), ordering: .relaxed)
    storage.registrar = address()
    let pointer = UInt(bitPattern: Unmanaged.passRetained(storage).toOpaque())
    while true {
      let id = KeyValueRegistrar.markedID(value)
      if let id { storage.lockedUpdate { $0.beginModifying(id) } }
      let desired = id == nil ? pointer : pointer | KeyValueRegistrar.modifyingBit
      let outcome = word.compareExchange(
        expected: value, desired: desired, ordering: .acquiringAndReleasing)
      if outcome.exchanged { return true }
      // Only a marked modification can have begun or ended meanwhile.
      if let id { storage.lockedUpdate { $0.endModifying(id) } }
      value = outcome.original
    }
  }

  /// Removes an empty storage from the word; the caller holds the lock and releases the result.
  borrowing func abandon(_ storage: RegistrarStorage) -> Unmanaged<RegistrarStorage>? {
    let present = RegistrarStorage.from(word: word.load(ordering: .acquiring))
    guard let present, present.takeUnretainedValue() === storage else { return nil }
    word.store(0, ordering: .releasing)
    // A thread that still holds the storage must no longer reach the object through it.
    storage.registrar = nil
    return present
  }

  /// Sets or clears the word's modifying bit; the caller holds the lock.
  borrowing func setModifying(_ isModifying: Bool, _ storage: RegistrarStorage) {
    let present = RegistrarStorage.from(word: word.load(ordering: .acquiring))
    guard let present, present.takeUnretainedValue() === storage else { return }
    let pointer = UInt(bitPattern: present.toOpaque())
    word.store(
      isModifying ? pointer | KeyValueRegistrar.modifyingBit : pointer, ordering: .releasing)
  }
}

/// An unretained reference, for code that knows by other means that the object exists.
struct UnretainedObject {
  unowned(unsafe) let object: any KeyValueObservable
}
