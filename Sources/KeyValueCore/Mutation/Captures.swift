/// Captured values by the position of their observances; the first, almost always the only one, is stored
/// without an array.
struct Captures {
  private var first: AnyObject?
  private var rest: ContiguousArray<AnyObject?> = []
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

  /// Lends the only value, if it is stored without a box.
  func withTrivial(_ body: (Property?, UnsafeRawPointer?) -> Void) {
    guard let trivial else { return body(nil, nil) }
    withUnsafePointer(to: trivial.value) { value in
      trivial.property._withUnsafeGuaranteedRef { body($0, UnsafeRawPointer(value)) }
    }
  }

  mutating func append(_ value: AnyObject?) {
    if count == 0 { first = value } else { rest.append(value) }
    count += 1
  }

  /// Nil if nothing was captured.
  subscript(index: Int) -> AnyObject? {
    if index == 0 { return first }
    return index < count ? rest[index - 1] : nil
  }
}
