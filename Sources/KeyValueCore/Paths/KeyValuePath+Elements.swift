// Shared by the subscripts of collections.
extension KeyValuePath where Value: Sequence, Value.Element: KeyValueObservable {
  func operation<Inner, Result>(
    _ operation: CollectionOperator, _ inner: ElementPath<Value.Element, Inner>,
    _ convert: @escaping (_ value: Any?, _ steps: [PathStep]) -> Result
  ) -> KeyValuePath<Root, Result> {
    let element = KeyValuePath<Value.Element, Inner>(inner)
    let (readElement, _) = element.reading
    let step = PathStep(
      operation, identity: inner, pathLength: element.steps.count, read: readElement)
    let steps = self.steps + [step] + element.steps
    let index = self.steps.count
    let compute = { (elements: Value) -> Result in
      let values = elements.map { flattened(readElement($0)) }
      return convert(evaluated(operation, values, at: index, in: steps), steps)
    }
    return extended(to: steps, boxAggregate: AggregateBox { convert($0, steps) }, compute)
  }

  func each<Inner>(_ inner: ElementPath<Value.Element, Inner>) -> KeyValuePath<Root, [Inner]> {
    let element = KeyValuePath<Value.Element, Inner>(inner)
    let (readElement, _) = element.reading
    return extended(to: steps + element.steps, boxAggregate: nil) { $0.map(readElement) }
  }
}

extension KeyValuePath
where Value: KeyValueOptional, Value.Wrapped: Sequence, Value.Wrapped.Element: KeyValueObservable {
  func optionalOperation<Inner, Result>(
    _ operation: CollectionOperator, _ inner: ElementPath<Value.Wrapped.Element, Inner>,
    _ convert: @escaping (_ value: Any?, _ steps: [PathStep]) -> Result?
  ) -> KeyValuePath<Root, Result?> {
    let element = KeyValuePath<Value.Wrapped.Element, Inner>(inner)
    let (readElement, _) = element.reading
    let step = PathStep(
      operation, identity: inner, pathLength: element.steps.count, read: readElement)
    let steps = self.steps + [step] + element.steps
    let index = self.steps.count
    return extended(
      to: steps,
      boxAggregate: AggregateBox { $0 == nil ? nil : convert($0, steps) },
      { value in
        elements(of: value).flatMap { elements in
          let values = elements.map { flattened(readElement($0)) }
          return convert(evaluated(operation, values, at: index, in: steps), steps)
        }
      })
  }

  func optionalEach<Inner>(
    _ inner: ElementPath<Value.Wrapped.Element, Inner>
  ) -> KeyValuePath<Root, [Inner]?> {
    let element = KeyValuePath<Value.Wrapped.Element, Inner>(inner)
    let (readElement, _) = element.reading
    return extended(to: steps + element.steps, boxAggregate: nil) {
      elements(of: $0)?.map(readElement)
    }
  }
}

/// The collection; nil if the optional is.
private func elements<Value: KeyValueOptional>(of value: Value) -> Value.Wrapped? {
  (value as Any) as? Value.Wrapped
}

extension KeyValuePath {
  /// The path of these steps, which begin with its own; the others compute their value from the value so far.
  private func extended<Result>(
    to steps: [PathStep], boxAggregate: AggregateBox?,
    _ compute: @escaping (Value) -> Result
  ) -> KeyValuePath<Root, Result> {
    let access: KeyValuePath<Root, Result>.Access
    switch self.access {
    case .value(let read, _):
      access = .value(read: { compute(read($0)) }, load: nil)
    case .chained(let read, _):
      access = .chained(
        read: { read($0).map(compute) }, load: { $0.assumingMemoryBound(to: Result.self).pointee })
    }
    return KeyValuePath<Root, Result>(steps: steps, access: access, boxAggregate: boxAggregate)
  }
}

/// The value of the operator at an index of a path; an error of the string interface is a violation here.
private func evaluated(
  _ operation: CollectionOperator, _ values: [Any?], at index: Int, in steps: [PathStep]
) -> Any? {
  do {
    // Only an error needs the path's string.
    return try operation.evaluate(values, at: .init(index: index, keyPath: "", isTyped: true))
  } catch {
    let path = steps.map(\.component).string
    let placed = (error as? KeyValueCodingError)?.saidOf(path, at: index + 1)
    KeyValueViolation.fatal(.arithmeticOverflow, placed.map { "\($0)" } ?? "\(error)")
  }
}

/// A sum in the elements' own type; one that doesn't fit traps, as Swift's `+` does.
///
/// `steps` are those of the path that the sum is the value of.
func numeric<Value: Numeric>(_ value: Any?, of steps: [PathStep]) -> Value {
  // The usual types first: a cast to a type that the compiler knows is several times faster.
  if Value.self == Int.self, let value = value as? Int {
    return unsafeBitCast(value, to: Value.self)
  }
  if Value.self == Double.self, let value = value as? Double {
    return unsafeBitCast(value, to: Value.self)
  }
  if let double = value as? Double, let floating = Value.self as? any BinaryFloatingPoint.Type {
    func rounded<Floating: BinaryFloatingPoint>(_ type: Floating.Type) -> Any { Floating(double) }
    if let value = rounded(floating) as? Value { return value }
  }
  guard let value, let number = ValueConversion.converted(value, to: Value.self) else {
    let sum = value.map(plainDescription) ?? "beyond 128 bits"
    KeyValueViolation.fatal(
      .arithmeticOverflow,
      "The sum '\(steps.map(\.component).string)' is \(sum), which \(Value.self) can't hold. Let the "
        + "elements have a wider type, or a Double.")
  }
  return number
}

extension KeyValuePath {
  /// Whether the value is made of those of a collection's elements, as with `[each:]`.
  var isOfElements: Bool {
    zip(steps, steps.dropFirst()).contains { !$1.continues($0) }
  }
}
