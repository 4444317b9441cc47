import KeyValueObserving

extension Array {
  /// Keeps one element for each object of an observed list, by applying the list's change.
  ///
  /// - Parameters:
  ///   - change: The list's change, with the new value.
  ///   - make: Creates the element for an object that enters the list.
  package mutating func follow<Object>(
    _ change: KeyValueObservedChange<[Object]>, make: (Object) -> Element
  ) {
    let entered = (change.newValue ?? []).map(make)
    let indexes = change.indexes ?? RangeSet()
    switch change.kind {
    case .setting: self = entered
    case .insertion:
      // In ascending order, so each index is valid when its element is inserted.
      for (index, element) in zip(indexes.ranges.joined(), entered) { insert(element, at: index) }
    case .removal: removeSubranges(indexes)
    case .replacement:
      for (index, element) in zip(indexes.ranges.joined(), entered) { self[index] = element }
    }
  }
}
