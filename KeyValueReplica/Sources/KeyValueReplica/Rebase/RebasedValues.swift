@_spi(Replication) import KeyValueCore

// One edit of this side, made on values that the other side may have changed.
extension Rebase {
  mutating func change(
    _ edit: KeyValueEdit, _ place: Place, _ object: KeyValueSnapshot.Object,
    _ step: inout RebaseStep
  ) {
    let current = object.values[place.key] ?? .null
    let (id, key) = (place.id, place.key)
    switch edit {
    case .set(_, _, let old, let new):
      if let merged = mergedEntries(place, old, new, current, &step)
        ?? mergedMembers(place, old, new, current)
      {
        if !merged.isIdentical(to: current) {
          push(.set(id, key: key, old: current, new: merged), &step)
        }
        return
      }
      // Whatever was rejected before, what this side has there is known now.
      lost[place] = nil
      let isWritten = remote.hasWritten(place)
      if hasValue(current, new, isWritten: isWritten) {
        return follow(current, in: current, at: place)
      }
      if isWritten { return settle(place, mine: new, current: current, isWhole: true, &step) }
      remote.tracks[place] = nil
      push(.set(id, key: key, old: current, new: new), &step)
    case .insert, .remove, .replace, .amend:
      changeList(edit, place, object, &step)
    case .union(_, _, let elements):
      changeSet(edit, place, object, old: [], new: elements, &step)
    case .subtract(_, _, let elements):
      changeSet(edit, place, object, old: elements, new: [], &step)
    case .exchange(_, _, let old, let new):
      changeSet(edit, place, object, old: old, new: new, &step)
    case .setEntry(_, _, let entry, let old, let new):
      changeEntry(place, object, entry, old, new, &step)
    case .create, .delete: break
    }
  }

  /// Whether nothing is left to set; where both have set the same text, the other's Unicode scalars stay.
  private func hasValue(
    _ current: KeyValueLogValue?, _ new: KeyValueLogValue?, isWritten: Bool
  ) -> Bool {
    isWritten ? current == new : current.isIdentical(to: new)
  }

  /// Follows a list that this side has set as a whole, so that edits of it find their elements in what is there.
  private mutating func follow(
    _ ours: KeyValueLogValue, in merged: KeyValueLogValue, at place: Place
  ) {
    remote.tracks[place] = nil
    guard case .array(let ours) = ours, case .array(let merged) = merged, kind(place) == .ordered
    else { return }
    remote.tracks[place] = ListTrack(
      base: ours, changedTo: merged, isDistinct: isDistinct(place))
  }

  /// Decides a conflict about a whole value.
  ///
  /// - Parameters:
  ///   - place: The object and the key.
  ///   - mine: This side's value, or elements of it.
  ///   - current: What is there: the other's value, or what this side's earlier transactions have left.
  ///   - isWhole: Whether this side has set the whole value.
  ///   - step: The transaction.
  private mutating func settle(
    _ place: Place, mine: KeyValueLogValue, current: KeyValueLogValue, isWhole: Bool = false,
    _ step: inout RebaseStep
  ) {
    let theirs: KeyValueLogValue = remote.written[place] ?? current
    if isWhole, mine == theirs { return write(theirs) }
    switch resolve(place, mine: mine, theirs: theirs, &step) {
    case .reject: step.isRejected = true
    case .theirs:
      if !isWhole { break }
      if remote.overwritten.contains(place) { write(theirs) }
      // What this side edits from here on is what it has set, which isn't there.
      remote.tracks[place] = nil
    // Elements alone aren't the whole value that the other has set.
    case .mine: if isWhole { write(mine) }
    case .value(let value):
      // A value of another type would fit no replica.
      let fits =
        value.isLike(mine) || value.isLike(theirs) || value == .null && mayBeNil(place)
      if fits { write(value) } else { step.isRejected = true }
    }
    func write(_ value: KeyValueLogValue) {
      remote.overwrite(place)
      if isWhole { follow(mine, in: value, at: place) } else { remote.tracks[place] = nil }
      if value.isIdentical(to: current) { return }
      push(.set(place.id, key: place.key, old: current, new: value), &step)
    }
  }

