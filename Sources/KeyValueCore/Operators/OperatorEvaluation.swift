/// Evaluates a collection operator over a collection (Parity K6).
extension CollectionOperator {
  /// The operator's place in a key path, for error messages.
  struct Place {
    let index: Int
    let keyPath: String
    /// Whether the path is typed, so that its sum has the elements' type, which may have 128 bits.
    var isTyped = false
  }

  /// Applies the operator to the values that its right-hand path has at each element.
  func evaluate(_ values: [Any?], at place: Place) throws -> Any? {
    switch self {
    case .count: return values.count
    case .sum, .avg:
      return try result(of: exactSum(values, at: place), count: values.count, at: place)
    case .min, .max: return try extremum(values, at: place)
    case .unionOfObjects: return try present(values, at: place)
    case .distinctUnionOfObjects: return onceEach(try present(values, at: place))
    case .unionOfArrays: return try joined(values, at: place)
    case .distinctUnionOfArrays: return onceEach(try joined(values, at: place))
    case .unionOfSets, .distinctUnionOfSets:
      return asSet(try joined(values, at: place))
    }
  }

  /// Applies the operator to an array of one property's type, without boxing each value if possible.
  func evaluate(_ values: any ToMany, at place: Place) throws -> Any? {
    switch family {
    case .sum:
      if let sum = ExactSum(values) {
        return try result(of: sum, count: values.anyCount, at: place)
      }
    case .extremum:
      if let extremum = extremum(ofOneType: values) { return extremum }
    case .count, .union: break
    }
    return try evaluate(values.anyElements, at: place)
  }

  private func result(of sum: ExactSum, count: Int, at place: Place) throws -> Any {
    if self == .avg {
      guard let mean = sum.mean(of: count) else { throw noDouble(sum.otherType, at: place) }
      return mean
    }
    guard let result = sum.result(isTyped: place.isTyped) else {
      throw noDouble(sum.otherType, at: place)
    }
    guard let value = result.any else { throw overflow(at: place) }
    return value
  }

  func overflow(at place: Place) -> KeyValueCodingError {
    let limit = place.isTyped ? "128 bits hold" : "an Int or a UInt64 holds"
    return .typeMismatch(
      details("exceeds what \(limit). Let the elements have a Double", at: place))
  }

  private func noDouble(_ type: Any.Type?, at place: Place) -> KeyValueCodingError {
    let parts = self == .avg ? "" : "of numbers of different types "
    let numbers = type.map { "numbers of type \($0)" } ?? "these numbers"
    let reason =
      "\(parts)is a Double, to which \(numbers) do not convert. Let the elements have a Double"
    return .typeMismatch(details(reason, at: place))
  }

  /// Nil counts as 0.
  private func exactSum(_ values: [Any?], at place: Place) throws -> ExactSum {
    var sum = ExactSum()
    for value in values {
      guard let value else { continue }
      sum.add(try number(value, at: place), times: 1)
      if sum.isMixed { throw mixture(value, with: sum.otherType, at: place) }
    }
    return sum
  }

  private func mixture(
    _ value: Any, with type: Any.Type?, at place: Place
  ) -> KeyValueCodingError {
    let others = type.map { "numbers of type \($0)" } ?? "the other numbers"
    let reason =
      "cannot add \(plainDescription(value)) of type \(Swift.type(of: value)) to \(others)"
    return .typeMismatch(details(reason, at: place))
  }

  func number(_ value: Any, at place: Place) throws -> Number {
    guard let number = Number(value) else {
      let reason =
        "found \(plainDescription(value)) of type \(type(of: value)), which is no number"
      throw KeyValueCodingError.typeMismatch(details(reason, at: place))
    }
    return number
  }

  /// Whether a value takes part in `@min` and `@max`; nil and not-a-number have no order.
  static func isOrdered(_ value: Any?) -> Bool {
    guard let value else { return false }
    return (value as? any FloatingPoint)?.isNaN != true
  }

  /// The smallest or largest of the values that have an order; nil if there are none.
  private func extremum(_ values: [Any?], at place: Place) throws -> Any? {
    var best: Any?
    for value in values.compactMap({ $0 }) where CollectionOperator.isOrdered(value) {
      guard let current = best else {
        best = value
        continue
      }
      if try precedes(value, current, at: place) { best = value }
    }
    return best
  }

