import Synchronization

// The automatic bracket of a getter and a setter: what they call where the object is not idle.

extension KeyValueRegistrar {
  /// Traps if the property is being modified in place at this moment.
  @inlinable
  @inline(__always)
  public borrowing func access(_ id: @autoclosure () -> Int) {
    if word.load(ordering: .relaxed) & KeyValueRegistrar.modifyingBit != 0 { checkAccess(id()) }
  }

  /// Traps if the property is being modified in place at this moment.
  ///
  /// In debug builds it also tells which property of which object is read, so that what a dependent key
  /// reads can be compared with what it is known to depend on.
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

  @usableFromInline
  @inline(never)
  borrowing func checkAccess(_ id: Int) {
    if AccessProbe.isActive { AccessProbe.note(id, of: address()) }
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

  /// The audience of an assignment, and how its property is stored; traps if the property is being
  /// modified in place.
  @usableFromInline
  borrowing func assignment(to id: Int, of object: AnyObject) -> Assignment {
    #if DEBUG || KVO_AUDIT
      TokenLifetime.noteChange()
    #endif
    var assignment = findAssignment(to: id)
    if case .overlapping = assignment.audience { overlappingAccess(id) }
    if assignment.storage == nil {
      // Nothing is held for the object, of which another property is being modified in place.
      let schema = (object as? any KeyValueObservable)?.schema
      assignment.storage = schema?.valueStorage(id: id)
      precondition(assignment.storage != nil, "A setter announces a property that its class lacks.")
    }
    return assignment
  }

  // The closures are inlined only because they stand in a function that is always inlined.
  @inline(__always)
  private borrowing func findAssignment(to id: Int) -> Assignment {
    RegistrarGuard(address()).withLock {
      let value = word.load(ordering: .acquiring)
      guard let storage = RegistrarStorage.from(word: value) else {
        let isMarked = KeyValueRegistrar.markedID(value) == id
        return Assignment(isMarked ? .overlapping : .nobody, RegistrarState.attachmentCount)
      }
      return storage._withUnsafeGuaranteedRef { storage in
        var assignment = storage.locked { $0.assignment(to: id) }
        assignment.storage = storage.schema.valueStorage(id: id)
        return assignment
      }
    }
  }

  // MARK: Assignment

  // Not inlined, so that the setter remains a load, a branch and a store, with no frame of its own.
  /// Sets a property of an object that is not idle, and tells its observers.
  ///
  /// Called by the setter that the macro writes; the property is read and stored as its class's schema
  /// says. One specialisation per value type is enough: the function is not generic over the class, and
  /// takes no `any KeyValueObservable`, which the optimiser would specialise for each class.
  ///
  /// Nothing passes `type`. It keeps the compiler from opening an existential: `Value` is the property's
  /// type, `any Shape`, and not that of the value in it. Its default is nil, because a setter would call a
  /// function for `Value.self`, and need a frame for that.
  @inlinable
  @inline(never)
  public borrowing func assign<Value>(
    _ newValue: Value, to id: Int, of object: AnyObject, as type: Value.Type? = nil
  ) {
    // The work is done by a function without the registrar, which the compiler does not specialise
    // for a type that cannot be copied.
    assignment(to: id, of: object).perform(newValue, on: object, address(), id)
  }
}
