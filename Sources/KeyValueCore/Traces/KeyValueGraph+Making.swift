extension KeyValueGraph {
  /// Creates the graph of a class's keys and of what they depend on.
  init(of type: any KeyValueObservable.Type) {
    var maker = ClassGraphMaker()
    maker.add(KeyValueSchema.schema(of: type))
    self = maker.graph
  }

  /// Creates the graph of everything that observes an object.
  init(around object: any KeyValueObservable) {
    var maker = ObjectGraphMaker()
    maker.follow(object)
    self = maker.graph
  }

  fileprivate mutating func add(_ node: Node) {
    if !nodes.contains(where: { $0.id == node.id }) { nodes.append(node) }
  }

  fileprivate mutating func add(_ edge: Edge) {
    if !edges.contains(edge) { edges.append(edge) }
  }
}

/// Follows the declared dependencies of a class's keys.
private struct ClassGraphMaker {
  var graph = KeyValueGraph()
  private var expanded: Set<String> = []
  /// The IDs of the classes' nodes, because two classes may have the same name.
  private var ids: [ObjectIdentifier: String] = [:]
  private var counts: [String: Int] = [:]

  mutating func add(_ schema: KeyValueSchema) {
    for key in schema.listedKeys {
      if let property = schema.property(key) { _ = add(property, of: schema) }
    }
  }

  /// Adds a key and the keys that it depends on; returns the ID of its node.
  private mutating func add(_ property: Property, of schema: KeyValueSchema) -> String {
    let type = id(of: schema)
    let id = "\(type).\(property.key)"
    guard expanded.insert(id).inserted else { return id }
    graph.add(.init(id: type, kind: .type, label: schema.name, parent: nil, place: nil))
    graph.add(.init(id: id, kind: .key, label: property.key, parent: type, place: nil))
    for path in schema.traits(of: property).dependencies {
      for source in sources(path.components, in: schema) {
        let label = path.components.count > 1 ? path.string : nil
        graph.add(.init(source: source, target: id, kind: .dependency, label: label))
      }
    }
    return id
  }

  /// The class's name, with a number from the second class of that name on.
  private mutating func id(of schema: KeyValueSchema) -> String {
    if let id = ids[ObjectIdentifier(schema.type)] { return id }
    let count = counts[schema.name, default: 0] + 1
    counts[schema.name] = count
    let id = count == 1 ? schema.name : "\(schema.name) \(count)"
    ids[ObjectIdentifier(schema.type)] = id
    return id
  }

  /// The keys on a path; a change of any of them changes the path's value.
  private mutating func sources(_ path: [PathComponent], in schema: KeyValueSchema) -> [String] {
    var sources: [String] = []
    var current: KeyValueSchema? = schema
    for component in path {
      guard let schema = current else { break }
      guard let property = schema.property(component.name) else { continue }
      sources.append(add(property, of: schema))
      current = observedClass(in: property.valueType).map { KeyValueSchema.schema(of: $0) }
    }
    return sources
  }
}

/// Follows observers, the objects on their paths, and bindings.
private struct ObjectGraphMaker {
  /// A hop, copied under its tree's lock.
  struct HopCopy {
    let object: ObjectIdentifier
    let schema: KeyValueSchema
    let key: String
    let path: String
    let next: [HopCopy]
    let sources: [HopCopy]
    /// How many of a collection's elements are left out.
    let more: Int
  }

  /// How many of a collection's elements are shown.
  static let elementLimit = 50

  var graph = KeyValueGraph()
  private var names: [ObjectIdentifier: String] = [:]
  private var followed: Set<ObjectIdentifier> = []
  private var observers: [UInt64: String] = [:]

  mutating func follow(_ object: any KeyValueObservable) {
    var rest = [object]
    while !rest.isEmpty {
      let object = rest.removeFirst()
      guard followed.insert(ObjectIdentifier(object)).inserted else { continue }
      _ = node(ObjectIdentifier(object), object.schema)
      let watches = object._$kvoWithRegistrar { $0.storage()?.read { $0.allWatches() } } ?? []
      for watch in watches.sorted(by: { $0.observance.number < $1.observance.number }) {
        let observance = watch.observance
        guard observance.isActive, observance.isObserverAlive else { continue }
        if let target = add(observance, on: object, watch) { rest.append(target) }
      }
    }
  }

