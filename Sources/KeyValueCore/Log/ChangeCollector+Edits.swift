// The changes of a graph as edits.
extension ChangeCollector {
  /// The edits with objects created as they were before the others.
  ///
  /// Where something has changed them without being announced, there are only the creations.
  func creatingEarlier(_ edits: [KeyValueEdit]) -> [KeyValueEdit] {
    var created = KeyValueSnapshot(root: graph.rootID)
    for case .create(let id, let type, let values) in edits {
      created.objects[id] = .init(class: type, values: values)
    }
    func isOther(_ edit: KeyValueEdit) -> Bool {
      edit.key != nil && created.objects[edit.id] != nil
    }
    if created.objects.isEmpty || !edits.contains(where: isOther) { return edits }
    var application = SnapshotApplication(to: created)
    do {
      for edit in edits.reversed() where isOther(edit) { try application.apply(edit.inverse) }
    } catch {
      return edits.filter { !isOther($0) }
    }
    return edits.map { edit in
      guard case .create(let id, let type, _) = edit, let object = application.object(id) else {
        return edit
      }
      return .create(id, class: type, values: object.values)
    }
  }

  /// The edits with those of the objects that have come back as something other than what they left as.
  ///
  /// Nothing records what happens to an object outside, such as what the `didSet` of the list that takes it changes
  /// before it's in the graph. Taking back its return gives it the values with which it left, which the level of
  /// its departure expects.
  ///
  /// - Parameters:
  ///   - returned: These objects, with the values with which they left.
  ///   - edits: The record's edits, the creations first.
  ///   - kept: Gets what the earlier values refer to.
  /// - Returns: The edits with those of returned objects behind the creations.
  func changingReturned(
    _ returned: [KeyValueObjectID: LogGraph.Returned], _ edits: [KeyValueEdit],
    keeping kept: inout [LogGraph.Entry]
  ) -> [KeyValueEdit] {
    if returned.isEmpty { return edits }
    var result = edits
    var changes: [KeyValueEdit] = []
    var countOfCreations = 0
    for (index, edit) in edits.enumerated() {
      guard case .create(let id, let type, let values) = edit else { break }
      countOfCreations = index + 1
      guard let object = returned[id] else { continue }
      var left = object.values
      for (key, value) in values.sorted(by: { $0.key < $1.key })
      where left[key]?.isIdentical(to: value) != true {
        // What has died can't be referred to again; a weak key doesn't keep it alive.
        let isWeak = object.type[key]?.isWeak == true
        if let before = left[key], let targets = isWeak ? [] : graph.keepingDeparted(in: before) {
          changes.append(.set(id, key: key, old: before, new: value))
          kept += targets
        } else {
          left[key] = value
        }
      }
      result[index] = .create(id, class: type, values: left)
    }
    result.insert(contentsOf: changes, at: countOfCreations)
    return result
  }

  /// What happens to the weak keys that refer to an object as it enters or leaves, while others arrive.
  func weakEdits(
    of target: LogGraph.Entry, enters: Bool, _ arrived: Set<KeyValueObjectID>,
    besides changed: Set<Pending.Place>
  ) throws -> [KeyValueEdit] {
    // An instance's weak keys go on referring to what has left.
    if graph.keepsInstances { return [] }
    return try graph.weakPlaces.places(of: target.instance).compactMap { place in
      // The creation of an object, and a change of the key, have its final value already.
      if changed.contains(place.id) || arrived.contains(place.entry.id) { return nil }
      let now = try place.key.data(of: place.entry.instance, graph)
      let other = now.replacing(target.id)
      return .set(
        place.entry.id, key: place.key.property.key, old: enters ? other : now,
        new: enters ? now : other)
    }
  }

  /// The changes as edits; in a transaction, the settings of one key are one, and so are insertions one behind the
  /// other.
  func edits(of changes: [Pending], areMerged: Bool) throws -> [KeyValueEdit] {
    guard areMerged, changes.count > 1 else { return try changes.map(edit) }
    var settings: [Pending.Place: Int] = [:]
    // The last value of a setting, by the position of the first one, and the positions of those that it includes.
    var last: [Int: KeptLogValue?] = [:]
    var included: Set<Int> = []
    // Each change stays in its place, because copying one takes 200 instructions.
    for index in changes.indices where changes[index].kind == .setting || !settings.isEmpty {
      let place = changes[index].place
      if changes[index].kind != .setting {
        settings[place] = nil
      } else if let first = settings[place] {
        last[first] = changes[index].new
        included.insert(index)
      } else {
        settings[place] = index
      }
    }
    var edits: [KeyValueEdit] = []
    var insertions: Insertions?
    for index in changes.indices where included.isEmpty || !included.contains(index) {
      // Where elements were inserted, if it was one range of an ordered collection.
      let range = changes[index].kind == .insertion ? changes[index].ranges?.sole : nil
      if let range,
        insertions?.isContinued(by: range, changes[index].entry, changes[index].key) == true
      {
        let next = try elements(changes[index].new, changes[index].entry, changes[index].key)
        insertions?.append(next, at: range)
        continue
      }
      if let insertions { edits.append(insertions.edit) }
      insertions = nil
      if let range {
        let (entry, key) = (changes[index].entry, changes[index].key)
        insertions = Insertions(
          entry: entry, key: key, range: range,
          elements: try elements(changes[index].new, entry, key))
      } else {
        var change = changes[index]
        if let new = last[index] { change.new = new }
        edits.append(try edit(change))
      }
    }
    if let insertions { edits.append(insertions.edit) }
    return edits
  }

