import KeyValueObserving

extension Roster {
  /// How many nodes of one kind are combined into one.
  static let combinedCount = 4

  /// The graph around an object, up to some steps and nodes away; nil if the object isn't known.
  ///
  /// Keys of the same name of many objects of one class, such as a list's elements, are one node,
  /// and so are the observers of such keys that were registered at one place.
  ///
  /// - Parameters:
  ///   - id: The object, whose own nodes aren't combined.
  ///   - opened: The combined nodes whose members are shown one by one.
  ///   - cause: The ids of the nodes that are lit. They're drawn before others if there are too many; nil
  ///     for the last cause that reached an observer of the object.
  ///   - steps: How many edges away a node may be.
  ///   - limit: How many nodes are shown.
  /// - Returns: The graph.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of all edges.
  func graph(
    around id: String, opened: Set<String> = [], lighting cause: Set<String>? = nil,
    steps: Int = 4, limit: Int = 60
  ) -> GraphAnswer? {
    guard let entry = entries[id] else { return nil }
    let near = neighbours()
    let reached = nodes(around: entry, near, steps: steps)
    let groups = Groups(
      reached.filter { object(of: $0) != id }, opened: opened, name: groupName(of:))
    let lit = cause ?? Set(entry.lastCause)
    // Members of an opened node come last, so that they don't displace everything else.
    let ranked: [(Node) -> Bool] = [
      { lit.contains($0.id) }, { !groups.isOpened($0) }, { groups.isOpened($0) },
    ]
    var drawn: [String] = []
    var known: Set<String> = []
    for belongs in ranked {
      for node in reached where belongs(node) {
        let drawnID = groups.id(of: node)
        if known.insert(drawnID).inserted { drawn.append(drawnID) }
      }
    }
    let leftOut = max(0, drawn.count - limit)
    let shown = Set(drawn.prefix(limit))
    let nodes = Dictionary(grouping: reached) { groups.id(of: $0) }
    return GraphAnswer(
      note: reached.isEmpty
        ? "\(entry.name): no edges to or from its keys yet."
        : "\(entry.name): the edges to and from its keys."
          + (leftOut > 0 ? " Nodes not drawn: \(leftOut)." : ""),
      nodes: drawn.prefix(limit).compactMap { drawnID in
        nodes[drawnID].map { answer(drawnID, $0, selected: id) }
      },
      edges: drawnEdges(among: shown, of: reached, in: groups),
      lit: entry.lastCause.map { groups.drawnByMember[$0] ?? $0 }.withoutRepetitions)
  }

  private func neighbours() -> [Node: [Node]] {
    var near: [Node: [Node]] = [:]
    for edge in edges.keys {
      near[edge.from, default: []].append(edge.to)
      near[edge.to, default: []].append(edge.from)
    }
    return near
  }

  /// The nodes up to some steps away, the nearest first; keys without edges are omitted.
  private func nodes(around entry: Entry, _ near: [Node: [Node]], steps: Int) -> [Node] {
    var nodes = entry.keys.keys.sorted().map { Node.key(object: entry.id, key: $0) }
      .filter { near[$0] != nil }
    var seen = Set(nodes)
    var front = nodes
    for _ in 0..<steps {
      front = Set(front.flatMap { near[$0] ?? [] }).subtracting(seen).sorted { $0.id < $1.id }
      seen.formUnion(front)
      nodes += front
    }
    return nodes
  }

  private func object(of node: Node) -> String? {
    switch node {
    case .key(let object, _): object
    case .observer(let number): observers[number]?.entry
    }
  }

  /// What nodes that may be combined have in common.
  private func groupName(of node: Node) -> String {
    let className = object(of: node).flatMap { entries[$0]?.object.className } ?? "?"
    switch node {
    case .key(_, let key): return "c\(className).\(key)"
    case .observer(let number):
      let registration = observers[number]?.registration
      let parts = [registration?.name, registration?.place.map { "\($0.fileID):\($0.line)" }]
      return (["c\(className).\(registration?.keyPath ?? "?")"] + parts.map { $0 ?? "" })
        .joined(separator: " ")
    }
  }

  /// Which nodes are combined.
  private struct Groups {
    /// The combined node of a node, by the node's id.
    private(set) var drawnByMember: [String: String] = [:]
    private var openedMembers: Set<Node> = []

