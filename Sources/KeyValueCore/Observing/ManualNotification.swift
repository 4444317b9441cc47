#if OrderedCollections
  import OrderedCollections
#endif

// Manual notification. A pair is matched by key, per object and thread, innermost first (Parity M1).
extension KeyValueObservable {
  /// Announces that the value of this key is about to change.
  ///
  /// ```swift
  /// willChangeValue(forKey: "openingBalance")
  /// storedBalance = newBalance
  /// didChangeValue(forKey: "openingBalance")
  /// ```
  ///
  /// Follow every call with `didChangeValue(forKey:)` on the same thread. `withChange(of:_:)` keeps
  /// the two together. A key that the class does not have goes to the violation handler.
  ///
  /// Source of the behaviour: Cocoa.
  public func willChangeValue(forKey key: String) {
    ManualMutation(self, key, .setting)?.begin()
  }

  /// Announces that the value of this key has changed; completes `willChangeValue(forKey:)`.
  public func didChangeValue(forKey key: String) {
    ManualMutation(self, key, .setting)?.end()
  }

  /// Announces that elements of an ordered to-many key are about to be inserted, removed or replaced.
  ///
  /// - Parameters:
  ///   - kind: What happens to the elements; for `.setting` the indexes are ignored.
  ///   - indexes: The indexes: after the mutation for an insertion, before it for a removal.
  ///   - key: The to-many key.
  public func willChange(
    _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>, forKey key: String
  ) {
    ManualMutation(self, key, Edit(kind, at: IndexRanges(indexes)))?.begin()
  }

  /// Completes `willChange(_:valuesAt:forKey:)`.
  public func didChange(
    _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>, forKey key: String
  ) {
    ManualMutation(self, key, Edit(kind, at: IndexRanges(indexes)))?.end()
  }

  /// Announces that an unordered to-many key is about to be changed by set algebra.
  public func willChangeValue<Element>(
    forKey key: String, withSetMutation kind: KeyValueSetMutationKind, using elements: Set<Element>
  ) {
    ManualMutation(self, key, .algebra(kind, Set<AnyHashable>(elements)))?.begin()
  }

  /// Completes `willChangeValue(forKey:withSetMutation:using:)`.
  public func didChangeValue<Element>(
    forKey key: String, withSetMutation kind: KeyValueSetMutationKind, using elements: Set<Element>
  ) {
    ManualMutation(self, key, .algebra(kind, Set<AnyHashable>(elements)))?.end()
  }

  /// Runs a mutation between `will…` and `did…` of this key, even if it throws.
  ///
  /// ```swift
  /// person.withChange(of: "openingBalance") { person.storedBalance = 100 }
  /// ```
  @discardableResult
  public func withChange<Result>(of key: String, _ body: () throws -> Result) rethrows -> Result {
    guard let mutation = ManualMutation(self, key, .setting) else { return try body() }
    return try mutation.perform(body)
  }
}

// The same, by typed path. The object that has the path's last key announces the change; if an object
// along the path is nil, the key has no observers. A path through a collection names no key of one object.
extension KeyValueObservable {
  /// Announces that the value of this property is about to change.
  public func willChangeValue<Value>(
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>
  ) {
    withOwner(of: keyPath) { $0.willChangeValue(forKey: $1) }
  }

  /// Announces that the value of this property has changed.
  public func didChangeValue<Value>(
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>
  ) {
    withOwner(of: keyPath) { $0.didChangeValue(forKey: $1) }
  }

  /// Announces that elements of this property are about to be inserted, removed or replaced.
  public func willChange<Element>(
    _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>,
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, [Element]>>
  ) {
    withOwner(of: keyPath) { $0.willChange(kind, valuesAt: indexes, forKey: $1) }
  }

  /// Completes `willChange(_:valuesAt:for:)`.
  public func didChange<Element>(
    _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>,
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, [Element]>>
  ) {
    withOwner(of: keyPath) { $0.didChange(kind, valuesAt: indexes, forKey: $1) }
  }

  /// Announces that elements of this optional property are about to be inserted, removed or replaced.
  public func willChange<Element>(
    _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>,
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, [Element]?>>
  ) {
    withOwner(of: keyPath) { $0.willChange(kind, valuesAt: indexes, forKey: $1) }
  }

  /// Completes `willChange(_:valuesAt:for:)`.
  public func didChange<Element>(
    _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>,
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, [Element]?>>
  ) {
    withOwner(of: keyPath) { $0.didChange(kind, valuesAt: indexes, forKey: $1) }
  }

