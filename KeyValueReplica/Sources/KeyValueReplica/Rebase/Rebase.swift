@_spi(Replication) import KeyValueCore

/// Makes transactions of this replica again after another writer's.
///
/// It computes with data alone: a state in which this replica's transactions haven't been made yet, then the
/// other writer's record, then each transaction again, translated so that it fits.
///
/// - Elements of ordered collections are found by identity, whatever their indexes have become. What both have
///   removed is removed once; an object that both have put in is there once.
/// - Elements of sets, and entries of dictionaries with strings as keys, are taken one by one.
/// - A key that both have set to different values is a conflict, and so is an object that one has deleted and
///   the other has changed.
struct Rebase {
  /// What becomes of a transaction.
  enum Outcome {
    case kept(KeyValueTransactionRecord, [KeyValueReplicaConflict])
    /// Nothing of it is left to do.
    case emptied([KeyValueReplicaConflict])
    case rejected([KeyValueReplicaConflict])

    /// Whether all of it was made again.
    var isComplete: Bool {
      if case .kept(_, let conflicts) = self { conflicts.isEmpty } else { false }
    }
  }

  /// The state after the other's record and the transactions that have been made again.
  private(set) var state: KeyValueSnapshot
  let base: KeyValueSnapshot
  let model: Model
  private let rule: KeyValueConflictRule
  /// What the other has changed, and the lists that this side has.
  var remote: RemoteChanges
  /// Where an own record that was rejected has set a whole collection: what this side has there isn't known.
  var lost: [Place: KeyValueRecordID] = [:]
  /// The objects that own records would have made that were rejected.
  private var withdrawn: [KeyValueObjectID: KeyValueRecordID] = [:]
  /// The objects that own records have taken out of a collection, and that are there all the same.
  var remains: Remains
  /// The name of the other writer; nil if it isn't known, or the record takes an own transaction back.
  private let author: String?
  /// The own transaction that the record takes back; nil if it's another writer's.
  private let takenBack: KeyValueRecordID?
  /// Whether the state is the whole graph, so that what nothing leads to can be found.
  private let isWhole: Bool

  /// - Parameters:
  ///   - base: The state without this replica's transactions: of the objects that either side mentions, or whole.
  ///   - remote: The other writer's record.
  ///   - isWhole: Whether `base` is the whole graph.
  ///   - model: What is known of the classes.
  ///   - rule: What becomes of conflicts.
  ///   - takenBack: The own transaction that the record takes back; nil if it's another writer's.
  ///   - remains: What own transactions that aren't made again here have taken out in vain; nil if there are none.
  /// - Throws: `KeyValueLogError` if the record doesn't fit the state.
  init(
    on base: KeyValueSnapshot, over remote: KeyValueTransactionRecord, isWhole: Bool,
    _ model: Model, _ rule: KeyValueConflictRule, takingBack takenBack: KeyValueRecordID? = nil,
    remains: Remains? = nil
  ) throws {
    self.takenBack = takenBack
    self.base = base
    self.model = model
    self.rule = rule
    self.isWhole = isWhole
    if takenBack == nil, case .remote(let name) = remote.origin {
      author = name
    } else {
      author = nil
    }
    state = base
    // The graph takes what fits otherwise. What the record changes is seen from what it has itself.
    try state.apply(remote, fittedBy: model)
    self.remote = RemoteChanges(remote, on: base, leaving: state, model)
    self.remains = remains ?? Remains(remote)
    self.remote.arrivals = Dictionary(
      uniqueKeysWithValues: whereabouts(remote).allArrivals)
  }

  func kind(_ place: Place) -> KeyValueLoggedShape.Kind {
    model.kind(place.key, in: (state.objects[place.id] ?? base.objects[place.id])?.class)
  }

  func isDistinct(_ place: Place) -> Bool {
    model.isDistinct(
      place.key, in: (state.objects[place.id] ?? base.objects[place.id])?.class)
  }

  func mayBeNil(_ place: Place) -> Bool {
    model.mayBeNil(place.key, in: (state.objects[place.id] ?? base.objects[place.id])?.class)
  }