    init(_ nodes: [Node], opened: Set<String>, name: (Node) -> String) {
      for (name, members) in Dictionary(grouping: nodes, by: name)
      where members.count >= Roster.combinedCount {
        if opened.contains(name) {
          openedMembers.formUnion(members)
        } else {
          for member in members { drawnByMember[member.id] = name }
        }
      }
    }

    func id(of node: Node) -> String { drawnByMember[node.id] ?? node.id }
    func isOpened(_ node: Node) -> Bool { openedMembers.contains(node) }
  }

  /// The edges between the shown nodes; parallel ones of combined nodes are one.
  private func drawnEdges(
    among shown: Set<String>, of reached: [Node], in groups: Groups
  ) -> [GraphAnswer.Edge] {
    struct Key: Hashable {
      let from: String
      let to: String
      let kind: Edge.Kind
    }
    let nodes = Set(reached)
    var drawn: [Key: EdgeState] = [:]
    for (edge, state) in edges where nodes.contains(edge.from) && nodes.contains(edge.to) {
      let key = Key(from: groups.id(of: edge.from), to: groups.id(of: edge.to), kind: edge.kind)
      guard shown.contains(key.from), shown.contains(key.to) else { continue }
      // Elements that lead to one another, such as a chain's, would seem to lead to themselves.
      if key.from == key.to, edge.from != edge.to { continue }
      drawn[key, default: EdgeState()].merge(state)
    }
    return drawn.sorted { ($0.key.from, $0.key.to) < ($1.key.from, $1.key.to) }.map { key, state in
      GraphAnswer.Edge(
        from: key.from, to: key.to, kind: key.kind.rawValue, words: words(key.kind, state),
        isCombined: [key.from, key.to].contains { $0.hasPrefix("c") })
    }
  }

  // MARK: Words

  private func answer(_ id: String, _ nodes: [Node], selected: String) -> GraphAnswer.Node {
    if nodes.count == 1, nodes[0].id == id { return answer(nodes[0], selected: selected) }
    let isEnded = nodes.allSatisfy { answer($0, selected: selected).isEnded }
    let objects = Set(nodes.compactMap(object(of:)))
    let className = objects.first.flatMap { entries[$0]?.object.className } ?? "?"
    var node = GraphAnswer.Node(
      id: id, kind: "key", title: "", detail: "", words: "", object: "", isSelected: false,
      isEnded: isEnded, members: nodes.map(\.id))
    switch nodes[0] {
    case .key(_, let key):
      node.title = key
      node.detail = "\(objects.count) × \(className)"
      node.words = "\(className).\(key) of \(objects.count) objects; click to open"
    case .observer(let number):
      let members = nodes.compactMap { node -> Observer? in
        if case .observer(let number) = node { observers[number] } else { nil }
      }
      let registration = observers[number]?.registration
      let place = registration?.place?.description ?? ""
      let name = registration?.name ?? "?"
      let calls = members.reduce(0) { $0 + $1.deliveryCount }
      let activeCount = members.reduce(0) { $0 + $1.activeCount }
      node.kind = "observer"
      node.title = isEnded ? "\(name), ended" : "\(activeCount) × \(name)"
      node.detail = place
      node.words =
        "\(name) of \(className).\(registration?.keyPath ?? "?") of \(objects.count) objects, "
        + "called \(calls) times" + (place.isEmpty ? "" : ", registered at \(place)")
        + "; click to open"
    }
    return node
  }

  private func answer(_ node: Node, selected: String) -> GraphAnswer.Node {
    switch node {
    case .key(let object, let key):
      let entry = entries[object]
      let value = entry?.keys[key].flatMap { words(for: $0) }.map { "= \($0)" } ?? ""
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

  private func words(_ kind: Edge.Kind, _ state: EdgeState) -> String {
    switch kind {
    case .observes: "is observed"
    case .depends:
      (state.way.isEmpty ? "affects it" : "affects it: \(state.way)") + ", \(state.count) times"
    case .sets: "sets, \(state.count) times"
    }
  }
}

extension Array where Element: Equatable {
  /// The elements without those that equal the one before them.
  fileprivate var withoutRepetitions: [Element] {
    reduce(into: []) { result, element in if result.last != element { result.append(element) } }
  }
}
