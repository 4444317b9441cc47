// The same of optional collections, and of collections behind an optional owner; see
// KeyValuePath+Collections.swift.

// MARK: Arrays

extension KeyValuePath {
  /// The sum of the elements' values; nil where the collection is.
  public subscript<Element: KeyValueObservable, Number: Numeric>(
    sum inner: ElementPath<Element, Number>
  ) -> KeyValuePath<Root, Number?> where Value == [Element]? {
    optionalOperation(.sum, inner) { numeric($0) }
  }

  /// The sum of the elements' values, of which nil counts as 0; nil where the collection is.
  public subscript<Element: KeyValueObservable, Number: Numeric>(
    sum inner: ElementPath<Element, Number?>
  ) -> KeyValuePath<Root, Number?> where Value == [Element]? {
    optionalOperation(.sum, inner) { numeric($0) }
  }

  /// The arithmetic mean of the elements' values; nil where the collection is.
  public subscript<Element: KeyValueObservable, Number>(
    average inner: ElementPath<Element, Number>
  ) -> KeyValuePath<Root, Double?> where Value == [Element]? {
    optionalOperation(.avg, inner) { numeric($0) }
  }

  /// The smallest of the elements' values; nil of none.
  public subscript<Element: KeyValueObservable, Bound: Comparable>(
    minimum inner: ElementPath<Element, Bound>
  ) -> KeyValuePath<Root, Bound?> where Value == [Element]? {
    optionalOperation(.min, inner) { $0 as? Bound }
  }

  /// The smallest of the elements' values that are not nil; nil of none.
  public subscript<Element: KeyValueObservable, Bound: Comparable>(
    minimum inner: ElementPath<Element, Bound?>
  ) -> KeyValuePath<Root, Bound?> where Value == [Element]? {
    optionalOperation(.min, inner) { $0 as? Bound }
  }

  /// The largest of the elements' values; nil of none.
  public subscript<Element: KeyValueObservable, Bound: Comparable>(
    maximum inner: ElementPath<Element, Bound>
  ) -> KeyValuePath<Root, Bound?> where Value == [Element]? {
    optionalOperation(.max, inner) { $0 as? Bound }
  }

  /// The largest of the elements' values that are not nil; nil of none.
  public subscript<Element: KeyValueObservable, Bound: Comparable>(
    maximum inner: ElementPath<Element, Bound?>
  ) -> KeyValuePath<Root, Bound?> where Value == [Element]? {
    optionalOperation(.max, inner) { $0 as? Bound }
  }

  /// The elements' values, in order; nil where the collection is.
  public subscript<Element: KeyValueObservable, Next>(
    each inner: ElementPath<Element, Next>
  ) -> KeyValuePath<Root, [Next]?> where Value == [Element]? {
    optionalEach(inner)
  }
}

// MARK: Sets

extension KeyValuePath {
  /// The sum of the elements' values; nil where the collection is.
  public subscript<Element: KeyValueObservable & Hashable, Number: Numeric>(
    sum inner: ElementPath<Element, Number>
  ) -> KeyValuePath<Root, Number?> where Value == Set<Element>? {
    optionalOperation(.sum, inner) { numeric($0) }
  }

  /// The sum of the elements' values, of which nil counts as 0; nil where the collection is.
  public subscript<Element: KeyValueObservable & Hashable, Number: Numeric>(
    sum inner: ElementPath<Element, Number?>
  ) -> KeyValuePath<Root, Number?> where Value == Set<Element>? {
    optionalOperation(.sum, inner) { numeric($0) }
  }

  /// The arithmetic mean of the elements' values; nil where the collection is.
  public subscript<Element: KeyValueObservable & Hashable, Number>(
    average inner: ElementPath<Element, Number>
  ) -> KeyValuePath<Root, Double?> where Value == Set<Element>? {
    optionalOperation(.avg, inner) { numeric($0) }
  }

  /// The smallest of the elements' values; nil of none.
  public subscript<Element: KeyValueObservable & Hashable, Bound: Comparable>(
    minimum inner: ElementPath<Element, Bound>
  ) -> KeyValuePath<Root, Bound?> where Value == Set<Element>? {
    optionalOperation(.min, inner) { $0 as? Bound }
  }

  /// The smallest of the elements' values that are not nil; nil of none.
  public subscript<Element: KeyValueObservable & Hashable, Bound: Comparable>(
    minimum inner: ElementPath<Element, Bound?>
  ) -> KeyValuePath<Root, Bound?> where Value == Set<Element>? {
    optionalOperation(.min, inner) { $0 as? Bound }
  }

  /// The largest of the elements' values; nil of none.
  public subscript<Element: KeyValueObservable & Hashable, Bound: Comparable>(
    maximum inner: ElementPath<Element, Bound>
  ) -> KeyValuePath<Root, Bound?> where Value == Set<Element>? {
    optionalOperation(.max, inner) { $0 as? Bound }
  }

  /// The largest of the elements' values that are not nil; nil of none.
  public subscript<Element: KeyValueObservable & Hashable, Bound: Comparable>(
    maximum inner: ElementPath<Element, Bound?>
  ) -> KeyValuePath<Root, Bound?> where Value == Set<Element>? {
    optionalOperation(.max, inner) { $0 as? Bound }
  }

  /// The elements' values, in no order; nil where the collection is.
  public subscript<Element: KeyValueObservable & Hashable, Next>(
    each inner: ElementPath<Element, Next>
  ) -> KeyValuePath<Root, [Next]?> where Value == Set<Element>? {
    optionalEach(inner)
  }
}
