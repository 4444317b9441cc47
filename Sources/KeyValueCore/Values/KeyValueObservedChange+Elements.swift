extension KeyValueObservedChange {
  /// The elements whose parts of the value changed, each once, in the collection's order.
  ///
  /// Paths through a collection tell them if the options include `elementChanges`:
  ///
  /// ```swift
  /// let observation = company.kvo.people[each: \.name].observe(options: .elementChanges) { _, change in
  ///   for case let person as Person in change.elements ?? [] { print(person.name) }   // Ada
  /// }
  /// company.people[0].name = "Ada"
  /// ```
  ///
  /// It's nil if the collection itself has changed, or something that leads to it, and then any part of
  /// the value may have. A transaction tells the elements of all its changes in one call. Of a path through
  /// several collections, the elements are those of the first one.
  ///
  /// - Important: The elements can be read only during the call, on its thread. Afterwards, and in a call on
  ///   another actor or queue, they're nil, which is reported as `tolerated`.
  ///
  /// - Complexity: O(1) for one element, O(*n*) for several elements of *n*.
  ///
  /// Source of the behaviour: this library's.
  public var elements: [AnyObject]? {
    guard let lent = ranges?.content.elements else { return nil }
    if let elements = lent.readable { return elements }
    KeyValueViolation.report(
      .tolerated,
      "The elements of a change were read after the call that told of it, or on another thread, and are "
        + "nil there. Read 'elements' in the observer, and keep what you need.")
    return nil
  }
}
