extension KeyValueObservable {
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
      broadcast, keyPath.observed, options,
      Delivery.opening(broadcast, options, read: read, then: sink))
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
