/// A registration's token, which ends it.
///
/// ```swift
/// var observation: KeyValueObservation? = person.kvo.age.observe { _, _ in print("older") }
/// person.age += 1                 // older
/// observation = nil
/// person.age += 1                 // (nothing)
/// ```
///
/// Keep it as long as you want to observe. It retains the handler, but not the observed object or
/// objects along the path. All members may be used on any thread, whatever the order in which the
/// objects are destroyed.
///
/// Source of the behaviour: Foundation's `NSKeyValueObservation`.
public final class KeyValueObservation: @unchecked Sendable {
  /// The observed key path, as a string.
  public var keyPath: String {
    switch subject {
    case .path(let path): path.string
    case .refused(let keyPath): keyPath
    }
  }

  private enum Subject {
    /// An object may have shown which keys the path's members are.
    case path(ObservedPath)
    case refused(String)
  }

  private let subject: Subject
  private var observance: Observance?  // accessed only inside `lock`
  #if DEBUG || KVO_AUDIT
    let lifetime = TokenLifetime()
  #endif

  /// Shared with other objects, because the token is small and holds its lock for only a few
  /// instructions.
  private var lock: RegistrarGuard { RegistrarGuard(of: self) }

  init(_ observance: Observance) {
    subject = .path(observance.path)
    self.observance = observance
  }

  /// The token of a registration that was refused.
  @usableFromInline
  init(refused keyPath: String) {
    subject = .refused(keyPath)
  }

  deinit {
    #if DEBUG || KVO_AUDIT
      reportIfUseless(keptBy: .token)
    #endif
    invalidate()
  }

  /// Ends the registration; calling it again does nothing.
  ///
  /// When it returns, no new call starts. One that's running on another thread may finish.
  public func invalidate() {
    lock.withLock { observance.take() }?.end()
  }

  /// Whether the registration is active: it isn't invalidated, and the observed object and any
  /// owner, target or actor are alive.
  public var isValid: Bool {
    current.map { $0.isActive && $0.isObserverAlive && !$0.isOrphaned } ?? false
  }

  /// The observed object; nil once the registration has ended or the object is being destroyed.
  ///
  /// ```swift
  /// let observation = person.kvo.age.observe { _, _ in }
  /// print(observation.object === person)          // true
  /// observation.invalidate()
  /// print(observation.object === person)          // false
  /// ```
  ///
  /// The token doesn't retain it. Reading it takes a short lock.
  ///
  /// - Important: You may read this on any thread. Use the object where it belongs, on its actor or
  ///   under its lock; the compiler can't check that here. The exception is a class that's
  ///   `Sendable`.
  public var object: (any KeyValueObservable)? {
    current?.object
  }

  /// Whether the token was invalidated or its registration refused; the object may be alive or not.
  var isInvalidated: Bool { current == nil }

  var current: Observance? {
    lock.withLock { observance }
  }

  /// Stores the token in a set; destroying the set ends its registrations.
  public func store(in set: inout Set<KeyValueObservation>) {
    set.insert(self)
  }

  /// Stores the token in an array or another collection; destroying that ends its registrations.
  public func store(in collection: inout some RangeReplaceableCollection<KeyValueObservation>) {
    collection.append(self)
  }
}

extension KeyValueObservation: Hashable {
  /// Whether both are the same token.
  public static func == (left: KeyValueObservation, right: KeyValueObservation) -> Bool {
    left === right
  }

  /// Hashes the token's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

extension KeyValueObservation: CustomStringConvertible {
  /// The key path, and whether the registration is active.
  public var description: String {
    "KeyValueObservation(\(keyPath), \(isValid ? "valid" : "ended"))"
  }
}
