/// Applies a record to a graph: checks it as data, makes objects, decodes all values, and only then changes
/// anything.
///
/// So a record is applied whole or not at all, without anything to take back.
struct LogApplication {
  let graph: LogGraph
  let collector: ChangeCollector
  let classes: LogClasses
  let runsPropertyObservers: Bool
  /// The classes that ask for their property observers, and for those of their subclasses.
  let observing: Set<ObjectIdentifier>
  /// The values with which the record creates objects, if these keep what they have.
  private var recreated: [KeyValueObjectID: KeyValueSnapshot.Object] = [:]
  /// The keys without nil that go on referring to what they refer to.
  private var kept: [(entry: LogGraph.Entry, key: LoggedKey)] = []
  /// The objects that come back and that the record changes.
  var returning: [LogGraph.Entry] = []
  var steps: [Step] = []
  /// What the steps and the new objects change, as data, if nothing else changes meanwhile; nil if it can't be
  /// written.
  private(set) var edits: [KeyValueEdit]? = []

  /// A change of an object that belongs to the graph, ready to be made.
  struct Step {
    let entry: LogGraph.Entry
    let key: LoggedKey
    let action: Action
    /// What the action is made from again when it's performed: sets hash objects, which may be new, and get their
    /// values only then.
    var hashed: KeyValueEdit?

    var place: PropertyPlace { PropertyPlace(of: entry.object, id: key.property.id) }

    var setsWeakKey: Bool {
      if case .store = action { key.isWeak } else { false }
    }

    enum Action {
      case store(any CapturedValue)
      case edit(Edit)
      /// An ordered collection is set to what a removal and then an insertion leave.
      case amend(removal: Edit, insertion: Edit)
      /// Elements leave a set and others enter it.
      case exchange(old: Set<AnyHashable>, new: Set<AnyHashable>)
      /// A dictionary's entry is set.
      case entry(String, KeyValueLogValue?)
    }
  }

  init(
    to graph: LogGraph, _ collector: ChangeCollector, _ classes: LogClasses,
    runsPropertyObservers: Bool, observing: Set<ObjectIdentifier> = []
  ) {
    self.observing = observing
    self.graph = graph
    self.collector = collector
    self.classes = classes
    self.runsPropertyObservers = runsPropertyObservers
  }

  // MARK: A record

  /// - Throws: `KeyValueLogError`; nothing has changed then.
  mutating func prepare(_ record: KeyValueTransactionRecord) throws {
    let record = graph.keepsInstances ? record : record.changingReturned { graph.entry($0) != nil }
    let (application, applied) = try check(record)
    edits = applied
    var created: [KeyValueObjectID] = []
    // The values of objects that the record deletes again.
    var passing: [KeyValueObjectID: KeyValueSnapshot.Object] = [:]
    for case .create(let id, let type, let values) in record.edits {
      created.append(id)
      let object = KeyValueSnapshot.Object(class: type, values: values)
      if graph.keepsInstances { recreated[id] = object }
      if application.object(id) == nil { passing[id] = object }
    }
    let recreated = recreated
    try make(created) { recreated[$0] ?? application.object($0) ?? passing[$0] }
    if !graph.keepsInstances { try clearWeakKeys(referringTo: created, unlessSetBy: record) }
    var changed: Set<KeyValueObjectID> = []
    for (index, edit) in record.edits.enumerated() {
      let isReturning = recreated[edit.id] != nil
      guard let key = edit.key,
        let entry = isReturning ? graph.present(edit.id) : graph.entry(edit.id)
      else { continue }
      do {
        if isReturning {
          changed.insert(edit.id)
          try checkReturning(entry, key, edit)
        }
        try prepare(edit, entry, key)
      } catch let error as KeyValueLogError {
        throw error.completed { details in
          details.edit = index + 1
          details.object = details.object ?? edit.id
          details.type = details.type ?? entry.type.schema.name
        }
      }
    }
    returning = created.filter(changed.contains).compactMap(graph.present)
  }

