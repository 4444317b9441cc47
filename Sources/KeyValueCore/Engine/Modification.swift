import Synchronization

/// An in-place modification in progress, from the beginning of a `_modify` access to its end.
///
/// Each accessor's stack frame holds one, so it's small and has only one reference to release.
public struct KeyValueModification {
  let id: Int
  /// The attachment count at the beginning; nil if the object was idle then.
  private(set) var attachment: UInt64?
  /// The only observance to notify, which asks only for values; retained.
  private(set) var sole: SoleAudience?
  /// How the property is read for the sole audience; the schema never releases it.
  private(set) var storage: Unmanaged<ValueStorage>?
  /// The sole audience's old value, if it's trivial.
  var old = TrivialValue()
  /// The sole audience's old value in a box, or the `BoxedBracket` of any other audience.
  var kept: AnyObject?

  init(_ id: Int) {
    self.id = id
  }

  /// Does what the bracket's audience asks for before the property is modified.
  @inline(__always)
  fileprivate mutating func begin(
    _ bracket: consuming Bracket, isMarked: Bool, of object: any KeyValueObservable
  ) {
    attachment = bracket.attachment
    storage = bracket.storage
    let attachment = bracket.attachment
    switch consume bracket.audience {
    case .nobody: break
    case .one(let sole):
      self.sole = sole
      if !isMarked { readOld(of: object) }
    case .several(let watches):
      kept = mutation(of: object)?.start(watches, since: attachment, isSplit: true)
    }
  }
}

