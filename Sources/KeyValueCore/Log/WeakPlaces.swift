/// The weak keys that refer to objects, in a graph or outside.
///
/// Confined to where the objects are used, as the graph.
struct WeakPlaces {
  /// A weak key of an object, whose target may enter or leave.
  struct Place {
    let entry: LogGraph.Entry
    let key: LoggedKey
  }

  private var places: [ObjectIdentifier: [Place]] = [:]

  /// The weak keys of objects in the graph that refer to an object now, each once.
  func places(of object: AnyObject) -> [Place] {
    var found: [Place] = []
    for place in places[ObjectIdentifier(object)] ?? [] where !place.entry.isGone {
      // The key of an object that died at the same address is still noted.
      if found.contains(where: { $0.entry === place.entry && $0.key === place.key }) { continue }
      let refers = place.key.references(of: place.entry.instance).contains { $0 === object }
      if refers { found.append(place) }
    }
    return found
  }

  mutating func insert(_ targets: [AnyObject], _ entry: LogGraph.Entry, _ key: LoggedKey) {
    for target in targets {
      places[ObjectIdentifier(target), default: []].append(Place(entry: entry, key: key))
    }
  }

  mutating func remove(_ targets: [AnyObject], _ entry: LogGraph.Entry, _ key: LoggedKey) {
    for target in targets {
      let identity = ObjectIdentifier(target)
      guard
        let index = places[identity]?.firstIndex(where: { $0.entry === entry && $0.key === key })
      else { continue }
      places[identity]?.remove(at: index)
      if places[identity]?.isEmpty == true { places[identity] = nil }
    }
  }
}