  /// Checks that an object which comes back has the value that the record brings back and changes.
  ///
  /// - Throws: `KeyValueLogError.invalidEdit`, if something has changed it outside of the graph.
  private mutating func checkReturning(
    _ entry: LogGraph.Entry, _ name: String, _ edit: KeyValueEdit
  ) throws {
    let key = try entry.type.key(name)
    // Edits of the key after its first one find what that left.
    guard let recorded = recreated[entry.id]?.values.removeValue(forKey: name) else { return }
    // What it refers to may have been outside of the graph.
    if key.isWeak { return }
    let present = try key.data(of: entry.instance, graph)
    if present == recorded || edit.sets(present) { return }
    throw KeyValueLogError.invalidEdit(
      .init(
        key: name,
        reason:
          "it's \(SnapshotApplication.short(present)), not \(SnapshotApplication.short(recorded))"))
  }

  /// Clears the weak keys that refer to objects that come back, where the record doesn't know of it.
  ///
  /// They were set while object or target was outside of the graph, so nothing has recorded it.
  private mutating func clearWeakKeys(
    referringTo created: [KeyValueObjectID], unlessSetBy record: KeyValueTransactionRecord
  ) throws {
    if created.isEmpty || graph.weakPlaces.isEmpty { return }
    var edited: [KeyValueObjectID: Set<String>] = [:]
    for edit in record.edits {
      if let key = edit.key { edited[edit.id, default: []].insert(key) }
    }
    for id in created {
      guard graph.isArriving(id) else { continue }
      for place in graph.weakPlaces.places(of: try graph.instance(id)) {
        let isSet = edited[place.entry.id]?.contains(place.key.property.key) == true
        if isSet || !place.key.takes(.null) { continue }
        try naming(place.entry) {
          steps.append(
            Step(
              entry: place.entry, key: place.key,
              action: .store(try place.key.value(of: .null, graph))))
        }
      }
    }
  }

  /// Applies the record to the values of the objects that it's about.
  ///
  /// - Returns: The values, and the record's edits with what is there in place of what they expect where both are the
  ///   same value.
  private func check(
    _ record: KeyValueTransactionRecord
  ) throws -> (SnapshotApplication, [KeyValueEdit]) {
    // The closures don't capture the application, which would be copied for each edit.
    let graph = graph
    // In a transaction, an object may come back before it has left, with all that only it leads to.
    var returning: Set<KeyValueObjectID> = []
    var leaving: [KeyValueObjectID: Int]?
    for case .create(let id, _, _) in record.edits {
      guard let entry = graph.entry(id) else { continue }
      let counts = leaving ?? graph.countsFromLeaving()
      leaving = counts
      let isLeaving = graph.isLeaving(entry) || counts[id].map { $0 == Int(entry.count) } == true
      if isLeaving { returning.insert(id) }
    }
    var present = try graph.present(of: record.edits, except: returning)
    for edit in record.edits {
      edit.forEachReference { id in
        guard present.objects[id] == nil, !returning.contains(id), let entry = graph.entry(id)
        else { return }
        present.objects[id] = .init(class: entry.type.name, values: [:])
      }
    }
    if graph.keepsInstances || graph.hasWeakConstants { acceptValues(record, in: &present) }
    var edits = try record.edits.map(classes.renamed)
    var application = SnapshotApplication(to: present)
    do {
      for edit in edits { try application.apply(edit) }
    } catch is KeyValueLogError {
      var renamed = record
      renamed.edits = edits
      edits = graph.fitted(renamed, to: present, classes).edits
      application = SnapshotApplication(to: present)
      for edit in edits { try application.apply(edit) }
    }
    // With instances, a reference may lead out of the graph.
    if !graph.keepsInstances { try application.checkReferences() }
    try checkReach(record, application, leaving)
    return (application, edits)
  }

