/// Observes any number of objects for one owner, and stops when the owner goes.
///
/// The owner is held weakly and handed to every handler, so a handler captures nothing:
///
/// ```swift
/// final class ProfileView {
///   private var observer: KeyValueObserverController<ProfileView>?
///   var title = ""
///
///   init(_ person: Person) throws {
///     let observer = KeyValueObserverController(owner: self)
///     self.observer = observer
///     observer.observe(person, \.fullName, options: [.initial, .new]) { view, _, change in
///       view.title = change.newValue ?? ""
///     }
///     try observer.observe(person, "age", "nickname") { view, _, keyPath, _ in
///       print("\(view.title): \(keyPath) changed")
///     }
///   }
/// }
/// let view = try ProfileView(person)
/// person.age += 1                   // Ada Lovelace: age changed
/// ```
///
/// Normally the controller is a property of its owner and ends with it. Where it outlives the owner, no
/// handler is called any more: not even by a change that is being delivered while the owner dies.
/// Letting go of the controller ends everything. Neither the owner nor any observed object is
/// retained, and an object that dies leaves nothing in the controller.
///
/// One controller observes one path of one object once. Doing it again is ignored and reported to
/// `KeyValueViolation` as tolerated; the first handler stays. A path that is written in another way, as
/// a string or with `?`, is the same path.
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
  private let hearsEveryChange: Bool

  /// Creates a controller that observes for this owner.
  public convenience init(owner: Owner) {
    self.init(owner: owner, hearsEveryChange: false)
  }

  /// - Parameter hearsEveryChange: Whether its observances do not wait for the end of a transaction.
  init(owner: Owner, hearsEveryChange: Bool) {
    self.owner = owner
    self.hearsEveryChange = hearsEveryChange
  }

  deinit {
    #if DEBUG || KVO_AUDIT
      // Where the owner goes too, all is as it should be.
      if owner != nil {
        for token in table.allTokens() { token.reportIfUseless(keptBy: "controller") }
      }
    #endif
    unobserveAll()
  }

  // MARK: Observing

  /// Calls a closure with the owner when the value of a typed key path changes.
  ///
  /// What cannot be observed goes to the violation handler. Does nothing once the owner is dying.
  ///
  /// - Parameters:
  ///   - object: What is observed; not retained.
  ///   - keyPath: As for `observe(_:options:changeHandler:)` of the object.
  ///   - options: What the change carries, and which further callbacks come.
  ///   - changeHandler: Called with the owner, the observed object and the change.
  @inlinable
  public func observe<Object: KeyValueObservable, Value>(
    _ object: Object,
    _ keyPath: KeyPath<KeyValuePath<Object, Object>, KeyValuePath<Object, Value>>,
    options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Owner, Object, KeyValueObservedChange<Value>) -> Void
  ) {
    observe(object, KeyValuePath(keyPath), options: options, changeHandler: changeHandler)
  }

  /// Calls a closure with the owner when the value of a key path that is written with `?` changes.
  @inlinable
  @_disfavoredOverload
  public func observe<Object: KeyValueObservable, Value>(
    _ object: Object,
    _ keyPath: KeyPath<KeyValuePath<Object, Object>, KeyValuePath<Object, Value>?>,
    options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Owner, Object, KeyValueObservedChange<Value?>) -> Void
  ) {
    observe(object, KeyValuePath(keyPath), options: options, changeHandler: changeHandler)
  }

  /// Calls a closure with the owner when the property that a plain key path names changes.
  ///
  /// A plain key path must name one property; another goes to the violation handler.
  @inlinable
  @_disfavoredOverload
  public func observe<Object: KeyValueObservable, Value>(
    // Optional, so that it loses against the forms above where both fit.
    _ object: Object, _ keyPath: KeyPath<Object, Value>?,
    options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Owner, Object, KeyValueObservedChange<Value>) -> Void
  ) {
    guard let path = keyPath.flatMap({ KeyValuePath(naming: $0) }) else { return }
    observe(object, path, options: options, changeHandler: changeHandler)
  }

  /// Calls a closure with the owner when the value of a path that is held in a value changes.
  @inlinable
  public func observe<Object: KeyValueObservable, Value>(
    _ object: Object, _ keyPath: KeyValuePath<Object, Value>,
    options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Owner, Object, KeyValueObservedChange<Value>) -> Void
  ) {
    guard let owner else { return }
    let sink = object.ownedSink(keyPath, options, owner, changeHandler)
    _observe(object, keyPath, options, owner, sink)
  }

  @usableFromInline
  func _observe<Object: KeyValueObservable, Value>(
    _ object: Object, _ keyPath: KeyValuePath<Object, Value>, _ options: KeyValueObservingOptions,
    _ owner: Owner, _ sink: @escaping Delivery.Sink
  ) {
    let path = ObservationTable.Path(keyPath)
    let observance = OwnedObservance(
      owner, keyPath.observed, options: options, boxAggregate: keyPath.boxAggregate,
      hearsEveryChange: hearsEveryChange, onEnd: removal(object, path), sink: sink)
    _ = object._register(
      keyPath.observed, willRegister: { claim($0, observance, object, path) }, { observance })
  }

  /// Calls a closure with the owner when the value of a key path written as a string changes.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component, if the path cannot be observed.
  public func observe<Object: KeyValueObservable>(
    _ object: Object, _ keyPath: String, options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Owner, Object, KeyValueObservedChange<Any?>) -> Void
  ) throws {
    _ = try add(object, keyPath, options, changeHandler)
  }

  /// Calls a closure with the owner and the key path when the value of any of several key paths changes.
  ///
  /// ```swift
  /// try observer.observe(person, ["age", "account.balance"]) { view, person, keyPath, change in … }
  /// ```
  ///
  /// - Throws: `KeyValueCodingError`, naming the component, if one of the paths cannot be observed;
  ///   then none of them is.
  public func observe<Object: KeyValueObservable>(
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

  /// Calls a closure with the owner and the key path when the value of any of several key paths changes.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component, if one of the paths cannot be observed;
  ///   then none of them is.
  public func observe<Object: KeyValueObservable>(
    _ object: Object, _ keyPaths: String..., options: KeyValueObservingOptions = [],
    changeHandler: @escaping (Owner, Object, String, KeyValueObservedChange<Any?>) -> Void
  ) throws {
    try observe(object, keyPaths, options: options, changeHandler: changeHandler)
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
    let observance = OwnedObservance(
      owner, observed, options: options, boxAggregate: observed.untypedBox,
      hearsEveryChange: hearsEveryChange, onEnd: removal(object, path), sink: sink)
    let token = KeyValueObservation(observance, keyPath: keyPath)
    guard claim(token, observance, object, path) else { return nil }
    do {
      try observance.register(on: object, path: observed)
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

  private func removal(
    _ object: any KeyValueObservable, _ path: ObservationTable.Path
  ) -> @Sendable (UInt64) -> Void {
    weak let table = table
    let object = ObjectIdentifier(object)
    return { table?.remove($0, at: object, path) }
  }

  // MARK: Stopping

  /// Stops observing an object, whatever was observed of it.
  ///
  /// No call starts after it, on this thread or another; it may be called from inside a handler.
  public func unobserve(_ object: some KeyValueObservable) {
    for token in table.tokens(at: ObjectIdentifier(object)) { token.invalidate() }
  }

  /// Stops observing one typed key path of an object; does nothing where it is not observed.
  public func unobserve<Object: KeyValueObservable, Value>(
    _ object: Object,
    _ keyPath: KeyPath<KeyValuePath<Object, Object>, KeyValuePath<Object, Value>>
  ) {
    unobserve(object, KeyValuePath(keyPath))
  }

  /// Stops observing one key path, written with `?`, of an object; does nothing where it is not observed.
  @_disfavoredOverload
  public func unobserve<Object: KeyValueObservable, Value>(
    _ object: Object,
    _ keyPath: KeyPath<KeyValuePath<Object, Object>, KeyValuePath<Object, Value>?>
  ) {
    unobserve(object, KeyValuePath(keyPath))
  }

  /// Stops observing the property that a plain key path names; does nothing where it is not observed.
  @_disfavoredOverload
  public func unobserve<Object: KeyValueObservable, Value>(
    // Optional, so that it loses against the forms above where both fit.
    _ object: Object, _ keyPath: KeyPath<Object, Value>?
  ) {
    if let path = keyPath.flatMap({ KeyValuePath(naming: $0) }) { unobserve(object, path) }
  }

  /// Stops observing one path, held in a value, of an object; does nothing where it is not observed.
  public func unobserve<Object: KeyValueObservable, Value>(
    _ object: Object, _ keyPath: KeyValuePath<Object, Value>
  ) {
    table.token(at: ObjectIdentifier(object), .init(keyPath))?.invalidate()
  }

  /// Stops observing one key path, written as a string, of an object; does nothing where it is not
  /// observed.
  public func unobserve(_ object: some KeyValueObservable, _ keyPath: String) {
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
