extension KeyValueObservable {
  /// The observation behind a sequence of values.
  ///
  /// With the option `initial`, the current value comes first; `prior` is a violation, and the other options
  /// have no effect. `onNews` is called when there may be an element to take, or at the end.
  package func valuesSource<Value>(
    _ keyPath: KeyValuePath<Self, Value>, _ options: KeyValueObservingOptions,
    _ bufferingPolicy: KeyValueBufferingPolicy, keeping: StreamKeeping,
    at origin: SourcePlace = .unknown, onNews: @escaping @Sendable () -> Void = {}
  ) -> StreamSource<Value> {
    let options = options.subtracting([.old, .new, .elementChanges])
    let kept: BoxBroadcast.Keeping =
      switch keeping {
      case .nothing: .nothing
      case .strongly: .strongly
      case .weakly: .weak(valuesOf: Value.self)
      }
    let broadcast = Broadcast<Value>(
      bufferingPolicy, hasInitial: options.contains(.initial), keeping: kept, onNews: onNews)
    return source(
      broadcast, keyPath.observed, options, origin, readsWholeValue: true,
      broadcast.sink(read: keyPath.reading.read))
  }
}

extension Broadcast {
  /// The sink that takes the current value at every change.
  ///
  /// The change's own value may be outdated: an earlier observer, or another thread, may have made
  /// a further change, which has been delivered already.
  fileprivate func sink<Root: AnyObject>(read: @escaping (Root) -> Element) -> Delivery.Sink {
    let thread = ThreadIdentity.current
    return { root, observance, delivery in
      let delivery = delivery.pointee
      if delivery.captures(unsafeDowncast(root, to: Root.self), for: observance, read) { return }
      let isInitial = delivery.beginsInitial(of: self, registeredOn: thread)
      func box() -> AnyObject? {
        let box = observance.capture(from: root)
        return observance.isActive ? box : nil
      }
      if isInitial {
        while let box = box(), !self.open(withBox: box) {}
      } else {
        let reading = self.beginReading()
        if let box = box() { self.append(currentBox: box, readAt: reading) }
      }
    }
  }
}