  /// Lets keys have the values that the record expects, where others are no conflict.
  ///
  /// A constant that refers to an object weakly changes by itself, and stays nil once that object has died.
  ///
  /// With instances, a key may have the value to which it's set, because a `didSet` has set it while its object was
  /// outside of the graph. What a weak key refers to outside may have died, or may have been unknown when the record
  /// was made.
  private func acceptValues(
    _ record: KeyValueTransactionRecord, in present: inout KeyValueSnapshot
  ) {
    func isInGraph(_ value: KeyValueLogValue) -> Bool {
      if case .reference(let id) = value { graph.entry(id) != nil } else { value != .null }
    }
    var seen: Set<PropertyPlace> = []
    for edit in record.edits {
      guard let entry = graph.entry(edit.id) else { continue }
      // The edits of a key after its first one find what that leaves.
      func isFirst(_ key: LoggedKey) -> Bool {
        seen.insert(PropertyPlace(of: entry.object, id: key.property.id)).inserted
      }
      func accept(_ expected: KeyValueLogValue?, of key: LoggedKey) {
        let name = key.property.key
        guard let expected, let now = present.objects[edit.id]?.values[name], isFirst(key) else {
          return
        }
        if key.isWeak, key.isConstant { present.objects[edit.id]?.values[name] = expected }
        if !graph.keepsInstances { return }
        let isOutside = key.isWeak && !isInGraph(expected) && !isInGraph(now)
        if isOutside || edit.sets(now) { present.objects[edit.id]?.values[name] = expected }
      }
      switch edit {
      case .set(_, let name, let old, _):
        // What a strong key refers to is counted.
        if let key = entry.type[name], !key.isFollowed { accept(old, of: key) }
      case .delete(_, _, let values):
        for key in entry.type.weak { accept(values[key.property.key], of: key) }
      default: _ = edit.key.flatMap { entry.type[$0] }.map(isFirst)
      }
    }
  }

  /// Checks that something leads to each object that the record creates, and nothing to one that it deletes.
  ///
  /// `leaving` is how many relationships come from objects that leave, if that's known.
  private func checkReach(
    _ record: KeyValueTransactionRecord, _ application: SnapshotApplication,
    _ leaving: [KeyValueObjectID: Int]?
  ) throws {
    if record.edits.allSatisfy({ $0.key != nil }) { return }
    let leaving = leaving ?? graph.countsFromLeaving()
    let changes = try changesOfCounts(record)
    var created: [KeyValueObjectID: Creation] = [:]
    // Records that are applied in one transaction see what has left before the graph settles.
    for (index, edit) in record.edits.enumerated() {
      let count =
        Int(graph.entry(edit.id)?.count ?? 0) - leaving[edit.id, default: 0]
        + changes[edit.id, default: 0]
      let reason: String
      switch edit {
      case .create where application.object(edit.id) != nil:
        created[edit.id] = Creation(edit: index + 1, count: count)
        if count > 0 { continue }
        reason = "nothing leads to it"
      case .delete where application.object(edit.id) == nil && count > 0:
        reason = "something still leads to it"
      default: continue
      }
      throw KeyValueLogError.invalidEdit(.init(object: edit.id, edit: index + 1, reason: reason))
    }
    try checkReach(of: created, application)
  }

  /// An object that a record creates.
  private struct Creation {
    /// Its edit's number.
    let edit: Int
    /// How many relationships lead to it.
    var count: Int
  }

  /// Checks that it's not only each other that new objects lead to.
  private func checkReach(
    of created: [KeyValueObjectID: Creation], _ application: SnapshotApplication
  ) throws {
    func forEachTarget(of id: KeyValueObjectID, _ body: (KeyValueObjectID) -> Void) throws {
      guard let object = application.object(id) else { return }
      try graph.loggedClass(KeyValueSchema.schema(of: classes.type(object.class)))
        .forEachFollowed(in: object, body)
    }
    var unreached = created
    for id in created.keys { try forEachTarget(of: id) { unreached[$0]?.count -= 1 } }
    var work = unreached.filter { $0.value.count > 0 }.map(\.key)
    for id in work { unreached[id] = nil }
    while let id = work.popLast() {
      try forEachTarget(of: id) { if unreached.removeValue(forKey: $0) != nil { work.append($0) } }
    }
    guard let (id, creation) = unreached.min(by: { $0.value.edit < $1.value.edit }) else { return }
    throw KeyValueLogError.invalidEdit(
      .init(
        object: id, type: application.object(id)?.class, edit: creation.edit,
        reason: "only new objects lead to it, and nothing leads to these"))
  }

