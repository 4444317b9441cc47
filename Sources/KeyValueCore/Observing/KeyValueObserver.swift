/// An object that is told of changes by key path and context, as Cocoa's observers are.
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
/// A main-actor class conforms as `@MainActor KeyValueObserver`. The observer is held weakly and
/// dropped when it dies.
///
/// Source of the behaviour: Cocoa's `observeValueForKeyPath:ofObject:change:context:`. A context that
/// the class does not know has no superclass to go to; ignore it.
public protocol KeyValueObserver: AnyObject {
  /// Called on the thread that changes the value, before the mutation where the change is a prior and
  /// after it otherwise.
  func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?)
}

/// One registration that `observationInfo` lists; a copy, which retains nobody.
public struct KeyValueObservationInfo: CustomStringConvertible {
  /// Who is told: a closure, or the class and address of an observer object.
  public let observer: String
  /// The observed key path.
  public let keyPath: String
  /// What was asked for.
  public let options: KeyValueObservingOptions
  /// The context, compared and handed back, never followed.
  public let context: UnsafeMutableRawPointer?

  /// One line: `account.balance -> closure, options: [.new]`.
  public var description: String {
    "\(keyPath) -> \(observer), options: \(options)"
      + (context.map { ", context: \($0)" } ?? "")
  }
}

extension KeyValueObservable {
  /// Registers an observer object for a key path.
  ///
  /// The same observer may be registered several times; it is told once per registration, and each
  /// removal removes one. Neither the observer nor the observed object is retained.
  ///
  /// ```swift
  /// try person.addObserver(ledger, forKeyPath: "account.balance", options: [.old, .new])
  /// try person.addObserver(ledger, forKeyPath: "acount.balance")
  /// // throws: Person has no key 'acount' (component 1 of 'acount.balance'). Did you mean 'account'?
  /// ```
  ///
  /// May be called from any thread; the observer is told on the thread that makes the change. The cost
  /// does not depend on how many registrations there are.
  ///
  /// - Parameters:
  ///   - observer: Who is told.
  ///   - keyPath: Keys separated by dots, operators included.
  ///   - options: What the change carries, and which further callbacks come.
  ///   - context: Handed back with each change, and compared on removal.
  /// - Throws: `KeyValueCodingError`, naming the component, if the path cannot be observed.
  ///
  /// Source of the behaviour: Cocoa, which raises or accepts where this throws.
  public func addObserver(
    _ observer: any KeyValueObserver, forKeyPath keyPath: String,
    options: KeyValueObservingOptions = [], context: UnsafeMutableRawPointer? = nil
  ) throws {
    _ = try register(observer, keyPath, options, context)
  }

  fileprivate func register(
    _ observer: any KeyValueObserver, _ keyPath: String, _ options: KeyValueObservingOptions,
    _ context: UnsafeMutableRawPointer?
  ) throws -> Observance {
    let path = ObservedPath(try ParsedKeyPath(keyPath))
    weak let weakObserver = observer
    let sink = untypedSink(path, options) { (object: Self, change) in
      weakObserver?.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
    let observance = Observance(
      path, options: options, policy: .init(observer: observer, context: context), sink: sink)
    observance.enroll(in: self)
    do {
      try observance.register(on: self)
    } catch {
      observance.end()
      throw error
    }
    return observance
  }

  /// Removes the registration that was made with exactly this context; of several, the oldest.
  ///
  /// ```swift
  /// try person.removeObserver(ledger, forKeyPath: "account.balance", context: nil)
  /// try person.removeObserver(ledger, forKeyPath: "account.balance", context: nil)
  /// // throws: Person has no such observer for 'account.balance' to remove: Ledger is not registered …
  /// ```
  ///
  /// May be called from any thread, in a callback too. When it returns, no new callback starts. The
  /// cost does not depend on how many registrations there are.
  ///
  /// - Throws: `KeyValueCodingError.notRegistered` if there is none; nothing has changed then.
  public func removeObserver(
    _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
  ) throws {
    // Another thread may end the one that was found; then the next one is meant.
    while try !registration(of: observer, keyPath, context: .some(context)).end() {}
  }

  /// Removes the oldest registration of this observer for this key path, whatever its context.
  ///
  /// Threads and cost are those of the removal by context.
  ///
  /// - Throws: `KeyValueCodingError.notRegistered` if there is none; nothing has changed then.
  public func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) throws {
    while try !registration(of: observer, keyPath, context: nil).end() {}
  }

