import KeyValueCore

// Mutable state and its guard: the objects' registrations share one lock. A collection belongs to one
// thread at a time, as in Cocoa; a snapshot is constant.

/// Observers that any number of objects of one class can have in common.
///
/// ```swift
/// let shared = NSKeyValueSharedObservers(observableClass: Employee.self)
/// shared.addSharedObserver(payroll, forKey: "salary", options: .new, context: nil)
/// let snapshot = shared.snapshot()
/// for employee in employees { employee.setSharedObservers(snapshot) }
/// ```
///
/// Source of the behaviour: Cocoa since macOS 15. There, all objects share one list of observers. Here,
/// setting a snapshot registers each of its observers with the object.
open class NSKeyValueSharedObservers: Foundation.NSObject {
  private let observableClass: AnyClass
  private var registrations: [NSKeyValueSharedObserversSnapshot.Registration] = []
  private var current: NSKeyValueSharedObserversSnapshot?

  /// Creates an empty collection for objects of a class.
  public init(observableClass: AnyClass) {
    self.observableClass = observableClass
  }

  /// Adds an observer, which is called for each object that has a later snapshot.
  ///
  /// The collection doesn't retain the observer. Raises if `key` is a path or has an operator.
  ///
  /// - Parameters:
  ///   - observer: The object to call.
  ///   - key: A key of the class.
  ///   - options: What the change carries, and which further calls are made. The initial call is made
  ///     when an object gets a snapshot.
  ///   - context: Passed back with each change.
  open func addSharedObserver(
    _ observer: NSObject, forKey key: String, options: NSKeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer?
  ) {
    if key.contains(where: { $0 == "." || $0 == "@" }) {
      Exception.invalidArgument.raise(
        "\(Exception.address(of: self)): shared observers observe keys, and '\(key)' is a key path. "
          + "Use addObserver(_:forKeyPath:options:context:) of each object.")
    }
    registrations.append(
      .init(observer: observer, key: key, options: options, context: context))
    current = nil
  }

  /// The living observers that have been added so far, for `setSharedObservers(_:)`.
  open func snapshot() -> NSKeyValueSharedObserversSnapshot {
    if let current { return current }
    registrations = registrations.filter { $0.observer != nil }
    let snapshot = NSKeyValueSharedObserversSnapshot(observableClass, registrations)
    current = snapshot
    return snapshot
  }
}

/// The observers that a collection had at one moment.
public final class NSKeyValueSharedObserversSnapshot: Foundation.NSObject {
  struct Registration {
    weak var observer: NSObject?
    let key: String
    let options: NSKeyValueObservingOptions
    let context: UnsafeMutableRawPointer?
  }

  let observableClass: AnyClass
  let registrations: [Registration]

  /// How many observers there are, those included that have died since.
  package var count: Int { registrations.count }

  init(_ observableClass: AnyClass, _ registrations: [Registration]) {
    self.observableClass = observableClass
    self.registrations = registrations
  }
}

extension NSObject {
  /// Guards the shared registrations of all objects.
  private static let lock = UnfairLockBox()

  /// Replaces the object's shared observers; nil removes them.
  ///
  /// They end with the object, and needn't be removed. `removeObserver` doesn't find them. Raises, and changes nothing,
  /// if the snapshot is for another class, even for a superclass, or has a key that the class lacks.
  ///
  /// May be called on any thread.
  ///
  /// - Complexity: One registration for each observer of the snapshot.
  public func setSharedObservers(_ sharedObservers: NSKeyValueSharedObserversSnapshot?) {
    if let type = sharedObservers?.observableClass, type != Swift.type(of: self) {
      Exception.invalidArgument.raise(
        "\(Exception.address(of: self)): these shared observers are for objects of \(type). Create "
          + "them with NSKeyValueSharedObservers(observableClass: \(Swift.type(of: self)).self).")
    }
    let living = (sharedObservers?.registrations ?? []).compactMap { registration in
      registration.observer.map { ($0, registration) }
    }
    let begun = Exception.raising(self) {
      try Observance.allOrNone(living) { observer, registration in
        try (self as any KeyValueObservable).register(
          observer, registration.key, registration.options, registration.context,
          CallSites.currentPlace, isRemovable: false)
      }
    }
    let ended = NSObject.lock.withLock {
      defer { sharedObservances = begun }
      return sharedObservances
    }
    for observance in ended { observance.end() }
  }
}
