// Constants aren't set: an object is made with them, and with what they refer to.
extension LogApplication {
  /// An object that a record or a snapshot creates.
  struct Arrival {
    let id: KeyValueObjectID
    let data: KeyValueSnapshot.Object
    let type: LoggedClass

    /// What tells it from others of its class.
    var mark: KeyValueLogValue { type.mark { data.values[$0.property.key] } }
  }

  /// An object that has been made or that comes back, and that doesn't belong to the graph yet.
  struct Made {
    let entry: LogGraph.Entry
    let data: KeyValueSnapshot.Object
    /// Whether it has been made now.
    let isNew: Bool
  }

  typealias Counterparts = [(arrival: Arrival, object: any KeyValueObservable)]

  /// The objects that a new object's constant was made with, each with the arrival that's recorded in its place.
  ///
  /// The place is the index in a list, or the key in a dictionary. An element of a set has none: its own constants tell
  /// it from the others. Those that nothing tells apart may stand for each other, since all that differs is set.
  static func counterparts(
    in instance: AnyObject, _ key: LoggedKey, _ value: KeyValueLogValue, _ graph: LogGraph,
    _ find: (KeyValueObjectID) -> Arrival?
  ) throws -> Counterparts {
    if key.relation == .object {
      guard case .reference(let id) = value, let arrival = find(id),
        let object = key.references(of: instance).first as? any KeyValueObservable
      else { return [] }
      return [(arrival, object)]
    }
    var recorded: [(KeyValueLogValue, Arrival)] = []
    for (place, id) in key.places(in: value) {
      if let arrival = find(id) { recorded.append((place, arrival)) }
    }
    if recorded.isEmpty { return [] }
    var made: [(KeyValueLogValue, any KeyValueObservable)] = []
    for (place, target) in try key.places(of: instance, graph) {
      if let object = target as? any KeyValueObservable { made.append((place, object)) }
    }
    if !key.isUnordered { return matched(recorded, made).pairs }
    var marked: [(KeyValueLogValue, any KeyValueObservable)] = []
    for (_, object) in made {
      let type = try graph.loggedClass(object.schema)
      marked.append((type.mark { try? $0.data(of: object, graph) }, object))
    }
    let byConstants = matched(recorded.map { ($1.mark, $1) }, marked)
    if byConstants.made.isEmpty || byConstants.recorded.isEmpty { return byConstants.pairs }
    // An older snapshot may lack a constant, and a value may be written otherwise.
    var named: [(KeyValueLogValue, any KeyValueObservable)] = []
    for object in byConstants.made {
      named.append((.string(try graph.loggedClass(object.schema).name), object))
    }
    let byClass = matched(
      byConstants.recorded.map { (KeyValueLogValue.string($0.type.name), $0) }, named)
    return byConstants.pairs + byClass.pairs
  }

  /// Pairs the objects that are in the same places, and returns those that are left, too.
  private static func matched(
    _ recorded: [(KeyValueLogValue, Arrival)], _ made: [(KeyValueLogValue, any KeyValueObservable)]
  ) -> (pairs: Counterparts, recorded: [Arrival], made: [any KeyValueObservable]) {
    var waiting: [KeyValueLogValue: [Arrival]] = [:]
    for (place, arrival) in recorded.reversed() { waiting[place, default: []].append(arrival) }
    var (pairs, rest): (Counterparts, [any KeyValueObservable]) = ([], [])
    for (place, object) in made {
      if let arrival = waiting[place]?.popLast() {
        pairs.append((arrival, object))
      } else {
        rest.append(object)
      }
    }
    return (pairs, waiting.values.flatMap { $0 }, rest)
  }

  /// Whether an object that `init()` has made has the recorded constants, or else `init(from:)` may make another one.
  ///
  /// What they refer to may not have been made yet. Then an object of the same class is there in its place.
  static func hasConstants(
    of recorded: Arrival, _ instance: AnyObject, _ graph: LogGraph,
    _ find: (KeyValueObjectID) -> Arrival?
  ) -> Bool {
    recorded.type.decodedConstants.allSatisfy { key in
      guard let value = recorded.data.values[key.property.key] else { return true }
      do {
        if key.relation == .nothing {
          return try key.difference(of: instance, from: value, graph) == nil
        }
        if try key.data(of: instance, graph) == value,
          key.references(of: instance).allSatisfy(graph.knows)
        {
          return true
        }
        let pairs = try counterparts(in: instance, key, value, graph, find)
        return pairs.count == key.places(in: value).count
          && pairs.count == key.references(of: instance).count
          && pairs.allSatisfy { arrival, object in
            arrival.type.schema === object.schema
              && graph.present(arrival.id).map { $0.instance === object } ?? true
          }
      } catch {
        return false
      }
    }
  }

  /// Checks that an object was made with a constant's recorded value; all that it may refer to has its id.
  ///
  /// - Throws: `KeyValueLogError.invalidEdit`.
  func checkConstant(_ key: LoggedKey, of made: Made, _ value: KeyValueLogValue) throws {
    let instance = made.entry.instance
    if key.relation == .nothing {
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
    // The instances are the same, and so are their constants.
    if graph.keepsInstances { return }
    let references = key.references(of: instance)
    var isAsRecorded = try key.data(of: instance, graph) == value
    if key.isWeak {
      // What it refers to outside of the graph isn't recorded, and may have died since.
      let mayDiffer = value == .null || !made.isNew && references.isEmpty
      isAsRecorded = isAsRecorded || mayDiffer
    } else if made.isNew {
      // What is unknown would enter the graph.
      isAsRecorded = isAsRecorded && references.allSatisfy(graph.knows)
    }
    if isAsRecorded { return }
    throw KeyValueLogError.invalidEdit(
      .init(key: key.property.key, reason: misfit(of: key, value, isNil: references.isEmpty)))
  }

  /// Why a constant that refers to objects isn't the recorded one, and what to do.
  private func misfit(of key: LoggedKey, _ value: KeyValueLogValue, isNil: Bool) -> String {
    let closure =
      "Name the class in `classes`, with a closure that takes it from the values, as in "
      + "$0.value(\"\(key.property.key)\")"
    if key.relation != .object {
      return
        "the constant was made with other objects than the ones it refers to. Have it made with as many, of the same "
        + "classes and under the same keys, or leave them to a variable, which is set afterwards"
    }
    if value == .null { return "the constant was made with an object, not with nil. " + closure }
    if isNil { return "the constant was made without the object that it refers to. " + closure }
    return
      "the constant was made with another object than the one it refers to. Take that one from the "
      + "values, as in $0.value(\"\(key.property.key)\")"
  }
}
