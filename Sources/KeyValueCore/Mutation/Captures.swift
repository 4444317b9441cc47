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
