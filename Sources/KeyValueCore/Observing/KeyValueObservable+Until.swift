import Synchronization

// Observing until a handler says that it has seen enough.
extension KeyValueObservable {
  /// Calls a closure when the value of a typed key path changes, until the closure returns true.
  ///
  /// ```swift
  /// let observation = person.observe(\.age, options: .new, until: { person, change in
  ///   print(change)
  ///   return person.age >= 18
  /// })
  /// person.age = 17                   // setting, new: 17
  /// person.age = 18                   // setting, new: 18
  /// person.age = 19                   // (nothing)
  /// print(observation)                // KeyValueObservation(age, ended)
  /// ```
  ///
  /// Once it has returned true it is not called again, whatever is being delivered at that moment: the
  /// second half of a change whose prior it was told of, or a change that encloses this one. With
  /// `initial` it may say so to the very first call. A call that is running on another thread then may
  /// finish.
  ///
  /// - Important: Say `until:`. A trailing closure is a change handler, whose result is not looked at.
  ///
  /// - Parameters:
  ///   - keyPath: As for `observe(_:options:changeHandler:)`.
  ///   - options: What the change carries, and which further callbacks come.
  ///   - handler: Called with the observed object and the change; true ends the observation.
  /// - Returns: The token; dropping it ends the observation too.
  @inlinable
  @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    options: KeyValueObservingOptions = [],
    until handler: @escaping (Self, KeyValueObservedChange<Value>) -> Bool
  ) -> KeyValueObservation {
    observe(KeyValuePath(keyPath), options: options, until: handler)
  }

  /// Calls a closure when the value of a key path that is written with `?` changes, until the closure
  /// returns true.
  ///
  /// ```swift
  /// let observation = person.observe(
  ///   \.account?.balance, options: .new, until: { _, change in change.newValue != nil })
  /// ```
  @inlinable
  @_disfavoredOverload
  public func observe<Value>(
    // Optional, so that it loses against the form above where both fit.
    _ keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>?,
    options: KeyValueObservingOptions = [],
    until handler: @escaping (Self, KeyValueObservedChange<Value?>) -> Bool
  ) -> KeyValueObservation {
    guard let keyPath else { return KeyValueObservation(nil, keyPath: "") }
    return observe(KeyValuePath(keyPath), options: options, until: handler)
  }

  /// Calls a closure when the value of a path that is held in a value changes, until the closure
  /// returns true.
  @inlinable
  @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyValuePath<Self, Value>, options: KeyValueObservingOptions = [],
    until handler: @escaping (Self, KeyValueObservedChange<Value>) -> Bool
  ) -> KeyValueObservation {
    let (read, load) = keyPath.reading
    let enough = Enough()
    let sink = Delivery.sink(
      options, read: read, load: load, handler: enough.asked(after: handler))
    return _observe(keyPath.observed, options, keyPath.boxAggregate, enough.ending(sink))
  }

  /// Calls a closure when the value of a key path written as a string changes, until the closure
  /// returns true.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component, if the path cannot be observed.
  @_disfavoredOverload
  public func observe(
    _ keyPath: String, options: KeyValueObservingOptions = [],
    until handler: @escaping (Self, KeyValueObservedChange<Any?>) -> Bool
  ) throws -> KeyValueObservation {
    let path = ObservedPath(try ParsedKeyPath(keyPath))
    let enough = Enough()
    let sink = untypedSink(path, options, handler: enough.asked(after: handler))
    let observance = Observance(
      keyPath: keyPath, options: options, boxAggregate: path.untypedBox, sink: enough.ending(sink))
    let token = KeyValueObservation(observance, keyPath: keyPath)
    try observance.register(on: self, path: path)
    return token
  }
}

/// Whether a handler has returned true.
@usableFromInline
final class Enough: Sendable {
  private let flag = Atomic<Bool>(false)

  @usableFromInline
  init() {}

  @usableFromInline
  var isReached: Bool {
    get { flag.load(ordering: .acquiring) }
    set { flag.store(newValue, ordering: .releasing) }
  }

  /// A handler that asks this one, and does not any more once it has said true.
  @inlinable
  func asked<Root, Value>(
    after handler: @escaping (Root, KeyValueObservedChange<Value>) -> Bool
  ) -> (Root, KeyValueObservedChange<Value>) -> Void {
    { [self] root, change in
      guard !isReached else { return }
      if handler(root, change) { isReached = true }
    }
  }

  /// A sink that ends its observance when the handler that it calls has said true.
  @usableFromInline
  func ending(_ sink: @escaping Delivery.Sink) -> Delivery.Sink {
    { [self] root, observance, delivery in
      sink(root, observance, delivery)
      guard isReached else { return }
      observance.end()
    }
  }
}
