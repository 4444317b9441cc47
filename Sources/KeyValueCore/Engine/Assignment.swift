import Synchronization

// The automatic bracket of a getter and a setter: what they call if the object isn't idle.

extension KeyValueRegistrar {
  /// Traps if the property is currently being modified in place.
  @inlinable
  @inline(__always)
  public borrowing func access(_ id: @autoclosure () -> Int) {
    if isBeingModified { checkAccess(id()) }
  }

  /// Traps if the property is currently being modified in place.
  ///
  /// In debug builds, it also records which property of which object is read, so that a dependent key's
  /// reads can be compared with its known dependencies.
  @inlinable
  @inline(__always)
  public borrowing func access<Root: KeyValueObservable>(
    _ id: @autoclosure () -> Int, of object: @autoclosure () -> Root
  ) {
    access(id())
    #if DEBUG || KVO_AUDIT
      if ReadRecording.isActive { ReadRecording.note(object(), id()) }
    #endif
  }

  // It releases none of the caller's objects: it returns only if there was nothing to report. So a loop over
  // many objects' properties doesn't retain each object.
  @usableFromInline
  @inline(never)
  @_effects(releasenone)
  borrowing func checkAccess(_ id: Int) {
    AccessProbe.note(id, of: address())
    let value = word.load(ordering: .acquiring)
    let marked = KeyValueRegistrar.markedID(value)
    let isOverlapping =
      marked.map { $0 == id } ?? storage()?.read { $0.isModifying(id) } ?? false
    if isOverlapping { overlappingAccess(id) }
  }

  borrowing func overlappingAccess(_ id: Int) -> Never {
    let property = storage().flatMap { storage in
      storage.schema.property(id: id).map { "\(storage.schema.name).\($0.key)" }
    }
    KeyValueViolation.fatal(
      .overlappingAccess,
      "Overlapping accesses to \(property ?? "a stored property (number \(id) of its class)"): it was "
        + "read or set while it was being modified in place. Finish the modification first, or work "
        + "on a copy. Where two threads use the object, guard it with a lock or an actor.")
  }

  /// The bracket of an assignment; traps if the property is being modified in place.
  @usableFromInline
  borrowing func bracket(of id: Int, in object: AnyObject) -> Bracket {
    #if DEBUG || KVO_AUDIT
      TokenLifetime.noteChange()
    #endif
    if KeyValueRegistrar.mayRollBack { noteOldValue(of: id, in: object) }
    guard var bracket = findBracket(of: id) else { overlappingAccess(id) }
    if bracket.storage == nil {
      // The object has no storage; another of its properties is being modified in place.
      let schema = (object as? any KeyValueObservable)?.schema
      bracket.storage = schema?.valueStorage(id: id)
      precondition(bracket.storage != nil, "A setter announces a property that its class lacks.")
    }
    return bracket
  }

  /// Records the stored value of a property that is about to change, for a transaction that may be rolled back.
  ///
  /// A separate function, because nearly always no transaction may be.
  @inline(never)
  borrowing func noteOldValue(of id: Int, in object: AnyObject) {
    guard let transaction = ThreadContext.current?.transaction,
      let object = object as? any KeyValueObservable,
      let property = object.schema.property(id: id)
    else { return }
    transaction.noteOldValue(of: object, property)
  }

  /// The bracket of a change by the property's accessors; nil if the property is being modified in place.
  ///
  /// `mark` runs with the lock held, if the object has a storage; it gets the storage and the word's value.
  // The closures are inlined only because the enclosing function always is.
  @inline(__always)
  borrowing func findBracket(
    of id: Int, mark: (borrowing Bracket, RegistrarStorage, UInt) -> Void = { _, _, _ in }
  ) -> Bracket? {
    let address = address()
    let registrarGuard = RegistrarGuard(address)
    registrarGuard.lock()
    defer { registrarGuard.unlock() }
    let value = word.load(ordering: .acquiring)
    guard let storage = RegistrarStorage.from(word: value) else {
      if KeyValueRegistrar.markedID(value) == id { return nil }
      return Bracket(.nobody, RegistrarState.attachmentCount)
    }
    // The closure can't return a noncopyable value.
    var bracket: Bracket?
    storage._withUnsafeGuaranteedRef { storage in
      let valueStorage = storage.schema.valueStorage(id: id)
      bracket = storage.lockedUpdate { $0.bracket(of: id, valueStorage, at: address) }
      if bracket != nil { mark(bracket!, storage, value) }
    }
    return bracket
  }

  // MARK: Assignment

  // Not inlined, so that the setter remains a load, a branch and a store, with no frame of its own.
  /// Sets a property of an object that isn't idle, and notifies its observers.
  ///
  /// The setter that the macro writes calls it. The class's schema determines how the property is read
  /// and stored. One specialisation per value type is enough: the function is not generic over the class,
  /// and takes no `any KeyValueObservable`, which the optimiser would specialise for each class.
  ///
  /// No caller passes `type`. It keeps the compiler from opening an existential: `Value` is the
  /// property's type, such as `any Shape`, not that of the value in it. Its default is nil, because a
  /// setter would have to call a function for `Value.self`, and would need a frame for that.
  @inlinable
  @inline(never)
  public borrowing func assign<Value>(
    _ newValue: Value, to id: Int, of object: AnyObject, as type: Value.Type? = nil
  ) {
    // A function without the registrar does the work, because the compiler doesn't specialise for a
    // noncopyable type.
    bracket(of: id, in: object).perform(newValue, on: object, address(), id)
  }
}
