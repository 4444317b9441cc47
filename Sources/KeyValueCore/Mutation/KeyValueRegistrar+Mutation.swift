import Synchronization

// The automatic bracket: what a property's accessors call where the object is not idle.

/// An in-place modification in progress, from the beginning of a `_modify` access to its end.
public struct KeyValueModification {
  /// How the registrar knows that the property is being modified.
  fileprivate enum Mark {
    /// The registrar's word itself says so.
    case word
    /// The registrar's state says so.
    case state
  }

  fileprivate let id: Int
  fileprivate let mark: Mark
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

  @usableFromInline
  @inline(never)
  borrowing func checkAccess(_ id: Int) {
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
      "Overlapping accesses to \(property ?? "a property"): it was read or set while it was being "
        + "modified in place. Finish the modification first, or work on a copy.")
  }

  /// The change set of an assignment or in-place modification; traps if one is already going on.
  private borrowing func automaticWatches(_ id: Int) -> WatchList {
    enum Finding {
      case idle
      case overlap
      case watched(WatchList)
    }
    let finding = RegistrarGuard(address()).withLock { () -> Finding in
      let value = word.load(ordering: .acquiring)
      guard let storage = RegistrarStorage.from(word: value) else {
        return KeyValueRegistrar.markedID(value) == id ? .overlap : .idle
      }
      return storage._withUnsafeGuaranteedRef { storage in
        storage.locked { state in
          state.isModifying(id) ? .overlap : .watched(state.automaticWatches(of: id))
        }
      }
    }
    switch finding {
    case .idle: return .none
    case .overlap: overlappingAccess(id)
    case .watched(let watches): return watches
    }
  }

  // MARK: Assignment

  /// Sets a property of an object that is not idle, and tells its observers.
  ///
  /// Called by the setter that the macro writes, with the property's hidden storage behind `get` and
  /// `set`.
  public borrowing func assign<Root: KeyValueObservable, Value>(
    _ newValue: Value, to id: Int, of object: Root, get: (Root) -> Value,
    set: (Root, Value) -> Void
  ) {
    let watches = automaticWatches(id)
    if watches.isEmpty {
      set(object, newValue)
      return
    }
    var change = Change(watches)
    if change.needsOld {
      let old = get(object)
      withUnsafePointer(to: old) { old in
        change.will(object, old: UnsafeRawPointer(old))
        set(object, newValue)
        KeyValueRegistrar.finish(change, object, old: UnsafeRawPointer(old), get: get)
      }
    } else {
      change.will(object, old: nil)
      set(object, newValue)
      KeyValueRegistrar.finish(change, object, old: nil, get: get)
    }
  }

  private static func finish<Root: AnyObject, Value>(
    _ change: Change, _ object: Root, old: UnsafeRawPointer?, get: (Root) -> Value
  ) {
    if change.needsNew {
      let new = get(object)
      withUnsafePointer(to: new) { change.did(object, old: old, new: UnsafeRawPointer($0)) }
    } else {
      change.did(object, old: old, new: nil)
    }
  }

  // MARK: In-place modification

  /// Begins an in-place modification: tells the observers, then marks the property.
  public borrowing func beginModify<Root: KeyValueObservable, Value>(
    _ id: Int, of object: Root, get: (Root) -> Value
  ) -> KeyValueModification {
    let marked = word.compareExchange(
      expected: 0, desired: KeyValueRegistrar.mark(id), ordering: .acquiring)
    if marked.exchanged {
      return KeyValueModification(id: id, mark: .word, change: nil, old: nil)
    }
    var change = Change(automaticWatches(id))
    let old = change.needsOld ? ValueBox(get(object)) : nil
    if let old {
      old.withAddress { change.will(object, old: $0) }
    } else {
      change.will(object, old: nil)
    }
    // The priors may have begun one of their own, so the check is made again.
    let isOverlapping = update(of: object) { _, state in
      if state.isModifying(id) { return true }
      state.beginModifying(id)
      return false
    }
    if isOverlapping { overlappingAccess(id) }
    return KeyValueModification(id: id, mark: .state, change: change, old: old)
  }

  /// Ends an in-place modification: lets go of the property, then tells the observers.
  public borrowing func endModify<Root: KeyValueObservable, Value>(
    _ modification: inout KeyValueModification, of object: Root, get: (Root) -> Value
  ) {
    let id = modification.id
    if case .word = modification.mark,
      word.compareExchange(
        expected: KeyValueRegistrar.mark(id), desired: 0, ordering: .releasing
      ).exchanged
    {
      return
    }
    // Where an observer arrived meanwhile, the mark has moved from the word into the state.
    storage()?.update { $0.endModifying(id) }
    guard let change = modification.change else { return }
    if let old = modification.old {
      old.withAddress { KeyValueRegistrar.finish(change, object, old: $0, get: get) }
    } else {
      KeyValueRegistrar.finish(change, object, old: nil, get: get)
    }
  }
}
