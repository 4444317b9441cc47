// New objects: they are made with their values before anything changes.
extension LogApplication {
  /// Makes objects, which don't belong to the graph yet, with their values.
  mutating func make(
    _ ids: [KeyValueObjectID],
    _ object: @escaping (KeyValueObjectID) -> KeyValueSnapshot.Object?
  ) throws {
    // The closure that makes an object on demand can't have the application.
    let (graph, classes) = (graph, classes)
    var made: [(entry: LogGraph.Entry, data: KeyValueSnapshot.Object)] = []
    let arrivals = try arrivals(ids, object)
    let wanted = arrivals.first?.type.hasConstantRelations == true ? Set(ids) : []
    // An object makes the ones that its constants refer to, so these aren't made again.
    func adopt(
      _ id: KeyValueObjectID, _ instance: any KeyValueObservable, _ data: KeyValueSnapshot.Object,
      expected: LoggedClass? = nil
    ) throws {
      let schema = instance.schema
      let type =
        if let expected, expected.schema === schema { expected } else {
          try graph.loggedClass(schema)
        }
      made.append((graph.reserve(id, for: instance, type), data))
      guard type.hasConstantRelations else { return }
      for key in type.keys where key.isConstant && key.relation != .nothing {
        var targets: [KeyValueObjectID] = []
        data.values[key.property.key]?.forEachReference { targets.append($0) }
        if key.relation == .object, let target = targets.first.flatMap(graph.present),
          key.references(of: instance).first !== target.instance
        {
          throw KeyValueLogError.invalidEdit(
            .init(
              object: id, type: schema.name, key: key.property.key,
              reason:
                "the constant was made with another object than the one it refers to. Take that one from the "
                + "values, as in $0.value(\"\(key.property.key)\")"))
        }
        for (target, child) in zip(targets, key.references(of: instance)) {
          guard wanted.contains(target), !graph.isArriving(target),
            let child = child as? any KeyValueObservable, let data = object(target)
          else { continue }
          try adopt(target, child, data)
        }
      }
    }
    // The object with the id that hasn't left yet.
    func present(_ arrival: Arrival) throws -> (any KeyValueObservable)? {
      guard let entry = graph.entry(arrival.id) else { return nil }
      if entry.type.schema.type == arrival.type.schema.type { return entry.object }
      throw entry.isNotOf(arrival.data.class)
    }
    var underway: [KeyValueObjectID] = []
    func make(_ arrival: Arrival) throws {
      underway.append(arrival.id)
      defer { underway.removeLast() }
      do {
        let instance =
          try present(arrival)
          ?? graph.departedObject(arrival.id, as: arrival.type)
          ?? classes.make(
            arrival.type.schema, arrival.data.class, arrival.data.values, graph,
            fits: { arrival.type.hasConstants(of: arrival.data, $0, graph) })
        try adopt(arrival.id, instance, arrival.data, expected: arrival.type)
      } catch let error as KeyValueLogError {
        throw error.completed { $0.object = $0.object ?? arrival.id }
      }
    }
    var arrivalsByID: [KeyValueObjectID: Arrival] = [:]
    graph.makes = { id in
      if arrivalsByID.isEmpty { for arrival in arrivals { arrivalsByID[arrival.id] = arrival } }
      guard let arrival = arrivalsByID[id] else { return }
      func unmakeable(_ reason: String) -> KeyValueLogError {
        .invalidEdit(.init(object: id, type: arrival.type.schema.name, reason: reason))
      }
      if underway.contains(id) {
        throw unmakeable(
          "it's being made, and what it's made of refers to it. Leave one of the two references to a variable, "
            + "which is set afterwards")
      }
      // Each is made inside the making of the one before.
      if underway.count >= 500 {
        throw unmakeable(
          "more than 500 objects are made of each other. Leave some of the references to variables, which are "
            + "set afterwards")
      }
      try make(arrival)
    }
    defer { graph.makes = nil }
    for arrival in arrivals where !graph.isArriving(arrival.id) { try make(arrival) }
    var values: [NewValue] = []
    for (entry, data) in made {
      let instance = entry.instance
      try naming(entry) {
        for (name, value) in data.values {
          let key = try entry.type.key(name)
          if key.isConstant {
            try checkConstant(key, of: instance, value)
            continue
          }
          if graph.keepsInstances { continue }
          // An object that comes back may still have its values, and observers. What it refers to outside of
          // the graph has no data.
          let isKept =
            try key.data(of: instance, graph).isIdentical(to: value)
            && (key.isWeak || key.references(of: instance).allSatisfy(graph.knows))
          if isKept { continue }
          values.append(
            NewValue(
              entry: entry, key: key, value: try key.value(of: value, graph), data: value))
        }
      }
    }
    newValues = values
  }

