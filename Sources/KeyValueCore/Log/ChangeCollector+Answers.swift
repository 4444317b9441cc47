// What observers change while a record is applied.
extension ChangeCollector {
  /// Makes the record of the changes that answer one that has been applied with them.
  ///
  /// That one stays as it came, so that it's the same in all graphs. What came, left and changed besides is in a
  /// record behind it.
  func makeAnswer(
    to applied: KeyValueTransactionRecord, _ changes: [Pending], _ settled: LogGraph.Settled,
    _ isTransaction: Bool
  ) throws {
    let before = Named(by: applied)
    let stayed = before.created.subtracting(before.deleted)
    let created = settled.arrived.filter { stayed.contains($0.id) }
    let returned = before.deleted.compactMap(graph.entry)
    let (came, passed) = settled.passed.partitioned { stayed.contains($0.id) }
    let arrived = settled.arrived.filter { !stayed.contains($0.id) } + returned
    let left = settled.left.filter { !before.deleted.contains($0.id) } + came
    // What has been created is compared as a whole, and what has been deleted, or came and went, isn't there.
    let besides = before.deleted.union((created + arrived + passed).map(\.id))
    var answers: [Pending] = []
    var shared: [PlaceName: [Pending]] = [:]
    for change in changes where !besides.contains(change.entry.id) {
      let place = PlaceName(id: change.entry.id, key: change.key.property.key)
      if before.changes[place] != nil {
        shared[place, default: []].append(change)
      } else {
        answers.append(change)
      }
    }
    let rest = LogGraph.Settled(
      arrived: arrived, left: left, passed: passed, returned: settled.returned)
    try graph.writing(rest) {
      var differences: [Difference] = []
      let new = try objects(madeBy: applied, stayed)
      for entry in created { differences += try self.differences(of: entry, from: new) }
      for (place, changes) in shared.sorted(by: { $0.key < $1.key }) {
        let edits = before.changes[place] ?? []
        differences += try difference(at: place, changes, after: edits).map { [$0] } ?? []
      }
      // What nothing took when it was its turn has never been in this graph.
      let known = Set((created + came).map(\.id))
      let deletions = new.filter { !known.contains($0.key) && graph.entry($0.key) == nil }
        .sorted { $0.key.number < $1.key.number }
        .map { KeyValueEdit.delete($0.key, class: $0.value.class, values: $0.value.values) }
      try make(answers, rest, isTransaction, and: differences, deletions)
    }
  }

  /// The objects that a record creates, as it leaves them.
  private func objects(
    madeBy applied: KeyValueTransactionRecord, _ ids: Set<KeyValueObjectID>
  ) throws -> [KeyValueObjectID: KeyValueSnapshot.Object] {
    var application = SnapshotApplication(to: KeyValueSnapshot(root: graph.rootID))
    for edit in applied.edits where ids.contains(edit.id) { try application.apply(edit) }
    var objects: [KeyValueObjectID: KeyValueSnapshot.Object] = [:]
    for id in ids { objects[id] = application.object(id) }
    return objects
  }

  /// What distinguishes a new object from what the record made it.
  private func differences(
    of entry: LogGraph.Entry, from objects: [KeyValueObjectID: KeyValueSnapshot.Object]
  ) throws -> [Difference] {
    let values = objects[entry.id]?.values ?? [:]
    return try entry.type.keys.compactMap { key in
      guard !key.isConstant, let then = values[key.property.key] else { return nil }
      return try difference(of: entry, key, from: then)
    }
  }

  /// The difference between a key's value after a record's edits of it and the present one.
  private func difference(
    at place: PlaceName, _ changes: [Pending], after edits: [KeyValueEdit]
  ) throws -> Difference? {
    let (entry, key) = (changes[0].entry, changes[0].key)
    var present = KeyValueSnapshot(root: graph.rootID)
    present.objects[place.id] = .init(
      class: entry.type.name, values: [place.key: try presentData(of: entry, key)])
    var application = SnapshotApplication(to: present)
    for change in changes.reversed() { try application.apply(try edit(change).inverse) }
    for edit in edits { try application.apply(edit) }
    guard let then = application.value(place.id, place.key) else { return nil }
    return try difference(of: entry, key, from: then)
  }

  private func difference(
    of entry: LogGraph.Entry, _ key: LoggedKey, from then: KeyValueLogValue
  ) throws -> Difference? {
    let now = try presentData(of: entry, key)
    if then.isIdentical(to: now) { return nil }
    return Difference(
      edit: .set(entry.id, key: key.property.key, old: then, new: now),
      place: Pending.Place(entry, key))
  }

  /// A key's value; a weak one doesn't refer to what leaves.
  private func presentData(
    of entry: LogGraph.Entry, _ key: LoggedKey
  ) throws -> KeyValueLogValue {
    try naming(entry) {
      guard key.isWeak else { return try key.data(of: entry.instance, graph) }
      return try graph.hiding(.leaving) { try key.data(of: entry.instance, graph) }
    }
  }

  /// A setting that isn't a change of its own.
  struct Difference {
    let edit: KeyValueEdit
    let place: Pending.Place
  }

  /// A key of an object, as records name it.
  private struct PlaceName: Hashable, Comparable {
    let id: KeyValueObjectID
    let key: String

    static func < (left: PlaceName, right: PlaceName) -> Bool {
      left.key == right.key ? left.id.number < right.id.number : left.key < right.key
    }
  }

  /// What a record creates, deletes and changes.
  private struct Named {
    var created: Set<KeyValueObjectID> = []
    var deleted: Set<KeyValueObjectID> = []
    var changes: [PlaceName: [KeyValueEdit]] = [:]

    init(by record: KeyValueTransactionRecord) {
      for edit in record.edits {
        switch edit {
        case .create(let id, _, _): created.insert(id)
        case .delete(let id, _, _): deleted.insert(id)
        default:
          if let key = edit.key {
            changes[PlaceName(id: edit.id, key: key), default: []].append(edit)
          }
        }
      }
    }
  }
}

extension Array {
  /// The elements with a property, and those without it.
  fileprivate func partitioned(by isFirst: (Element) -> Bool) -> ([Element], [Element]) {
    (filter(isFirst), filter { !isFirst($0) })
  }
}
