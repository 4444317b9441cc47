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

/// Where a path ends: the property whose value is the observed one, and its object.
struct PathEnd {
  let property: Property
  let object: AnyObject

  var value: KeptValue {
    guard let storage = property.valueStorage, storage.isTrivial else {
      return .stored(property.capture(from: object), property)
    }
    var value = TrivialValue()
    withUnsafeMutablePointer(to: &value) { storage.read(object, into: $0) }
    return .trivial(value, .passUnretained(property))
  }
}
