extension KeyValueObservable {
  /// The observation behind a sequence of changes.
  ///
  /// `onNews` is called when there may be an element to take, or at the end.
  package func changesSource<Value>(
    _ keyPath: KeyValuePath<Self, Value>, _ options: KeyValueObservingOptions,
    _ bufferingPolicy: KeyValueBufferingPolicy, keeping: StreamKeeping,
    at origin: SourcePlace = .unknown, onNews: @escaping @Sendable () -> Void = {}
  ) -> StreamSource<KeyValueObservedChange<Value>> {
    let keepsNewest = options.contains(.initial) && keeping != .nothing
    let kept: BoxBroadcast.Keeping =
      switch keeping {
      case .nothing: .nothing
      case .weakly where options.isSuperset(of: [.initial, .new]): .weak(settingsOf: Value.self)
      case .strongly, .weakly: .strongly
      }
    let broadcast = Broadcast<KeyValueObservedChange<Value>>(
      bufferingPolicy, hasInitial: options.contains(.initial), keeping: kept, onNews: onNews)
    let (read, load) = keyPath.reading
    let sink = broadcast.sink(options, keepsNewest: keepsNewest) {
      Delivery.sink(options, read: read, load: load, handler: $0)
    }
    return source(
      broadcast, keyPath.observed, options, origin,
      Delivery.initialFirst(broadcast, options, read: read, then: sink))
  }
}

extension Broadcast {
  /// The sink of every change but the initial one; `make` makes a sink that calls a handler.
  ///
  /// A change may be outdated when it arrives, and a change of some elements doesn't hold the whole
  /// collection. So the first element of a further iterator is read anew.
  fileprivate func sink<Root, Value>(
    _ options: KeyValueObservingOptions, keepsNewest: Bool,
    _ make: @escaping (@escaping (Root, Element) -> Void) -> Delivery.Sink
  ) -> Delivery.Sink where Element == KeyValueObservedChange<Value> {
    let bare = make { _, change in self.append(change) }
    guard keepsNewest else { return bare }
    return { root, observance, delivery in
      if delivery.pointee.result != nil { return bare(root, observance, delivery) }
      let reading = self.beginReading()
      var current: Value?
      if options.contains(.new), !delivery.pointee.isYetToBeRead {
        guard let box = observance.capture(from: root), observance.isActive else { return }
        current = unsafeDowncast(box, to: ValueBox<Value>.self).value
      }
      let sink = make { _, change in
        self.append(
          change,
          current: KeyValueObservedChange(kind: .setting, newValue: current ?? change.newValue),
          readAt: reading)
      }
      sink(root, observance, delivery)
    }
  }
}

extension Delivery {
  /// Whether the sink has to read the whole new value itself.
  fileprivate var isYetToBeRead: Bool {
    guard case .evaluate = new else { return false }
    return kind == .setting
  }
}
