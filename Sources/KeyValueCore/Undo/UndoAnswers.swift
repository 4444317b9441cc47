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
    var undone: Set<ObjectIdentifier> = []
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
        // The first record is the undo itself, which is one transaction.
        let graph = ObjectIdentifier(step.graph)
        if !undone.insert(graph).inserted { note(step.collected.record, of: graph) }
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
    places = places.filter { $1.before != $1.after }
  }

  private mutating func note(_ record: KeyValueTransactionRecord, of graph: ObjectIdentifier) {
    for case .set(let id, let key, let old, let new) in record.edits {
      let place = Place(graph: graph, id: id, key: key)
      places[place, default: Answer(before: old, after: new)].after = new
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
    if places.isEmpty { return }
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
      case .set(let id, let key, let old, let new):
        guard let answer = places.removeValue(forKey: Place(graph: graph, id: id, key: key)),
          new == answer.before
        else { continue }
        record.edits[index] = .set(id, key: key, old: old, new: answer.after)
      case let edit:
        guard let key = edit.key else { continue }
        places[Place(graph: graph, id: edit.id, key: key)] = nil
      }
    }
    step.expect(record)
  }
}
