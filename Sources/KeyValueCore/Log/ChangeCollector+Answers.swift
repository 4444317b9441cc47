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
    let returned = before.deleted.compactMap(graph.entry)
    let stayed = before.created.subtracting(before.deleted)
    let (came, passed) = settled.passed.partitioned { stayed.contains($0.id) }
    let arrived = settled.arrived.filter { !before.created.contains($0.id) } + returned
    let left = settled.left.filter { !before.deleted.contains($0.id) } + came
    // The creations have the present values, and what the record has deleted, or what came and went, isn't there.
    let absent = before.deleted.union((arrived + passed).map(\.id))
    var answers: [Pending] = []
    var shared: [PlaceName: [Pending]] = [:]
    for change in changes where !absent.contains(change.entry.id) {
      let place = PlaceName(id: change.entry.id, key: change.key.property.key)
      if before.changed.contains(place) {
        shared[place, default: []].append(change)
      } else {
        answers.append(change)
      }
    }
    let rest = LogGraph.Settled(
      arrived: arrived, left: left, passed: passed, returned: settled.returned)
    try graph.writing(rest) {
      var others: [KeyValueEdit] = []
      for (place, changes) in shared.sorted(by: { $0.key < $1.key })
      where !changes.allSatisfy(\.isApplied) {
        if let edit = try answer(at: place, changes, to: applied) { others.append(edit) }
      }
      try make(answers, rest, isTransaction, and: others)
    }
  }

  /// The difference between a key's value after a record and the present one.
  private func answer(
    at place: PlaceName, _ changes: [Pending], to applied: KeyValueTransactionRecord
  ) throws -> KeyValueEdit? {
    let (entry, key) = (changes[0].entry, changes[0].key)
    let now = try naming(entry) { try key.data(of: entry.instance, graph) }
    var present = KeyValueSnapshot(root: graph.rootID)
    present.objects[place.id] = .init(class: entry.type.name, values: [place.key: now])
    var application = SnapshotApplication(to: present)
    for change in changes.reversed() { try application.apply(try edit(change).inverse) }
    for edit in applied.edits where edit.id == place.id && edit.key == place.key {
      try application.apply(edit)
    }
    guard let then = application.value(place.id, place.key), then != now else { return nil }
    return .set(place.id, key: place.key, old: then, new: now)
  }

  /// A key of an object, as records name it.
  private struct PlaceName: Hashable, Comparable {
    let id: KeyValueObjectID
    let key: String

    static func < (left: PlaceName, right: PlaceName) -> Bool {
      left.key == right.key ? "\(left.id)" < "\(right.id)" : left.key < right.key
    }
  }

  /// What a record creates, deletes and changes.
  private struct Named {
    var created: Set<KeyValueObjectID> = []
    var deleted: Set<KeyValueObjectID> = []
    var changed: Set<PlaceName> = []

    init(by record: KeyValueTransactionRecord) {
      for edit in record.edits {
        switch edit {
        case .create(let id, _, _): created.insert(id)
        case .delete(let id, _, _): deleted.insert(id)
        default: if let key = edit.key { changed.insert(PlaceName(id: edit.id, key: key)) }
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