  /// Insertions into one collection, each behind the one before.
  private struct Insertions {
    let entry: LogGraph.Entry
    let key: LoggedKey
    private(set) var range: Range<Int>
    private(set) var elements: [KeyValueLogValue]

    /// Whether another insertion is the next one behind these.
    func isContinued(
      by next: Range<Int>, _ entry: LogGraph.Entry, _ key: LoggedKey
    ) -> Bool {
      next.lowerBound == range.upperBound && entry === self.entry && key === self.key
    }

    mutating func append(_ next: [KeyValueLogValue], at indexes: Range<Int>) {
      range = range.lowerBound..<indexes.upperBound
      elements += next
    }

    var edit: KeyValueEdit {
      .insert(entry.id, key: key.property.key, indexes: RangeSet(range), elements: elements)
    }
  }

  private func data(
    _ kept: KeptLogValue?, _ entry: LogGraph.Entry, _ key: LoggedKey
  ) throws -> KeyValueLogValue {
    if case .data(let data)? = kept { return data }
    return try naming(entry) { try kept.map { try key.data(of: $0, graph) } ?? .null }
  }

  private func elements(
    _ kept: KeptLogValue?, _ entry: LogGraph.Entry, _ key: LoggedKey
  ) throws -> [KeyValueLogValue] {
    if case .array(let elements) = try data(kept, entry, key) { elements } else { [] }
  }

  func edit(_ change: Pending) throws -> KeyValueEdit {
    let (id, key, name) = (change.entry.id, change.key, change.key.property.key)
    func data(_ kept: KeptLogValue?) throws -> KeyValueLogValue {
      try self.data(kept, change.entry, key)
    }
    func elements(_ kept: KeptLogValue?) throws -> [KeyValueLogValue] {
      try self.elements(kept, change.entry, key)
    }
    if let indexes = change.ranges?.set {
      switch change.kind {
      case .insertion:
        return .insert(id, key: name, indexes: indexes, elements: try elements(change.new))
      case .removal:
        return .remove(id, key: name, indexes: indexes, elements: try elements(change.old))
      case .setting, .replacement:
        return .replace(
          id, key: name, indexes: indexes, old: try elements(change.old),
          new: try elements(change.new))
      }
    }
    switch change.kind {
    case .setting:
      if key.isComposite, let edit = try whole(change) { return edit }
      guard key.isWeak else {
        return .set(id, key: name, old: try data(change.old), new: try data(change.new))
      }
      // Before the change, what has arrived since was outside; after it, what has left is.
      return .set(
        id, key: name, old: try graph.hiding(.arriving) { try data(change.old) },
        new: try graph.hiding(.leaving) { try data(change.new) })
    case .insertion: return .union(id, key: name, elements: try elements(change.new))
    case .removal: return .subtract(id, key: name, elements: try elements(change.old))
    case .replacement:
      return .exchange(id, key: name, old: try elements(change.old), new: try elements(change.new))
    }
  }

  /// A setting of a collection or dictionary as what differs; nil if the whole values say it better.
  private func whole(_ change: Pending) throws -> KeyValueEdit? {
    guard case .boxed(let old)? = change.old, case .boxed(let new)? = change.new else { return nil }
    let (id, key) = (change.entry.id, change.key)
    let property = key.property
    if unwrapped(property.valueType) is any OrderedToMany.Type {
      guard let (removed, inserted) = try key.difference(from: old, to: new, graph) else {
        return nil
      }
      return .amend(id, key: property.key, removed: removed, inserted: inserted)
    }
    guard case .dictionary(let before) = try key.data(of: old, graph),
      case .dictionary(let after) = try key.data(of: new, graph),
      let entry = before.soleDifference(from: after)
    else { return nil }
    return .setEntry(
      id, key: property.key, entry: .string(entry), old: before[entry], new: after[entry])
  }
}

extension [String: KeyValueLogValue] {
  /// The key of the one entry that another dictionary has with another value, or that only one of them has; nil if
  /// there are more such entries or none, or if a key has other Unicode scalars, which setting an entry leaves.
  fileprivate func soleDifference(from other: Self) -> String? {
    var differing: [String] = []
    for (name, value) in self where differing.count < 2 {
      guard let index = other.index(forKey: name) else {
        differing.append(name)
        continue
      }
      if !other[index].key.hasSameScalars(as: name) { return nil }
      if !other[index].value.isIdentical(to: value) { differing.append(name) }
    }
    for name in other.keys where differing.count < 2 && index(forKey: name) == nil {
      differing.append(name)
    }
    return differing.count == 1 ? differing[0] : nil
  }
}

extension KeyValueLogValue {
  /// The value without references to an object.
  fileprivate func replacing(_ id: KeyValueObjectID) -> KeyValueLogValue {
    switch self {
    case .reference(id): .null
    case .array(let elements): .array(elements.map { $0.replacing(id) })
    case .dictionary(let entries): .dictionary(entries.mapValues { $0.replacing(id) })
    default: self
    }
  }
}
