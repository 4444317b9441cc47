/// How an observance ends, joins transactions and appears in traces.
///
/// A closure that only its token keeps alive has no policy.
// Checked by hand: everything is set once, the variables before the observance is published.
final class ObservancePolicy: @unchecked Sendable {
  /// The object that the observance ends with.
  ///
  /// Its death is noticed at the next delivery; until then the observance counts as ended wherever
  /// that's visible.
  weak let owner: AnyObject?
  /// Whether the receiver can still be called, if the observance ends with one instead of an owner.
  private let isReceiverAlive: (@Sendable () -> Bool)?
  /// How `observationInfo` and messages name the observer.
  let observer: String
  /// The identity and the context that an observer object registered with.
  let registration: (observer: ObjectIdentifier, context: UnsafeMutableRawPointer?)?
  /// The kind of observer that traces report.
  let role: KeyValueTrace.Registration.Role
  /// How traces name the observer, if not by `observer`.
  let tracedName: String?
  /// The queue or actor that the calls are made on later; nil if the sink makes them.
  let destination: String?
  private let onEnd: (@Sendable (_ number: UInt64) -> Void)?
  /// What has to know that observers of a change are being called.
  let scope: ChangeScope?
  /// The storage in which an observer object's registration is looked up.
  var index: RegistrarStorage?

  static let closure = "closure"

  /// The observance ends with an owner.
  ///
  /// `onEnd` is called once after the end, on the thread that ended the observance.
  init(
    owner: AnyObject, role: KeyValueTrace.Registration.Role = .observer,
    tracedName: String? = nil, scope: ChangeScope? = nil,
    onEnd: (@Sendable (UInt64) -> Void)? = nil
  ) {
    self.owner = owner
    observer = name(of: type(of: owner))
    self.role = role
    self.tracedName = tracedName
    self.scope = scope
    self.onEnd = onEnd
    // A recorder's sink looks for its recorder itself.
    let isAlive: @Sendable () -> Bool = { true }
    isReceiverAlive = scope == nil ? nil : isAlive
    (registration, destination) = (nil, nil)
  }

  /// The observance of an observer object, which is looked up by the object, the path and the context.
  init(observer: AnyObject, context: UnsafeMutableRawPointer?) {
    let identity = ObjectIdentifier(observer)
    let address = String(UInt(bitPattern: identity), radix: 16)
    owner = observer
    self.observer = "\(name(of: type(of: observer)))@0x\(address)"
    registration = (identity, context)
    role = .observer
    (isReceiverAlive, tracedName, destination, scope, onEnd) = (nil, nil, nil, nil, nil)
  }

  /// The observance delivers elsewhere, or later.
  ///
  /// - Parameters:
  ///   - isReceiverAlive: Whether the receiver can still be called.
  ///   - destination: The queue or actor that the calls are made on.
  ///   - onEnd: Called once after the observance has ended, on the thread that ended it.
  init(
    isReceiverAlive: @escaping @Sendable () -> Bool = { true }, destination: String? = nil,
    onEnd: @escaping @Sendable () -> Void
  ) {
    self.isReceiverAlive = isReceiverAlive
    observer = ObservancePolicy.closure
    role = .receiver
    self.destination = destination
    self.onEnd = { _ in onEnd() }
    (owner, registration, tracedName, scope) = (nil, nil, nil, nil)
  }

  /// The observance of a journal is notified of each change, and no list or trace shows it.
  init(of journal: Journal) {
    isReceiverAlive = { true }
    observer = ObservancePolicy.closure
    role = .observer
    scope = journal
    (owner, registration, tracedName, destination, onEnd) = (nil, nil, nil, nil, nil)
  }

  var isAlive: Bool { isReceiverAlive?() ?? (owner != nil) }

  func didEnd(_ observance: Observance) {
    onEnd?(observance.number)
    index?.update { $0.observers.remove(observance) }
  }
}

extension Observance {
  /// Whether there is still an observer to call.
  var isObserverAlive: Bool { policy?.isAlive ?? true }
  /// Whether it's notified of each change in a transaction as it happens, and not once at the end.
  var isImmediate: Bool { options.contains(.scope) }
  var observerDescription: String { policy?.observer ?? ObservancePolicy.closure }
  var context: UnsafeMutableRawPointer? { policy?.registration?.context }
}
