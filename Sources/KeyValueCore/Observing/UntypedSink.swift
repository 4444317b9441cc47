extension KeyValueObservable {
  /// The sink of a string path, with values of type `Any?`.
  func untypedSink(
    _ path: ObservedPath, _ options: KeyValueObservingOptions,
    handler: @escaping (Self, KeyValueObservedChange<Any?>) -> Void
  ) -> Delivery.Sink {
    let property = path.keys.first.flatMap { schema.property($0.name, answeredBy: self) }
    func value(
      _ location: Delivery.ValueLocation, _ root: AnyObject, _ observance: Observance,
      _ delivery: Delivery
    ) -> Any?? {
      switch location {
      case .none: nil
      case .address(let address):
        .some((delivery.leaf?.takeUnretainedValue() ?? property)?.anyValue(at: address))
      case .captured(let box):
        .some(unsafeDowncast(box.takeUnretainedValue(), to: ValueBox<Any?>.self).value)
      // Only typed paths use bits.
      case .bits, .evaluate: .some(Delivery.read(root, for: observance, path.value(of:)))
      }
    }
    return { root, observance, delivery in
      let delivery = delivery.pointee
      if delivery.captures(root, for: observance, path.value(of:)) { return }
      let old = options.contains(.old) ? value(delivery.old, root, observance, delivery) : nil
      let new =
        options.contains(.new) && !delivery.isPrior
        ? value(delivery.new, root, observance, delivery) : nil
      if delivery.endedWhileReading(observance) { return }
      handler(
        unsafeDowncast(root, to: Self.self),
        KeyValueObservedChange(
          kind: delivery.kind, newValue: new, oldValue: old, ranges: delivery.ranges?.pointee,
          mark: delivery.mark))
    }
  }
}