  /// How many relationships to each object a record adds, less those that it takes away.
  private func changesOfCounts(
    _ record: KeyValueTransactionRecord
  ) throws -> [KeyValueObjectID: Int] {
    var changes: [KeyValueObjectID: Int] = [:]
    var created: [KeyValueObjectID: LoggedClass] = [:]
    for edit in record.edits {
      if case .create(let id, let name, _) = edit {
        created[id] = try graph.loggedClass(KeyValueSchema.schema(of: classes.type(name)))
      }
      guard let type = created[edit.id] ?? graph.entry(edit.id)?.type else { continue }
      switch edit {
      case .create(_, let name, let values):
        let object = KeyValueSnapshot.Object(class: name, values: values)
        type.forEachFollowed(in: object) { changes[$0, default: 0] += 1 }
      case .delete(_, let name, let values):
        let object = KeyValueSnapshot.Object(class: name, values: values)
        type.forEachFollowed(in: object) { changes[$0, default: 0] -= 1 }
      default:
        guard let key = edit.key, type[key]?.isFollowed == true else { continue }
        edit.forEachReference { changes[$0, default: 0] += 1 }
        edit.inverse.forEachReference { changes[$0, default: 0] -= 1 }
      }
    }
    return changes
  }

  private mutating func prepare(
    _ edit: KeyValueEdit, _ entry: LogGraph.Entry, _ name: String
  ) throws {
    let key = try entry.type.key(name)
    if key.isWeak, case .set(_, _, _, let new) = edit, !key.takes(new), mayBe(new, key, entry) {
      // It changes by itself when what it refers to enters or leaves.
      return kept.append((entry, key))
    }
    if key.isConstant {
      throw KeyValueLogError.invalidEdit(.init(key: name, reason: "it's a constant"))
    }
    try checkKind(of: edit, key)
    guard let action = try action(of: edit, key) else { return }
    if case .entry(let place, let new) = action, !key.isDictionary {
      _ = try key.value(of: entry.instance, setting: place, to: new, graph)
    }
    let hashed = key.hashesObjects ? edit : nil
    steps.append(Step(entry: entry, key: key, action: action, hashed: hashed))
  }

  /// Checks that an edit is of the key's type: lists, sets and other values are all written as arrays.
  private func checkKind(of edit: KeyValueEdit, _ key: LoggedKey) throws {
    let (isOfKind, kind) =
      switch edit {
      case .create, .delete, .set: (true, "")
      case .insert, .remove, .replace, .amend: (key.isOrdered, "a list")
      case .union, .subtract, .exchange: (key.isUnordered, "a set")
      case .setEntry: (!key.hasUnwrittenNames, "a dictionary whose keys are written as strings")
      }
    if isOfKind { return }
    throw KeyValueLogError.typeMismatch(
      .init(
        key: key.property.key,
        reason: "the edit changes \(kind), and the key holds \(name(of: key.property.valueType))"))
  }

  /// Whether a weak key that isn't set may have a value as records have it.
  ///
  /// What a constant refers to may be outside of the graph, or may have died here.
  private func mayBe(
    _ value: KeyValueLogValue, _ key: LoggedKey, _ entry: LogGraph.Entry
  ) -> Bool {
    guard case .reference(let id) = value else { return value == .null }
    return graph.refers(key, of: entry, to: id) || key.references(of: entry.instance).isEmpty
  }

