import KeyValueObserving

extension Roster {
  /// The objects whose class, key, value or place of registration contains the text.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of objects.
  func objects(search: String, limit: Int) -> ObjectsAnswer {
    let text = search.lowercased()
    let found = entries.values.filter { matches($0, text) }.sorted { number($0) < number($1) }
    let counts = Dictionary(grouping: found, by: \.object.className)
    let listed = Dictionary(grouping: found.prefix(limit), by: \.object.className)
    let suggested = found.max { worth($0) < worth($1) }
    return ObjectsAnswer(
      classes: listed.keys.sorted().map { name in
        ObjectsAnswer.Class(
          name: name, count: counts[name]?.count ?? 0,
          objects: (listed[name] ?? []).map {
            ObjectsAnswer.Object(id: $0.id, name: $0.name, figures: figures($0))
          })
      }, shown: min(limit, found.count),
      leftOut: max(0, found.count - limit) + (text.isEmpty ? leftOutCount : 0),
      suggested: suggested?.id)
  }

  private func matches(_ entry: Entry, _ text: String) -> Bool {
    guard !text.isEmpty else { return true }
    func has(_ other: String?) -> Bool { other?.lowercased().contains(text) ?? false }
    return has(entry.name)
      || entry.keys.contains { has($0.key) || has($0.value.value.map(words)) }
      || entry.observers.contains {
        has(observers[$0]?.keyPath) || has(observers[$0]?.registration.place?.description)
      }
  }

  private func number(_ entry: Entry) -> Int { Int(entry.id) ?? 0 }

  private func activeCount(_ entry: Entry) -> Int {
    entry.observers.reduce(0) { $0 + (observers[$1]?.activeCount ?? 0) }
  }

  /// How much the page can show of an object.
  private func worth(_ entry: Entry) -> Int {
    min(20, activeCount(entry)) * 4 + entry.lastCause.count * 8 + entry.keys.count
  }

  private func figures(_ entry: Entry) -> String {
    if entry.hasDied { return "deallocated" }
    let changes = entry.keys.values.reduce(0) { $0 + $1.changeCount }
    return "\(activeCount(entry)) obs · \(changes) chg"
  }

  /// An object's keys, including those that never changed, and its observers; nil if it isn't known.
  func object(id: String) -> ObjectAnswer? {
    guard let entry = entries[id] else { return nil }
    let declared = (entry.object.type as? any KeyValueObservable.Type)?.keyValueKeys ?? []
    let others = entry.keys.keys.filter { !declared.contains($0) }.sorted()
    return ObjectAnswer(
      name: entry.name,
      note: entry.hasDied
        ? "It was deallocated."
        : "Values are from the latest events; the inspector never reads \(entry.object).",
      keys: (declared + others).map { key in
        ObjectAnswer.Key(
          key: key, value: entry.keys[key]?.value.map(words),
          changes: entry.keys[key]?.changeCount ?? 0)
      },
      observers: entry.observers.compactMap { observers[$0] }.map { observer in
        ObjectAnswer.Observer(
          words: "\(words(observer)) of \(observer.keyPath)", deliveries: observer.deliveryCount,
          place: observer.registration.place?.description)
      })
  }

  private func words(_ observer: Observer) -> String {
    let name = observer.registration.name
    switch observer.activeCount {
    // It was registered before tracing began, and has been called.
    case 0 where observer.registeredCount == 0: return name
    case 0: return "\(name), ended"
    case 1: return name
    case let count: return "\(count) × \(name)"
    }
  }

  // MARK: The graph

  /// The graph around an object, up to some steps and nodes away; nil if the object isn't known.
  func graph(around id: String, steps: Int = 4, limit: Int = 60) -> GraphAnswer? {
    guard let entry = entries[id] else { return nil }
    var near: [Node: [Node]] = [:]
    for edge in edges.keys {
      near[edge.from, default: []].append(edge.to)
      near[edge.to, default: []].append(edge.from)
    }
    let own = entry.keys.keys.sorted().map { Node.key(object: id, key: $0) }
    // Keys without edges are omitted.
    var nodes = own.filter { near[$0] != nil }
    var seen = Set(nodes)
    var front = nodes
    var leftOut = 0
    for _ in 0..<steps {
      let next = Set(front.flatMap { near[$0] ?? [] }).subtracting(seen).sorted { $0.id < $1.id }
      let taken = next.prefix(max(0, limit - nodes.count))
      leftOut += next.count - taken.count
      seen.formUnion(next)
      nodes += taken
      front = Array(taken)
    }
    let shown = Set(nodes)
    let inner = edges.filter { shown.contains($0.key.from) && shown.contains($0.key.to) }
      .sorted { ($0.key.from.id, $0.key.to.id) < ($1.key.from.id, $1.key.to.id) }
    return GraphAnswer(
      note: nodes.isEmpty
        ? "\(entry.name): no edges to or from its keys yet."
        : "\(entry.name): the edges to and from its keys."
          + (leftOut > 0 ? " Nodes not drawn: \(leftOut)." : ""),
      nodes: nodes.map { answer($0, selected: id) },
      edges: inner.map { edge, state in
        GraphAnswer.Edge(
          from: edge.from.id, to: edge.to.id, kind: edge.kind.rawValue,
          words: words(edge, state))
      },
      lit: entry.lastCause)
  }

  private func answer(_ node: Node, selected: String) -> GraphAnswer.Node {
    switch node {
    case .key(let object, let key):
      let entry = entries[object]
      let value = entry?.keys[key]?.value.map { "= \(words(for: $0))" } ?? ""
      return GraphAnswer.Node(
        id: node.id, kind: "key", title: key, detail: entry.map { "\($0.name) \(value)" } ?? "",
        words: "\(entry?.name ?? "?").\(key) \(value)", object: object,
        isSelected: object == selected, isEnded: entry?.hasDied ?? true)
    case .observer(let number):
      let observer = observers[number]
      let place = observer?.registration.place?.description ?? ""
      let name = observer.map(words) ?? "?"
      return GraphAnswer.Node(
        id: node.id, kind: "observer", title: name, detail: place,
        words: "\(name) of \(observer?.keyPath ?? "?"), "
          + "called \(observer?.deliveryCount ?? 0) times"
          + (place.isEmpty ? "" : ", registered at \(place)"),
        object: observer?.entry ?? "", isSelected: observer?.entry == selected,
        isEnded: observer.map { $0.activeCount == 0 && $0.registeredCount > 0 } ?? true)
    }
  }

  private func words(_ edge: Edge, _ state: EdgeState) -> String {
    switch edge.kind {
    case .observes: "is observed"
    case .depends:
      (state.way.isEmpty ? "affects it" : "affects it: \(state.way)") + ", \(state.count) times"
    case .sets: "sets, \(state.count) times"
    }
  }
}