  // MARK: Nodes

  private mutating func node(_ object: ObjectIdentifier, _ schema: KeyValueSchema) -> String {
    if let name = names[object] { return name }
    let name = "\(schema.name) \(names.count + 1)"
    names[object] = name
    graph.add(.init(id: name, kind: .object, label: schema.name, parent: nil, place: nil))
    return name
  }

  private mutating func key(
    _ key: String, of object: ObjectIdentifier, _ schema: KeyValueSchema
  ) -> String {
    let parent = node(object, schema)
    let id = "\(parent).\(key)"
    graph.add(.init(id: id, kind: .key, label: key, parent: parent, place: nil))
    return id
  }

  // MARK: Observers

  /// Adds an observer; returns the target object if the observer is a binding.
  private mutating func add(
    _ observance: Observance, on object: any KeyValueObservable, _ watch: Watch
  ) -> (any KeyValueObservable)? {
    guard observers[observance.number] == nil else { return nil }
    let registration = observance.registration
    let id = "observer \(observers.count + 1)"
    observers[observance.number] = id
    graph.add(
      .init(
        id: id, kind: registration.role.isBinding ? .binding : .observer,
        label: registration.name, parent: nil, place: registration.place.map { "\($0)" }))
    let label = observance.path.keys.count > 1 ? observance.keyPath : nil
    if let hop = observance.tree?.copy() {
      for last in add(hop) {
        graph.add(.init(source: last, target: id, kind: .observation, label: label))
      }
    } else if let property = watch.property {
      let source = key(property.key, of: ObjectIdentifier(object), object.schema)
      graph.add(.init(source: source, target: id, kind: .observation, label: label))
    }
    return addTarget(of: observance, registration, id)
  }

  /// Adds a binding's other end.
  private mutating func addTarget(
    of observance: Observance, _ registration: KeyValueTrace.Registration, _ id: String
  ) -> (any KeyValueObservable)? {
    guard registration.role == .binding || registration.role == .bindingBack,
      let target = observance.policy?.owner as? any KeyValueObservable
    else { return nil }
    // The observer's name consists of the class and the path.
    let path = registration.observer.split(separator: ".").dropFirst().joined(separator: ".")
    let end = key(path, of: ObjectIdentifier(target), target.schema)
    graph.add(.init(source: id, target: end, kind: .binding, label: nil))
    return target
  }

  // MARK: Hops

  /// Adds what a hop leads to and depends on; returns the IDs of the keys at which its path ends.
  private mutating func add(_ hop: HopCopy) -> [String] {
    let own = key(hop.key, of: hop.object, hop.schema)
    for source in hop.sources {
      for end in add(source) {
        let label = source.path.contains(".") ? source.path : nil
        graph.add(.init(source: end, target: own, kind: .dependency, label: label))
      }
    }
    var ends: [String] = []
    for next in hop.next {
      let first = key(next.key, of: next.object, next.schema)
      graph.add(.init(source: own, target: first, kind: .hop, label: nil))
      ends += add(next)
    }
    if hop.more > 0 {
      let id = "\(own), more"
      let label = "… \(hop.more) more"
      graph.add(.init(id: id, kind: .object, label: label, parent: nil, place: nil))
      graph.add(.init(source: own, target: id, kind: .hop, label: nil))
    }
    return ends.isEmpty ? [own] : ends
  }
}

extension HopTree {
  /// A copy of the current hops.
  fileprivate func copy() -> ObjectGraphMaker.HopCopy? {
    lock.withLock { rootHop.map(copy) }
  }

  private func copy(_ hop: Hop) -> ObjectGraphMaker.HopCopy {
    let next = hop.behind.hops
    let shown = next.prefix(ObjectGraphMaker.elementLimit)
    return ObjectGraphMaker.HopCopy(
      object: hop.objectIdentity, schema: hop.schema, key: hop.property.key,
      path: hop.path.string, next: shown.map(copy), sources: hop.sources.map(copy),
      more: next.count - shown.count)
  }
}
