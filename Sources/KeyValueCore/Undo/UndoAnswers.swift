/// What observers have set in response to undoing a level, such as the time of the last change.
///
/// The levels below expect it from then on in place of what they left, or they could never be undone.
struct UndoAnswers {
  /// A key's value before the observers' changes, and after them.
  private struct Answer<Value> {
    let before: Value
    var after: Value
  }

  /// A key of an object of a graph.
  private struct Place: Hashable {
    let graph: ObjectIdentifier
    let id: KeyValueObjectID
    let key: String
  }

  /// The answers that are settings.
  private var keys: [ObjectIdentifier: Answer<RecordedValue>] = [:]
  /// The keys of which observers have changed members or elements.
  private var edited: Set<ObjectIdentifier> = []
  private var places: [Place: Answer<KeyValueLogValue>] = [:]

  /// - Parameters:
  ///   - level: The level that has been undone.
  ///   - opposite: All that happened meanwhile.
  init(to level: UndoLevel, in opposite: UndoLevel) {
    // What undoing restored, and what all has led to.
    var restored: [ObjectIdentifier: ValueToUndo] = [:]
    var reached: [ObjectIdentifier: ValueToUndo] = [:]
    // How many more changes have indexes than the level has.
    var indexed: [ObjectIdentifier: Int] = [:]
    for case let slot as UndoSlot in level.filledSteps.reversed() {
      guard let key = slot.key, let change = slot.change else { continue }
      restored[ObjectIdentifier(key), default: ValueToUndo(nil)].undo(change)
      if change.ranges != nil { indexed[ObjectIdentifier(key), default: 0] -= 1 }
    }
    // The first record of each of these graphs is the undo itself, which is one transaction.
    var undone: Set<ObjectIdentifier> = []
    for case let step as GraphStep in level.filledSteps where step.isEffective {
      undone.insert(ObjectIdentifier(step.graph))
    }
    var records: [ObjectIdentifier: [GraphStep]] = [:]
    for step in opposite.filledSteps {
      if let slot = step as? UndoSlot {
        guard let key = slot.key, let change = slot.change else { continue }
        let identity = ObjectIdentifier(key)
        reached[identity, default: ValueToUndo(nil)].undo(change.inverse)
        if change.ranges != nil { indexed[identity, default: 0] += 1 }
        let before: RecordedValue? = restored[identity].map(\.whole) ?? change.old
        if change.kind == .setting, let left = slot.left, let before {
          keys[identity, default: Answer(before: before, after: left)].after = left
        }
      } else if let step = step as? GraphStep {
        let graph = ObjectIdentifier(step.graph)
        if undone.remove(graph) == nil { records[graph, default: []].append(step) }
      }
    }
    for (identity, value) in reached {
      if value.whole != nil, keys[identity] != nil { continue }
      keys[identity] = nil
      if indexed[identity, default: 0] > 0 || !value.follows(from: restored[identity]) {
        edited.insert(identity)
      }
    }
    keys = keys.filter { $1.before.isUnchanged(in: $1.after) == false }
    for (graph, steps) in records { note(steps, of: graph) }
  }

  /// Notes the keys that records of a graph have changed, of the objects that belong to it.
  private mutating func note(_ steps: [GraphStep], of graph: ObjectIdentifier) {
    guard let core = steps[0].graph.core else { return }
    var edits: [Place: [KeyValueEdit]] = [:]
    for edit in steps.flatMap(\.collected.record.edits) {
      guard let key = edit.key else { continue }
      edits[Place(graph: graph, id: edit.id, key: key), default: []].append(edit)
    }
    for (place, edits) in edits {
      guard let present = try? core.graph.present(of: edits),
        let after = present.objects[place.id]?.values[place.key],
        let before = core.value(after, of: place.id, place.key, takingBack: edits),
        before != after
      else { continue }
      places[place] = Answer(before: before, after: after)
    }
  }

  /// Lets the last level that changed each key expect the answer, if it left what the observers found.
  func revise(_ levels: [UndoLevel]) {
    var rest = self
    for level in levels.reversed() {
      if rest.keys.isEmpty, rest.edited.isEmpty, rest.places.isEmpty { return }
      for step in level.filledSteps.reversed() {
        if let slot = step as? UndoSlot {
          rest.revise(slot)
        } else if let step = step as? GraphStep {
          rest.revise(step)
        }
      }
    }
  }

