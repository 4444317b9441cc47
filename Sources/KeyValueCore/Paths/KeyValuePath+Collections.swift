// Paths through collections: `[each: \.name]` and the operators `[sum:]`, `[average:]`,
// `[minimum:]`, `[maximum:]`. A sum that overflows the elements' type traps, as `+` does.
extension KeyValuePath where Value: Sequence, Value.Element: KeyValueObservable {
  /// The sum of the elements' values; 0 if there are no elements.
  public subscript<Number: Numeric>(
    sum inner: ElementPath<Value.Element, Number>
  ) -> KeyValuePath<Root, Number> {
    operation(.sum, inner) { numeric($0, of: $1) }
  }

  /// The sum of the elements' values, nil counting as 0; 0 if there are no elements.
  public subscript<Number: Numeric>(
    sum inner: ElementPath<Value.Element, Number?>
  ) -> KeyValuePath<Root, Number> {
    operation(.sum, inner) { numeric($0, of: $1) }
  }

  /// The arithmetic mean of the elements' values; 0 if there are no elements.
  public subscript<Number: Numeric>(
    average inner: ElementPath<Value.Element, Number>
  ) -> KeyValuePath<Root, Double> {
    operation(.avg, inner) { numeric($0, of: $1) }
  }

  /// The arithmetic mean of the elements' values, nil counting as 0; 0 if there are no elements.
  public subscript<Number: Numeric>(
    average inner: ElementPath<Value.Element, Number?>
  ) -> KeyValuePath<Root, Double> {
    operation(.avg, inner) { numeric($0, of: $1) }
  }

  /// The smallest of the elements' values; nil if there are no elements.
  public subscript<Bound: Comparable>(
    minimum inner: ElementPath<Value.Element, Bound>
  ) -> KeyValuePath<Root, Bound?> {
    operation(.min, inner) { value, _ in value as? Bound }
  }

  /// The smallest of the elements' non-nil values; nil if there are none.
  public subscript<Bound: Comparable>(
    minimum inner: ElementPath<Value.Element, Bound?>
  ) -> KeyValuePath<Root, Bound?> {
    operation(.min, inner) { value, _ in value as? Bound }
  }

  /// The largest of the elements' values; nil if there are no elements.
  public subscript<Bound: Comparable>(
    maximum inner: ElementPath<Value.Element, Bound>
  ) -> KeyValuePath<Root, Bound?> {
    operation(.max, inner) { value, _ in value as? Bound }
  }

  /// The largest of the elements' non-nil values; nil if there are none.
  public subscript<Bound: Comparable>(
    maximum inner: ElementPath<Value.Element, Bound?>
  ) -> KeyValuePath<Root, Bound?> {
    operation(.max, inner) { value, _ in value as? Bound }
  }

  /// The elements' values, in the collection's order.
  public subscript<Next>(
    each inner: ElementPath<Value.Element, Next>
  ) -> KeyValuePath<Root, [Next]> {
    each(inner)
  }
}

// The same for optional collections, and for collections behind an optional owner.
extension KeyValuePath
where Value: KeyValueOptional, Value.Wrapped: Sequence, Value.Wrapped.Element: KeyValueObservable {
  /// The sum of the elements' values; nil if the collection is nil.
  public subscript<Number: Numeric>(
    sum inner: ElementPath<Value.Wrapped.Element, Number>
  ) -> KeyValuePath<Root, Number?> {
    optionalOperation(.sum, inner) { numeric($0, of: $1) }
  }

  /// The sum of the elements' values, nil counting as 0; nil if the collection is nil.
  public subscript<Number: Numeric>(
    sum inner: ElementPath<Value.Wrapped.Element, Number?>
  ) -> KeyValuePath<Root, Number?> {
    optionalOperation(.sum, inner) { numeric($0, of: $1) }
  }

  /// The arithmetic mean of the elements' values; nil if the collection is nil.
  public subscript<Number: Numeric>(
    average inner: ElementPath<Value.Wrapped.Element, Number>
  ) -> KeyValuePath<Root, Double?> {
    optionalOperation(.avg, inner) { numeric($0, of: $1) }
  }

  /// The arithmetic mean of the elements' values, nil counting as 0; nil if the collection is nil.
  public subscript<Number: Numeric>(
    average inner: ElementPath<Value.Wrapped.Element, Number?>
  ) -> KeyValuePath<Root, Double?> {
    optionalOperation(.avg, inner) { numeric($0, of: $1) }
  }

  /// The smallest of the elements' values; nil if there are no elements, or no collection.
  public subscript<Bound: Comparable>(
    minimum inner: ElementPath<Value.Wrapped.Element, Bound>
  ) -> KeyValuePath<Root, Bound?> {
    optionalOperation(.min, inner) { value, _ in value as? Bound }
  }

  /// The smallest of the elements' non-nil values; nil if there are none, or no collection.
  public subscript<Bound: Comparable>(
    minimum inner: ElementPath<Value.Wrapped.Element, Bound?>
  ) -> KeyValuePath<Root, Bound?> {
    optionalOperation(.min, inner) { value, _ in value as? Bound }
  }

  /// The largest of the elements' values; nil if there are no elements, or no collection.
  public subscript<Bound: Comparable>(
    maximum inner: ElementPath<Value.Wrapped.Element, Bound>
  ) -> KeyValuePath<Root, Bound?> {
    optionalOperation(.max, inner) { value, _ in value as? Bound }
  }

  /// The largest of the elements' non-nil values; nil if there are none, or no collection.
  public subscript<Bound: Comparable>(
    maximum inner: ElementPath<Value.Wrapped.Element, Bound?>
  ) -> KeyValuePath<Root, Bound?> {
    optionalOperation(.max, inner) { value, _ in value as? Bound }
  }

  /// The elements' values, in the collection's order; nil if the collection is nil.
  public subscript<Next>(
    each inner: ElementPath<Value.Wrapped.Element, Next>
  ) -> KeyValuePath<Root, [Next]?> {
    optionalEach(inner)
  }
}

/// A typed path that begins in the elements of a collection.
public typealias ElementPath<Element, Value> =
  KeyPath<KeyValuePath<Element, Element>, KeyValuePath<Element, Value>>

extension Optional: KeyValueOptional {}
