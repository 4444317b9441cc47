// Changes as asynchronous sequences.
extension KeyValueObservable {
  /// The changes of a typed key path as an asynchronous sequence.
  ///
  /// ```swift
  /// let changes = person.changes(of: \.age, options: [.old, .new])
  /// let task = Task {
  ///   for await change in changes { print(change) }
  /// }
  /// person.age = 37                   // setting, old: 36, new: 37
  /// ```
  ///
  /// Observing begins here and not with the iteration. See ``KeyValueChanges`` for how it ends and for
  /// several iterators, and ``KeyValueBufferingPolicy`` for iterations that are slower than the changes.
  ///
  /// With `initial`, the initial change comes first and once, also where other threads change the value
  /// meanwhile. With `initial` and `new`, the value is kept for further iterators, so changing a
  /// collection in place copies it.
  ///
  /// - Parameters:
  ///   - keyPath: As for `observe(_:options:changeHandler:)`.
  ///   - options: What a change carries. `prior` is refused, as it could only arrive after the
  ///     change, and goes to the violation handler; where that returns, the sequence is at its end.
  ///   - bufferingPolicy: What becomes of changes that nobody has taken yet; by default all are kept.
  ///
  /// Errors are those of `observe(_:options:changeHandler:)`. Cost: a lock for each change and iterator;
  /// with `initial` and `new` also a reading of the value for each change, unless it is read anyway.
  public func changes<Value>(
    of keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    options: KeyValueObservingOptions = [], bufferingPolicy: KeyValueBufferingPolicy = .unbounded
  ) -> KeyValueChanges<Value> {
    changes(of: KeyValuePath(keyPath), options: options, bufferingPolicy: bufferingPolicy)
  }

  /// The changes of a key path that is written with `?` as an asynchronous sequence.
  @_disfavoredOverload
  public func changes<Value>(
    of keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    options: KeyValueObservingOptions = [], bufferingPolicy: KeyValueBufferingPolicy = .unbounded
  ) -> KeyValueChanges<Value?> {
    changes(of: KeyValuePath(keyPath), options: options, bufferingPolicy: bufferingPolicy)
  }

  /// The changes of a path that is held in a value as an asynchronous sequence.
  public func changes<Value>(
    of keyPath: KeyValuePath<Self, Value>, options: KeyValueObservingOptions = [],
    bufferingPolicy: KeyValueBufferingPolicy = .unbounded
  ) -> KeyValueChanges<Value> {
    KeyValueChanges(source: changesSource(keyPath, options, bufferingPolicy))
  }

  /// The observation behind a sequence of changes.
  ///
  /// - Parameter onNews: Called when there may be something to take, or the end has come.
  package func changesSource<Value>(
    _ keyPath: KeyValuePath<Self, Value>, _ options: KeyValueObservingOptions,
    _ bufferingPolicy: KeyValueBufferingPolicy, onNews: @escaping @Sendable () -> Void = {}
  ) -> StreamSource<KeyValueObservedChange<Value>> {
    let broadcast = Broadcast<KeyValueObservedChange<Value>>(
      bufferingPolicy, hasInitial: options.contains(.initial), onNews: onNews)
    let (read, load) = keyPath.reading
    let sink = broadcast.sink(options) {
      Delivery.sink(options, read: read, load: load, handler: $0)
    }
    return source(
      broadcast, keyPath.observed, options, keyPath.boxAggregate,
      Delivery.opening(broadcast, options, read: read, then: sink))
  }

  /// The changes of the property that a plain key path names as an asynchronous sequence.
  ///
  /// A plain key path must name one property; another goes to the violation handler, and where that
  /// returns, the sequence is at its end.
  @_disfavoredOverload
  public func changes<Value>(
    of keyPath: KeyPath<Self, Value>?, options: KeyValueObservingOptions = [],
    bufferingPolicy: KeyValueBufferingPolicy = .unbounded
  ) -> KeyValueChanges<Value> {
    guard let path = keyPath.flatMap({ KeyValuePath(naming: $0) }) else {
      return KeyValueChanges(source: .refused(""))
    }
    return changes(of: path, options: options, bufferingPolicy: bufferingPolicy)
  }

  /// The changes of a key path written as a string as an asynchronous sequence.
  ///
  /// Its values are `Any?`, so it stays where it is made and cannot be sent to other tasks.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component, if the path cannot be observed.
  public func changes(
    of keyPath: String, options: KeyValueObservingOptions = [],
    bufferingPolicy: KeyValueBufferingPolicy = .unbounded
  ) throws -> KeyValueChanges<Any?> {
    let path = ObservedPath(try ParsedKeyPath(keyPath))
    let broadcast = Broadcast<KeyValueObservedChange<Any?>>(
      bufferingPolicy, hasInitial: options.contains(.initial))
    let read = { (object: Self) in path.value(of: object) }
    let sink = broadcast.sink(options) { self.untypedSink(path, options, handler: $0) }
    return KeyValueChanges(
      source: try untypedSource(
        broadcast, path, options, Delivery.opening(broadcast, options, read: read, then: sink)))
  }
}

extension Broadcast {
  /// The sink of every change but the initial one.
  ///
  /// A change keeps what it says. It may be outdated by then, and one of some elements does not say what
  /// the collection is now; so what a further iterator begins with is read anew.
  ///
  /// - Parameter make: Makes a sink that hands its changes to a handler.
  fileprivate func sink<Root, Value>(
    _ options: KeyValueObservingOptions,
    _ make: @escaping (@escaping (Root, Element) -> Void) -> Delivery.Sink
  ) -> Delivery.Sink where Element == KeyValueObservedChange<Value> {
    let bare = make { _, change in self.append(change) }
    guard options.contains(.initial) else { return bare }
    return { root, observance, delivery in
      guard case .deliver = delivery.pointee.request else {
        return bare(root, observance, delivery)
      }
      let reading = self.beginReading()
      var current: Value?
      if options.contains(.new), !delivery.pointee.isYetToBeRead {
        guard let box = observance.capture(from: root), observance.isActive else { return }
        current = unsafeDowncast(box, to: ValueBox<Value>.self).value
      }
      let sink = make { _, change in
        self.append(
          change, current: KeyValueObservedChange(initial: current ?? change.newValue),
          readAt: reading)
      }
      sink(root, observance, delivery)
    }
  }
}

extension Delivery {
  /// Whether the sink itself reads the whole new value.
  fileprivate var isYetToBeRead: Bool {
    guard case .evaluate = new else { return false }
    return kind == .setting
  }
}
