// Values as asynchronous sequences.
extension KeyValueObservable {
  /// The values of a typed key path as an asynchronous sequence, the current one first.
  ///
  /// ```swift
  /// for await balance in person.values(of: \.account.balance) {
  ///   print(balance as Any)           // Optional(100.0)
  /// }
  /// ```
  ///
  /// See ``KeyValueValues`` for what is told when, and for how it ends.
  ///
  /// - Parameters:
  ///   - keyPath: As for `observe(_:options:changeHandler:)`.
  ///   - bufferingPolicy: What becomes of values that nobody has taken yet; by default the newest is
  ///     kept.
  ///
  /// Errors are those of `observe(_:options:changeHandler:)`. Cost: a reading of the value and a lock
  /// for each change; sums and the like are kept up to date and not computed again.
  public func values<Value>(
    of keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>>,
    bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1)
  ) -> KeyValueValues<Value> {
    values(of: KeyValuePath(keyPath), bufferingPolicy: bufferingPolicy)
  }

  /// The values of a key path that is written with `?` as an asynchronous sequence, the current one
  /// first.
  @_disfavoredOverload
  public func values<Value>(
    of keyPath: KeyPath<KeyValuePath<Self, Self>, KeyValuePath<Self, Value>?>,
    bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1)
  ) -> KeyValueValues<Value?> {
    values(of: KeyValuePath(keyPath), bufferingPolicy: bufferingPolicy)
  }

  /// The values of a path that is held in a value as an asynchronous sequence, the current one first.
  public func values<Value>(
    of keyPath: KeyValuePath<Self, Value>,
    bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1)
  ) -> KeyValueValues<Value> {
    KeyValueValues(source: valuesSource(keyPath, .initial, bufferingPolicy))
  }

  /// The observation behind a sequence of values.
  ///
  /// - Parameters:
  ///   - options: Only `initial` has a meaning: the current value comes first.
  ///   - onNews: Called when there may be something to take, or the end has come.
  package func valuesSource<Value>(
    _ keyPath: KeyValuePath<Self, Value>, _ options: KeyValueObservingOptions,
    _ bufferingPolicy: KeyValueBufferingPolicy, onNews: @escaping @Sendable () -> Void = {}
  ) -> StreamSource<Value> {
    let options = options.subtracting([.old, .new, .elementChanges])
    let broadcast = Broadcast<Value>(
      bufferingPolicy, hasInitial: options.contains(.initial), onNews: onNews)
    return source(
      broadcast, keyPath.observed, options, keyPath.boxAggregate,
      broadcast.sink(read: keyPath.reading.read))
  }

  /// The values of the property that a plain key path names as an asynchronous sequence, the current one
  /// first.
  ///
  /// A plain key path must name one property; another goes to the violation handler, and where that
  /// returns, the sequence is at its end.
  @_disfavoredOverload
  public func values<Value>(
    of keyPath: KeyPath<Self, Value>?,
    bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1)
  ) -> KeyValueValues<Value> {
    guard let path = keyPath.flatMap({ KeyValuePath(naming: $0) }) else {
      return KeyValueValues(source: .refused(""))
    }
    return values(of: path, bufferingPolicy: bufferingPolicy)
  }

  /// The values of a key path written as a string as an asynchronous sequence, the current one first.
  ///
  /// They are `Any?`, so the sequence stays where it is made and cannot be sent to other tasks.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component, if the path cannot be observed.
  public func values(
    of keyPath: String, bufferingPolicy: KeyValueBufferingPolicy = .bufferingNewest(1)
  ) throws -> KeyValueValues<Any?> {
    let path = ObservedPath(try ParsedKeyPath(keyPath))
    let broadcast = Broadcast<Any?>(bufferingPolicy, hasInitial: true)
    let sink = broadcast.sink { (object: Self) in path.value(of: object) }
    return KeyValueValues(source: try untypedSource(broadcast, path, .initial, sink))
  }
}

extension Broadcast {
  /// The sink that takes the current value whenever a change is told.
  ///
  /// The value of the change may be outdated by then: an earlier observer, or another thread, may have
  /// made a further change, which has been told already.
  fileprivate func sink<Root: AnyObject>(read: @escaping (Root) -> Element) -> Delivery.Sink {
    let thread = ThreadIdentity.current
    return { root, observance, delivery in
      let delivery = delivery.pointee
      if case .capture = delivery.request {
        delivery.result?.pointee = ValueBox(
          Delivery.read(unsafeDowncast(root, to: Root.self), for: observance, read))
        return
      }
      let isInitial = delivery.beginsInitial(of: self, registeredOn: thread)
      func value() -> Element? {
        guard let box = observance.capture(from: root), observance.isActive else { return nil }
        return .some(unsafeDowncast(box, to: ValueBox<Element>.self).value)
      }
      if isInitial {
        while let value = value(), !self.open(with: value) {}
      } else {
        let reading = self.beginReading()
        if let value = value() { self.append(current: value, readAt: reading) }
      }
    }
  }
}
