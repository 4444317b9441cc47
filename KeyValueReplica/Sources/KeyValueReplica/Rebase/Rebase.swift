@_spi(Replication) import KeyValueCore

/// Makes transactions of this replica again after another writer's.
///
/// It computes with data alone: a state in which this replica's transactions haven't been made yet, then the
/// other writer's record, then each transaction again, translated so that it fits.
///
/// - Elements of ordered collections are found by identity, whatever their indexes have become. What both have
///   removed is removed once; an object that both have put in is there once.
/// - Elements of sets, and entries of dictionaries, are taken one by one.
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
  private let base: KeyValueSnapshot
  private let model: Model
  private let rule: KeyValueConflictRule
  private let author: String?
  /// The places that the other has written.
  private var written: Set<Place> = []
  private var theirEntries: [Place: Set<String>] = [:]
  private var deleted: Set<KeyValueObjectID> = []
  private var tracks: [Place: ListTrack] = [:]
  /// Where an own record that was rejected has set a whole collection: what this side has there isn't known.
  private var lost: [Place: KeyValueRecordID] = [:]
  /// The objects that own records would have made that were rejected.
  private var withdrawn: [KeyValueObjectID: KeyValueRecordID] = [:]
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
  /// - Throws: `KeyValueLogError` if the record doesn't fit the state.
  init(
    on base: KeyValueSnapshot, over remote: KeyValueTransactionRecord, isWhole: Bool,
    _ model: Model, _ rule: KeyValueConflictRule, takingBack takenBack: KeyValueRecordID? = nil
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
    try state.apply(remote)
    for edit in remote.edits { note(edit) }
    for place in tracks.keys { tracks[place]!.beginOurs() }
  }

  private mutating func note(_ edit: KeyValueEdit) {
    guard let place = Place(edit) else {
      switch edit {
      case .delete(let id, _, _): deleted.insert(id)
      case .create(let id, _, let values):
        deleted.remove(id)
        // It came back, and not as it was.
        guard let object = base.objects[id] else { break }
        for (key, value) in values where object.values[key] != value {
          written.insert(Place(id, key))
        }
      default: break
      }
      return
    }
    written.insert(place)
    switch edit {
    case .insert, .remove, .replace, .amend:
      if tracks[place] == nil, let elements = base.elements(at: place) {
        tracks[place] = ListTrack(base: elements, isDistinct: isDistinct(place))
      }
      tracks[place]?.follow(edit)
    case .setEntry(_, _, .string(let name), _, _):
      theirEntries[place, default: []].insert(name)
    case .set(_, _, .dictionary(let old), .dictionary(let new)) where kind(place) == .dictionary:
      theirEntries[place, default: []].formUnion(Self.differing(old, new))
    default: break
    }
  }

  private func kind(_ place: Place) -> KeyValueLoggedShape.Kind {
    model.kind(place.key, in: (state.objects[place.id] ?? base.objects[place.id])?.class)
  }

  private func isDistinct(_ place: Place) -> Bool {
    model.isDistinct(
      place.key, in: (state.objects[place.id] ?? base.objects[place.id])?.class)
  }

  private static func differing(
    _ old: [String: KeyValueLogValue], _ new: [String: KeyValueLogValue]
  ) -> Set<String> {
    Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
  }

  // MARK: One transaction

  /// Makes transactions again, in order.
  mutating func redo(_ records: [KeyValueTransactionRecord]) -> [Outcome] {
    records.map { redo($0) }
  }

  /// Makes a transaction again; those before it have been.
  mutating func redo(_ record: KeyValueTransactionRecord) -> Outcome {
    let before = state
    for place in tracks.keys { tracks[place]!.begin() }
    var step = Step(record: record, author: author)
    let leaving = Set(
      record.edits.compactMap { if case .delete(let id, _, _) = $0 { id } else { nil } })
    for edit in record.edits {
      if isWhole, isConsequence(edit, of: leaving) { continue }
      redo(edit, &step)
    }
    if isWhole, !step.isRejected { sweep(&step) }
    step.leaveOutPassing()
    if let reference = step.unknownReference(before) { refuse(reference, &step) }
    if !step.isRejected, !step.edits.isEmpty {
      do {
        // Checks the whole record at once, references too.
        var checked = before
        try checked.apply(KeyValueTransactionRecord(step.edits))
        state = checked
      } catch {
        step.refuse(error)
      }
    }
    if step.isRejected {
      state = before
      for place in tracks.keys { tracks[place]!.reject() }
      for edit in record.edits {
        if case .create(let id, _, _) = edit, state.objects[id] == nil { withdrawn[id] = record.id }
        guard case .set = edit, let place = Place(edit) else { continue }
        if kind(place) == .ordered { lost[place] = record.id }
      }
      return .rejected(step.conflicts)
    }
    if step.edits.isEmpty { return .emptied(step.conflicts) }
    var kept = record
    kept.edits = step.edits
    return .kept(kept, step.conflicts)
  }

  /// A transaction while it's made again.
  private struct Step {
    let record: KeyValueTransactionRecord
    let author: String?
    var edits: [KeyValueEdit] = []
    var conflicts: [KeyValueReplicaConflict] = []
    var isRejected = false

    /// Leaves out the objects that come and go in the transaction, and that nothing else refers to.
    mutating func leaveOutPassing() {
      var created: Set<KeyValueObjectID> = []
      var passing: Set<KeyValueObjectID> = []
      for edit in edits {
        switch edit {
        case .create(let id, _, _): created.insert(id)
        case .delete(let id, _, _): if created.contains(id) { passing.insert(id) }
        default: break
        }
      }
      var count = 0
      while count != passing.count {
        count = passing.count
        for edit in edits where !passing.contains(edit.id) {
          edit.forEachReferencedObject { passing.remove($0) }
        }
      }
      edits.removeAll { passing.contains($0.id) }
    }

    /// The first reference to an object that isn't there, even if another edit takes it away again: where the
    /// edits are made, each of them finds its objects.
    func unknownReference(_ before: KeyValueSnapshot) -> UnknownReference? {
      let created = Set(
        edits.compactMap { if case .create(let id, _, _) = $0 { id } else { nil } })
      for edit in edits {
        var missing: KeyValueObjectID?
        edit.forEachWrittenReference { id in
          if before.objects[id] == nil, !created.contains(id) { missing = id }
        }
        if let missing { return UnknownReference(edit, missing) }
      }
      return nil
    }

    mutating func refuse(_ error: any Error) {
      isRejected = true
      guard let details = (error as? KeyValueLogError)?.details, let object = details.object
      else { return }
      conflicts.append(
        KeyValueReplicaConflict(
          object: object, className: details.type ?? "", key: details.key, base: nil, mine: nil,
          theirs: nil, author: author, transaction: record.id, builtOn: nil))
    }
  }

  /// An edit that writes a reference to an object that isn't there.
  private struct UnknownReference {
    let edit: KeyValueEdit
    let target: KeyValueObjectID

    init(_ edit: KeyValueEdit, _ target: KeyValueObjectID) {
      self.edit = edit
      self.target = target
    }

    /// The key that would have the reference.
    var key: String? {
      guard case .create(_, _, let values) = edit else { return edit.key }
      return values.sorted { $0.key < $1.key }.first { _, value in
        var isFound = false
        value.forEachReferencedObject { if $0 == target { isFound = true } }
        return isFound
      }?.key
    }
  }

  /// Rejects a transaction because of a reference: the conflict is about the object that would have it.
  private func refuse(_ reference: UnknownReference, _ step: inout Step) {
    step.isRejected = true
    let (id, key) = (reference.edit.id, reference.key)
    let made = step.record.edits.first { edit in
      if case .create = edit { edit.id == id } else { false }
    }
    let madeName = if case .create(_, let name, _)? = made { name } else { "" }
    let cause = takenBack ?? withdrawn[reference.target]
    step.conflicts.append(
      KeyValueReplicaConflict(
        object: id, className: state.objects[id]?.class ?? madeName, key: key,
        base: key.flatMap { base.objects[id]?.values[$0] }, mine: .reference(reference.target),
        theirs: nil, author: cause == nil ? author : nil, transaction: step.record.id,
        builtOn: cause))
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

  private mutating func redo(_ edit: KeyValueEdit, _ step: inout Step) {
    switch edit {
    case .create(let id, let name, let values):
      if let object = state.objects[id] { return meet(id, values, object) }
      forgetTheirs(of: id)
      push(.create(id, class: name, values: values), &step)
    case .delete(let id, let name, let values): delete(id, name, values, &step)
    default:
      guard let place = Place(edit) else { return }
      guard let object = state.objects[place.id] else { return missing(edit, place, &step) }
      change(edit, place, object, &step)
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
      let current = object.values[key] ?? .null
      switch (value, current) {
      case (.array(let ours), .array(let theirs)) where kind(place) == .ordered:
        if tracks[place]?.ourValues == ours { continue }
        written.insert(place)
        lost[place] = nil
        tracks[place] = ListTrack(base: ours, changedTo: theirs, isDistinct: isDistinct(place))
      case (.dictionary(let ours), .dictionary(let theirs)) where kind(place) == .dictionary:
        written.insert(place)
        theirEntries[place, default: []].formUnion(Self.differing(ours, theirs))
      default:
        if value != current { written.insert(place) }
      }
    }
  }

  /// An object of ours that wasn't there is as we make it.
  private mutating func forgetTheirs(of id: KeyValueObjectID) {
    deleted.remove(id)
    written = written.filter { $0.id != id }
    lost = lost.filter { $0.key.id != id }
    withdrawn[id] = nil
    tracks = tracks.filter { $0.key.id != id }
    theirEntries = theirEntries.filter { $0.key.id != id }
  }

  /// Adds an edit, and makes it, so that the next one finds what it leaves.
  private mutating func push(_ edit: KeyValueEdit, _ step: inout Step) {
    step.edits.append(edit)
    switch edit {
    case .create(let id, let name, let values):
      state.objects[id] = .init(class: name, values: values)
    case .delete(let id, _, _): state.objects[id] = nil
    default: state.change(edit)
    }
  }

  private mutating func delete(
    _ id: KeyValueObjectID, _ name: String, _ values: [String: KeyValueLogValue],
    _ step: inout Step
  ) {
    guard let object = state.objects[id] else { return }
    let foreign = written.filter { $0.id == id && object.values[$0.key] != values[$0.key] }
    for place in foreign.sorted(by: { $0.key < $1.key }) {
      let conflict = conflict(place, object, mine: nil, theirs: object.values[place.key], step)
      step.conflicts.append(conflict)
      // The other's value stays only if the object does.
      if rule.resolve(conflict) != .mine { step.isRejected = true }
    }
    push(.delete(id, class: object.class, values: object.values), &step)
  }

  /// An edit of an object that isn't there any more.
  private func missing(_ edit: KeyValueEdit, _ place: Place, _ step: inout Step) {
    let conflict = KeyValueReplicaConflict(
      object: place.id, className: base.objects[place.id]?.class ?? "", key: place.key,
      base: base.objects[place.id]?.values[place.key], mine: edit.newValue, theirs: nil,
      author: withdrawn[place.id] == nil ? author : nil, transaction: step.record.id,
      builtOn: takenBack ?? withdrawn[place.id])
    step.conflicts.append(conflict)
    // Nothing can be written to it, whatever the rule says.
    if rule.resolve(conflict) == .reject || !deleted.contains(place.id) { step.isRejected = true }
  }

  private func conflict(
    _ place: Place, _ object: KeyValueSnapshot.Object, mine: KeyValueLogValue?,
    theirs: KeyValueLogValue?, _ step: Step
  ) -> KeyValueReplicaConflict {
    KeyValueReplicaConflict(
      object: place.id, className: object.class, key: place.key,
      base: base.objects[place.id]?.values[place.key], mine: mine, theirs: theirs,
      author: lost[place] == nil ? author : nil, transaction: step.record.id,
      builtOn: takenBack ?? lost[place])
  }

  // MARK: One edit

  private mutating func change(
    _ edit: KeyValueEdit, _ place: Place, _ object: KeyValueSnapshot.Object, _ step: inout Step
  ) {
    let current = object.values[place.key] ?? .null
    let (id, key) = (place.id, place.key)
    switch edit {
    case .set(_, _, let old, let new):
      if current == new {
        tracks[place] = nil
        return
      }
      if let merged = mergedEntries(place, old, new, current, &step) {
        if merged != current { push(.set(id, key: key, old: current, new: merged), &step) }
        return
      }
      if written.contains(place) {
        if let merged = mergedMembers(place, old, new, current) {
          if merged != current { push(.set(id, key: key, old: current, new: merged), &step) }
          return
        }
        return settle(place, object, mine: new, theirs: current, isWhole: true, &step)
      }
      tracks[place] = nil
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

  /// Decides a conflict about a whole value.
  private mutating func settle(
    _ place: Place, _ object: KeyValueSnapshot.Object, mine: KeyValueLogValue,
    theirs: KeyValueLogValue, isWhole: Bool = false, _ step: inout Step
  ) {
    let conflict = conflict(place, object, mine: mine, theirs: theirs, step)
    step.conflicts.append(conflict)
    switch rule.resolve(conflict) {
    case .reject: step.isRejected = true
    case .theirs: break
    // Elements alone aren't the whole value that the other has set.
    case .mine: if isWhole { write(mine) }
    case .value(let value):
      // A value of another type would fit no replica.
      if value.isLike(mine) || value.isLike(theirs) { write(value) } else { step.isRejected = true }
    }
    func write(_ value: KeyValueLogValue) {
      if value == theirs { return }
      tracks[place] = nil
      push(.set(place.id, key: place.key, old: theirs, new: value), &step)
    }
  }

  private mutating func changeList(
    _ edit: KeyValueEdit, _ place: Place, _ object: KeyValueSnapshot.Object, _ step: inout Step
  ) {
    guard let elements = state.elements(at: place), lost[place] == nil else {
      return settle(
        place, object, mine: edit.newValue ?? .null, theirs: object.values[place.key] ?? .null,
        &step)
    }
    if tracks[place] == nil {
      if written.contains(place) {
        // The other has set the whole collection.
        return settle(
          place, object, mine: edit.newValue ?? .null, theirs: .array(elements), &step)
      }
      tracks[place] = ListTrack(base: elements, isDistinct: isDistinct(place))
      tracks[place]!.begin()
    }
    switch tracks[place]!.redo(edit) {
    case .edit(let edit): push(edit, &step)
    case .nothing: break
    case .conflict:
      let mine = KeyValueLogValue.array(tracks[place]!.ourValues)
      let conflict = conflict(place, object, mine: mine, theirs: .array(elements), step)
      step.conflicts.append(conflict)
      var merged = tracks[place]!.mergedValues
      switch rule.resolve(conflict) {
      case .reject: step.isRejected = true
      // What could be replaced has been.
      case .theirs: break
      case .mine:
        merged = tracks[place]!.ourValues
        tracks[place] = ListTrack(base: merged, isDistinct: isDistinct(place))
        tracks[place]!.begin()
      case .value(let value):
        if case .array(let elements) = value { merged = elements }
        tracks[place] = ListTrack(
          base: tracks[place]!.ourValues, changedTo: merged, isDistinct: isDistinct(place))
      }
      if merged != elements {
        push(
          .amend(
            place.id, key: place.key,
            removed: .init(indexes: RangeSet(0..<elements.count), elements: elements),
            inserted: .init(indexes: RangeSet(0..<merged.count), elements: merged)), &step)
      }
    }
  }

  private mutating func changeSet(
    _ edit: KeyValueEdit, _ place: Place, _ object: KeyValueSnapshot.Object,
    old: [KeyValueLogValue], new: [KeyValueLogValue], _ step: inout Step
  ) {
    guard let elements = state.elements(at: place) else {
      return settle(
        place, object, mine: edit.newValue ?? .null, theirs: object.values[place.key] ?? .null,
        &step)
    }
    let present = Set(elements)
    let leaving = old.filter { present.contains($0) }
    let staying = present.subtracting(leaving)
    let entering = new.filter { !staying.contains($0) }
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
    _ old: KeyValueLogValue?, _ new: KeyValueLogValue?, _ step: inout Step
  ) {
    guard case .dictionary(let entries)? = object.values[place.key], case .string(let name) = entry
    else {
      return settle(
        place, object, mine: .dictionary([:]), theirs: object.values[place.key] ?? .null, &step)
    }
    let current = entries[name]
    if current == new { return }
    var value = new
    if theirEntries[place]?.contains(name) == true {
      let conflict = conflict(place, object, mine: new, theirs: current, step)
      step.conflicts.append(conflict)
      switch rule.resolve(conflict) {
      case .reject:
        step.isRejected = true
        return
      case .theirs: return
      case .mine: break
      case .value(let other): value = other
      }
    }
    if current == value { return }
    push(.setEntry(place.id, key: place.key, entry: entry, old: current, new: value), &step)
  }

  /// A dictionary that was set as a whole, with both sides' entries; nil if it isn't one.
  private func mergedEntries(
    _ place: Place, _ old: KeyValueLogValue, _ new: KeyValueLogValue, _ current: KeyValueLogValue,
    _ step: inout Step
  ) -> KeyValueLogValue? {
    guard written.contains(place), kind(place) == .dictionary,
      case .dictionary(let before) = old, case .dictionary(let after) = new,
      case .dictionary(var merged) = current, let theirs = theirEntries[place],
      let object = state.objects[place.id]
    else { return nil }
    for name in Self.differing(before, after).sorted() where merged[name] != after[name] {
      var value = after[name]
      if theirs.contains(name) {
        let conflict = conflict(place, object, mine: value, theirs: merged[name], step)
        step.conflicts.append(conflict)
        switch rule.resolve(conflict) {
        case .reject: step.isRejected = true
        case .theirs: continue
        case .mine: break
        case .value(let other): value = other
        }
      }
      merged[name] = value
    }
    return .dictionary(merged)
  }

  /// A set that was set as a whole, with both sides' elements; nil if it isn't one.
  private func mergedMembers(
    _ place: Place, _ old: KeyValueLogValue, _ new: KeyValueLogValue, _ current: KeyValueLogValue
  ) -> KeyValueLogValue? {
    guard kind(place) == .unordered, case .array(let before) = old, case .array(let after) = new,
      case .array(let present) = current
    else { return nil }
    let left = Set(before).subtracting(after)
    let merged = Set(present).subtracting(left).union(Set(after).subtracting(before))
    return .array(KeyValueLogValue.ascendingElements(Array(merged)))
  }

  // MARK: What nothing leads to

  /// Adds the departures that the transaction's edits cause now.
  private mutating func sweep(_ step: inout Step) {
    let gone = state.unreachable { model.isFollowed($0, $1) }
    if gone.isEmpty { return }
    for (id, object) in state.objects.sorted(by: { "\($0.key)" < "\($1.key)" })
    where !gone.contains(id) {
      for (key, value) in object.values.sorted(by: { $0.key < $1.key }) {
        guard case .reference(let target) = value, gone.contains(target),
          model.isWeak(object.class, key)
        else { continue }
        push(.set(id, key: key, old: value, new: .null), &step)
      }
    }
    for id in gone.sorted(by: { "\($0)" < "\($1)" }) {
      guard let object = state.objects[id] else { continue }
      let foreign = written.filter {
        $0.id == id && base.objects[id]?.values[$0.key] != object.values[$0.key]
      }
      for place in foreign.sorted(by: { $0.key < $1.key }) {
        let conflict = conflict(place, object, mine: nil, theirs: object.values[place.key], step)
        step.conflicts.append(conflict)
        if rule.resolve(conflict) != .mine { step.isRejected = true }
      }
      push(.delete(id, class: object.class, values: object.values), &step)
    }
  }
}

extension KeyValueSnapshot {
  func elements(at place: Place) -> [KeyValueLogValue]? {
    if case .array(let elements)? = objects[place.id]?.values[place.key] { elements } else { nil }
  }

  /// Makes an edit that fits, without checking what it refers to.
  fileprivate mutating func change(_ edit: KeyValueEdit) {
    guard let place = Place(edit) else { return }
    // Only the object's own values count here, so the references' objects needn't be there.
    var alone = KeyValueSnapshot(root: root)
    alone.objects[place.id] = objects[place.id]
    edit.forEachReferencedObject { id in
      if alone.objects[id] == nil { alone.objects[id] = .init(class: "", values: [:]) }
    }
    if (try? alone.apply(KeyValueTransactionRecord([edit]))) != nil {
      objects[place.id] = alone.objects[place.id]
    }
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
