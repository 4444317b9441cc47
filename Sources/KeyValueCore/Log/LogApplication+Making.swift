// New objects: they are made with their values before anything changes.
extension LogApplication {
  /// Makes objects, which don't belong to the graph yet, with their values.
  mutating func make(
    _ ids: [KeyValueObjectID],
    _ object: @escaping (KeyValueObjectID) -> KeyValueSnapshot.Object?
  ) throws {
    // The closure that makes an object on demand can't have the application.
    let (graph, classes) = (graph, classes)
    var made: [Made] = []
    let arrivals = try arrivals(ids, object)
    var arrivalsByID: [KeyValueObjectID: Arrival] = [:]
    func find(_ id: KeyValueObjectID) -> Arrival? {
      if arrivalsByID.isEmpty { for arrival in arrivals { arrivalsByID[arrival.id] = arrival } }
      return arrivalsByID[id]
    }
    // An object makes the ones that its constants refer to, so these aren't made again.
    func adopt(_ arrival: Arrival, _ instance: any KeyValueObservable, isNew: Bool) throws {
      let schema = instance.schema
      let type =
        if arrival.type.schema === schema { arrival.type } else { try graph.loggedClass(schema) }
      let entry = graph.reserve(arrival.id, for: instance, type)
      made.append(Made(entry: entry, data: arrival.data, isNew: isNew))
      // What comes back refers to what comes back with it.
      guard isNew, type.hasConstantRelations else { return }
      for key in type.keys where key.isConstant && key.relation != .nothing {
        guard let value = arrival.data.values[key.property.key] else { continue }
        let counterparts = try LogApplication.counterparts(in: instance, key, value, graph, find)
        for (target, child) in counterparts
        where !graph.isArriving(target.id) && target.type.schema === child.schema {
          try adopt(target, child, isNew: true)
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
        let returning =
          try present(arrival) ?? graph.departedObject(arrival.id, as: arrival.type)
        let instance =
          try returning
          ?? classes.make(
            arrival.type.schema, arrival.data.class, arrival.data.values, graph,
            fits: { LogApplication.hasConstants(of: arrival, $0, graph, find) })
        try adopt(arrival, instance, isNew: returning == nil)
      } catch let error as KeyValueLogError {
        throw error.completed { $0.object = $0.object ?? arrival.id }
      }
    }
    graph.makes = { id in
      guard let arrival = find(id) else { return }
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
    for arrived in made {
      let (entry, instance) = (arrived.entry, arrived.entry.instance)
      try naming(entry) {
        for (name, value) in arrived.data.values {
          let key = try entry.type.key(name)
          if key.isConstant {
            try checkConstant(key, of: arrived, value)
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

  /// The objects to make, in an order in which those that `init()` makes may make others.
  ///
  /// The ones that make others come first, then an object that's made of others, by a closure or by `init(from:)`, which
  /// has those made that aren't there yet. The ones that make others and that another one makes come behind both.
  private func arrivals(
    _ ids: [KeyValueObjectID], _ object: (KeyValueObjectID) -> KeyValueSnapshot.Object?
  ) throws -> [Arrival] {
    var (makers, madeOfOthers, last): ([Arrival], [Arrival], [Arrival]) = ([], [], [])
    // What the constants of others refer to.
    var owned: Set<KeyValueObjectID> = []
    // Objects that follow each other often have one class.
    var known: (name: String, type: LoggedClass, isMadeByInit: Bool)?
    for id in ids {
      guard let data = object(id) else { continue }
      if known?.name != data.class {
        do {
          let schema = KeyValueSchema.schema(of: try classes.type(data.class))
          known = (data.class, try graph.loggedClass(schema), classes.isMadeByInit(schema))
        } catch let error as KeyValueLogError {
          throw error.completed { $0.object = $0.object ?? id }
        }
      }
      guard let (_, type, isMadeByInit) = known else { continue }
      let arrival = Arrival(id: id, data: data, type: type)
      if !type.hasConstantRelations {
        last.append(arrival)
        continue
      }
      if isMadeByInit { makers.append(arrival) } else { madeOfOthers.append(arrival) }
      for key in type.keys where key.isConstant && key.isFollowed {
        // `init(from:)` makes what an object refers to inside the making of the object. So a long chain of one
        // class, or of its subclasses, keeps its order: each object's own is made before it.
        let isDecoded = !type.decodedConstants.isEmpty
        let isChain = type.lineage.contains(ObjectIdentifier(unwrapped(key.property.valueType)))
        if isDecoded, isChain { continue }
        data.values[key.property.key]?.forEachReference { target in
          if isDecoded, object(target)?.class == data.class { return }
          owned.insert(target)
        }
      }
    }
    if makers.isEmpty, madeOfOthers.isEmpty { return last }
    return makers.filter { !owned.contains($0.id) } + madeOfOthers
      + makers.filter { owned.contains($0.id) } + last
  }
}