  // MARK: One transaction

  /// Makes transactions again, in order.
  mutating func redo(_ records: [KeyValueTransactionRecord]) -> [Outcome] {
    records.map { redo($0) }
  }

  /// Makes a transaction again; those before it have been.
  mutating func redo(_ record: KeyValueTransactionRecord) -> Outcome {
    let whereabouts = whereabouts(record)
    let emptied = whereabouts.emptied(by: record)
    if emptied.isEmpty || !isWhole { return redo(record, whereabouts) }
    // Whether what the transaction takes objects out of is deleted is seen in the end.
    let before = self
    let outcome = redo(record, whereabouts)
    let surviving = emptied.filter { state.objects[$0] != nil }
    if surviving.isEmpty { return outcome }
    if case .rejected = outcome { return outcome }
    self = before
    return redo(record, whereabouts, surviving)
  }

  private mutating func redo(
    _ record: KeyValueTransactionRecord, _ whereabouts: Whereabouts,
    _ surviving: Set<KeyValueObjectID> = []
  ) -> Outcome {
    let before = state
    let remainsBefore = remains
    remote.begin()
    var step = RebaseStep(record)
    step.surviving = surviving
    place(whereabouts, &step)
    let leaving = step.leaving
    for edit in record.edits {
      if isWhole, isConsequence(edit, of: leaving) { continue }
      redo(edit, &step)
    }
    takeAway(&step)
    if isWhole, !step.isRejected, (record.edits + step.edits).contains(where: \.mayMoveObjects) {
      sweep(&step)
    }
    step.leaveOutPassing()
    if let reference = step.unknownReference(before) { refuse(reference, &step) }
    if !step.isRejected, !step.edits.isEmpty {
      do {
        if let misfit = step.misfit { throw misfit }
        if step.edits.contains(where: \.isDeletion) {
          // Checks the whole record at once: a reference may be to what it deletes.
          var checked = before
          try checked.apply(KeyValueTransactionRecord(step.edits))
          state = checked
        }
      } catch {
        refuse(error, &step)
      }
    }
    if step.isRejected {
      state = before
      withdraw(record)
      remains = remainsBefore
      remains.reject(record.id, whereabouts)
      return .rejected(step.conflicts)
    }
    if step.edits.isEmpty { return .emptied(step.conflicts) }
    var kept = record
    kept.edits = step.edits
    return .kept(kept, step.conflicts)
  }

  /// Notes what isn't there because a transaction was rejected.
  private mutating func withdraw(_ record: KeyValueTransactionRecord) {
    remote.reject(record.id)
    for edit in record.edits {
      if case .create(let id, _, _) = edit, state.objects[id] == nil { withdrawn[id] = record.id }
      guard case .set = edit, let place = Place(edit) else { continue }
      if kind(place) == .ordered { (lost[place], remote.tracks[place]) = (record.id, nil) }
    }
  }

  /// Whether an edit only says what follows from others: it's made again from what they leave.
  private func isConsequence(_ edit: KeyValueEdit, of leaving: Set<KeyValueObjectID>) -> Bool {
    switch edit {
    case .delete: return true
    case .set(let id, let key, let old, .null):
      guard case .reference(let target) = old, leaving.contains(target),
        let object = state.objects[id]
      else { return false }
      return model.isWeak(object.class, key)
    default: return false
    }
  }

  private mutating func redo(_ edit: KeyValueEdit, _ step: inout RebaseStep) {
    switch edit {
    case .create(let id, let name, let values):
      if let object = state.objects[id] { return meet(id, values, object) }
      remote.forget(id)
      lost = lost.filter { $0.key.id != id }
      withdrawn[id] = nil
      make(id, name, values, &step)
    case .delete(let id, _, let values): delete(id, values, &step)
    default:
      guard let place = Place(edit) else { return }
      guard let object = state.objects[place.id] else { return missing(edit, place, &step) }
      change(edit, place, object, &step)
    }
  }