// What a property's getter calls, and the automatic bracket of an in-place modification, which its `_modify` calls.
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
    var isMarked = false
    if let bracket = bracket(of: id, in: object, marking: &isMarked) {
      modification.begin(bracket, isMarked: isMarked, of: object)
      // The code that ran until here may have begun another modification, so this checks again.
      if !isMarked { mark(id, of: object) }
    }
    return modification
  }

  /// Ends an in-place modification: clears the mark, then notifies the observers.
  public borrowing func endModify(
    _ modification: inout KeyValueModification, of object: any KeyValueObservable
  ) {
    // If an observer was added in the meantime, the mark has moved from the word into the state. If the
    // property has observers of its own, they have already cleared it.
    endAccess(modification.id)
    guard let attachment = modification.attachment else { return }
    if modification.sole == nil, let kept = modification.kept {
      // Without a sole audience, `kept` holds nothing else.
      let bracket = unsafeDowncast(kept, to: BoxedBracket.self)
      followLate(
        of: modification.id, in: object, since: attachment, besides: bracket.change.watches)
      modification.mutation(of: object)?.tell(bracket)
    } else {
      Bracket.follow(address(), modification.id, object, since: attachment)
      modification.tellSole(object)
    }
  }

  /// Lets a proxy change a property in place; the proxy announces the change itself, for which a rollback's value has
  /// been noted.
  borrowing func modifyStorage(
    _ id: Int, of object: any KeyValueObservable, _ body: () -> Void
  ) {
    mark(id, of: object)
    body()
    endAccess(id)
  }

  // MARK: The mark

  /// The bracket of a modification, which marks the property unless something has to be read or called first;
  /// nil, with the property marked, if the object is idle.
  ///
  /// Traps if the property is already being modified. `hasOld` is whether there's an old value for an
  /// audience that asks for it.
  @inline(__always)
  private borrowing func bracket(
    of id: Int, in object: any KeyValueObservable, marking isMarked: inout Bool,
    hasOld: Bool = true
  ) -> Bracket? {
    if KeyValueRegistrar.mayRollBack { noteOldValue(of: id, in: object) }
    if isIdle,
      word.compareExchange(
        expected: 0, desired: KeyValueRegistrar.mark(id), ordering: .acquiring
      ).exchanged
    {
      return nil
    }
    let bracket = findBracket(of: id) { bracket, storage, value in
      isMarked =
        switch bracket.audience {
        case .nobody: true
        case .one(let sole): !hasOld || !sole.wantsOld
        case .several: false
        }
      guard isMarked else { return }
      storage.lockedUpdate { $0.beginModifying(id) }
      word.store(value | KeyValueRegistrar.modifyingBit, ordering: .releasing)
    }
    guard let bracket else { overlappingAccess(id) }
    return bracket
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

  /// Clears the mark of an in-place modification, as `endAccess(_:)`; false if the property's `willSet` and
  /// `didSet` aren't to run.
  @inlinable
  @inline(__always)
  public borrowing func beginObserver(_ id: @autoclosure () -> Int) -> Bool {
    endAccess(id())
    return runsObserver(id())
  }

  @usableFromInline
  borrowing func runsObserver(_ id: Int) -> Bool {
    guard let silent = ThreadContext.current?.silentStore else { return true }
    return silent != PropertyPlace(registrar: address(), id: id)
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

  // MARK: A getter

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
}

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
    let (wantsOld, wantsNew) = (sole.wantsOld, sole.wantsNew)
    if wantsOld || wantsNew {
      storage?._withUnsafeGuaranteedRef { storage in
        if storage.isTrivial {
          tell(sole, object, storage, wantsOld: wantsOld, wantsNew: wantsNew)
        } else {
          func tell(old: UnsafeRawPointer?) {
            guard wantsNew else { return sole.tell(object, old: old, new: nil) }
            storage.withValue(of: object) { sole.tell(object, old: old, new: $0) }
          }
          if let kept { storage.withValue(in: kept, tell) } else { tell(old: nil) }
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

  // MARK: A change set

  /// What announces the modification to a change set.
  fileprivate func mutation(of object: any KeyValueObservable) -> ManualMutation? {
    object.schema.property(id: id).map { ManualMutation(object, $0, .setting) }
  }
}

extension KeyValueRegistrar {
  /// Lets a proxy change an array's elements in place, and notifies an observance that is the property's
  /// only one and needs nothing but values.
  ///
  /// It takes the lock twice, like any in-place modification.
  ///
  /// The elements exist. Their indexes are those after the change for an insertion, and before it for a
  /// removal. The property has no `willSet` and `didSet`, which could store something else.
  ///
  /// - Returns: The change set that has to be notified, if nothing is done because of it; the caller uses a
  ///   `ManualMutation` then. Nil if the elements have changed, and their audience has been notified.
  borrowing func changeElements(
    _ kind: KeyValueChangeKind, _ range: Range<Int>, of property: Property,
    _ object: any KeyValueObservable, _ change: (Range<Int>) -> Void
  ) -> (watches: WatchList, attachment: UInt64)? {
    // Proxies change only elements that are lent.
    let storage = property.elements!
    let place = PropertyPlace(registrar: address(), id: property.id)
    ThreadContext.current?.endLastingSetting(at: place)
    var sole: SoleAudience?
    var attachment: UInt64?
    var old: (any CapturedValue)?
    var isMarked = false
    if let bracket = bracket(
      of: property.id, in: object, marking: &isMarked, hasOld: kind != .insertion)
    {
      let count = bracket.attachment
      attachment = count
      switch consume bracket.audience {
      case .nobody: break
      case .one(let one):
        sole = one
        if !isMarked { old = storage.capture(object, IndexRanges(range)) }
      case .several(let watches): return (watches, count)
      }
      if !isMarked { mark(property.id, of: object) }
    }
    change(range)
    endAccess(property.id)
    if let attachment, RegistrarState.attachmentCount != attachment,
      object.schema.traits(of: property).isAutomatic
    {
      ManualMutation(object, property, .setting).followLate(since: attachment, sole)
    }
    guard let sole else { return nil }
    withUnsafePointer(to: IndexRanges(range)) { ranges in
      var delivery = Delivery()
      delivery.kind = kind
      delivery.ranges = ranges
      old.withAddress { old in
        delivery.old = Delivery.ValueLocation(old)
        guard sole.wantsNew, kind != .removal else { return sole.tell(object, &delivery) }
        storage.lend(object, range) { new in
          delivery.new = .address(new)
          sole.tell(object, &delivery)
        }
      }
    }
    sole.observance.release()
    return nil
  }
}