  /// The oldest registration that is not among those given.
  fileprivate func registration(
    of observer: any KeyValueObserver, _ keyPath: String, context: UnsafeMutableRawPointer??,
    besides taken: Set<ObjectIdentifier> = []
  ) throws -> Observance {
    // A registration of a dead object may stand under the address of this one; only an observer that
    // removes itself in its own deinit looks as dead as that.
    weak let probe = observer
    let isDying = probe == nil
    let found = _$kvoWithRegistrar { registrar in
      registrar.storage()?.update { state in
        state.observers.first(ObjectIdentifier(observer), keyPath, context: context) { observance in
          (observance.policy?.owner == nil) == isDying && !taken.contains(ObjectIdentifier(observance))
        }
      } ?? nil
    }
    guard let found else {
      throw KeyValueCodingError.notRegistered(
        .init(
          type: schema.name, key: keyPath,
          reason:
            "\(name(of: type(of: observer))) is not registered for it, or not with this context"
        ))
    }
    return found
  }

  /// What is registered here, in registration order.
  ///
  /// ```swift
  /// print(person.observationInfo)      // [account.balance -> closure, options: [.new]]
  /// ```
  ///
  /// For looking at while debugging: it walks over all that is registered. May be read from any thread.
  ///
  /// Cocoa's has a content that is private, and can be set.
  public var observationInfo: [KeyValueObservationInfo] {
    let watches = _$kvoWithRegistrar { $0.storage()?.read { $0.allWatches() } } ?? []
    var seen: Set<UInt64> = []
    return
      watches
      .filter { $0.hop?.isFirst != false && $0.observance.isActive && $0.observance.isObserverAlive }
      .map(\.observance)
      .filter(\.isListed)
      .filter { seen.insert($0.sequence).inserted }
      .sorted { $0.sequence < $1.sequence }
      .map {
        KeyValueObservationInfo(
          observer: $0.observerDescription, keyPath: $0.keyPath, options: $0.options,
          context: $0.context)
      }
  }
}

extension Array where Element: KeyValueObservable {
  /// Registers an observer object for a key path of several elements; all of them or none.
  ///
  /// Only the elements are observed, not the array: who comes or goes later is nobody's business.
  ///
  /// ```swift
  /// let accounts = [Account(), Account()]
  /// try accounts.addObserver(
  ///   ledger, toObjectsAt: RangeSet(1..<2), forKeyPath: "balance", options: .new)
  /// accounts[0].balance = 1            // (nothing)
  /// accounts[1].balance = 2            // balance setting, new: 2.0
  /// ```
  ///
  /// The cost is that of one registration for each index.
  ///
  /// - Throws: `KeyValueCodingError`: `indexOutOfRange`, or what registering on an element throws.
  ///
  /// Source of the behaviour: Cocoa, which raises where this throws.
  public func addObserver(
    _ observer: any KeyValueObserver, toObjectsAt indexes: RangeSet<Int>,
    forKeyPath keyPath: String, options: KeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer? = nil
  ) throws {
    try checkIndexes(indexes, keyPath)
    var registered: [Observance] = []
    do {
      for element in self[indexes] {
        registered.append(try element.register(observer, keyPath, options, context))
      }
    } catch {
      for observance in registered { observance.end() }
      throw error
    }
  }

  /// Removes an observer object from several elements; from all of them or none.
  ///
  /// A context that is left out means the registration that was made without one.
  ///
  /// - Throws: `KeyValueCodingError`: `indexOutOfRange`, or `notRegistered` where one element has no such
  ///   registration; nothing has changed then.
  public func removeObserver(
    _ observer: any KeyValueObserver, fromObjectsAt indexes: RangeSet<Int>,
    forKeyPath keyPath: String, context: UnsafeMutableRawPointer? = nil
  ) throws {
    try checkIndexes(indexes, keyPath)
    var found: [Observance] = []
    var taken: Set<ObjectIdentifier> = []
    for element in self[indexes] {
      let next = try element.registration(
        of: observer, keyPath, context: .some(context), besides: taken)
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
