import Observation

// What `@KeyValueObservable(tracking: true)` writes into a class speaks of these, so that users need not
// import Observation for it.

/// The protocol that a tracked class conforms to: Observation's own.
public typealias _KeyValueTracked = Observation.Observable

/// What a tracked object tells Observation.
///
/// Not for use by hand: the accessors that the macro writes call it.
public struct _KeyValueTracking: Sendable {
  private let registrar = ObservationRegistrar()

  /// Creates the registrar of one object.
  public init() {}

  /// Tells that a property is read.
  public func access<Root: Observable, Value>(_ root: Root, _ keyPath: KeyPath<Root, Value>) {
    registrar.access(root, keyPath: keyPath)
  }

  /// Tells that a property is about to change.
  public func willSet<Root: Observable, Value>(_ root: Root, _ keyPath: KeyPath<Root, Value>) {
    registrar.willSet(root, keyPath: keyPath)
  }

  /// Tells that a property has changed.
  public func didSet<Root: Observable, Value>(_ root: Root, _ keyPath: KeyPath<Root, Value>) {
    registrar.didSet(root, keyPath: keyPath)
  }
}