  #if OrderedCollections
    /// Announces that elements of this ordered set are about to be inserted, removed or replaced.
    public func willChange<Element>(
      _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>,
      for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, OrderedSet<Element>>>
    ) {
      withOwner(of: keyPath) { $0.willChange(kind, valuesAt: indexes, forKey: $1) }
    }

    /// Completes `willChange(_:valuesAt:for:)`.
    public func didChange<Element>(
      _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>,
      for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, OrderedSet<Element>>>
    ) {
      withOwner(of: keyPath) { $0.didChange(kind, valuesAt: indexes, forKey: $1) }
    }

    /// Announces that elements of this optional ordered set are about to be inserted, removed or replaced.
    public func willChange<Element>(
      _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>,
      for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, OrderedSet<Element>?>>
    ) {
      withOwner(of: keyPath) { $0.willChange(kind, valuesAt: indexes, forKey: $1) }
    }

    /// Completes `willChange(_:valuesAt:for:)`.
    public func didChange<Element>(
      _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>,
      for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, OrderedSet<Element>?>>
    ) {
      withOwner(of: keyPath) { $0.didChange(kind, valuesAt: indexes, forKey: $1) }
    }
  #endif

  /// Announces that this property is about to be changed by set algebra.
  public func willChangeValue<Element>(
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Set<Element>>>,
    withSetMutation kind: KeyValueSetMutationKind, using elements: Set<Element>
  ) {
    withOwner(of: keyPath) {
      $0.willChangeValue(forKey: $1, withSetMutation: kind, using: elements)
    }
  }

  /// Completes `willChangeValue(for:withSetMutation:using:)`.
  public func didChangeValue<Element>(
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Set<Element>>>,
    withSetMutation kind: KeyValueSetMutationKind, using elements: Set<Element>
  ) {
    withOwner(of: keyPath) {
      $0.didChangeValue(forKey: $1, withSetMutation: kind, using: elements)
    }
  }

  /// Announces that this optional property is about to be changed by set algebra.
  public func willChangeValue<Element>(
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Set<Element>?>>,
    withSetMutation kind: KeyValueSetMutationKind, using elements: Set<Element>
  ) {
    withOwner(of: keyPath) {
      $0.willChangeValue(forKey: $1, withSetMutation: kind, using: elements)
    }
  }

  /// Completes `willChangeValue(for:withSetMutation:using:)`.
  public func didChangeValue<Element>(
    for keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Set<Element>?>>,
    withSetMutation kind: KeyValueSetMutationKind, using elements: Set<Element>
  ) {
    withOwner(of: keyPath) {
      $0.didChangeValue(forKey: $1, withSetMutation: kind, using: elements)
    }
  }

  /// Runs a mutation between `will…` and `did…` of this property, even if it throws.
  @discardableResult
  public func withChange<Value, Result>(
    of keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    _ body: () throws -> Result
  ) rethrows -> Result {
    guard let (owner, key) = owner(of: keyPath) else { return try body() }
    return try owner.withChange(of: key, body)
  }

  private func withOwner<Value>(
    of keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    _ body: (any KeyValueObservable, String) -> Void
  ) {
    if let (owner, key) = owner(of: keyPath) { body(owner, key) }
  }

  /// The object that has the last key of a path, and that key.
  private func owner<Value>(
    of keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>
  ) -> (any KeyValueObservable, String)? {
    let path = KeyValuePath(keyPath)
    let observed = path.observed
    if let problem = observed.problem {
      KeyValueViolation.report(.unobservablePath, problem)
    } else if observed.hasOperator || path.isOfElements {
      KeyValueViolation.report(
        .undefinedKey,
        "'\(observed.string)' of \(schema.name) was announced as changing, but it is no key of one object. "
          + "Announce the key of the elements, or that of the collection.")
      return nil
    }
    do {
      return try observed.lastKey(from: self)
    } catch {
      KeyValueViolation.report(.unobservablePath, "\(error)")
      return nil
    }
  }
}

