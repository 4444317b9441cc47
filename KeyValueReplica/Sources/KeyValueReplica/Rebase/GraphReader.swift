@_spi(Replication) import KeyValueCore

/// The graph that a merge reads: the living one, or a snapshot.
struct GraphReader {
  let root: KeyValueObjectID
  let values: (KeyValueObjectID) throws -> KeyValueSnapshot.Object?
  private let className: (KeyValueObjectID) -> String?
  let snapshot: () throws -> KeyValueSnapshot
  let model: Model

  init<Root>(_ log: KeyValueChangeLog<Root>, root: KeyValueObjectID) {
    self.root = root
    values = { try log.values(of: $0) }
    className = { log.className(of: $0) }
    snapshot = { try log.snapshot() }
    model = Model(log)
  }

  init(_ snapshot: KeyValueSnapshot, _ model: Model) {
    root = snapshot.root
    values = { snapshot.objects[$0] }
    className = { snapshot.objects[$0]?.class }
    self.snapshot = { snapshot }
    self.model = model
  }

  /// A graph as a record leaves it, without changing it.
  ///
  /// - Parameters:
  ///   - graph: The graph.
  ///   - record: The record, which fits the graph.
  ///   - part: What the record leaves of the objects that it's about.
  init(_ graph: GraphReader, after record: KeyValueTransactionRecord, part: KeyValueSnapshot) {
    let subjects = record.subjects
    root = graph.root
    model = graph.model
    values = { try subjects.contains($0) ? part.objects[$0] : graph.values($0) }
    className = { subjects.contains($0) ? part.objects[$0]?.class : graph.className($0) }
    snapshot = {
      var state = try graph.snapshot()
      try state.apply(record, fittedBy: graph.model)
      return state
    }
  }

  /// Whether some objects lead to one of others, also by references in `added` that the graph doesn't have yet.
  func leads(
    from ids: Set<KeyValueObjectID>, toAnyOf targets: Set<KeyValueObjectID>,
    adding added: [KeyValueObjectID: Set<KeyValueObjectID>]
  ) throws -> Bool {
    var (seen, work) = (ids, Array(ids))
    while let id = work.popLast() {
      if targets.contains(id) { return true }
      for target in added[id] ?? [] where seen.insert(target).inserted { work.append(target) }
      guard let object = try values(id) else { continue }
      for (key, value) in object.values where model.isFollowed(object.class, key) {
        value.forEachReferencedObject { if seen.insert($0).inserted { work.append($0) } }
      }
    }
    return false
  }

  /// The objects among some that may be kept by what they lead to.
  func mayBeInCycle(_ ids: Set<KeyValueObjectID>) -> Set<KeyValueObjectID> {
    ids.filter { mayBeInCycle($0, ifUnknown: false) }
  }

  /// Whether an object may be kept by what it leads to; `ifUnknown` where it isn't in the graph.
  func mayBeInCycle(_ id: KeyValueObjectID, ifUnknown: Bool) -> Bool {
    className(id).map(model.isInCycle) ?? ifUnknown
  }
}