  /// Has the graph keep what keys without nil go on referring to; the record or the snapshot can be applied.
  func keepTargets() {
    for (entry, key) in kept { graph.keepTarget(of: key, entry) }
  }

  func action(of edit: KeyValueEdit, _ key: LoggedKey) throws -> Step.Action? {
    func hashable(_ elements: [KeyValueLogValue]) throws -> Set<AnyHashable> {
      Set(try key.elements(of: elements, graph).compactMap { asHashable($0) })
    }
    switch edit {
    case .create, .delete: return nil
    case .set(_, _, _, .reference(let id))
    where graph.keepsInstances && key.isWeak && !graph.isAlive(id):
      // A weak reference doesn't keep what it refers to.
      return .store(try key.value(of: .null, graph))
    case .set(_, _, _, let new): return .store(try key.value(of: new, graph))
    case .insert(_, _, let indexes, let elements):
      return .edit(.insertion(IndexRanges(indexes), try key.elements(of: elements, graph)))
    case .remove(_, _, let indexes, _): return .edit(.removal(IndexRanges(indexes)))
    case .replace(_, _, let indexes, _, let new):
      return .edit(.replacement(IndexRanges(indexes), try key.elements(of: new, graph)))
    case .amend(_, _, let removed, let inserted):
      return .amend(
        removal: .removal(IndexRanges(removed.indexes)),
        insertion: .insertion(
          IndexRanges(inserted.indexes), try key.elements(of: inserted.elements, graph)))
    case .union(_, _, let elements): return .edit(.algebra(.union, try hashable(elements)))
    case .subtract(_, _, let elements): return .edit(.algebra(.minus, try hashable(elements)))
    case .exchange(_, _, let old, let new):
      return .exchange(old: try hashable(old), new: try hashable(new))
    case .setEntry(_, _, let place, _, let new):
      guard case .string(let place) = place else {
        throw KeyValueLogError.typeMismatch(
          .init(key: key.property.key, reason: "an entry's key is a string, not \(place)"))
      }
      // Decoded now, so that making the change can't fail.
      if let new, key.isDictionary { _ = try key.value(of: .dictionary([place: new]), graph) }
      return .entry(place, new)
    }
  }

  // MARK: A snapshot

  /// Prepares the changes that make the graph equal to a snapshot.
  mutating func prepare(_ snapshot: KeyValueSnapshot) throws {
    guard snapshot.root == graph.rootID else {
      throw KeyValueLogError.invalidEdit(
        .init(
          object: snapshot.root, type: graph.root?.type.name,
          reason: "the snapshot is of another graph, whose root is this object"))
    }
    let reachable = try snapshot.completelyReachable()
    try make(reachable.filter { graph.entry($0) == nil }) { snapshot.objects[$0] }
    try checkReach(reachable, in: snapshot)
    for id in reachable {
      guard let object = snapshot.objects[id] else { continue }
      guard let entry = graph.entry(id) else {
        edits?.append(try classes.renamed(.create(id, class: object.class, values: object.values)))
        continue
      }
      try naming(entry) {
        guard
          try object.class == entry.type.name
            || classes.type(object.class) == entry.type.schema.type
        else { throw entry.isNotOf(object.class) }
        try prepareDifference(entry, object.values)
      }
    }
    let isSame =
      reachable.count == graph.entries.count && edits?.contains(where: \.isCreation) == false
    if collector.isListening, !isSame { noteDeletions(besides: Set(reachable)) }
  }

  private mutating func noteDeletions(besides remaining: Set<KeyValueObjectID>) {
    for entry in graph.entries.values where !remaining.contains(entry.id) {
      // What can't be written may leave.
      guard let values = try? graph.values(of: entry) else { return edits = nil }
      edits?.append(.delete(entry.id, class: entry.type.name, values: values))
    }
  }

