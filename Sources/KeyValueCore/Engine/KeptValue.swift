/// A value kept until observers are notified.
enum KeptValue {
  /// In the type of this property.
  case stored(any CapturedValue, Property)
  /// The same without a box.
  case trivial(TrivialValue, Unmanaged<Property>)
  /// In the box that the observance's sink has created.
  case boxed(AnyObject)

  var property: Property? {
    switch self {
    case .stored(_, let property): property
    case .trivial(_, let property): property.takeUnretainedValue()
    case .boxed: nil
    }
  }

  func elements(at indexes: IndexRanges) -> KeptValue {
    guard case .stored(let value, let property) = self else { return self }
    return .stored(value.elements(at: indexes), property)
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

/// Captured values by the position of their observances; the first, almost always the only one, is stored
/// without an array.
struct Captures {
  private var first: KeptValue?
  private var rest: ContiguousArray<KeptValue?> = []
  private var isEmpty = true

  mutating func append(_ value: KeptValue?) {
    if isEmpty { first = value } else { rest.append(value) }
    isEmpty = false
  }

  /// Nil if nothing was captured.
  subscript(index: Int) -> KeptValue? {
    index == 0 ? first : index <= rest.count ? rest[index - 1] : nil
  }
}
