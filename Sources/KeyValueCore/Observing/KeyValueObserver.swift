/// An object that receives changes by key path and context, like Cocoa's observers.
///
/// ```swift
/// final class Ledger: KeyValueObserver {
///   func observeValue(
///     forKeyPath keyPath: String, of object: any KeyValueObservable,
///     change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
///   ) {
///     print(keyPath, change)
///   }
/// }
/// try person.addObserver(ledger, forKeyPath: "account.balance", options: [.old, .new])
/// person.account = Account()         // account.balance setting, old: nil, new: 100.0
/// ```
///
/// A main-actor class conforms as `@MainActor KeyValueObserver`. A registration holds its observer
/// weakly and ends with it.
///
/// Source of the behaviour: Cocoa's `observeValueForKeyPath:ofObject:change:context:`. There is no
/// superclass to pass an unknown context to; ignore it.
public protocol KeyValueObserver: AnyObject {
  /// Called on the thread that changes the value: before the mutation for a prior, else after it.
  func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?)
}

extension KeyValueObservable {
  /// Registers an observer object for a key path.
  ///
  /// An observer may be registered several times: it receives each change once per registration,
  /// and each removal removes one. The registration retains neither the observer nor the observed
  /// object.
  ///
  /// ```swift
  /// try person.addObserver(ledger, forKeyPath: "account.balance", options: [.old, .new])
  /// try person.addObserver(ledger, forKeyPath: "acount.balance")
  /// // throws: Person has no key 'acount' (component 1 of 'acount.balance'). Did you mean 'account'?
  /// ```
  ///
  /// May be called on any thread. The observer is called on the thread that makes the change.
  ///
  /// - Parameters:
  ///   - observer: The object to call.
  ///   - keyPath: Keys separated by dots, operators included.
  ///   - options: What the change carries, and which further calls are made.
  ///   - context: Passed back with each change, and compared on removal.
  ///   - fileID: Where the observer is registered, for ``KeyValueTrace``.
  ///   - line: The line there.
  /// - Throws: `KeyValueCodingError`, naming the component, if the path isn't observable.
  ///
  /// - Complexity: Independent of the number of registrations.
  ///
  /// Source of the behaviour: Cocoa, which raises or accepts where this throws.
  public func addObserver(
    _ observer: any KeyValueObserver, forKeyPath keyPath: String,
    options: KeyValueObservingOptions = [], context: UnsafeMutableRawPointer? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws {
    _ = try register(observer, keyPath, options, context, SourcePlace(fileID, line))
  }

  /// Registers an observer object for a key path.
  ///
  /// `removeObserver` finds the registration only if `isRemovable`.
  package func register(
    _ observer: any KeyValueObserver, _ keyPath: String, _ options: KeyValueObservingOptions,
    _ context: UnsafeMutableRawPointer?, _ origin: SourcePlace, isRemovable: Bool = true
  ) throws -> Observance {
    let path = ObservedPath(try ParsedKeyPath(keyPath))
    weak let weakObserver = observer
    let sink = untypedSink(path, options) { (object: Self, change) in
      weakObserver?.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
    let observance = Observance(
      path, options: options, policy: .init(observer: observer, context: context), at: origin,
      sink: sink)
    if isRemovable { observance.enroll(in: self) }
    do {
      try observance.register(on: self)
    } catch {
      observance.end()
      throw error
    }
    return observance
  }

  /// Removes the oldest registration with exactly this context.
  ///
  /// ```swift
  /// try person.removeObserver(ledger, forKeyPath: "account.balance", context: nil)
  /// try person.removeObserver(ledger, forKeyPath: "account.balance", context: nil)
  /// // throws: Person has no such observer for 'account.balance' to remove: Ledger is not registered …
  /// ```
  ///
  /// May be called on any thread, even from a handler. When it returns, no new call starts.
  ///
  /// - Throws: `KeyValueCodingError.notRegistered` if there is none; then nothing has changed. It doesn't
  ///   throw in the observer's `deinit`, because a change meanwhile ends a dying observer's registration.
  ///
  /// - Complexity: Independent of the number of registrations.
  public func removeObserver(
    _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
  ) throws {
    // Another thread may end the registration found first; then this removes the next one.
    while let found = try registration(of: observer, keyPath, context: .some(context)), !found.end()
    {}
  }

  /// Removes the oldest registration of an observer for a key path, whatever its context.
  ///
  /// Threads and cost are as for the removal by context.
  ///
  /// - Throws: `KeyValueCodingError.notRegistered` if there is none; then nothing has changed.
  public func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) throws {
    while let found = try registration(of: observer, keyPath, context: nil), !found.end() {}
  }

  /// The oldest registration that isn't in `taken`; nil if there is none because the observer is dying, and
  /// a change has ended its registration already.
  fileprivate func registration(
    of observer: any KeyValueObserver, _ keyPath: String, context: UnsafeMutableRawPointer??,
    besides taken: Set<ObjectIdentifier> = []
  ) throws -> Observance? {
    // A dead object's registration may have this object's address. Only an observer that removes
    // itself in its own deinit looks equally dead.
    weak let probe = observer
    let isDying = probe == nil
    let found = _$kvoWithRegistrar { registrar in
      registrar.storage()?.update { state in
        state.observers.first(ObjectIdentifier(observer), keyPath, context: context) {
          ($0.policy?.owner == nil) == isDying && !taken.contains(ObjectIdentifier($0))
        }
      } ?? nil
    }
    guard found != nil || isDying else {
      throw KeyValueCodingError.notRegistered(
        .init(
          type: schema.name, key: keyPath,
          reason:
            "\(name(of: type(of: observer))) is not registered for it, or not with this context"
        ))
    }
    return found
  }

  /// The registrations on this object, in registration order.
  ///
  /// ```swift
  /// print(person.observationInfo)      // [account.balance -> closure, options: [.new]]
  /// ```
  ///
  /// For debugging. May be read on any thread.
  ///
  /// Cocoa's property has private content, and can be set.
  ///
  /// - Complexity: O(*n*), where *n* is the number of registrations.
  public var observationInfo: [KeyValueObservationInfo] {
    let watches = _$kvoWithRegistrar { $0.storage()?.read { $0.allWatches() } } ?? []
    return
      watches
      .filter { $0.hop?.parent == nil }
      .map(\.observance)
      .filter { $0.isActive && $0.isObserverAlive }
      .sorted { $0.number < $1.number }
      .map {
        KeyValueObservationInfo(
          observer: $0.observerDescription, keyPath: $0.keyPath, options: $0.requestedOptions,
          context: $0.context)
      }
  }
}

/// A copy of one registration's data, from `observationInfo`; it retains no object.
public struct KeyValueObservationInfo: CustomStringConvertible {
  /// The observer: a closure, or an observer object's class and address.
  public let observer: String
  /// The observed key path.
  public let keyPath: String
  /// The requested options.
  public let options: KeyValueObservingOptions
  /// The context, which is compared and passed back, but never dereferenced.
  public let context: UnsafeMutableRawPointer?