  private mutating func prepareDifference(
    _ entry: LogGraph.Entry, _ values: [String: KeyValueLogValue]
  ) throws {
    if hasExactly(entry, values) { return }
    var found = 0
    for key in entry.type.keys {
      guard let new = values[key.property.key] else { continue }
      found += 1
      let old = try key.data(of: entry.instance, graph)
      if old.isIdentical(to: new) || key.isConstant && old == new { continue }
      if key.isConstant, !key.isWeak {
        throw KeyValueLogError.invalidEdit(
          .init(key: key.property.key, reason: "it's a constant, and has another value"))
      }
      let edit = KeyValueEdit.set(entry.id, key: key.property.key, old: old, new: new)
      edits?.append(edit)
      if key.isWeak, !key.takes(new) {
        kept.append((entry, key))
        continue
      }
      steps.append(
        Step(
          entry: entry, key: key, action: .store(try key.value(of: new, graph)),
          hashed: key.hashesObjects ? edit : nil))
    }
    guard found < values.count else { return }
    for name in values.keys.sorted() { _ = try entry.type.key(name) }
  }

  /// Whether these are the values of all keys; false also if one can't be read.
  private func hasExactly(
    _ entry: LogGraph.Entry, _ values: [String: KeyValueLogValue]
  ) -> Bool {
    guard values.count == entry.type.keys.count else { return false }
    return values.allSatisfy { name, value in
      guard let key = entry.type[name] else { return false }
      return (try? key.data(of: entry.instance, graph))?.isIdentical(to: value) == true
    }
  }

  // MARK: New objects

  /// A value of a new object.
  struct NewValue {
    let entry: LogGraph.Entry
    let key: LoggedKey
    let value: any CapturedValue
    let data: KeyValueLogValue
  }

  var newValues: [NewValue] = []
}

extension KeyValueEdit {
  fileprivate var isCreation: Bool { if case .create = self { true } else { false } }

  /// Whether the edit sets its key to a value.
  fileprivate func sets(_ value: KeyValueLogValue) -> Bool {
    if case .set(_, _, _, value) = self { true } else { false }
  }
}

extension LogGraph.Entry {
  /// That the object is of another class than a record or a snapshot says.
  func isNotOf(_ className: String) -> KeyValueLogError {
    .invalidEdit(.init(reason: "it's of class \(type.name), not \(className)"))
  }
}

extension LogClasses {
  /// The edit with the present name of its class.
  func renamed(_ edit: KeyValueEdit) throws -> KeyValueEdit {
    switch edit {
    case .create(let id, let name, let values):
      .create(id, class: try presentName(name), values: values)
    case .delete(let id, let name, let values):
      .delete(id, class: try presentName(name), values: values)
    default: edit
    }
  }
}

extension KeyValueTransactionRecord {
  /// The record with the changes of the objects that it deletes and then creates again, instead of both edits.
  ///
  /// Such an object stays in the graph, with what observes it.
  ///
  /// - Parameter isPresent: Whether the graph has an object.
  /// - Returns: The record with the changes.
  /// - Complexity: Linear in the number of edits.
  fileprivate func changingReturned(_ isPresent: (KeyValueObjectID) -> Bool) -> Self {
    var deletions: [KeyValueObjectID: Int] = [:]
    var replaced: [Int: [KeyValueEdit]] = [:]
    for (index, edit) in edits.enumerated() {
      switch edit {
      case .delete(let id, _, _): deletions[id] = index
      case .create(let id, let name, let values):
        guard let deletion = deletions.removeValue(forKey: id), isPresent(id),
          case .delete(_, name, let earlier) = edits[deletion], earlier.count == values.count
        else { continue }
        replaced[deletion] = []
        replaced[index] = values.sorted { $0.key < $1.key }.compactMap { key, new in
          guard let old = earlier[key], !old.isIdentical(to: new) else { return nil }
          return .set(id, key: key, old: old, new: new)
        }
      default: break
      }
    }
    if replaced.isEmpty { return self }
    var record = self
    record.edits = edits.indices.flatMap { replaced[$0] ?? [edits[$0]] }
    return record
  }
}
