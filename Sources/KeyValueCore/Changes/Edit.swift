/// What a mutation does to a property.
///
/// Announcements, proxies, transactions and the recorder all describe a mutation in this form. With the
/// values before and after, it makes the `KeyValueObservedChange` that an observer receives.
@usableFromInline
enum Edit {
  /// Replaces the whole value.
  case setting
  /// Inserts elements into an ordered collection, one for each index; the indexes are those after the
  /// insertion.
  ///
  /// An insertion or `replacement` that's only announced has no elements.
  case insertion(IndexRanges, [Any] = [])
  case removal(IndexRanges)
  case replacement(IndexRanges, [Any] = [])
  /// Removes elements from an ordered collection and inserts others: the result of several edits.
  ///
  /// The removed indexes are those before the edits, and the inserted ones those after them.
  case exchange(removed: IndexRanges, inserted: IndexRanges)
  /// Combines an unordered collection with these elements.
  case algebra(KeyValueSetMutationKind, Set<AnyHashable>)

  /// Creates an edit of elements by index; one that's only announced has no elements.
  init(_ kind: KeyValueChangeKind, at indexes: IndexRanges, _ elements: [Any] = []) {
    self =
      switch kind {
      case .setting: .setting
      case .insertion: .insertion(indexes, elements)
      case .removal: .removal(indexes)
      case .replacement: .replacement(indexes, elements)
      }
  }

  /// The part of the edit that a collection can take; what would be inserted behind its end is inserted there.
  ///
  /// - Parameter count: The number of elements in the collection.
  /// - Returns: The part.
  func fitting(_ count: Int) -> Edit {
    switch self {
    case .removal(let indexes): return .removal(indexes.within(count))
    case .replacement(let indexes, let elements):
      if indexes.isWithin(count) { return self }
      let present = indexes.within(count)
      return .replacement(present, Array(elements.prefix(present.count)))
    case .insertion(let indexes, let elements):
      if indexes.isWithin(count + indexes.count) { return self }
      var places = RangeSet<Int>()
      for (offset, index) in indexes.indices.enumerated() {
        let place = min(index, count + offset)
        places.insert(contentsOf: place..<place + 1)
      }
      return .insertion(IndexRanges(places), elements)
    case .setting, .exchange, .algebra: return self
    }
  }

  /// The kind of change that observers receive.
  var kind: KeyValueChangeKind {
    switch self {
    case .setting: .setting
    case .insertion, .algebra(.union, _): .insertion
    case .removal, .algebra(.minus, _), .algebra(.intersect, _): .removal
    case .replacement, .exchange, .algebra(.set, _): .replacement
    }
  }

  /// The indexes of the affected elements; nil if there are none, or two sets of them.
  var ranges: IndexRanges? {
    switch self {
    case .insertion(let indexes, _), .removal(let indexes), .replacement(let indexes, _): indexes
    case .setting, .exchange, .algebra: nil
    }
  }

  /// The removed elements' indexes before the edit, and the inserted elements' indexes after it; nil if
  /// the edit has no indexes.
  var indexes: (left: IndexRanges, entered: IndexRanges)? {
    switch self {
    case .insertion(let indexes, _): (.none, indexes)
    case .removal(let indexes): (indexes, .none)
    case .replacement(let indexes, _): (indexes, indexes)
    case .exchange(let removed, let inserted): (removed, inserted)
    case .setting, .algebra: nil
    }
  }

  /// Whether the edit is one of elements by index, and there are none.
  var isOfNothing: Bool { ranges?.isEmpty == true }

  /// Whether the edit identifies the affected elements.
  var isPartial: Bool { if case .setting = self { false } else { true } }
}

extension KeyValueChangeKind {
  /// The kind of the change that reverts one of this kind.
  var inverse: KeyValueChangeKind {
    switch self {
    case .insertion: .removal
    case .removal: .insertion
    case .setting, .replacement: self
    }
  }
}
