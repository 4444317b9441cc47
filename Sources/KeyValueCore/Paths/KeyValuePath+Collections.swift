// Paths through collections: `[each: \.name]` and the operators `[sum:]`, `[average:]`, `[minimum:]`,
// `[maximum:]`. A sum that does not fit the elements' type traps, as `+` does. The same names serve arrays
// and sets, and optional ones, whose result is optional; a single form over all collections does not
// compile as a key path component.

// MARK: Arrays

extension KeyValuePath {
  /// The sum of the elements' values; 0 of none.
  public subscript<Element: KeyValueObservable, Number: Numeric>(
    sum inner: ElementPath<Element, Number>
  ) -> KeyValuePath<Root, Number> where Value == [Element] {
    operation(.sum, inner) { numeric($0) }
  }

  /// The sum of the elements' values, of which nil counts as 0; 0 of none.
  public subscript<Element: KeyValueObservable, Number: Numeric>(
    sum inner: ElementPath<Element, Number?>
  ) -> KeyValuePath<Root, Number> where Value == [Element] {
    operation(.sum, inner) { numeric($0) }
  }

  /// The arithmetic mean of the elements' values; 0 of none.
  public subscript<Element: KeyValueObservable, Number>(
    average inner: ElementPath<Element, Number>
  ) -> KeyValuePath<Root, Double> where Value == [Element] {
    operation(.avg, inner) { numeric($0) }
  }

  /// The smallest of the elements' values; nil of none.
  public subscript<Element: KeyValueObservable, Bound: Comparable>(
    minimum inner: ElementPath<Element, Bound>
  ) -> KeyValuePath<Root, Bound?> where Value == [Element] {
    operation(.min, inner) { $0 as? Bound }
  }

  /// The smallest of the elements' values that are not nil; nil of none.
  public subscript<Element: KeyValueObservable, Bound: Comparable>(
    minimum inner: ElementPath<Element, Bound?>
  ) -> KeyValuePath<Root, Bound?> where Value == [Element] {
    operation(.min, inner) { $0 as? Bound }
  }

  /// The largest of the elements' values; nil of none.
  public subscript<Element: KeyValueObservable, Bound: Comparable>(
    maximum inner: ElementPath<Element, Bound>
  ) -> KeyValuePath<Root, Bound?> where Value == [Element] {
    operation(.max, inner) { $0 as? Bound }
  }

  /// The largest of the elements' values that are not nil; nil of none.
  public subscript<Element: KeyValueObservable, Bound: Comparable>(
    maximum inner: ElementPath<Element, Bound?>
  ) -> KeyValuePath<Root, Bound?> where Value == [Element] {
    operation(.max, inner) { $0 as? Bound }
  }

  /// The elements' values, in order.
  public subscript<Element: KeyValueObservable, Next>(
    each inner: ElementPath<Element, Next>
  ) -> KeyValuePath<Root, [Next]> where Value == [Element] {
    each(inner)
  }
}

// MARK: Sets

extension KeyValuePath {
  /// The sum of the elements' values; 0 of none.
  public subscript<Element: KeyValueObservable & Hashable, Number: Numeric>(
    sum inner: ElementPath<Element, Number>
  ) -> KeyValuePath<Root, Number> where Value == Set<Element> {
    operation(.sum, inner) { numeric($0) }
  }

  /// The sum of the elements' values, of which nil counts as 0; 0 of none.
  public subscript<Element: KeyValueObservable & Hashable, Number: Numeric>(
    sum inner: ElementPath<Element, Number?>
  ) -> KeyValuePath<Root, Number> where Value == Set<Element> {
    operation(.sum, inner) { numeric($0) }
  }

  /// The arithmetic mean of the elements' values; 0 of none.
  public subscript<Element: KeyValueObservable & Hashable, Number>(
    average inner: ElementPath<Element, Number>
  ) -> KeyValuePath<Root, Double> where Value == Set<Element> {
    operation(.avg, inner) { numeric($0) }
  }

  /// The smallest of the elements' values; nil of none.
  public subscript<Element: KeyValueObservable & Hashable, Bound: Comparable>(
    minimum inner: ElementPath<Element, Bound>
  ) -> KeyValuePath<Root, Bound?> where Value == Set<Element> {
    operation(.min, inner) { $0 as? Bound }
  }

  /// The smallest of the elements' values that are not nil; nil of none.
  public subscript<Element: KeyValueObservable & Hashable, Bound: Comparable>(
    minimum inner: ElementPath<Element, Bound?>
  ) -> KeyValuePath<Root, Bound?> where Value == Set<Element> {
    operation(.min, inner) { $0 as? Bound }
  }

  /// The largest of the elements' values; nil of none.
  public subscript<Element: KeyValueObservable & Hashable, Bound: Comparable>(
    maximum inner: ElementPath<Element, Bound>
  ) -> KeyValuePath<Root, Bound?> where Value == Set<Element> {
    operation(.max, inner) { $0 as? Bound }
  }

  /// The largest of the elements' values that are not nil; nil of none.
  public subscript<Element: KeyValueObservable & Hashable, Bound: Comparable>(
    maximum inner: ElementPath<Element, Bound?>
  ) -> KeyValuePath<Root, Bound?> where Value == Set<Element> {
    operation(.max, inner) { $0 as? Bound }
  }

  /// The elements' values, in no order.
  public subscript<Element: KeyValueObservable & Hashable, Next>(
    each inner: ElementPath<Element, Next>
  ) -> KeyValuePath<Root, [Next]> where Value == Set<Element> {
    each(inner)
  }
}

/// A typed path that begins in the elements of a collection.
public typealias ElementPath<Element, Value> =
  KeyPath<KeyValuePath<Element, Element>, KeyValuePath<Element, Value>>
