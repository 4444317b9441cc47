import Synchronization

/// A change of one property, from before it to after it.
///
/// Every change goes through a bracket: an assignment keeps it on the stack (`assign`), an in-place modification
/// in the accessor's frame (`KeyValueModification`), a manual pair and a proxy in a box (`BoxedBracket`).
///
/// ```
/// word is 0             the object is idle: store, nothing else
/// lock                  find the audience, or trap if the property is being modified in place
/// unlock                from here on no lock is held, and other code may run
/// will                  old values, if an observer asks for them; priors; hops hear that a change begins
/// store or modify
/// did                   hops follow the new value; so do hops that were attached meanwhile (`follow`)
///                       new values are read, all before the first call
///                       each observance is called, or its transaction's entry is completed
/// ```
///
/// A handler may start again at the top.
///
/// Noncopyable, so that the audience is handed on instead of being retained once more.
@usableFromInline
struct Bracket: ~Copyable {
  /// Who has to be told, as found under the registrar's lock.
  @usableFromInline
  enum Audience: ~Copyable {
    case nobody
    /// A single observance that asks only for values, retained until it has been notified.
    case one(SoleAudience)
    /// A frozen change set, which a `Change` tells.
    case several(WatchList)
  }

  @usableFromInline let audience: Audience
  /// The attachment count when the audience was found.
  @usableFromInline let attachment: UInt64
  /// How the property is read and stored; nil if no schema is available.
  ///
  /// The schema never releases it.
  @usableFromInline var storage: Unmanaged<ValueStorage>?

  @inline(__always)
  init(
    _ audience: consuming Audience, _ attachment: UInt64,
    _ storage: Unmanaged<ValueStorage>? = nil
  ) {
    self.audience = audience
    self.attachment = attachment
    self.storage = storage
  }
}

extension Bracket {
  // MARK: An assignment

  /// Performs an assignment and notifies its audience.
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
    case .nobody:
      storage.store(newValue, in: object)
      Bracket.follow(registrar, id, object, since: attachment)
    case .one(let sole):
      if sole.wantsOld {
        let old = storage.get(object)
        storage.store(newValue, in: object)
        Bracket.follow(registrar, id, object, since: attachment)
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
        Bracket.follow(registrar, id, object, since: attachment)
        sole.tell(object, old: nil, storage)
      }
      sole.observance.release()
    case .several(let watches):
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

  // MARK: What was attached meanwhile

  /// Makes the paths that were attached to the property during its change follow the new value.
  @usableFromInline
  static func follow(
    _ registrar: UnsafePointer<KeyValueRegistrar>, _ id: Int, _ object: AnyObject,
    since attachment: UInt64
  ) {
    // Nearly always nothing was attached.
    if RegistrarState.attachmentCount == attachment { return }
    registrar.pointee.followLate(of: id, in: object, since: attachment)
  }
}

extension KeyValueRegistrar {
  // MARK: The audience

  /// The bracket of an assignment; traps if the property is being modified in place.
  @usableFromInline
  borrowing func bracket(of id: Int, in object: AnyObject) -> Bracket {
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
    #if DEBUG || KVO_AUDIT
      TokenLifetime.noteChange()
    #endif
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

  // MARK: What was attached meanwhile

  /// Makes the paths that were attached to a property during its change follow the new value.
  ///
  /// They aren't notified of the change (Parity N2), but they may have attached to the old value, or
  /// added it to an aggregate.
  ///
  /// - Returns: The watches that were attached meanwhile; also a sole audience, which has nothing to follow.
  @discardableResult
  @inline(never)
  borrowing func followLate(
    of id: Int, in object: AnyObject, since attachment: UInt64, besides frozen: WatchList = .none
  ) -> [Watch] {
    if RegistrarState.attachmentCount == attachment { return [] }
    let late =
      storage()?.read { $0.watches(of: id, since: attachment, besides: frozen) } ?? []
    for watch in late {
      guard let hop = watch.hop else { continue }
      watch.observance.tree?.valueChanged(at: hop, of: object)
    }
    return late
  }
}

/// A property's only observance, which asks for nothing but the property's values.
///
/// Trivial to copy; code that reads it from the registrar's state retains the observance.
@usableFromInline
struct SoleAudience {
  @usableFromInline let observance: Unmanaged<Observance>
  /// The property, if it's the end of another object's path; the schema never releases it.
  let leaf: Unmanaged<Property>?

