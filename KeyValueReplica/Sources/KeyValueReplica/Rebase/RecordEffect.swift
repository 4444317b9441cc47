@_spi(Replication) import KeyValueCore

extension KeyValueTransactionRecord {
  /// Whether the record leaves something else than what was there before it.
  ///
  /// It's true where finding out would take more than the record, as where it both sets a key and changes what it
  /// contains.
  var hasEffect: Bool {
    var effects: [Place: PlaceEffect] = [:]
    var lives: [KeyValueObjectID: Int] = [:]
    for edit in edits {
      switch edit {
      case .create(let id, _, _): lives[id, default: 0] += 1
      case .delete(let id, _, _): lives[id, default: 0] -= 1
      default: if let place = Place(edit) { effects[place, default: PlaceEffect()].add(edit) }
      }
    }
    if lives.contains(where: { $0.value != 0 }) { return true }
    // What came and went with the record has no values before and after it.
    return effects.contains { lives[$0.key.id] == nil && !$0.value.isNothing }
  }
}

/// What the edits of one key do together.
private struct PlaceEffect {
  private var edits: [KeyValueEdit] = []

  mutating func add(_ edit: KeyValueEdit) { edits.append(edit) }

  var isNothing: Bool {
    switch edits.first {
    case .set(_, _, let old, _): isSetBack(to: old)
    case .setEntry: areEntriesSetBack
    case .union, .subtract, .exchange: areMembersTheSame
    case .insert, .remove, .replace, .amend: areElementsTheSame
    default: false
    }
  }

  private func isSetBack(to old: KeyValueLogValue) -> Bool {
    var last = old
    for edit in edits {
      guard case .set(_, _, _, let new) = edit else { return false }
      last = new
    }
    return last == old
  }

  private var areEntriesSetBack: Bool {
    var values: [KeyValueLogValue: (first: KeyValueLogValue?, last: KeyValueLogValue?)] = [:]
    for edit in edits {
      guard case .setEntry(_, _, let entry, let old, let new) = edit else { return false }
      values[entry] = (values[entry].map(\.first) ?? old, new)
    }
    return values.values.allSatisfy { $0.first == $0.last }
  }

  private var areMembersTheSame: Bool {
    var counts: [KeyValueLogValue: Int] = [:]
    for edit in edits {
      switch edit {
      case .union(_, _, let elements): for element in elements { counts[element, default: 0] += 1 }
      case .subtract(_, _, let elements):
        for element in elements { counts[element, default: 0] -= 1 }
      case .exchange(_, _, let old, let new):
        for element in old { counts[element, default: 0] -= 1 }
        for element in new { counts[element, default: 0] += 1 }
      default: return false
      }
    }
    return counts.values.allSatisfy { $0 == 0 }
  }

  private var areElementsTheSame: Bool {
    // Most often other elements have come or gone, which takes no list to see.
    var parts: [(removed: KeyValueEdit.Elements, inserted: KeyValueEdit.Elements)] = []
    var counts: [KeyValueLogValue: Int] = [:]
    for edit in edits {
      guard let part = edit.listParts else { return false }
      for element in part.removed.elements { counts[element, default: 0] -= 1 }
      for element in part.inserted.elements { counts[element, default: 0] += 1 }
      parts.append(part)
    }
    if counts.values.contains(where: { $0 != 0 }) { return false }
    let end =
      parts.flatMap { [$0.removed, $0.inserted] }
      .compactMap { $0.indexes.ranges.last?.upperBound }.max() ?? 0
    // Elements as numbers, of which the values are known that the record mentions.
    var values: [KeyValueLogValue?] = Array(repeating: nil, count: end)
    let before = Array(values.indices)
    var now = before
    for part in parts {
      for (index, element) in zip(part.removed.indexes.ranges.joined(), part.removed.elements) {
        values[now[index]] = element
      }
      now.removeSubranges(part.removed.indexes)
      for (index, element) in zip(part.inserted.indexes.ranges.joined(), part.inserted.elements) {
        now.insert(values.count, at: index)
        values.append(element)
      }
    }
    return zip(before, now).allSatisfy { one, other in
      one == other || values[one] != nil && values[one] == values[other]
    }
  }
}

extension KeyValueEdit {
  /// What an edit of a list takes out, and what it puts in then; nil for other edits.
  fileprivate var listParts: (removed: Elements, inserted: Elements)? {
    let none = Elements(indexes: RangeSet(), elements: [])
    return switch self {
    case .insert(_, _, let indexes, let elements):
      (none, Elements(indexes: indexes, elements: elements))
    case .remove(_, _, let indexes, let elements):
      (Elements(indexes: indexes, elements: elements), none)
    case .replace(_, _, let indexes, let old, let new):
      (Elements(indexes: indexes, elements: old), Elements(indexes: indexes, elements: new))
    case .amend(_, _, let removed, let inserted): (removed, inserted)
    default: nil
    }
  }
}
