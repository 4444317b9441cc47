// Paths through collections: `[each: \.name]` and the operators `[sum:]`, `[average:]`,
// `[minimum:]`, `[maximum:]`. A sum that overflows the elements' type traps, as `+` does.
extension KeyValueBoundPath where Value: Sequence, Value.Element: KeyValueObservable {
  /// The sum of the elements' values; 0 if there are no elements.
  public subscript<Number: Numeric>(
    sum inner: ElementPath<Value.Element, Number>
  ) -> KeyValueBoundPath<Root, Number> {
    KeyValueBoundPath<Root, Number>(_object, _path[sum: inner])
  }

  /// The sum of the elements' values, nil counting as 0; 0 if there are no elements.
  public subscript<Number: Numeric>(
    sum inner: ElementPath<Value.Element, Number?>
  ) -> KeyValueBoundPath<Root, Number> {
    KeyValueBoundPath<Root, Number>(_object, _path[sum: inner])
  }

  /// The arithmetic mean of the elements' values; 0 if there are no elements.
  public subscript<Number: Numeric>(
    average inner: ElementPath<Value.Element, Number>
  ) -> KeyValueBoundPath<Root, Double> {
    KeyValueBoundPath<Root, Double>(_object, _path[average: inner])
  }

  /// The arithmetic mean of the elements' values, nil counting as 0; 0 if there are no elements.
  public subscript<Number: Numeric>(
    average inner: ElementPath<Value.Element, Number?>
  ) -> KeyValueBoundPath<Root, Double> {
    KeyValueBoundPath<Root, Double>(_object, _path[average: inner])
  }

  /// The smallest of the elements' values; nil if there are no elements.
  public subscript<Bound: Comparable>(
    minimum inner: ElementPath<Value.Element, Bound>
  ) -> KeyValueBoundPath<Root, Bound?> {
    KeyValueBoundPath<Root, Bound?>(_object, _path[minimum: inner])
  }

  /// The smallest of the elements' non-nil values; nil if there are none.
  public subscript<Bound: Comparable>(
    minimum inner: ElementPath<Value.Element, Bound?>
  ) -> KeyValueBoundPath<Root, Bound?> {
    KeyValueBoundPath<Root, Bound?>(_object, _path[minimum: inner])
  }

  /// The largest of the elements' values; nil if there are no elements.
  public subscript<Bound: Comparable>(
    maximum inner: ElementPath<Value.Element, Bound>
  ) -> KeyValueBoundPath<Root, Bound?> {
    KeyValueBoundPath<Root, Bound?>(_object, _path[maximum: inner])
  }

  /// The largest of the elements' non-nil values; nil if there are none.
  public subscript<Bound: Comparable>(
    maximum inner: ElementPath<Value.Element, Bound?>
  ) -> KeyValueBoundPath<Root, Bound?> {
    KeyValueBoundPath<Root, Bound?>(_object, _path[maximum: inner])
  }

  /// The elements' values, in the collection's order.
  public subscript<Next>(
    each inner: ElementPath<Value.Element, Next>
  ) -> KeyValueBoundPath<Root, [Next]> {
    KeyValueBoundPath<Root, [Next]>(_object, _path[each: inner])
  }
}

// The same for optional collections, and for collections behind an optional owner.
extension KeyValueBoundPath
where Value: KeyValueOptional, Value.Wrapped: Sequence, Value.Wrapped.Element: KeyValueObservable {
  /// The sum of the elements' values; nil if the collection is nil.
  public subscript<Number: Numeric>(
    sum inner: ElementPath<Value.Wrapped.Element, Number>
  ) -> KeyValueBoundPath<Root, Number?> {
    KeyValueBoundPath<Root, Number?>(_object, _path[sum: inner])
  }

  /// The sum of the elements' values, nil counting as 0; nil if the collection is nil.
  public subscript<Number: Numeric>(
    sum inner: ElementPath<Value.Wrapped.Element, Number?>
  ) -> KeyValueBoundPath<Root, Number?> {
    KeyValueBoundPath<Root, Number?>(_object, _path[sum: inner])
  }

  /// The arithmetic mean of the elements' values; nil if the collection is nil.
  public subscript<Number: Numeric>(
    average inner: ElementPath<Value.Wrapped.Element, Number>
  ) -> KeyValueBoundPath<Root, Double?> {
    KeyValueBoundPath<Root, Double?>(_object, _path[average: inner])
  }

  /// The arithmetic mean of the elements' values, nil counting as 0; nil if the collection is nil.
  public subscript<Number: Numeric>(
    average inner: ElementPath<Value.Wrapped.Element, Number?>
  ) -> KeyValueBoundPath<Root, Double?> {
    KeyValueBoundPath<Root, Double?>(_object, _path[average: inner])
  }

  /// The smallest of the elements' values; nil if there are no elements, or no collection.
  public subscript<Bound: Comparable>(
    minimum inner: ElementPath<Value.Wrapped.Element, Bound>
  ) -> KeyValueBoundPath<Root, Bound?> {
    KeyValueBoundPath<Root, Bound?>(_object, _path[minimum: inner])
  }

  /// The smallest of the elements' non-nil values; nil if there are none, or no collection.
  public subscript<Bound: Comparable>(
    minimum inner: ElementPath<Value.Wrapped.Element, Bound?>
  ) -> KeyValueBoundPath<Root, Bound?> {
    KeyValueBoundPath<Root, Bound?>(_object, _path[minimum: inner])
  }

  /// The largest of the elements' values; nil if there are no elements, or no collection.
  public subscript<Bound: Comparable>(
    maximum inner: ElementPath<Value.Wrapped.Element, Bound>
  ) -> KeyValueBoundPath<Root, Bound?> {
    KeyValueBoundPath<Root, Bound?>(_object, _path[maximum: inner])
  }

  /// The largest of the elements' non-nil values; nil if there are none, or no collection.
  public subscript<Bound: Comparable>(
    maximum inner: ElementPath<Value.Wrapped.Element, Bound?>
  ) -> KeyValueBoundPath<Root, Bound?> {
    KeyValueBoundPath<Root, Bound?>(_object, _path[maximum: inner])
  }

  /// The elements' values, in the collection's order; nil if the collection is nil.
  public subscript<Next>(
    each inner: ElementPath<Value.Wrapped.Element, Next>
  ) -> KeyValueBoundPath<Root, [Next]?> {
    KeyValueBoundPath<Root, [Next]?>(_object, _path[each: inner])
  }
}
