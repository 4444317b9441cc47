/// The elements of a collection, from which those are taken that are expected, also in another form.
///
/// It follows the edits of a set: to look through the set for each edit would take time in proportion to the set's size
/// times the number of edits.
struct PresentElements {
  /// Elements that are equal.
  private final class Element {
    let value: KeyValueLogValue
    /// How often it's there.
    var count = 1

    init(_ value: KeyValueLogValue) { self.value = value }
  }

  /// Elements that may be the same, in order, also those that have been taken.
  private struct Alike {
    var elements: [Element] = []
    /// Where the last one was found; what is expected next is most often behind it.
    var place = 0

    /// Takes the first one from the place on, or else from the beginning, that a condition holds for.
    mutating func take(where isSame: (KeyValueLogValue) -> Bool) -> KeyValueLogValue? {
      for index in [place..<elements.count, 0..<place].joined() {
        let element = elements[index]
        guard element.count > 0, isSame(element.value) else { continue }
        element.count -= 1
        place = index
        return element.value
      }
      return nil
    }
  }

  private var elements: [KeyValueLogValue: Element] = [:]
  /// The elements in order, until one is looked for by its form.
  private var ungrouped: [Element] = []
  /// The elements by their forms; nil until one is looked for.
  private var alike: [KeyValueLogValue: Alike]?

  init(_ values: some Sequence<KeyValueLogValue>) {
    for value in values {
      if let element = note(value) { ungrouped.append(element) }
    }
  }

  /// Takes elements that are there in place of those that are expected, where both are the same.
  ///
  /// - Parameters:
  ///   - expected: The elements. An element that is there once is found once.
  ///   - form: What is equal of elements that may be the same.
  ///   - isSame: Whether an expected element is one that is there.
  /// - Returns: The expected elements, in their order, as they're written where they are there.
  /// - Complexity: Linear in the number of expected elements, if those that may be the same are in the same order. The
  ///   first time that one isn't there as it's written, also in the number of the others that are there.
  mutating func take(
    _ expected: some Collection<KeyValueLogValue>, form: (KeyValueLogValue) -> KeyValueLogValue,
    isSame: (_ expected: KeyValueLogValue, _ present: KeyValueLogValue) -> Bool
  ) -> [KeyValueLogValue] {
    // What is there as it's written isn't another element in another form.
    let equals = expected.map { takeEqual(to: $0) }
    return zip(expected, equals).map { element, equal in
      if let equal {
        // It may have other Unicode scalars.
        return element.isIdentical(to: equal) || !isSame(element, equal) ? element : equal
      }
      group(form)
      return alike?[form(element)]?.take { isSame(element, $0) } ?? element
    }
  }

  /// Puts elements in, as an edit of a set does.
  mutating func insert(
    _ values: [KeyValueLogValue], form: (KeyValueLogValue) -> KeyValueLogValue
  ) {
    for value in values {
      guard let element = note(value) else { continue }
      if alike == nil {
        ungrouped.append(element)
      } else {
        alike?[form(value), default: Alike()].elements.append(element)
      }
    }
  }

  /// Counts an element that is there.
  ///
  /// - Returns: The element, if none that is equal was there.
  private mutating func note(_ value: KeyValueLogValue) -> Element? {
    if let present = elements[value], present.count > 0 {
      present.count += 1
      return nil
    }
    let element = Element(value)
    elements[value] = element
    return element
  }

  private func takeEqual(to value: KeyValueLogValue) -> KeyValueLogValue? {
    guard let element = elements[value], element.count > 0 else { return nil }
    element.count -= 1
    return element.value
  }

  private mutating func group(_ form: (KeyValueLogValue) -> KeyValueLogValue) {
    guard alike == nil else { return }
    // The others have been taken.
    let rest = ungrouped.filter { $0.count > 0 }
    alike = Dictionary(grouping: rest) { form($0.value) }.mapValues { Alike(elements: $0) }
    ungrouped = []
  }
}