  private mutating func revise(_ slot: UndoSlot) {
    guard let key = slot.key, let change = slot.change else { return }
    let identity = ObjectIdentifier(key)
    if change.isAlgebra {
      // Undoing it leaves the other members, so the changes before it find the answer, too.
      if edited.contains(identity) || keys.removeValue(forKey: identity) != nil {
        edited.insert(identity)
        slot.forgetLeft()
      }
    } else if edited.remove(identity) != nil {
      slot.forgetLeft()
    } else if let answer = keys.removeValue(forKey: identity),
      slot.left?.isSame(as: answer.before) == true
    {
      slot.expect(answer.after)
    }
  }

  private mutating func revise(_ step: GraphStep) {
    guard !places.isEmpty, let core = step.graph.core else { return }
    let graph = ObjectIdentifier(step.graph)
    var record = step.collected.record
    for index in record.edits.indices.reversed() {
      switch record.edits[index] {
      case .create(let id, let type, var values):
        for key in values.keys {
          guard let answer = places.removeValue(forKey: Place(graph: graph, id: id, key: key)),
            values[key] == answer.before
          else { continue }
          values[key] = answer.after
        }
        record.edits[index] = .create(id, class: type, values: values)
      case let edit:
        guard let key = edit.key,
          let revised = revision(of: edit, at: Place(graph: graph, id: edit.id, key: key), core)
        else { continue }
        if revised.changesNothing {
          record.edits.remove(at: index)
        } else {
          record.edits[index] = revised
        }
      }
    }
    step.expect(record)
  }

  /// An edit that leaves the answer in place of what the observers found; nil if it stays as it is.
  private mutating func revision(
    of edit: KeyValueEdit, at place: Place, _ core: LogCore
  ) -> KeyValueEdit? {
    func value(before edit: KeyValueEdit, leaving value: KeyValueLogValue) -> KeyValueLogValue? {
      core.value(value, of: place.id, place.key, takingBack: [edit])
    }
    guard let answer = places.removeValue(forKey: place),
      let before = value(before: edit, leaving: answer.before)
    else { return nil }
    // Undoing what is left of the edit leaves the rest of the answer, so the changes before it find that.
    for part in [edit, edit.remaining(in: answer.after)] {
      guard let after = value(before: part, leaving: answer.after) else { continue }
      if before != after { places[place] = Answer(before: before, after: after) }
      return part == edit ? nil : part
    }
    return .set(place.id, key: place.key, old: before, new: answer.after)
  }
}

extension KeyValueEdit {
  /// What is left of an edit in a later value: the members that it put into a set and that are there, those that it
  /// took out and that aren't, an entry with what it is now.
  ///
  /// An edit of another kind is all there or not at all.
  fileprivate func remaining(in value: KeyValueLogValue) -> KeyValueEdit {
    var present: Set<KeyValueLogValue> = []
    if case .array(let members) = value { present = Set(members) }
    switch self {
    case .union(let id, let key, let elements):
      return .union(id, key: key, elements: elements.filter(present.contains))
    case .subtract(let id, let key, let elements):
      return .subtract(id, key: key, elements: elements.filter { !present.contains($0) })
    case .exchange(let id, let key, let old, let new):
      return .exchange(
        id, key: key, old: old.filter { !present.contains($0) }, new: new.filter(present.contains))
    case .setEntry(let id, let key, let entry, let old, _):
      guard case .dictionary(let entries) = value, let name = entry.entryName else { return self }
      return .setEntry(id, key: key, entry: entry, old: old, new: entries[name])
    case .create, .delete, .set, .insert, .remove, .replace, .amend: return self
    }
  }
}

extension LogCore {
  /// A key's value before edits that have left this one; nil if they haven't.
  ///
  /// The value may be written otherwise than the edits left it.
  fileprivate func value(
    _ value: KeyValueLogValue, of id: KeyValueObjectID, _ key: String,
    takingBack edits: [KeyValueEdit]
  ) -> KeyValueLogValue? {
    let type = graph.entry(id)?.type.name ?? ""
    let state = KeyValueSnapshot(
      root: graph.rootID, objects: [id: .init(class: type, values: [key: value])])
    let inverse = KeyValueTransactionRecord(edits).inverse
    func result(of edits: [KeyValueEdit]) throws -> KeyValueLogValue? {
      var application = SnapshotApplication(to: state)
      for edit in edits { try application.apply(edit) }
      return application.value(id, key)
    }
    return (try? result(of: inverse.edits))
      ?? (try? result(of: graph.fitted(inverse, to: state, classes).edits))
  }
}
