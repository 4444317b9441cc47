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
      || entry.keys.contains { has($0.key) || has(words(for: $0.value)) }
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
          key: key, value: entry.keys[key].flatMap { words(for: $0) },
          changes: entry.keys[key]?.changeCount ?? 0)
      },
      observers: entry.observers.compactMap { observers[$0] }.map { observer in
        ObjectAnswer.Observer(
          words: "\(words(observer)) of \(observer.keyPath)", deliveries: observer.deliveryCount,
          place: observer.registration.place?.description)
      })
  }

  func words(_ observer: Observer) -> String {
    let name = observer.registration.name
    switch observer.activeCount {
    // It was registered before tracing began, and has been called.
    case 0 where observer.registeredCount == 0: return name
    case 0: return "\(name), ended"
    case 1: return name
    case let count: return "\(count) × \(name)"
    }
  }
}