  /// Makes an object, without what the other side has put elsewhere.
  private mutating func make(
    _ id: KeyValueObjectID, _ name: String, _ values: [String: KeyValueLogValue],
    _ step: inout RebaseStep
  ) {
    var kept = values
    for (place, out) in step.keptOut where place.id == id {
      guard case .array(let elements)? = values[place.key] else { continue }
      kept[place.key] = .array(elements.filter { !out.contains($0) })
    }
    push(.create(id, class: name, values: kept), &step)
    for (key, value) in values where value != kept[key] {
      _ = remote.meet(
        Place(id, key), ours: value, theirs: kept[key] ?? .null, className: name, model)
    }
  }

  /// An object of ours that is there already: the other side has it, or our leaving it wasn't made again.
  ///
  /// The other side's values stay, as if it had set them after we did.
  private mutating func meet(
    _ id: KeyValueObjectID, _ values: [String: KeyValueLogValue], _ object: KeyValueSnapshot.Object
  ) {
    for (key, value) in values {
      let place = Place(id, key)
      let isFollowed = remote.meet(
        place, ours: value, theirs: object.values[key] ?? .null, className: object.class, model)
      if isFollowed { lost[place] = nil }
    }
  }

  /// Adds an edit, and makes it, so that the next one finds what it leaves.
  mutating func push(_ edit: KeyValueEdit, _ step: inout RebaseStep) {
    step.edits.append(edit)
    switch edit {
    case .create(let id, let name, let values):
      state.objects[id] = .init(class: name, values: values)
    case .delete(let id, _, _): state.objects[id] = nil
    default:
      do {
        try state.change(edit)
      } catch {
        step.misfit = step.misfit ?? error
      }
    }
  }

  /// Deletes an object in a part of the graph; in the whole one, deletions follow from what leads to objects.
  private mutating func delete(
    _ id: KeyValueObjectID, _ values: [String: KeyValueLogValue], _ step: inout RebaseStep
  ) {
    guard let object = state.objects[id] else { return }
    let isForeign = remote.written(of: id).contains { place in
      !object.values[place.key].isIdentical(to: values[place.key])
    }
    // Whether the object leaves is seen in the whole graph only, so the rule is asked there.
    if isForeign { step.isRejected = true }
    push(.delete(id, class: object.class, values: object.values), &step)
  }

  // MARK: Conflicts

  /// A conflict of a transaction.
  ///
  /// - Parameters:
  ///   - id: The object that the transaction would change.
  ///   - key: Its key; nil if the transaction would delete it.
  ///   - mine: This replica's value; nil if it deletes the object or the entry.
  ///   - theirs: The other's value; nil if there's none.
  ///   - cause: The own transaction that was rejected before, if it's the reason; nil if the other's record is.
  ///   - step: The transaction.
  /// - Returns: The conflict, which isn't among the step's.
  func conflict(
    _ id: KeyValueObjectID, _ key: String?, mine: KeyValueLogValue?, theirs: KeyValueLogValue?,
    builtOn cause: KeyValueRecordID?, _ step: RebaseStep
  ) -> KeyValueReplicaConflict {
    let cause = takenBack ?? cause
    let name = (state.objects[id] ?? base.objects[id])?.class ?? step.className(ofMade: id)
    return KeyValueReplicaConflict(
      object: id, className: name ?? "", key: key,
      base: key.flatMap { base.objects[id]?.values[$0] }, mine: mine, theirs: theirs,
      author: cause == nil ? author : nil, transaction: step.record.id, builtOn: cause)
  }

  /// Asks the rule about a value that both sides have, or that is built on a rejected transaction.
  mutating func resolve(
    _ place: Place, mine: KeyValueLogValue?, theirs: KeyValueLogValue?,
    builtOn cause: KeyValueRecordID? = nil, _ step: inout RebaseStep
  ) -> KeyValueConflictRule.Resolution {
    let conflict = conflict(
      place.id, place.key, mine: mine, theirs: theirs, builtOn: cause ?? lost[place], step)
    step.conflicts.append(conflict)
    return rule.resolve(conflict)
  }

