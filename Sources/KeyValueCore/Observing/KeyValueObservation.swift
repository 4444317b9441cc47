/// The token of a registration, which ends with it.
///
/// ```swift
/// var observation: KeyValueObservation? = person.kvo.age.observe { _, _ in print("older") }
/// person.age += 1                 // older
/// observation = nil
/// person.age += 1                 // (nothing)
/// ```
///
/// Keep it as long as you want to be called. It retains the handler and nothing else: neither the
/// observed object nor objects along the path. All members may be used from any thread, in any order
/// of deaths.
///
/// Source of the behaviour: Foundation's `NSKeyValueObservation`.
public final class KeyValueObservation: @unchecked Sendable {
  /// The observed key path, as a string.
  public let keyPath: String
  private let lock = UnfairLock()
  private var observance: Observance?  // touched only inside `lock`
  #if DEBUG || KVO_AUDIT
    let life = TokenLife()
  #endif

  init(_ observance: Observance) {
    keyPath = observance.keyPath
    self.observance = observance
  }

  /// The token of a registration that was refused.
  @usableFromInline
  init(refused keyPath: String) {
    self.keyPath = keyPath
  }

  deinit {
    #if DEBUG || KVO_AUDIT
      reportIfUseless(keptBy: .token)
    #endif
    invalidate()
  }

  /// Ends the registration; calling it again does nothing.
  ///
  /// When it returns, no new callback starts. One that is running on another thread may finish.
  public func invalidate() {
    let ended = lock.withLock {
      let ended = observance
      observance = nil
      return ended
    }
    ended?.end()
  }

  /// Whether the registration is in force: it was not invalidated, the observed object is alive, and so
  /// is the owner, target or actor that it was made for, if any.
  public var isValid: Bool {
    current.map { $0.isActive && $0.isObserverAlive } ?? false
  }

  /// The observed object; nil once the registration has ended or the object is dying.
  ///
  /// ```swift
  /// let observation = person.kvo.age.observe { _, _ in }
  /// print(observation.object === person)          // true
  /// observation.invalidate()
  /// print(observation.object === person)          // false
  /// ```
  ///
  /// The token does not retain it. Costs a short lock.
  ///
  /// - Important: A token may be used on any thread, the object in general not. Asking for the object
  ///   is safe anywhere; what is done with it has to happen where the object belongs, on its actor or
  ///   under its lock, and the compiler cannot check that here. The exception is a class that is
  ///   `Sendable`.
  public var object: (any KeyValueObservable)? {
    current?.object
  }

  /// Whether the token was told to end, or its registration refused; the death of the observed object
  /// does not count.
  var isInvalidated: Bool { current == nil }

  var current: Observance? {
    lock.withLock { observance }
  }

  /// Keeps the token in a set, which ends all registrations in it when it goes.
  public func store(in set: inout Set<KeyValueObservation>) {
    set.insert(self)
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
  /// The key path, and whether the registration is in force.
  public var description: String {
    "KeyValueObservation(\(keyPath), \(isValid ? "valid" : "ended"))"
  }
}