  /// The same for values of a comparable type; `.none` if the type has no order or is a class, because a
  /// subclass may define its own order.
  private func extremum(ofOneType values: any ToMany) -> Any?? {
    let usual =
      extremum(of: values, Int.self) ?? extremum(of: values, Double.self)
      ?? extremum(of: values, Float.self) ?? extremum(of: values, String.self)
    if let usual { return usual }
    let type = unwrapped(Swift.type(of: values).elementType)
    if let type = type as? any FloatingPoint.Type { return extremum(of: values, type) }
    guard !isClass(type), let type = type as? any Comparable.Type else { return nil }
    return extremum(of: values, type)
  }

  @inline(__always)
  private func extremum<Value: FloatingPoint>(of values: any ToMany, _ type: Value.Type) -> Any?? {
    values.present(type).map { extremum(of: $0) { !$0.isNaN } }
  }

  @inline(__always)
  private func extremum<Value: Comparable>(of values: any ToMany, _ type: Value.Type) -> Any?? {
    values.present(type).map { extremum(of: $0) { _ in true } }
  }

  @inline(__always)
  private func extremum<Value: Comparable>(
    of values: [Value], _ isOrdered: (Value) -> Bool
  ) -> Any? {
    var best: Int?
    for index in values.indices where isOrdered(values[index]) {
      guard let current = best else {
        best = index
        continue
      }
      let isBetter =
        self == .max ? values[current] < values[index] : values[index] < values[current]
      if isBetter { best = index }
    }
    return best.map { values[$0] }
  }

  /// Whether `a` precedes `b` in the order whose first value is the extremum.
  func precedes(_ a: Any, _ b: Any, at place: Place) throws -> Bool {
    let isLess = self == .max ? isOrderedBefore(b, a) : isOrderedBefore(a, b)
    guard let isLess else {
      let reason = "cannot compare \(plainDescription(a)) and \(plainDescription(b))"
      throw KeyValueCodingError.typeMismatch(details(reason, at: place))
    }
    return isLess
  }

  private func present(_ values: [Any?], at place: Place) throws -> [Any] {
    try values.map { value in
      guard let value else {
        let reason =
          "found nil in an element, which a union cannot hold. Give the key a value, or filter the elements"
        throw KeyValueCodingError.nilValue(details(reason, at: place))
      }
      return value
    }
  }

  private func joined(_ values: [Any?], at place: Place) throws -> [Any] {
    try present(values, at: place).flatMap { value in
      guard let elements = (value as? any ToMany)?.anyElements else {
        let reason = "needs collections on its right"
        throw KeyValueCodingError.notACollection(details(reason, at: place))
      }
      return try present(elements, at: place)
    }
  }

  /// The details of an error, with a reason of which the operator is the subject.
  private func details(_ reason: String, at place: Place) -> KeyValueCodingError.Details {
    var details = KeyValueCodingError.Details(
      type: "Collection", key: component, keyPath: place.keyPath, position: place.index + 1,
      reason: reason)
    details.attempt = .evaluated
    return details
  }
}

/// Whether a value comes before another one in the order of their type, or of the nearest class that they share; nil
/// if they have no order.
package func isOrderedBefore(_ a: Any, _ b: Any) -> Bool? {
  if let a = a as? Int, let b = b as? Int { return a < b }
  if let a = a as? any Comparable {
    func compare<Value: Comparable>(_ a: Value) -> Bool? { (b as? Value).map { a < $0 } }
    if let result = compare(a) { return result }
  }
  if let a = Number(a)?.double, let b = Number(b)?.double { return a < b }
  // Foundation's mutable strings.
  if let a = a as? String, let b = b as? String { return a < b }
  guard let type = commonClass(a, b) as? any Comparable.Type else { return nil }
  return isOrderedBefore(a, b, as: type)
}

private func isOrderedBefore<Common: Comparable>(
  _ a: Any, _ b: Any, as type: Common.Type
) -> Bool? {
  guard let a = a as? Common, let b = b as? Common else { return nil }
  return a < b
}
