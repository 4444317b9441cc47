/// What a collection operator makes of a collection (Parity K6).
extension CollectionOperator {
  /// Where the operator stands, for the messages.
  struct Place {
    let index: Int
    let keyPath: String
  }

  /// Applies the operator to the values that its right-hand path has at each element.
  func evaluate(_ values: [Any?], at place: Place) throws -> Any? {
    switch self {
    case .count: return values.count
    case .sum:
      let sum = try exactSum(values, at: place)
      guard let value = sum.value else { throw overflow(at: place) }
      return value
    case .avg:
      guard !values.isEmpty else { return 0.0 }
      return try exactSum(values, at: place).double / Double(values.count)
    case .min, .max: return try extremum(values, at: place)
    case .unionOfObjects: return try present(values, at: place)
    case .distinctUnionOfObjects: return onceEach(try present(values, at: place))
    case .unionOfArrays: return try joined(values, at: place)
    case .distinctUnionOfArrays: return onceEach(try joined(values, at: place))
    case .unionOfSets, .distinctUnionOfSets:
      return asSet(try joined(values, at: place))
    }
  }

  func overflow(at place: Place) -> KeyValueCodingError {
    error(.typeMismatch, "the sum exceeds what an Int or a UInt64 holds", at: place)
  }

  /// Nil counts as 0.
  private func exactSum(_ values: [Any?], at place: Place) throws -> ExactSum {
    var sum = ExactSum()
    for value in values {
      guard let value else { continue }
      sum.add(try number(value, at: place), times: 1)
    }
    return sum
  }

  func number(_ value: Any, at place: Place) throws -> Number {
    guard let number = Number(value) else {
      throw error(
        .typeMismatch, "\(plainDescription(value)) of type \(type(of: value)) is no number",
        at: place)
    }
    return number
  }

  /// Whether a value takes part in `@min` and `@max`: nil and not-a-number have no place in an order.
  static func isOrdered(_ value: Any?) -> Bool {
    guard let value else { return false }
    return (value as? any FloatingPoint)?.isNaN != true
  }

  /// The smallest or largest of the values that have an order; nil where there is none.
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

  /// Whether a value goes before another in the order in which the first is the extremum.
  func precedes(_ a: Any, _ b: Any, at place: Place) throws -> Bool {
    let isLess = self == .max ? less(b, a) : less(a, b)
    guard let isLess else {
      throw error(
        .typeMismatch,
        "\(plainDescription(a)) and \(plainDescription(b)) cannot be compared", at: place)
    }
    return isLess
  }

  private func less(_ a: Any, _ b: Any) -> Bool? {
    if let a = a as? Int, let b = b as? Int { return a < b }
    if let a = a as? any Comparable {
      func compare<Value: Comparable>(_ a: Value) -> Bool? { (b as? Value).map { a < $0 } }
      if let result = compare(a) { return result }
    }
    guard let a = Number(a), let b = Number(b) else { return nil }
    return a.double < b.double
  }

  private func present(_ values: [Any?], at place: Place) throws -> [Any] {
    try values.map { value in
      guard let value else {
        throw error(.nilValue, "an element's value is nil, which a union cannot hold", at: place)
      }
      return value
    }
  }

  private func joined(_ values: [Any?], at place: Place) throws -> [Any] {
    try present(values, at: place).flatMap { value in
      guard let elements = (value as? any ToMany)?.anyElements else {
        throw error(.notACollection, "it needs collections on its right", at: place)
      }
      return try present(elements, at: place)
    }
  }

  private enum Fault {
    case typeMismatch
    case nilValue
    case notACollection
  }

  private func error(_ fault: Fault, _ reason: String, at place: Place) -> KeyValueCodingError {
    let details = KeyValueCodingError.Details(
      type: "Collection", key: "@" + rawValue, keyPath: place.keyPath, position: place.index + 1,
      reason: reason)
    return switch fault {
    case .typeMismatch: .typeMismatch(details)
    case .nilValue: .nilValue(details)
    case .notACollection: .notACollection(details)
    }
  }
}
