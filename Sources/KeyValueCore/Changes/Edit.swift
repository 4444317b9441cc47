/// What a mutation does to a property.
///
/// Announcements, proxies, transactions and the recorder all describe a mutation in this form. Together with
/// the values before and after, it is what an observer is told: a `KeyValueObservedChange`.
@usableFromInline
enum Edit {
  /// The whole value is replaced.
  case setting
  /// Elements enter an ordered collection, one for each index; the indexes are those after the insertion.
  ///
  /// Without elements if the edit is only announced; so is `replacement`.
  case insertion(IndexRanges, [Any] = [])
  case removal(IndexRanges)
  case replacement(IndexRanges, [Any] = [])
  /// Elements leave an ordered collection, and others enter it: what several edits amount to.
  ///
  /// The first indexes are those before the edits, the others those after them.
  case exchange(removed: IndexRanges, inserted: IndexRanges)
  /// A collection without order is combined with these elements.
  case algebra(KeyValueSetMutationKind, Set<AnyHashable>)

  /// The edit of elements by index; without elements, as it is announced.
  init(_ kind: KeyValueChangeKind, at indexes: IndexRanges, _ elements: [Any] = []) {
    self =
      switch kind {
      case .setting: .setting
      case .insertion: .insertion(indexes, elements)
      case .removal: .removal(indexes)
      case .replacement: .replacement(indexes, elements)
      }
  }

  /// What observers are told.
  var kind: KeyValueChangeKind {
    switch self {
    case .setting: .setting
    case .insertion, .algebra(.union, _): .insertion
    case .removal, .algebra(.minus, _), .algebra(.intersect, _): .removal
    case .replacement, .exchange, .algebra(.set, _): .replacement
    }
  }

  /// The indexes of the elements concerned; nil where there are none, or two kinds of them.
  var ranges: IndexRanges? {
    switch self {
    case .insertion(let indexes, _), .removal(let indexes), .replacement(let indexes, _): indexes
    case .setting, .exchange, .algebra: nil
    }
  }

  /// Whether it says which elements are concerned.
  var isPartial: Bool { if case .setting = self { false } else { true } }
}

extension KeyValueChangeKind {
  /// The kind of the change that takes one of this kind back.
  var inverse: KeyValueChangeKind {
    switch self {
    case .insertion: .removal
    case .removal: .insertion
    case .setting, .replacement: self
    }
  }
}
