/// Observes any number of objects for one owner, and stops when the owner goes.
///
/// The owner is held weakly and handed to every handler, so a handler captures nothing:
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
/// Normally the controller is a property of its owner and ends with it. Where it outlives the owner, no
/// handler is called any more: not even by a change that is being delivered while the owner dies.
/// Letting go of the controller ends everything. Neither the owner nor any observed object is
/// retained, and an object that dies leaves nothing in the controller.
///
/// One controller observes one path of one object once. Doing it again is ignored and reported to
/// `KeyValueViolation` as tolerated; the first handler stays. A path that is written in another way, as
/// a string or held in a value, is the same path.
///
/// Threading: a controller is used where its owner lives. The owner and the observed objects may die on
/// any thread, and handlers run on the thread that changes the value. Registering and unobserving cost
/// the same however many registrations there are.
///
/// Source of the behaviour: ours; Cocoa has no such thing.
public final class KeyValueObserverController<Owner: AnyObject> {
  /// For whom it observes; nil once the owner is dying.
  public private(set) weak var owner: Owner?
  private let table = ObservationTable()
  private let participation: TransactionParticipation

  /// Creates a controller that observes for this owner.
  public convenience init(owner: Owner) {
    self.init(owner: owner, .deferred)
  }

  /// Creates a controller whose observances hear changes in a transaction as stated.
  init(owner: Owner, _ participation: TransactionParticipation) {
    self.owner = owner
    self.participation = participation
  }

  deinit {
    #if DEBUG || KVO_AUDIT
      // Where the owner goes too, all is as it should be.
      if owner != nil {
        for token in table.allTokens() { token.reportIfUseless(keptBy: .controller) }
      }
    #endif
    unobserveAll()
  }

  #if DEBUG || KVO_AUDIT
    /// Reports what ends with the controller's keeper before it was of any use.
    func reportIfUseless(keptBy keeper: Keeper, since life: TokenLife) {
      for token in table.allTokens() { token.reportIfUseless(keptBy: keeper, since: life) }
    }
  #endif

  // MARK: Observing

  /// Calls a closure with the owner when the value of a path changes.
  ///
  /// What cannot be observed goes to the violation handler. Does nothing once the owner is dying.
  ///
  /// - Parameters:
  ///   - path: What is observed: `person.kvo.fullName`. The object is not retained.
  ///   - options: What the change carries, and which further callbacks come.
  ///   - changeHandler: Called with the owner, the observed object and the change.
  /// - Returns: The registration's token, which the controller keeps, so that you need not; where the path
  ///   is observed already, the first registration's.
  @inlinable
  @discardableResult
  public func observe<Object, Value>(
    _ path: KeyValueBoundPath<Object, Value>, options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Owner, Object, KeyValueObservedChange<Value>) -> Void
  ) -> KeyValueObservation {
    guard let owner else { return _refused(path._path) }
    let sink = path._object.ownedSink(path._path, options, owner, changeHandler)
    return _observe(path._object, path._path, options, owner, sink)
  }

  @usableFromInline
  func _refused<Object, Value>(_ path: KeyValuePath<Object, Value>) -> KeyValueObservation {
    KeyValueObservation(refused: path.observed.string)
  }

  @usableFromInline
  func _observe<Object: KeyValueObservable, Value>(
    _ object: Object, _ keyPath: KeyValuePath<Object, Value>, _ options: KeyValueObservingOptions,
    _ owner: Owner, _ sink: @escaping Delivery.Sink
  ) -> KeyValueObservation {
    let path = ObservationTable.Path(keyPath)
    let observance = Observance(
      keyPath.observed, options: options, policy: policy(owner, object, path), sink: sink)
    let token = object._register(
      observance, willRegister: { claim($0, observance, object, path) })
    return table.token(at: ObjectIdentifier(object), path) ?? token
  }

  /// Observes several key paths, all or none, for a recorder.
  func observe<Object: KeyValueObservable>(
    _ object: Object, _ keyPaths: [String], options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Owner, Object, String, KeyValueObservedChange<Any?>) -> Void
  ) throws {
    var added: [KeyValueObservation] = []
    do {
      guard !keyPaths.isEmpty else { throw KeyValueCodingError.noKeyPaths(of: object) }
      for keyPath in keyPaths {
        let token = try add(object, keyPath, options) { owner, object, change in
          changeHandler(owner, object, keyPath, change)
        }
        if let token { added.append(token) }
      }
    } catch {
      for token in added { token.invalidate() }
      throw error
    }
  }

  /// Registers a string path; nil where it is observed already or there is no owner.
  private func add<Object: KeyValueObservable>(
    _ object: Object, _ keyPath: String, _ options: KeyValueObservingOptions,
    _ handler: @escaping (Owner, Object, KeyValueObservedChange<Any?>) -> Void
  ) throws -> KeyValueObservation? {
    guard let owner else { return nil }
    let observed = ObservedPath(try ParsedKeyPath(keyPath))
    let sink = object.ownedSink(observed, options, owner, handler)
    let path = ObservationTable.Path(keyPath)
    let observance = Observance(
      observed, options: options, policy: policy(owner, object, path), sink: sink)
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

  /// Enters a registration before anybody can be called, so that its handler may already undo it.
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
    return ObservancePolicy(owner: owner, participation) { table?.remove($0, at: object, path) }
  }

  // MARK: Stopping

  /// Stops observing an object, whatever was observed of it.
  ///
  /// No call starts after it, on this thread or another; it may be called from inside a handler.
  public func unobserve(_ object: some KeyValueObservable) {
    for token in table.tokens(at: ObjectIdentifier(object)) { token.invalidate() }
  }

  /// Stops observing one path; does nothing where it is not observed.
  public func unobserve<Object, Value>(_ path: KeyValueBoundPath<Object, Value>) {
    table.token(at: ObjectIdentifier(path._object), .init(path._path))?.invalidate()
  }

  /// Stops observing one key path, written as a string, of an object; does nothing where it is not
  /// observed.
  func unobserve(_ object: some KeyValueObservable, _ keyPath: String) {
    table.token(at: ObjectIdentifier(object), .init(keyPath))?.invalidate()
  }

  /// The token of one key path, written as a string, as long as its registration is in force.
  func token(of object: any KeyValueObservable, _ keyPath: String) -> KeyValueObservation? {
    table.token(at: ObjectIdentifier(object), .init(keyPath))
  }

  /// Stops observing everything.
  public func unobserveAll() {
    for token in table.allTokens() { token.invalidate() }
  }
}

extension KeyValueObserverController: CustomStringConvertible {
  /// The owner's class and how much is observed: `KeyValueObserverController<ProfileView>(3 observed)`.
  public var description: String {
    "KeyValueObserverController<\(name(of: Owner.self))>(\(table.count) observed)"
  }
}
