import Observation

// `@KeyValueObservable(tracking: true)` uses these, so that clients needn't import Observation.

/// The protocol of a tracked class: Observation's own.
public typealias _KeyValueTracked = Observation.Observable

/// A tracked object's Observation registrar.
///
/// Not for direct use: the accessors that the macro writes call it.
public struct _KeyValueTracking: Sendable {
  private let registrar = ObservationRegistrar()

  /// Creates the registrar of one object.
  public init() {}

  /// Notifies Observation that a property is read.
  public func access<Root: Observable, Value>(_ root: Root, _ keyPath: KeyPath<Root, Value>) {
    registrar.access(root, keyPath: keyPath)
  }

  /// Notifies Observation that a property is about to change.
  public func willSet<Root: Observable, Value>(_ root: Root, _ keyPath: KeyPath<Root, Value>) {
    registrar.willSet(root, keyPath: keyPath)
  }

  /// Notifies Observation that a property has changed.
  public func didSet<Root: Observable, Value>(_ root: Root, _ keyPath: KeyPath<Root, Value>) {
    registrar.didSet(root, keyPath: keyPath)
  }
}