  /// One line: `account.balance -> closure, options: [.new]`.
  public var description: String {
    "\(keyPath) -> \(observer), options: \(options)"
      + (context.map { ", context: \($0)" } ?? "")
  }
}

extension Array where Element: KeyValueObservable {
  /// Registers an observer object for a key path of several elements; all of them or none.
  ///
  /// Only these elements are observed, not the array. Elements added later aren't observed.
  ///
  /// ```swift
  /// let accounts = [Account(), Account()]
  /// try accounts.addObserver(
  ///   ledger, toObjectsAt: RangeSet(1..<2), forKeyPath: "balance", options: .new)
  /// accounts[0].balance = 1            // (nothing)
  /// accounts[1].balance = 2            // balance setting, new: 2.0
  /// ```
  ///
  /// - Throws: `KeyValueCodingError`: `indexOutOfRange`, or the error of registering on an element.
  ///
  /// - Complexity: One registration for each index.
  ///
  /// Source of the behaviour: Cocoa, which raises where this throws.
  public func addObserver(
    _ observer: any KeyValueObserver, toObjectsAt indexes: RangeSet<Int>,
    forKeyPath keyPath: String, options: KeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws {
    try checkIndexes(indexes, keyPath)
    _ = try Observance.allOrNone(self[indexes]) { element in
      try element.register(observer, keyPath, options, context, SourcePlace(fileID, line))
    }
  }

  /// Removes an observer object from several elements; from all of them or none.
  ///
  /// Without a context, this removes registrations that were made without one.
  ///
  /// - Throws: `KeyValueCodingError`: `indexOutOfRange`, or `notRegistered` if an element has no
  ///   such registration; then nothing has changed.
  public func removeObserver(
    _ observer: any KeyValueObserver, fromObjectsAt indexes: RangeSet<Int>,
    forKeyPath keyPath: String, context: UnsafeMutableRawPointer? = nil
  ) throws {
    try checkIndexes(indexes, keyPath)
    var found: [Observance] = []
    var taken: Set<ObjectIdentifier> = []
    for element in self[indexes] {
      guard
        let next = try element.registration(
          of: observer, keyPath, context: .some(context), besides: taken)
      else { continue }
      found.append(next)
      taken.insert(ObjectIdentifier(next))
    }
    for observance in found { observance.end() }
  }

  private func checkIndexes(_ indexes: RangeSet<Int>, _ keyPath: String) throws {
    guard let first = indexes.ranges.first, let last = indexes.ranges.last,
      first.lowerBound < 0 || last.upperBound > count
    else { return }
    throw KeyValueCodingError.indexOutOfRange(
      .init(
        type: name(of: Self.self), key: keyPath,
        reason: "the indexes are \(listing(indexes)), and there are \(count) objects"))
  }
}

extension Observance {
  /// Adds the registration of an observer object to the index of the observed object's registrar, and from time to
  /// time ends the registrations of observers that have died.
  ///
  /// A change of their keys would end them, too, but may never come (Parity R5).
  func enroll(in object: any KeyValueObservable) {
    let others = object._$kvoWithRegistrar { registrar in
      registrar.update(of: object) { storage, state -> [Observance] in
        policy?.index = storage
        state.observers.insert(self)
        return state.observers.allIfDue()
      }
    }
    // Without the lock, because an observer that's asked for may die right then.
    for observance in others where !observance.isObserverAlive { observance.end() }
  }
}