  private mutating func changeList(
    _ edit: KeyValueEdit, _ place: Place, _ object: KeyValueSnapshot.Object,
    _ step: inout RebaseStep
  ) {
    guard let elements = state.elements(at: place), lost[place] == nil else {
      return settle(
        place, mine: edit.newValue ?? .null, current: object.values[place.key] ?? .null,
        &step)
    }
    if remote.tracks[place] == nil {
      if remote.hasWritten(place) {
        // The other has set the whole collection.
        return settle(
          place, mine: edit.newValue ?? .null, current: .array(elements), &step)
      }
      remote.tracks[place] = ListTrack(base: elements, isDistinct: isDistinct(place))
      remote.tracks[place]!.begin()
    }
    switch remote.tracks[place]!.redo(edit, keepingOut: step.keptOut[place] ?? []) {
    case .edit(let edit): push(edit, &step)
    case .nothing: break
    case .conflict(let cause):
      let ours = remote.tracks[place]!.ourValues
      var merged = remote.tracks[place]!.mergedValues
      let theirs: KeyValueLogValue = remote.written[place] ?? .array(elements)
      switch resolve(place, mine: .array(ours), theirs: theirs, builtOn: cause, &step) {
      case .reject: step.isRejected = true
      // What could be replaced has been.
      case .theirs: break
      case .mine:
        merged = ours
        setMerged(to: merged, at: place)
      case .value(.array(let answer)):
        merged = answer
        setMerged(to: merged, at: place)
      case .value(.null) where mayBeNil(place):
        remote.overwrite(place)
        return push(.set(place.id, key: place.key, old: .array(elements), new: .null), &step)
      // A value of another type would fit no replica.
      case .value: step.isRejected = true
      }
      if !KeyValueLogValue.array(merged).isIdentical(to: .array(elements)) {
        push(
          .amend(
            place.id, key: place.key,
            removed: .init(indexes: RangeSet(0..<elements.count), elements: elements),
            inserted: .init(indexes: RangeSet(0..<merged.count), elements: merged)), &step)
      }
    }
  }

  /// Sets a list that both sides have edited to what the rule has answered.
  private mutating func setMerged(to answer: [KeyValueLogValue], at place: Place) {
    remote.overwrite(place)
    remote.tracks[place]!.setMerged(to: answer)
  }

  private mutating func changeSet(
    _ edit: KeyValueEdit, _ place: Place, _ object: KeyValueSnapshot.Object,
    old: [KeyValueLogValue], new: [KeyValueLogValue], _ step: inout RebaseStep
  ) {
    guard let elements = state.elements(at: place) else {
      return settle(
        place, mine: edit.newValue ?? .null, current: object.values[place.key] ?? .null,
        &step)
    }
    let present = Set(elements)
    let leaving = old.filter { present.contains($0) }
    let staying = present.subtracting(leaving)
    let out = step.keptOut[place] ?? []
    let entering = new.filter { !staying.contains($0) && !out.contains($0) }
    let (id, key) = (place.id, place.key)
    switch edit {
    case .exchange where !leaving.isEmpty || !entering.isEmpty:
      push(.exchange(id, key: key, old: leaving, new: entering), &step)
    case .union where !entering.isEmpty:
      push(.union(id, key: key, elements: entering), &step)
    case .subtract where !leaving.isEmpty:
      push(.subtract(id, key: key, elements: leaving), &step)
    default: break
    }
  }

  private mutating func changeEntry(
    _ place: Place, _ object: KeyValueSnapshot.Object, _ entry: KeyValueLogValue,
    _ old: KeyValueLogValue?, _ new: KeyValueLogValue?, _ step: inout RebaseStep
  ) {
    guard case .dictionary(let entries)? = object.values[place.key], case .string(let name) = entry
    else {
      // The entry alone, as of lists and sets the elements.
      var mine: [String: KeyValueLogValue] = [:]
      if case .string(let own) = entry { mine[own] = new }
      return settle(
        place, mine: .dictionary(mine), current: object.values[place.key] ?? .null, &step)
    }
    let current = entries[name]
    let isWritten = remote.entries[place]?.contains(name) == true
    if hasValue(current, new, isWritten: isWritten) { return }
    var value = new
    if isWritten { value = settleEntry(name, at: place, mine: new, &step) }
    if current.isIdentical(to: value) { return }
    push(.setEntry(place.id, key: place.key, entry: entry, old: current, new: value), &step)
  }

