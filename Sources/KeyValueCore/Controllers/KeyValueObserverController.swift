/// Observes any number of objects for one owner, and ends with it.
///
/// It holds the owner weakly and passes it to every handler, so a handler captures nothing:
///
/// ```swift
/// final class ProfileView {
///   private var observer: KeyValueObserverController<ProfileView>?
///   var title = ""
///
///   init(_ person: Person) {
///     let observer = KeyValueObserverController(owner: self)
///     self.observer = observer
///     observer.observe(person.kvo.fullName, options: [.initial, .new]) { view, _, change in
///       view.title = change.newValue ?? ""
///     }
///     observer.observe(person.kvo.age) { view, person, _ in print("\(view.title) is \(person.age)") }
///   }
/// }
/// let view = ProfileView(person)
/// person.age += 1                   // Ada Lovelace is 37
/// ```
///
/// Normally the controller is a property of its owner. If it outlives the owner, it calls no more
/// handlers, not even for a change that's being delivered while the owner dies. Releasing the
/// controller ends all observations. It retains neither the owner nor any observed object; when an
/// observed object dies, the controller removes its observations.
///
/// A controller observes one path of one object once. A second registration is ignored and goes to
/// `KeyValueViolation` as tolerated; the first handler stays. The same path in another spelling, a
/// string or a stored path, is the same path.
///
/// Threading: use a controller where its owner lives. The owner and the observed objects may die on
/// any thread, and handlers run on the thread that changes the value.
///
/// - Complexity: Registering and unobserving a path take the same time however many registrations
///   there are. Unobserving an object, or everything, is linear in the registrations that end.
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public final class KeyValueObserverController<Owner: AnyObject> {
  /// The owner; nil once it's being destroyed.
  public private(set) weak var owner: Owner?
  private let table = ObservationTable()
  /// The number of registrations.
  var count: Int { table.count }
  /// What has to know that observers of a change are being called: a recorder, which is notified of each change
  /// of a transaction at once.
  private let scope: ChangeScope?
  private var role: KeyValueTrace.Registration.Role { scope == nil ? .controller : .recorder }

  /// Creates a controller that observes for this owner.
  public convenience init(owner: Owner) {
    self.init(owner: owner, scope: nil)
  }

  /// Creates a recorder's controller, or that of an owner.
  init(owner: Owner, scope: ChangeScope?) {
    self.owner = owner
    self.scope = scope
  }

  deinit {
    #if DEBUG || KVO_AUDIT
      // If the owner dies too, this isn't a mistake.
      if owner != nil {
        for token in table.allTokens() { token.reportIfUseless(keptBy: .controller) }
      }
    #endif
    unobserveAll()
  }

  #if DEBUG || KVO_AUDIT
    /// Reports the observations that end with the controller's keeper before they could deliver.
    func reportIfUseless(keptBy keeper: Keeper, since lifetime: TokenLifetime) {
      for token in table.allTokens() { token.reportIfUseless(keptBy: keeper, since: lifetime) }
    }
  #endif

  // MARK: Observing

  /// Calls a closure with the owner when the value of a path changes.
  ///
  /// A path that isn't observable goes to the violation handler. Does nothing once the owner is
  /// being destroyed.
  ///
  /// - Parameters:
  ///   - path: The path, `person.kvo.fullName`. Its object isn't retained.
  ///   - options: What the change carries, and which further calls are made.
  ///   - fileID: Where the observer is registered, for ``KeyValueTrace``.
  ///   - line: The line there.
  ///   - changeHandler: Called with the owner, the observed object and the change.
  /// - Returns: The registration's token, which the controller keeps, so you needn't. If the path
  ///   is already observed, it's the first registration's token.
  @inlinable
  @discardableResult
  public func observe<Object, Value>(
    _ path: KeyValueBoundPath<Object, Value>, options: KeyValueObservingOptions = [],
    fileID: StaticString = #fileID, line: UInt = #line,
    changeHandler: @escaping (Owner, Object, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    guard let owner else { return _refused(path._path) }
    let sink = path._object.ownedSink(path._path, options, owner, changeHandler)
    return _observe(
      path._object, path._path, options, owner, SourcePlace(fileID, line), sink)
  }

  @usableFromInline
  func _refused<Object, Value>(_ path: KeyValuePath<Object, Value>) -> KeyValueObservation {
    KeyValueObservation(refused: path.observed.string)
  }

  @usableFromInline
  func _observe<Object: KeyValueObservable, Value>(
    _ object: Object, _ keyPath: KeyValuePath<Object, Value>, _ options: KeyValueObservingOptions,
    _ owner: Owner, _ origin: SourcePlace, _ sink: @escaping Delivery.Sink
  ) -> KeyValueObservation {
    let path = ObservationTable.Path(keyPath)
    let observance = Observance(
      keyPath.observed, options: options, policy: policy(owner, object, path), at: origin,
      sink: sink)
    let token = object._register(
      observance, willRegister: { claim($0, observance, object, path) })
    return table.token(at: ObjectIdentifier(object), path) ?? token
  }

  /// Observes a string path for a recorder; nil if it's already observed or there is no owner.
  ///
  /// It reaches private keys too: a recorder takes back what happened, and shows no value.
  func observe<Object: KeyValueObservable>(
    _ object: Object, _ keyPath: String, options: KeyValueObservingOptions = [],
    at place: SourcePlace,
    changeHandler: @escaping (Owner, Object, KeyValueObservedChange<Any?>) -> Void
  ) throws -> KeyValueObservation? {
    guard let owner else { return nil }
    let observed = ObservedPath(try ParsedKeyPath(keyPath).reachingPrivateKeys())
    let sink = object.ownedSink(observed, options, owner, changeHandler)
    return try observe(object, observed, options: options, at: place, sink: sink)
  }

  /// Registers a recorder's sink; nil if the path is already observed or there is no owner.
  func observe<Object: KeyValueObservable>(
    _ object: Object, _ observed: ObservedPath, options: KeyValueObservingOptions,
    at place: SourcePlace, sink: @escaping Delivery.Sink
  ) throws -> KeyValueObservation? {
    guard let owner else { return nil }
    let path = ObservationTable.Path(observed.string)
    let observance = Observance(
      observed, options: options, policy: policy(owner, object, path), at: place, sink: sink)
    let token = KeyValueObservation(observance)
    guard claim(token, observance, object, path) else { return nil }
    do {
      try observance.register(on: object)
    } catch {
      token.invalidate()
      throw error
    }
    return token
  }

  /// Adds a registration to the table before the first call of its handler, which may undo it.
  private func claim(
    _ token: KeyValueObservation, _ observance: Observance, _ object: any KeyValueObservable,
    _ path: ObservationTable.Path
  ) -> Bool {
    if table.insert(token, of: observance, at: ObjectIdentifier(object), path) { return true }
    KeyValueViolation.report(
      .tolerated,
      "'\(token.keyPath)' of \(object.schema.name) is observed by this controller of "
        + "\(name(of: Owner.self)) already, and the second registration was ignored. "
        + "Unobserve the first, or do both things in one handler.")
    return false
  }

  private func policy(
    _ owner: Owner, _ object: any KeyValueObservable, _ path: ObservationTable.Path
  ) -> ObservancePolicy {
    weak let table = table
    let object = ObjectIdentifier(object)
    return ObservancePolicy(owner: owner, role: role, scope: scope) {
      table?.remove($0, at: object, path)
    }
  }

  // MARK: Stopping

  /// Stops observing an object.
  ///
  /// No call starts after it returns, on any thread. A handler may call it.
  public func unobserve(_ object: some KeyValueObservable) {
    for token in table.tokens(at: ObjectIdentifier(object)) { token.invalidate() }
  }

  /// Stops observing a path; does nothing if it isn't observed.
  public func unobserve<Object, Value>(_ path: KeyValueBoundPath<Object, Value>) {
    table.token(at: ObjectIdentifier(path._object), .init(path._path))?.invalidate()
  }

  /// Stops observing a string path of an object; does nothing if it isn't observed.
  func unobserve(_ object: some KeyValueObservable, _ keyPath: String) {
    table.token(at: ObjectIdentifier(object), .init(keyPath))?.invalidate()
  }

  /// The token of a string path, if its registration is active.
  func token(of object: any KeyValueObservable, _ keyPath: String) -> KeyValueObservation? {
    table.token(at: ObjectIdentifier(object), .init(keyPath))
  }

  /// Stops observing everything.
  public func unobserveAll() {
    for token in table.allTokens() { token.invalidate() }
  }
}

extension KeyValueObserverController: CustomStringConvertible {
  /// The owner's class and the number of observed paths:
  /// `KeyValueObserverController<ProfileView>(3 observed)`.
  public var description: String {
    "KeyValueObserverController<\(name(of: Owner.self))>(\(count) observed)"
  }
}
