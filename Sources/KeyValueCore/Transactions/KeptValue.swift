/// A value kept from one moment of a transaction to another.
enum KeptValue {
  /// Not asked for, or not known.
  case missing
  /// In the type of this property.
  case stored(any CapturedValue, Property)
  /// In the box that the observance's sink has made.
  case boxed(AnyObject)

  var isMissing: Bool {
    if case .missing = self { true } else { false }
  }

  func elements(at indexes: RangeSet<Int>) -> KeptValue {
    guard case .stored(let value, let property) = self else { return self }
    return .stored(value.elements(at: IndexRanges(indexes)), property)
  }

  var property: Property? {
    if case .stored(_, let property) = self { property } else { nil }
  }

  /// Lends the value in the form in which a sink reads it.
  func withSource(_ body: (Delivery.Source) -> Void) {
    switch self {
    case .missing: body(.none)
    case .stored(let value, _): value.withAddress { body(.address($0)) }
    case .boxed(let box): withExtendedLifetime(box) { body(Delivery.Source(box, else: .none)) }
    }
  }
}