  /// Checks that the objects of a snapshot, of which new ones have been made, all belong to the graph.
  ///
  /// An object that only weak keys lead to would die.
  ///
  /// - Parameters:
  ///   - reachable: The objects that the root leads to, over keys of any kind.
  ///   - snapshot: The snapshot.
  /// - Throws: `KeyValueLogError.invalidEdit`.
  func checkReach(_ reachable: [KeyValueObjectID], in snapshot: KeyValueSnapshot) throws {
    if !graph.hasWeakKeys { return }
    var types: [String: LoggedClass] = [:]
    for id in reachable {
      guard let name = snapshot.objects[id]?.class, types[name] == nil else { continue }
      types[name] = try graph.loggedClass(KeyValueSchema.schema(of: classes.type(name)))
    }
    // What a value has inside is checked when it's attached.
    let unreached = snapshot.unreachable { types[$0]?[$1]?.isWeak != true }
    guard let id = reachable.first(where: unreached.contains) else { return }
    throw KeyValueLogError.invalidEdit(
      .init(
        object: id, type: snapshot.objects[id]?.class,
        reason: "only weak keys in the snapshot lead to it"))
  }

  /// Checks that an object was made with a constant's recorded value; references are checked as it's made.
  ///
  /// - Throws: `KeyValueLogError.invalidEdit`.
  private func checkConstant(
    _ key: LoggedKey, of instance: AnyObject, _ value: KeyValueLogValue
  ) throws {
    guard key.relation == .nothing else { return }
    guard let (present, recorded) = try key.difference(of: instance, from: value, graph) else {
      return
    }
    throw KeyValueLogError.invalidEdit(
      .init(
        key: key.property.key,
        reason: "the constant was made with \(SnapshotApplication.short(present)), not "
          + "\(SnapshotApplication.short(recorded)). Name the class in `classes`, with a closure that takes it "
          + "from the values, as in $0.value(\"\(key.property.key)\")"))
  }

  /// An object that a record or a snapshot creates.
  private struct Arrival {
    let id: KeyValueObjectID
    let data: KeyValueSnapshot.Object
    let type: LoggedClass
  }

  /// The objects to make, those first that may make others.
  private func arrivals(
    _ ids: [KeyValueObjectID], _ object: (KeyValueObjectID) -> KeyValueSnapshot.Object?
  ) throws -> [Arrival] {
    var (first, last): ([Arrival], [Arrival]) = ([], [])
    // Objects that follow each other often have one class.
    var known: (name: String, type: LoggedClass)?
    for id in ids {
      guard let data = object(id) else { continue }
      if known?.name != data.class {
        do {
          let schema = KeyValueSchema.schema(of: try classes.type(data.class))
          known = (data.class, try graph.loggedClass(schema))
        } catch let error as KeyValueLogError {
          throw error.completed { $0.object = $0.object ?? id }
        }
      }
      guard let type = known?.type else { continue }
      let arrival = Arrival(id: id, data: data, type: type)
      if type.hasConstantRelations { first.append(arrival) } else { last.append(arrival) }
    }
    return first.isEmpty ? last : first + last
  }
}