// A mutation that is announced by key: a pair of calls, or what `withChange(of:_:)` runs between the two.
extension ManualMutation {
  /// Reports a violation and returns nil if the class has no such key.
  init?(_ object: any KeyValueObservable, _ key: String, _ edit: Edit) {
    let schema = object.schema
    // An object that no longer answers a key may announce it all the same.
    guard
      let property = schema.answeredProperty(key) ?? schema.property(key, answeredBy: object)
        ?? schema.property(announced: key)
    else {
      KeyValueViolation.report(
        .undefinedKey,
        "\(KeyValueCodingError.undefinedKey(key, of: object)) "
          + "It was announced as changing, but no observer can be registered for it.")
      return nil
    }
    self.init(object, property, edit)
  }

  /// Performs the `will…` of a pair whose `did…` is a separate call.
  func begin() {
    // The pair may outlast the transaction, so its change set has to be exact.
    Transaction.current?.followCollections()
    let started = start(isPair: true)
    object._$kvoWithRegistrar { registrar in
      registrar.update(of: object) { _, state in
        state.push(.init(thread: .current, id: property.id, started: started))
      }
    }
  }

  /// Performs the `did…` of the innermost open pair.
  func end() {
    Transaction.current?.followCollections()
    let pair = object._$kvoWithRegistrar { registrar in
      registrar.storage()?.update { $0.pop(property.id, on: .current) } ?? nil
    }
    guard let pair else {
      KeyValueViolation.report(
        .tolerated,
        "didChangeValue(forKey: \"\(property.key)\") of \(object.schema.name) was called without "
          + "willChangeValue on this thread, so no observer was notified. Call both, or use "
          + "withChange(of:_:).")
      return
    }
    guard let started = pair.started else { return finish(nil) }
    let announced = started.change.edit
    if !announced.announcesTheSame(as: edit) {
      KeyValueViolation.report(
        .tolerated,
        "A change of \(object.schema.name).\(property.key) was announced as one \(announced.announcement) "
          + "and ended as one \(edit.announcement). Observers are notified of what was announced: pass "
          + "both calls the same kind, indexes and elements.")
    }
    ManualMutation(object, property, announced).finish(started)
  }

  /// Runs a mutation between its two halves, by the property's accessors.
  ///
  /// Journals hear what the accessors of an automatic key do, and otherwise of the mutation as a whole.
  func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
    let started = start(wrapsAccessors: true)
    defer { finish(started) }
    guard let started, started.change.needs.contains(.scope) else { return try body() }
    let place = PropertyPlace(of: object, id: property.id)
    return try ThreadContext.ofThisThread.leavingOutOfJournals(place, body)
  }
}

extension Edit {
  /// The announced change in words: `of kind insertion at 2`.
  fileprivate var announcement: String {
    let place = ranges.map { " at \(listing($0.set))" } ?? ""
    return "of kind \(kind)\(place)"
  }

  /// Whether both announce the same change; the elements of an insertion or a replacement aren't announced.
  fileprivate func announcesTheSame(as other: Edit) -> Bool {
    switch (self, other) {
    case (.algebra(let kind, let elements), .algebra(let otherKind, let others)):
      kind == otherKind && elements == others
    case (.algebra, _), (_, .algebra): false
    default: kind == other.kind && ranges == other.ranges
    }
  }
}

/// The announcement of one assignment in an initialiser or a `deinit`.
///
/// Don't use it directly: macro-generated code creates one if the object may be observed already.
/// The assignment goes to the property's storage, so `willSet` and `didSet` don't run, as in plain
/// Swift. Observers are notified all the same.
public struct _KeyValueInitialChange {
  private var begun: (mutation: ManualMutation, bracket: BoxedBracket?)?

  /// Creates the announcement of an assignment whose value isn't computed yet.
  public init() {}

  /// Begins the announcement if the object is observed, and returns the value that is about to be stored.
  ///
  /// What computes the value may throw, change the key or register an observer. The value is an argument,
  /// so that code has run by then. The call that tells Observation is the last argument, so it runs after
  /// the value's code.
  @inlinable
  public mutating func announcing<Value>(
    _ value: Value, of object: some KeyValueObservable, _ key: String,
    after observation: Void = ()
  ) -> Value {
    if !object._$kvoWithRegistrar({ $0.isIdle }) { begin(of: object, key) }
    return value
  }

  @usableFromInline
  mutating func begin(of object: some KeyValueObservable, _ key: String) {
    guard let property = object.schema.property(key),
      object.schema.traits(of: property).isAutomatic
    else { return }
    let mutation = ManualMutation(object, property, .setting)
    begun = (mutation, mutation.start())
  }

  /// Notifies observers that the property has changed, if the announcement has begun.
  public func finish() {
    begun?.mutation.finish(begun?.bracket)
  }
}
