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
  /// The hop at the changed property, if the observed value is only read through that, or computed from it; nil if
  /// that's unknown, as at a transaction's end.
  var hop: Unmanaged<Hop>?
}

extension Delivery {
  @inlinable var isPrior: Bool { mark.isPrior }

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
}

extension KeptValue? {
  /// Lends the value in the form in which a sink reads it.
  func withLocation(_ body: (Delivery.ValueLocation) -> Void) {
    switch self {
    case nil: body(.none)
    case .stored(let value, _): value.withAddress { body(.address($0)) }
    case .trivial(let value, _): withUnsafePointer(to: value) { body(.address($0)) }
    case .boxed(let box): withExtendedLifetime(box) { body(.captured(.passUnretained(box))) }
    }
  }
}

extension KeyValueObservedChange<KeptValue> {
  /// Notifies an observance of the change.
  ///
  /// `isDeferred` means that the change reports, at the end of a transaction, what happened in it.
  func deliver(to observance: Observance, of root: AnyObject, isDeferred: Bool = false) {
    oldValue.withLocation { old in
      newValue.withLocation { new in
        var delivery = Delivery()
        delivery.kind = kind
        delivery.mark = mark
        delivery.isDeferred = isDeferred
        delivery.old = old
        delivery.new = new
        delivery.leaf = (oldValue ?? newValue)?.property.map { Unmanaged.passUnretained($0) }
        observance.deliver(delivery, at: ranges, of: root)
      }
    }
  }
}
