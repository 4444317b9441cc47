@_spi(Replication) import KeyValueCore

/// The edits that lead from one state to another.
struct SnapshotDifference {
  private let old: KeyValueSnapshot
  private let new: KeyValueSnapshot
  private let model: Model
  /// The collections whose observers are to be notified of a setting.
  private let settings: Set<Place>

  init(
    from old: KeyValueSnapshot, to new: KeyValueSnapshot, settings: Set<Place> = [], _ model: Model
  ) {
    self.old = old
    self.new = new
    self.settings = settings
    self.model = model
  }

  /// Objects come first, then keys, then objects go; in the order of their ids, so that it's the same everywhere.
  var edits: [KeyValueEdit] {
    var edits: [KeyValueEdit] = []
    let added = new.objects.filter { old.objects[$0.key] == nil }
    for (id, object) in added.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      edits.append(.create(id, class: object.class, values: object.values))
    }
    var changed: [(String, KeyValueObjectID)] = []
    for (id, object) in old.objects {
      if let other = new.objects[id], other != object { changed.append(("\(id)", id)) }
    }
    for (_, id) in changed.sorted(by: { $0.0 < $1.0 }) { edits += change(id) }
    for (id, object) in old.objects.sorted(by: { "\($0.key)" < "\($1.key)" })
    where new.objects[id] == nil {
      edits.append(.delete(id, class: object.class, values: object.values))
    }
    return edits
  }

  private func change(_ id: KeyValueObjectID) -> [KeyValueEdit] {
    guard let before = old.objects[id], let after = new.objects[id] else { return [] }
    var edits: [KeyValueEdit] = []
    for (key, value) in after.values.sorted(by: { $0.key < $1.key }) {
      let previous = before.values[key] ?? .null
      if previous == value { continue }
      edits += change(Place(id, key), model.kind(key, in: after.class), previous, value)
    }
    return edits
  }

  private func change(
    _ place: Place, _ kind: KeyValueLoggedShape.Kind, _ old: KeyValueLogValue,
    _ new: KeyValueLogValue
  ) -> [KeyValueEdit] {
    let (id, key) = (place.id, place.key)
    switch (kind, old, new) {
    case (.ordered, .array(let before), .array(let after)):
      let (removed, inserted) = Self.difference(before, after)
      if settings.contains(place) {
        return [.amend(id, key: key, removed: removed, inserted: inserted)]
      }
      if removed.indexes == inserted.indexes, before.count == after.count {
        return [
          .replace(
            id, key: key, indexes: removed.indexes, old: removed.elements, new: inserted.elements)
        ]
      }
      var edits: [KeyValueEdit] = []
      if !removed.elements.isEmpty {
        edits.append(.remove(id, key: key, indexes: removed.indexes, elements: removed.elements))
      }
      if !inserted.elements.isEmpty {
        edits.append(.insert(id, key: key, indexes: inserted.indexes, elements: inserted.elements))
      }
      return edits
    case (.unordered, .array(let before), .array(let after)):
      let (left, entered) = (Set(before), Set(after))
      let old = before.filter { !entered.contains($0) }
      let new = after.filter { !left.contains($0) }
      if old.isEmpty { return [.union(id, key: key, elements: new)] }
      if new.isEmpty { return [.subtract(id, key: key, elements: old)] }
      return [.exchange(id, key: key, old: old, new: new)]
    case (.dictionary, .dictionary(let before), .dictionary(let after)):
      let names = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
      guard names.count == 1, let name = names.first else {
        return [.set(id, key: key, old: old, new: new)]
      }
      return [
        .setEntry(id, key: key, entry: .string(name), old: before[name], new: after[name])
      ]
    default: return [.set(id, key: key, old: old, new: new)]
    }
  }

  static func difference(
    _ old: [KeyValueLogValue], _ new: [KeyValueLogValue]
  ) -> (removed: KeyValueEdit.Elements, inserted: KeyValueEdit.Elements) {
    // Most often one place differs; the general comparison takes time in proportion to what differs, squared.
    let start = zip(old, new).prefix(.max, while: ==)
    let most = min(old.count, new.count) - start
    let end = zip(old.reversed(), new.reversed()).prefix(most, while: ==)
    let (before, after) = (old[start..<old.count - end], new[start..<new.count - end])
    var removed: [(offset: Int, element: KeyValueLogValue)] = []
    var inserted: [(offset: Int, element: KeyValueLogValue)] = []
    if before.isEmpty || after.isEmpty {
      removed = before.indices.map { ($0, old[$0]) }
      inserted = after.indices.map { ($0, new[$0]) }
    } else {
      for change in after.difference(from: before) {
        switch change {
        case .remove(let offset, let element, _): removed.append((start + offset, element))
        case .insert(let offset, let element, _): inserted.append((start + offset, element))
        }
      }
      removed.sort { $0.offset < $1.offset }
    }
    return (
      .init(
        indexes: RangeSet(removed.map(\.offset), within: old), elements: removed.map(\.element)),
      .init(
        indexes: RangeSet(inserted.map(\.offset), within: new), elements: inserted.map(\.element))
    )
  }
}

extension Sequence {
  /// The number of elements at the beginning, and at most this number, that a condition holds for.
  fileprivate func prefix(_ most: Int, while condition: (Element) -> Bool) -> Int {
    var count = 0
    for element in self {
      guard count < most, condition(element) else { break }
      count += 1
    }
    return count
  }
}
