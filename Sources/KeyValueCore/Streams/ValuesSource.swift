extension KeyValueObservable {
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
      broadcast, keyPath.observed, options,
      broadcast.sink(read: keyPath.reading.read))
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
