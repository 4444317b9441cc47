// Whether a level's changes take each other back.
extension UndoLevel {
  /// Whether undoing the level would leave everything as it is, although each change did something.
  ///
  /// What can't be compared counts as changed. Most levels are answered by their first change, which no other
  /// one can take back.
  ///
  /// - Complexity: Linear in the changes, and in the collections of which each of several parts changed.
  var changesNothing: Bool {
    if !steps.allSatisfy(\.isFilled) { return false }
    guard let first = steps.first, !isAlone(first) else { return steps.isEmpty }
    var slots: [ObjectIdentifier: [UndoSlot]] = [:]
    var records: [ObjectIdentifier: [GraphStep]] = [:]
    for step in steps {
      if let slot = step as? UndoSlot, let key = slot.key {
        slots[ObjectIdentifier(key), default: []].append(slot)
      } else if let step = step as? GraphStep {
        records[ObjectIdentifier(step.graph), default: []].append(step)
      }
    }
    return slots.values.allSatisfy(UndoSlot.cancelOut)
      && records.values.allSatisfy(GraphStep.cancelOut)
  }

  /// Whether the change is the only one of its key, and the key's object is alive.
  private func isAlone(_ step: Step) -> Bool {
    guard let slot = step as? UndoSlot, slot.isEffective else { return false }
    return !steps.contains { $0 !== slot && ($0 as? UndoSlot)?.key === slot.key }
  }
}

extension UndoSlot {
  /// Whether changes of one key, in the order in which they began, have left its value as it was.
  fileprivate static func cancelOut(_ slots: [UndoSlot]) -> Bool {
    guard let key = slots[0].key, let object = key.object else { return true }
    let changes = slots.compactMap(\.change)
    guard let first = changes.first, changes.count > 1 else { return false }
    let edits = changes.prefix { $0.kind != .setting }
    if edits.count == changes.count, edits.reduce(0, { $0 + $1.growth }) != 0 { return false }
    if edits.isEmpty, changes.allSatisfy({ $0.kind == .setting }) {
      guard let left = slots.last?.left else { return false }
      return first.old.isUnchanged(in: left) == true
    }
    guard let present = try? key.read(from: object) else { return false }
    if edits.isEmpty { return first.old.isUnchanged(in: present) == true }
    let afterEdits = edits.count < changes.count ? changes[edits.count].old : present
    return present.hasElements(of: afterEdits, beforeEdits: edits)
  }
}

extension RecordedChange {
  /// How many elements more there are.
  fileprivate var growth: Int {
    guard let ranges else { return new.members.count - old.members.count }
    return switch kind {
    case .insertion: ranges.count
    case .removal: -ranges.count
    case .replacement, .setting: 0
    }
  }
}

extension RecordedValue {
  /// Whether these are the elements that a collection had before it was edited.
  fileprivate func hasElements(
    of edited: RecordedValue, beforeEdits edits: ArraySlice<RecordedChange>
  ) -> Bool {
    guard value is any ToMany, edited.value is any ToMany else { return false }
    if edits.contains(where: { $0.ranges == nil }) {
      var members = edited.members
      for edit in edits.reversed() {
        members.subtract(edit.new.members)
        members.formUnion(edit.old.members)
      }
      return areUnchanged(members, in: self.members) == true
    }
    var elements = edited.elements
    for edit in edits.reversed() {
      guard let ranges = edit.ranges?.ranges else { return false }
      let old = edit.old.elements
      let count = elements.count + (edit.kind == .removal ? old.count : 0)
      guard edit.ranges?.isWithin(count) == true else { return false }
      if edit.kind == .insertion {
        for range in ranges.reversed() { elements.removeSubrange(range) }
        continue
      }
      guard old.count == edit.ranges?.count else { return false }
      var rest = old[...]
      for range in ranges {
        let end = edit.kind == .removal ? range.lowerBound : range.upperBound
        elements.replaceSubrange(range.lowerBound..<end, with: rest.prefix(range.count))
        rest = rest.dropFirst(range.count)
      }
    }
    return areUnchanged(elements, in: self.elements) == true
  }
}

extension GraphStep {
  /// Whether records of one graph, made one after the other, have left it as it was.
  fileprivate static func cancelOut(_ steps: [GraphStep]) -> Bool {
    guard let core = steps[0].graph.core else { return true }
    return core.cancelOut(steps.map(\.collected.record))
  }
}
