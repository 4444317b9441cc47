/// The elements of a collection, among which those are found that are expected in another form.
///
/// It follows the edits of a set: to look through the set for each edit would take time in proportion to the product.
struct PresentElements {
  /// How often each element is there.
  private var counts: [KeyValueLogValue: Int] = [:]
  /// The elements by their forms, in order, also those that have left meanwhile; nil until one is looked for by its
  /// form.
  private var alike: [KeyValueLogValue: [KeyValueLogValue]]?

  init(_ elements: [KeyValueLogValue]) {
    for element in elements { counts[element, default: 0] += 1 }
  }

  /// Puts elements that are there in place of those that are expected, where both are the same.
  ///
  /// - Parameters:
  ///   - expected: The elements. An element that is there once is found once.
  ///   - present: The elements that are there, in order.
  ///   - form: What is equal of elements that may be the same.
  ///   - isSame: Whether an expected element is one that is there.
  /// - Returns: The expected elements, in their order, as they're written where they are there.
  /// - Complexity: Linear in the number of expected elements. The first time that one isn't there as it's written,
  ///   also in the number of present ones.
  mutating func fitted(
    _ expected: [KeyValueLogValue], among present: [KeyValueLogValue],
    form: (KeyValueLogValue) -> KeyValueLogValue,
    isSame: (_ expected: KeyValueLogValue, _ present: KeyValueLogValue) -> Bool
  ) -> [KeyValueLogValue] {
    let counts = counts
    var rest: [KeyValueLogValue: Int] = [:]
    func take(_ element: KeyValueLogValue) -> Bool {
      let count = rest[element] ?? counts[element] ?? 0
      if count == 0 { return false }
      rest[element] = count - 1
      return true
    }
    // What is there as it's written isn't another element in another form.
    let areThere = expected.map { take($0) }
    if areThere.allSatisfy({ $0 }) { return expected }
    let alike = self.alike ?? Self.grouped(present, form)
    self.alike = alike
    return zip(expected, areThere).map { element, isThere in
      if isThere { return element }
      let other = alike[form(element)]?.first { isSame(element, $0) && take($0) }
      return other ?? element
    }
  }

  /// Follows an edit of a set.
  mutating func replace(
    _ old: [KeyValueLogValue], with new: [KeyValueLogValue],
    form: (KeyValueLogValue) -> KeyValueLogValue
  ) {
    for element in old { counts[element, default: 0] -= 1 }
    for element in new {
      counts[element, default: 0] += 1
      alike?[form(element), default: []].append(element)
    }
  }

  /// The elements by their forms, each once.
  private static func grouped(
    _ elements: [KeyValueLogValue], _ form: (KeyValueLogValue) -> KeyValueLogValue
  ) -> [KeyValueLogValue: [KeyValueLogValue]] {
    var seen: Set<KeyValueLogValue> = []
    let different = elements.filter { seen.insert($0).inserted }
    return Dictionary(grouping: different, by: form)
  }
}