  /// An edit of an object that isn't there any more.
  private func missing(_ edit: KeyValueEdit, _ place: Place, _ step: inout RebaseStep) {
    let conflict = conflict(
      place.id, place.key, mine: edit.newValue, theirs: nil, builtOn: withdrawn[place.id], step)
    step.conflicts.append(conflict)
    // Nothing can be written to it, whatever the rule says.
    if rule.resolve(conflict) == .reject || !remote.deleted.contains(place.id) {
      step.isRejected = true
    }
  }

  /// Rejects a transaction because of a reference: the conflict is about the object that would have it.
  private func refuse(_ reference: UnknownReference, _ step: inout RebaseStep) {
    step.isRejected = true
    step.conflicts.append(
      conflict(
        reference.edit.id, reference.key, mine: .reference(reference.target), theirs: nil,
        builtOn: withdrawn[reference.target], step))
  }

  /// Rejects a transaction that doesn't fit as a whole.
  private func refuse(_ error: any Error, _ step: inout RebaseStep) {
    step.isRejected = true
    guard let details = (error as? KeyValueLogError)?.details, let object = details.object
    else { return }
    step.conflicts.append(
      conflict(object, details.key, mine: nil, theirs: nil, builtOn: nil, step))
  }

  // MARK: What nothing leads to

  /// Adds the departures that the transaction's edits cause now.
  private mutating func sweep(_ step: inout RebaseStep) {
    let gone = state.unreachable { model.isFollowed($0, $1) }
    if gone.isEmpty { return }
    var referring: [(place: Place, className: String, value: KeyValueLogValue)] = []
    for (id, object) in state.objects where !gone.contains(id) {
      for (key, value) in object.values {
        var refers = false
        value.forEachReferencedObject { refers = refers || gone.contains($0) }
        if refers { referring.append((Place(id, key), object.class, value)) }
      }
    }
    for (place, className, value) in referring.sorted(by: { $0.place < $1.place }) {
      if model.isCleared(className, place.key) {
        push(.set(place.id, key: place.key, old: value, new: .null), &step)
      } else if model.isInside(className, place.key) || model.isUnowned(className, place.key) {
        // No program could read the value, whatever the rule says.
        step.isRejected = true
        step.conflicts.append(
          conflict(place.id, place.key, mine: nil, theirs: value, builtOn: nil, step))
      }
    }
    for id in gone.sorted(by: { "\($0)" < "\($1)" }) {
      guard let object = state.objects[id] else { continue }
      for place in remote.written(of: id) {
        let theirs = remote.written[place]
        let earlier = base.objects[id]?.values[place.key]
        if earlier.isIdentical(to: theirs) { continue }
        // The other's value stays only if the object does.
        if resolve(place, mine: nil, theirs: theirs, &step) != .mine { step.isRejected = true }
      }
      push(.delete(id, class: object.class, values: object.values), &step)
    }
  }
}

extension KeyValueEdit {
  /// Whether objects may enter or leave because of the edit.
  fileprivate var mayMoveObjects: Bool {
    if key == nil { return true }
    var mentionsObjects = false
    forEachReferencedObject { _ in mentionsObjects = true }
    return mentionsObjects
  }

  fileprivate var isDeletion: Bool { if case .delete = self { true } else { false } }
}

extension KeyValueSnapshot {
  func elements(at place: Place) -> [KeyValueLogValue]? {
    if case .array(let elements)? = objects[place.id]?.values[place.key] { elements } else { nil }
  }

  /// Makes an edit, without checking what it refers to.
  fileprivate mutating func change(_ edit: KeyValueEdit) throws {
    guard let place = Place(edit) else { return }
    // Only the object's own values count here, so the references' objects needn't be there.
    var alone = KeyValueSnapshot(root: root)
    alone.objects[place.id] = objects[place.id]
    edit.forEachReferencedObject { id in
      if alone.objects[id] == nil { alone.objects[id] = .init(class: "", values: [:]) }
    }
    try alone.apply(KeyValueTransactionRecord([edit]))
    objects[place.id] = alone.objects[place.id]
  }
}
