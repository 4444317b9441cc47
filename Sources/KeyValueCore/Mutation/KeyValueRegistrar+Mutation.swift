import Synchronization

// The automatic bracket: what a property's accessors call where the object is not idle.

/// An in-place modification in progress, from the beginning of a `_modify` access to its end.
public struct KeyValueModification {
  fileprivate let id: Int
  fileprivate let change: Change?
  fileprivate let old: (any CapturedValue)?
}

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

  private borrowing func overlappingAccess(_ id: Int) -> Never {
    let property = storage().flatMap { storage in
      storage.schema.property(id: id).map { "\(storage.schema.name).\($0.key)" }
    }
    KeyValueViolation.fatal(
      .overlappingAccess,
      "Overlapping accesses to \(property ?? "a stored property (number \(id) of its class)"): it was "
        + "read or set while it was being modified in place. Finish the modification first, or work "
        + "on a copy. Where two threads use the object, guard it with a lock or an actor.")
  }

  /// Takes back the mark of an in-place modification before the property's own observers run, which
  /// may read the property: the access as such is over then.
  @inlinable
  @inline(__always)
  public borrowing func endAccess(_ id: @autoclosure () -> Int) {
    if word.load(ordering: .relaxed) & KeyValueRegistrar.modifyingBit != 0 { unmark(id()) }
  }

  @usableFromInline
  @inline(never)
  borrowing func unmark(_ id: Int) {
    let cleared = word.compareExchange(
      expected: KeyValueRegistrar.mark(id), desired: 0, ordering: .releasing)
    if !cleared.exchanged { storage()?.update { $0.endModifying(id) } }
  }

  /// Whom an assignment concerns, and how its property is stored; traps if the property is being modified
  /// in place.
  @usableFromInline
  borrowing func assignment(to id: Int, of object: AnyObject) -> Assignment {
    var assignment = mutation(of: id, isAssignment: true)
    if assignment.storage == nil {
      // Nothing is held for the object, of which another property is being modified in place.
      let schema = (object as? any KeyValueObservable)?.schema
      assignment.storage = schema?.valueStorage(id: id)
      precondition(assignment.storage != nil, "A setter announces a property that its class lacks.")
    }
    return assignment
  }

  /// Whom an assignment concerns, or a modification in place, for which it is always a change set.
  @inline(__always)
  private borrowing func mutation(of id: Int, isAssignment: Bool) -> Assignment {
    #if DEBUG || KVO_AUDIT
      TokenLife.noteChange()
    #endif
    let assignment = RegistrarGuard(address()).withLock { () -> Assignment in
      let value = word.load(ordering: .acquiring)
      guard let storage = RegistrarStorage.from(word: value) else {
        let isMarked = KeyValueRegistrar.markedID(value) == id
        return Assignment(isMarked ? .overlapping : .nobody, RegistrarState.attachmentCount)
      }
      return storage._withUnsafeGuaranteedRef { storage in
        var assignment = storage.locked { $0.mutation(of: id, isAssignment: isAssignment) }
        if isAssignment { assignment.storage = storage.schema.valueStorage(id: id) }
        return assignment
      }
    }
    switch assignment.audience {
    case .overlapping: overlappingAccess(id)
    default: return assignment
    }
  }

  // MARK: Assignment

  // Not inlined, so that the setter remains a load, a branch and a store, with no frame of its own.
  /// Sets a property of an object that is not idle, and tells its observers.
  ///
  /// Called by the setter that the macro writes; the property is read and stored as its class's schema
  /// says. One specialisation for each type of value does: the function is not generic over the class, and
  /// takes no `any KeyValueObservable`, for which the optimiser would make one for each class.
  @inlinable
  @inline(never)
  public borrowing func assign<Value>(_ newValue: Value, to id: Int, of object: AnyObject) {
    // The work is done by a function without the registrar, which the compiler does not specialise
    // for a type that cannot be copied.
    assignment(to: id, of: object).perform(newValue, on: object, address(), id)
  }

  // MARK: In-place modification

  // Both read the property through its schema. Closures of the class's own would be two functions
  // more for each property of a client's module.

  /// Begins an in-place modification: tells the observers, then marks the property.
  public borrowing func beginModify(_ id: Int, of object: any KeyValueObservable)
    -> KeyValueModification
  {
    let marked = word.compareExchange(
      expected: 0, desired: KeyValueRegistrar.mark(id), ordering: .acquiring)
    if marked.exchanged {
      return KeyValueModification(id: id, change: nil, old: nil)
    }
    let mutation = mutation(of: id, isAssignment: false)
    var change = Change(mutation.watches, attachment: mutation.attachment)
    let old = change.needsOld ? object.schema.property(id: id)?.capture(from: object) : nil
    old.withAddress { change.will(object, old: $0) }
    // The priors may have begun one of their own, so the check is made again.
    mark(id, of: object)
    return KeyValueModification(id: id, change: change, old: old)
  }

  /// Marks a property as being modified; traps if it is already.
  private borrowing func mark(_ id: Int, of object: any KeyValueObservable) {
    let isOverlapping = update(of: object) { _, state in
      if state.isModifying(id) { return true }
      state.beginModifying(id)
      return false
    }
    if isOverlapping { overlappingAccess(id) }
  }

  /// Lets a proxy change a property where it is stored; it announces the change itself.
  borrowing func modifyStorage(
    _ id: Int, of object: any KeyValueObservable, _ body: () -> Void
  ) {
    mark(id, of: object)
    body()
    endAccess(id)
  }

  /// Ends an in-place modification: lets go of the property, then tells the observers.
  public borrowing func endModify(
    _ modification: inout KeyValueModification, of object: any KeyValueObservable
  ) {
    let id = modification.id
    // Where an observer arrived meanwhile, the mark has moved from the word into the state; where the
    // property has observers of its own, they have taken it back already.
    endAccess(id)
    guard let change = modification.change else { return }
    func read(_ body: (UnsafeRawPointer) -> Void) {
      object.schema.property(id: id)?.withValue(of: object, body)
    }
    let registrar = address()
    modification.old.withAddress { change.finish(id, object, registrar, old: $0, read: read) }
  }
}