  /// Decides a conflict about an entry of a dictionary.
  ///
  /// - Parameters:
  ///   - name: The entry's name.
  ///   - place: Where the dictionary is.
  ///   - mine: This side's value; nil if it takes the entry out.
  ///   - step: The transaction.
  /// - Returns: The value that the entry gets; nil for none.
  private mutating func settleEntry(
    _ name: String, at place: Place, mine: KeyValueLogValue?, _ step: inout RebaseStep
  ) -> KeyValueLogValue? {
    let theirs = remote.entry(name, at: place)
    if mine == theirs { return theirs }
    switch resolve(place, mine: mine, theirs: theirs, &step) {
    case .reject:
      step.isRejected = true
      return theirs
    case .theirs: return theirs
    case .mine: return mine
    case .value(let answer): return entryValue(answer, mine: mine, theirs: theirs)
    }
  }

  /// The value that a rule's answer gives an entry: none for nil, unless the entry may have nil as its value.
  private func entryValue(
    _ answer: KeyValueLogValue, mine: KeyValueLogValue?, theirs: KeyValueLogValue?
  ) -> KeyValueLogValue? {
    let nilValue = KeyValueLogValue.null
    if answer == nilValue, mine != nilValue, theirs != nilValue { return .none }
    return answer
  }

  /// A dictionary that was set as a whole, with both sides' entries; nil if it isn't one.
  private mutating func mergedEntries(
    _ place: Place, _ old: KeyValueLogValue, _ new: KeyValueLogValue, _ current: KeyValueLogValue,
    _ step: inout RebaseStep
  ) -> KeyValueLogValue? {
    guard remote.hasWritten(place), kind(place) == .dictionary,
      case .dictionary(let before) = old, case .dictionary(let after) = new,
      case .dictionary(var merged) = current, let theirs = remote.entries[place]
    else { return nil }
    for name in before.names(differingFrom: after).sorted() {
      var value = after[name]
      if theirs.contains(name) {
        if merged[name] == value { continue }
        value = settleEntry(name, at: place, mine: value, &step)
        if merged[name].isIdentical(to: value) { continue }
      }
      // Setting an entry would leave the scalars of its name.
      merged[name] = nil
      if let value { merged[after.index(forKey: name).map { after[$0].key } ?? name] = value }
    }
    return .dictionary(merged)
  }

  /// A set that both sides have changed, and this one has set as a whole, with both sides' elements; nil if it isn't
  /// one.
  private func mergedMembers(
    _ place: Place, _ old: KeyValueLogValue, _ new: KeyValueLogValue, _ current: KeyValueLogValue
  ) -> KeyValueLogValue? {
    guard remote.hasWritten(place), kind(place) == .unordered,
      case .array(let before) = old, case .array(let after) = new,
      case .array(let present) = current
    else { return nil }
    let (earlier, later) = (Set(before), Set(after))
    let left = earlier.filter { !later.hasIdentical(to: $0) }
    let entered = later.filter { !earlier.hasIdentical(to: $0) }
    let merged = Set(present).subtracting(left).union(entered)
    return .array(KeyValueLogValue.ascendingElements(Array(merged)))
  }
}

extension KeyValueEdit {
  /// What a key has, or gets in addition, after the edit.
  var newValue: KeyValueLogValue? {
    switch self {
    case .create(_, _, let values): .dictionary(values)
    case .delete: nil
    case .set(_, _, _, let new): new
    case .insert(_, _, _, let elements), .union(_, _, let elements): .array(elements)
    case .remove, .subtract: .array([])
    case .replace(_, _, _, _, let new), .exchange(_, _, _, let new): .array(new)
    case .amend(_, _, _, let inserted): .array(inserted.elements)
    case .setEntry(_, _, _, _, let new): new
    }
  }
}

extension KeyValueLogValue {
  /// Whether two values are of the same kind.
  fileprivate func isLike(_ other: KeyValueLogValue) -> Bool {
    switch (self, other) {
    case (.null, .null), (.bool, .bool), (.integer, .integer), (.number, .number),
      (.integer, .number), (.number, .integer), (.string, .string), (.array, .array),
      (.dictionary, .dictionary), (.reference, .reference):
      true
    default: false
    }
  }
}
