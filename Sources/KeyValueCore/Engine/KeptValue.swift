/// A value kept until observers are notified.
enum KeptValue {
  /// In the type of this property.
  case stored(any CapturedValue, Property)
  /// In the box that the observance's sink has created.
  case boxed(AnyObject)

  var property: Property? {
    if case .stored(_, let property) = self { property } else { nil }
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
        var delivery = Delivery(.deliver)
        delivery.kind = kind
        delivery.isPrior = isPrior
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
  private var count = 0
  /// The only value, if it needs no box, and its property, which a schema retains.
  private var trivial: (property: Unmanaged<Property>, value: TrivialValue)?

  var isEmpty: Bool { count == 0 && trivial == nil }

  /// Stores the only value, which `read` copies.
  mutating func keep(
    _ property: Property, _ read: (UnsafeMutablePointer<TrivialValue>) -> Void
  ) {
    var value = TrivialValue()
    withUnsafeMutablePointer(to: &value) { read($0) }
    trivial = (.passUnretained(property), value)
  }

  /// Lends a value, and the property whose type it has, if it isn't in the box of a sink.
  func withLocation(at index: Int, _ body: (Delivery.ValueLocation, Property?) -> Void) {
    guard let trivial else {
      let value = self[index]
      return value.withLocation { body($0, value?.property) }
    }
    withUnsafePointer(to: trivial.value) { value in
      trivial.property._withUnsafeGuaranteedRef { body(.address(UnsafeRawPointer(value)), $0) }
    }
  }

  mutating func append(_ value: KeptValue?) {
    if count == 0 { first = value } else { rest.append(value) }
    count += 1
  }

  /// Nil if nothing was captured.
  subscript(index: Int) -> KeptValue? {
    if index == 0 { return first }
    return index < count ? rest[index - 1] : nil
  }
}

/// Caches dependent keys' values, so that observances of one key share one read.
struct SharedCaptures {
  private struct Key: Hashable {
    let root: ObjectIdentifier
    let property: ObjectIdentifier
  }

  /// There are almost always few, which are found faster without hashing.
  private var first: [(key: Key, value: KeptValue)] = []
  private var rest: [Key: KeptValue] = [:]

  /// The value, read for `observance`, which is one of those that need it.
  mutating func value(
    of property: Property, _ root: AnyObject, for observance: Observance
  ) -> KeptValue {
    let key = Key(root: ObjectIdentifier(root), property: ObjectIdentifier(property))
    if let known = first.first(where: { $0.key == key })?.value ?? rest[key] { return known }
    let value = KeptValue.stored(
      Delivery.read(root, for: observance, property.capture(from:)), property)
    if first.count < 8 { first.append((key, value)) } else { rest[key] = value }
    return value
  }
}
