import Synchronization

// The sinks of observers that know the observed value's type.
extension Delivery {
  /// Makes the sink of a typed handler.
  ///
  /// `read` reads the observed value from the observed object. `load` derives it from the last property's
  /// value, given its address; nil if that is the observed value.
  ///
  /// Inlinable, so that the values are handled in the client's own types without run-time metadata.
  @inlinable
  static func sink<Root: AnyObject, Value>(
    _ options: KeyValueObservingOptions,
    read: @escaping (Root) -> Value,
    load: ((UnsafeRawPointer) -> Value)?,
    handler: @escaping (Root, KeyValueObservedChange<Value>) -> Void
  ) -> Sink {
    let wantsOld = options.contains(.old)
    let wantsNew = options.contains(.new)
    if !wantsOld, !wantsNew {
      return { root, observance, delivery in
        let delivery = delivery.pointee
        let root = unsafeDowncast(root, to: Root.self)
        if delivery.captures(root, for: observance, read) { return }
        delivery.call(handler, root, old: nil, new: nil)
      }
    }
    return { root, observance, delivery in
      let delivery = delivery.pointee
      let root = unsafeDowncast(root, to: Root.self)
      if delivery.captures(root, for: observance, read) { return }
      let old = wantsOld ? delivery.old.value(of: root, for: observance, read, load) : nil
      let new =
        wantsNew && !delivery.isPrior
        ? delivery.new.value(of: root, for: observance, read, load) : nil
      if delivery.endedWhileReading(observance) { return }
      delivery.call(handler, root, old: consume old, new: consume new)
    }
  }

  /// Makes the sink of a handler that only needs to know that a change happened; it creates no
  /// `KeyValueObservedChange`.
  static func signalSink<Root: AnyObject, Value>(
    _ read: @escaping (Root) -> Value, _ handler: @escaping (Root, Delivery) -> Void
  ) -> Sink {
    { root, _, delivery in
      let root = unsafeDowncast(root, to: Root.self)
      if let result = delivery.pointee.result {
        result.pointee = ValueBox(read(root))
      } else {
        handler(root, delivery.pointee)
      }
    }
  }

  @inlinable
  @inline(__always)
  func call<Root, Value>(
    _ handler: (Root, KeyValueObservedChange<Value>) -> Void, _ root: Root,
    old: consuming Value?, new: consuming Value?
  ) {
    // Two calls, because nearly always there are no indexes to retain and release.
    guard let ranges else {
      return handler(
        root,
        KeyValueObservedChange(
          kind: kind, newValue: consume new, oldValue: consume old, ranges: nil, mark: mark))
    }
    handler(
      root,
      KeyValueObservedChange(
        kind: kind, newValue: consume new, oldValue: consume old, ranges: ranges.pointee,
        mark: mark))
  }

  /// Captures the observed value if that was requested; otherwise returns false.
  @inlinable
  @inline(__always)
  func captures<Root: AnyObject, Value>(
    _ root: Root, for observance: Observance, _ read: (Root) -> Value
  ) -> Bool {
    guard let result else { return false }
    result.pointee = ValueBox(Delivery.read(root, for: observance, read))
    return true
  }

  /// Whether a getter that the sink has called ended the observance.
  @inlinable
  func endedWhileReading(_ observance: Observance) -> Bool {
    guard case .evaluate = new else { return false }
    return !observance.isActive
  }
}

extension Delivery.ValueLocation {
  @inlinable
  func value<Root: AnyObject, Value>(
    of root: Root, for observance: Observance, _ read: (Root) -> Value,
    _ load: ((UnsafeRawPointer) -> Value)?
  ) -> Value? {
    switch self {
    case .none: nil
    case .address(let address):
      if let load {
        load(address)
      } else {
        address.assumingMemoryBound(to: Value.self).pointee
      }
    case .captured(let box):
      unsafeDowncast(box.takeUnretainedValue(), to: ValueBox<Value>.self).value
    case .bits(let bits):
      withUnsafePointer(to: bits) {
        UnsafeRawPointer($0).assumingMemoryBound(to: Value.self).pointee
      }
    case .evaluate: Delivery.read(root, for: observance, read)
    }
  }
}

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

/// Whether a handler has returned true.
@usableFromInline
final class EndSignal: Sendable {
  private let flag = Atomic<Bool>(false)

  @usableFromInline
  init() {}

  @usableFromInline
  var isReached: Bool {
    get { flag.load(ordering: .acquiring) }
    set { flag.store(newValue, ordering: .releasing) }
  }

  /// A handler that calls the given one until that has returned true.
  @inlinable
  func asked<Root, Value>(
    after handler: @escaping (Root, KeyValueObservedChange<Value>) -> Bool
  ) -> (Root, KeyValueObservedChange<Value>) -> Void {
    { [self] root, change in
      guard !isReached else { return }
      if handler(root, change) { isReached = true }
    }
  }

  /// A sink that ends its observance once its handler has returned true.
  @usableFromInline
  func ending(_ sink: @escaping Delivery.Sink) -> Delivery.Sink {
    { [self] root, observance, delivery in
      sink(root, observance, delivery)
      guard isReached else { return }
      observance.end()
    }
  }
}