  @inlinable
  @inline(__always)
  var wantsOld: Bool { observance._withUnsafeGuaranteedRef { $0.wantsOld } }

  @inlinable
  @inline(__always)
  var wantsNew: Bool { observance._withUnsafeGuaranteedRef { $0.wantsNew } }

  /// Notifies the observance of an assignment, with the value that is stored now.
  @inlinable
  @inline(__always)
  func tell<Value>(
    _ object: AnyObject, old: UnsafeRawPointer?, _ storage: BorrowedStorage<Value>
  ) {
    guard wantsNew else { return tell(object, old: old, new: nil) }
    let new = storage.get(object)
    withUnsafePointer(to: new) { tell(object, old: old, new: UnsafeRawPointer($0)) }
  }

  /// Notifies the observance of an assignment that stored exactly the assigned value.
  @inlinable
  @inline(__always)
  func tell<Value>(_ object: AnyObject, old: UnsafeRawPointer?, assigned: Value) {
    withUnsafePointer(to: assigned) {
      tell(object, old: old, new: wantsNew ? UnsafeRawPointer($0) : nil)
    }
  }

  /// Notifies the observance of an assignment, with the values' addresses.
  @usableFromInline
  func tell(_ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?) {
    var delivery = Delivery()
    delivery.old = Delivery.ValueLocation(old)
    delivery.new = Delivery.ValueLocation(new)
    withUnsafeMutablePointer(to: &delivery) { tell(object, $0) }
  }

  /// Notifies the observance of a change of this property, without copying the delivery.
  @inline(__always)
  func tell(_ object: AnyObject, _ delivery: UnsafeMutablePointer<Delivery>) {
    observance._withUnsafeGuaranteedRef { observance in
      guard let leaf else { return observance.deliverInline(UnsafePointer(delivery), of: object) }
      delivery.pointee.leaf = leaf
      deliverAtRoot(delivery, observance)
    }
  }

  /// Not inlined, so that an object's own observers don't pay for what only a path needs.
  @inline(never)
  private func deliverAtRoot(
    _ delivery: UnsafeMutablePointer<Delivery>, _ observance: Observance
  ) {
    guard observance.isActive, let root = observance.root else { return }
    observance.deliverInline(UnsafePointer(delivery), of: root)
  }
}

extension WatchList {
  /// The audience of an assignment, if there's one watch that needs nothing but the values.
  @inline(__always)
  var sole: SoleAudience? {
    guard case .one(let watch) = self, watch.isPlain else { return nil }
    return SoleAudience(
      observance: .passUnretained(watch.observance),
      leaf: watch.hop.flatMap { $0.isOnRoot ? nil : .passUnretained($0.property) })
  }
}

/// A bracket around a change whose two halves are separate calls.
///
/// It's a class, because copying everything that a change holds costs more than notifying one observer.
// Checked by hand: immutable, and used only by the thread that makes the mutation.
final class BoxedBracket: @unchecked Sendable {
  let change: Change
  /// The old value of the change, if it's needed.
  let old: (any CapturedValue)?
  /// What enters an unordered collection, which can be found only from the value before the mutation.
  let entering: (any CapturedValue)?
  /// How many elements there were, if an observed path leads through them.
  let elementCount: Int?
  /// What was there right before the value was stored, if something other than the edit may have been stored.
  let beforeStoring: BeforeStoring?

  /// Whether observers or getters may have been called as the mutation began.
  var mayHaveCalledOut: Bool {
    !change.needs.isDisjoint(with: [.prior, .structure, .evaluatedOld])
  }

  init(
    _ change: consuming Change, old: (any CapturedValue)?, entering: (any CapturedValue)? = nil,
    elementCount: Int? = nil, beforeStoring: BeforeStoring? = nil
  ) {
    self.change = change
    self.old = old
    self.entering = entering
    self.elementCount = elementCount
    self.beforeStoring = beforeStoring
  }

  /// Whether the mutation's beginning has notified observers, or detached the rest of paths.
  var isNoticed: Bool { !change.needs.isDisjoint(with: [.prior, .structure]) }
}

/// What a mutation keeps from right before its value is stored.
///
/// It's a class, because almost no bracket has one.
final class BeforeStoring {
  let value: any CapturedValue
  /// The old values of journals and recorders, if only these may be told of something other than the edit.
  let oldsOfScopes: Captures?

  init(_ value: any CapturedValue, _ oldsOfScopes: Captures?) {
    self.value = value
    self.oldsOfScopes = oldsOfScopes
  }
}
