extension KeyValueRegistrar {
  /// The object's storage, if it has one.
  borrowing func storage() -> RegistrarStorage? {
    guard !isIdle else { return nil }
    return RegistrarGuard(address()).withLock {
      RegistrarStorage.from(word: word.load(ordering: .acquiring))?.takeUnretainedValue()
    }
  }

  /// A property's watches, and the current attachment count.
  borrowing func watches(of id: Int) -> (WatchList, attachment: UInt64) {
    guard !isIdle else { return (.none, 0) }
    return RegistrarGuard(address()).withLock {
      guard let storage = RegistrarStorage.from(word: word.load(ordering: .acquiring)) else {
        return (.none, 0)
      }
      return storage._withUnsafeGuaranteedRef { storage in
        storage.lockedUpdate { ($0.watches(of: id), RegistrarState.attachmentCount) }
      }
    }
  }

  /// Makes paths that were attached to a property during its change follow the new value.
  ///
  /// They aren't notified of the change (Parity N2), but they may have attached to the old value, or
  /// added it to an aggregate.
  ///
  /// - Returns: The watches that were attached meanwhile.
  @discardableResult
  borrowing func followLateHops(
    of id: Int, in object: AnyObject, since attachment: UInt64, besides frozen: WatchList
  ) -> [Watch] {
    // Nearly always nothing was attached.
    if RegistrarState.attachmentCount == attachment { return [] }
    let late =
      storage()?.read { $0.watches(of: id, since: attachment, besides: frozen) } ?? []
    for watch in late {
      guard let hop = watch.hop else { continue }
      watch.observance.tree?.valueChanged(at: hop, of: object, membership: nil)
    }
    return late
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

extension RegistrarStorage {
  /// The storage that a word points to.
  static func from(word: UInt) -> Unmanaged<RegistrarStorage>? {
    KeyValueRegistrar.contents(word).map { .fromOpaque($0) }
  }
}
