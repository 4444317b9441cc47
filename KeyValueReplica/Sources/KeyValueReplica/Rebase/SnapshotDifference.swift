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
      guard let other = new.objects[id],
        !KeyValueLogValue.dictionary(object.values).isIdentical(to: .dictionary(other.values))
      else { continue }
      changed.append(("\(id)", id))
    }
    for (_, id) in changed.sorted(by: { $0.0 < $1.0 }) { edits += change(id) }
    let gone = old.objects.filter { new.objects[$0.key] == nil }
    for (id, object) in gone.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      edits.append(.delete(id, class: object.class, values: object.values))
    }
    return edits
  }

  private func change(_ id: KeyValueObjectID) -> [KeyValueEdit] {
    guard let before = old.objects[id], let after = new.objects[id] else { return [] }
    var edits: [KeyValueEdit] = []
    for (key, value) in after.values.sorted(by: { $0.key < $1.key }) {
      let previous = before.values[key] ?? .null
      if previous.isIdentical(to: value) { continue }
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
      // A set doesn't exchange a member for an equal one.
      if before.contains(where: { entered.contains($0) && !entered.hasIdentical(to: $0) }) {
        return [.set(id, key: key, old: old, new: new)]
      }
      let gone = before.filter { !entered.contains($0) }
      let added = after.filter { !left.contains($0) }
      if gone.isEmpty { return [.union(id, key: key, elements: added)] }
      if added.isEmpty { return [.subtract(id, key: key, elements: gone)] }
      return [.exchange(id, key: key, old: gone, new: added)]
    case (.dictionary, .dictionary(let before), .dictionary(let after)):
      let names = before.names(differingFrom: after)
      guard names.count == 1, let name = names.first, !before.hasOtherName(of: name, than: after)
      else { return [.set(id, key: key, old: old, new: new)] }
      return [
        .setEntry(id, key: key, entry: .string(name), old: before[name], new: after[name])
      ]
    default: return [.set(id, key: key, old: old, new: new)]
    }
  }

  static func difference(
    _ old: [KeyValueLogValue], _ new: [KeyValueLogValue]
  ) -> (removed: KeyValueEdit.Elements, inserted: KeyValueEdit.Elements) {
    // Most often one place differs.
    let start = zip(old, new).prefix(.max, while: { $0.isIdentical(to: $1) })
    let most = min(old.count, new.count) - start
    let end = zip(old.reversed(), new.reversed())
      .prefix(most, while: { $0.isIdentical(to: $1) })
    let (before, after) = (old[start..<old.count - end], new[start..<new.count - end])
    var (removed, inserted): ([Int], [Int]) = ([], [])
    if before.isEmpty || after.isEmpty {
      (removed, inserted) = (Array(before.indices), Array(after.indices))
    } else if before.count * after.count > 4_000_000 {
      // The shortest difference of long lists takes time in proportion to what differs, squared.
      (removed, inserted) = differenceInOrder(before, after)
    } else {
      for step in after.difference(from: before, by: { $0.isIdentical(to: $1) }) {
        switch step {
        case .remove(let offset, _, _): removed.append(start + offset)
        case .insert(let offset, _, _): inserted.append(start + offset)
        }
      }
      removed.sort()
    }
    return (
      .init(indexes: RangeSet(removed, within: old), elements: removed.map { old[$0] }),
      .init(indexes: RangeSet(inserted, within: new), elements: inserted.map { new[$0] })
    )
  }

  /// A difference that is the shortest one if no element occurs twice.
  ///
  /// Equal elements correspond in their order. Of those that correspond, the longest sequence that stands in the
  /// same order in both lists stays.
  ///
  /// - Complexity: O(*n* log *n*).
  private static func differenceInOrder(
    _ old: ArraySlice<KeyValueLogValue>, _ new: ArraySlice<KeyValueLogValue>
  ) -> (removed: [Int], inserted: [Int]) {
    var places: [KeyValueLogValue: [Int]] = [:]
    for place in old.indices.reversed() { places[old[place], default: []].append(place) }
    var pairs: [(old: Int, new: Int, previous: Int?)] = []
    // For each length, the pair that a sequence of this length ends with as early as possible.
    var ends: [Int] = []
    for place in new.indices {
      guard let oldPlace = places[new[place]]?.popLast(),
        old[oldPlace].isIdentical(to: new[place])
      else { continue }
      let length = ends.partitioningIndex { pairs[$0].old > oldPlace }
      pairs.append((oldPlace, place, length == 0 ? nil : ends[length - 1]))
      if length == ends.count {
        ends.append(pairs.count - 1)
      } else {
        ends[length] = pairs.count - 1
      }
    }
    var (staysOld, staysNew): (Set<Int>, Set<Int>) = ([], [])
    var last = ends.last
    while let index = last {
      staysOld.insert(pairs[index].old)
      staysNew.insert(pairs[index].new)
      last = pairs[index].previous
    }
    return (
      old.indices.filter { !staysOld.contains($0) }, new.indices.filter { !staysNew.contains($0) }
    )
  }
}

extension Array {
  /// The first index whose element belongs to the second part, which a condition tells from the first one.
  fileprivate func partitioningIndex(_ belongsToSecondPart: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if belongsToSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
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
