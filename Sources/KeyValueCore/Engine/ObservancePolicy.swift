/// How an observance ends, joins transactions and appears in traces.
///
/// A closure that only its token keeps alive has no policy.
// Checked by hand: everything is set once, `index` before the observance is published.
final class ObservancePolicy: @unchecked Sendable {
  private enum Life {
    case unlimited
    case owner
    case receiver(@Sendable () -> Bool)
  }

  private let life: Life
  /// The object that the observance ends with.
  ///
  /// Its death is noticed at the next delivery; until then the observance counts as ended wherever
  /// that's visible.
  weak let owner: AnyObject?
  let participation: TransactionParticipation
  /// Whether `observationInfo` shows the observance.
  let isListed: Bool
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
  /// What has to know that observers of a change are being called; nil if it died meanwhile.
  weak let scope: ChangeScope?
  /// The registry where an observer object's registration is looked up.
  var index: RegistrarStorage?

  private init(
    _ life: Life, owner: AnyObject?, _ participation: TransactionParticipation,
    isListed: Bool = true,
    observer: String = ObservancePolicy.closure,
    registration: (ObjectIdentifier, UnsafeMutableRawPointer?)? = nil,
    role: KeyValueTrace.Registration.Role = .observer, tracedName: String? = nil,
    destination: String? = nil, scope: ChangeScope? = nil,
    onEnd: (@Sendable (UInt64) -> Void)? = nil
  ) {
    self.life = life
    self.owner = owner
    self.participation = participation
    self.isListed = isListed
    self.observer = observer
    self.registration = registration
    self.role = role
    self.tracedName = tracedName
    self.destination = destination
    self.scope = scope
    self.onEnd = onEnd
  }

  static let closure = "closure"

  /// The observance ends with an owner.
  ///
  /// `onEnd` is called once after the end, on the thread that ended the observance.
  convenience init(
    owner: AnyObject, _ participation: TransactionParticipation = .deferred,
    role: KeyValueTrace.Registration.Role = .observer, tracedName: String? = nil,
    scope: ChangeScope? = nil, onEnd: (@Sendable (UInt64) -> Void)? = nil
  ) {
    self.init(
      .owner, owner: owner, participation, observer: name(of: type(of: owner)), role: role,
      tracedName: tracedName, scope: scope, onEnd: onEnd)
  }

  /// The observance of an observer object, which is looked up by the object, the path and the context.
  convenience init(observer: AnyObject, context: UnsafeMutableRawPointer?) {
    let identity = ObjectIdentifier(observer)
    let address = String(UInt(bitPattern: identity), radix: 16)
    self.init(
      .owner, owner: observer, .deferred,
      observer: "\(name(of: type(of: observer)))@0x\(address)",
      registration: (identity, context))
  }

  /// The observance delivers elsewhere, or later.
  ///
  /// - Parameters:
  ///   - isReceiverAlive: Whether the receiver can still be called.
  ///   - destination: The queue or actor that the calls are made on.
  ///   - onEnd: Called once after the observance has ended, on the thread that ended it.
  convenience init(
    isReceiverAlive: @escaping @Sendable () -> Bool = { true }, destination: String? = nil,
    onEnd: @escaping @Sendable () -> Void
  ) {
    self.init(
      .receiver(isReceiverAlive), owner: nil, .deferred, role: .receiver,
      destination: destination, onEnd: { _ in onEnd() })
  }

  /// The observance of a journal is notified of each change, and no list or trace shows it.
  convenience init(of journal: Journal) {
    self.init(.unlimited, owner: nil, .immediate, isListed: false, scope: journal)
  }

  var isAlive: Bool {
    switch life {
    case .unlimited: true
    case .owner: owner != nil
    case .receiver(let isAlive): isAlive()
    }
  }

  fileprivate func didEnd(_ observance: Observance) {
    onEnd?(observance.number)
    index?.removeRegistration(observance)
  }
}

extension Observance {
  /// Whether there is still an observer to call.
  var isObserverAlive: Bool { policy?.isAlive ?? true }
  var participation: TransactionParticipation { policy?.participation ?? .deferred }
  var isListed: Bool { policy?.isListed ?? true }
  var observerDescription: String { policy?.observer ?? ObservancePolicy.closure }
  var context: UnsafeMutableRawPointer? { policy?.registration?.context }

  /// Tells the policy that the observance has ended.
  func didEnd() { policy?.didEnd(self) }
}

/// How an observance is notified of the changes in a transaction.
enum TransactionParticipation {
  /// Once at the end, of all changes together.
  case deferred
  /// Of each change as it happens, as outside a transaction.
  case immediate
}
