/// One call to an observance's sink: what happened, and the values in the form in which they are available.
///
/// A property's own values are passed by address, so a typed handler receives them without boxing. If the
/// property is only a source of the observed value, the sink reads that value itself, or has captured it
/// before.
///
/// Everything here is trivial to copy and destroy, and borrowed: its creator keeps the boxes, and the
/// values at the addresses, alive until the sink returns.
@usableFromInline
package struct Delivery {
  /// Called with the observed object, the observance, and a pointer to the delivery, which several
  /// observances may share.
  @usableFromInline typealias Sink =
    (_ root: AnyObject, Observance, UnsafePointer<Delivery>) -> Void

  /// Where the old or the new value is.
  @usableFromInline
  package enum ValueLocation {
    /// This change carries no value.
    case none
    /// At this address, with the type of the path's last property.
    case address(UnsafeRawPointer)
    /// In the box that the sink itself created.
    case captured(Unmanaged<AnyObject>)
    /// In these bits, which a value of the observed type fills.
    case bits(UInt64)
    /// Not read yet.
    case evaluate

    init(_ address: UnsafeRawPointer?) {
      self = address.map { .address($0) } ?? .none
    }

    init(_ box: AnyObject?, else other: ValueLocation) {
      self = box.map { .captured(Unmanaged.passUnretained($0)) } ?? other
    }
  }

  @usableFromInline var kind = KeyValueChangeKind.setting
  @usableFromInline var mark = ChangeMark()
  /// Whether the delivery reports, at the end of a transaction, what happened in it.
  var isDeferred = false
  @usableFromInline var old = ValueLocation.none
  @usableFromInline var new = ValueLocation.none
  @usableFromInline var ranges: UnsafePointer<IndexRanges>?
  /// Where the sink leaves the observed value instead of calling the observer; nil if it calls the observer.
  @usableFromInline var result: UnsafeMutablePointer<AnyObject?>?
  /// The property whose values the addresses hold, if the path has more than one.
  var leaf: Unmanaged<Property>?
}

extension Delivery {
  @inlinable var isPrior: Bool { mark.isPrior }

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
    _ read: @escaping (Root) -> Value, _ handler: @escaping (Root, _ isDeferred: Bool) -> Void
  ) -> Sink {
    { root, _, delivery in
      let root = unsafeDowncast(root, to: Root.self)
      if let result = delivery.pointee.result {
        result.pointee = ValueBox(read(root))
      } else {
        handler(root, delivery.pointee.isDeferred)
      }
    }
  }

  /// Makes a sink that puts the values of a path's last property into boxes for another sink.
  static func boxing(_ box: @escaping ObservedPath.LeafBox, for sink: @escaping Sink) -> Sink {
    { root, observance, delivery in
      let leaf = delivery.pointee.leaf?.takeUnretainedValue()
      guard let leaf = leaf ?? observance.property ?? observance.tree?.soleProperty else {
        return sink(root, observance, delivery)
      }
      func boxed(_ location: ValueLocation) -> AnyObject? {
        if case .address(let address) = location { box(leaf, address) } else { nil }
      }
      var delivery = delivery.pointee
      let (old, new) = (boxed(delivery.old), boxed(delivery.new))
      delivery.old = ValueLocation(old, else: delivery.old)
      delivery.new = ValueLocation(new, else: delivery.new)
      withExtendedLifetime((old, new)) {
        withUnsafePointer(to: delivery) { sink(root, observance, $0) }
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
}

extension Delivery {
  /// Reads the observed value; debug builds compare the reads that this makes with what the observance
  /// follows.
  @inlinable
  @inline(__always)
  static func read<Root: AnyObject, Value>(
    _ root: Root, for observance: Observance, _ read: (Root) -> Value
  ) -> Value {
    #if DEBUG || KVO_AUDIT
      DependencyAudit.reading(observance, root) { read(root) }
    #else
      read(root)
    #endif
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
