/// The weak keys that refer to objects, in a graph or outside.
///
/// Confined to where the objects are used, as the graph.
struct WeakPlaces {
  /// A weak key of an object, whose target may enter or leave.
  struct Place {
    let entry: LogGraph.Entry
    let key: LoggedKey

    var id: ChangeCollector.Pending.Place { .init(entry, key) }
  }

  private typealias ID = ChangeCollector.Pending.Place

  /// The places by what they refer to, or referred to if it has died.
  private var places: [ObjectIdentifier: List] = [:]
  private var targets: [ID: ObjectIdentifier] = [:]

  var isEmpty: Bool { targets.isEmpty }

  /// The weak keys of objects in the graph that refer to an object now.
  func places(of object: AnyObject) -> [Place] {
    guard let list = places[ObjectIdentifier(object)] else { return [] }
    return list.places.compactMap { place in
      guard let place, !place.entry.isGone else { return nil }
      // The key of an object that died at the same address is still noted.
      let refers = place.key.references(of: place.entry.instance).contains { $0 === object }
      return refers ? place : nil
    }
  }

  /// Notes what a key refers to.
  mutating func set(_ target: AnyObject?, _ entry: LogGraph.Entry, _ key: LoggedKey) {
    remove(entry, key)
    guard let target else { return }
    let place = Place(entry: entry, key: key)
    targets[place.id] = ObjectIdentifier(target)
    places[ObjectIdentifier(target), default: List()].append(place)
  }

  /// Forgets a key, whether or not what it refers to is alive.
  mutating func remove(_ entry: LogGraph.Entry, _ key: LoggedKey) {
    let id = ID(entry, key)
    guard let target = targets.removeValue(forKey: id) else { return }
    places[target]?.remove(id)
    if places[target]?.isEmpty == true { places[target] = nil }
  }

  /// Places in the order in which they were noted.
  private struct List {
    private(set) var places: [Place?] = []
    private var indexes: [ID: Int] = [:]

    var isEmpty: Bool { indexes.isEmpty }

    mutating func append(_ place: Place) {
      indexes[place.id] = places.count
      places.append(place)
    }

    mutating func remove(_ id: ID) {
      guard let index = indexes.removeValue(forKey: id) else { return }
      places[index] = nil
      if places.count < 16 || places.count < 2 * indexes.count { return }
      places.removeAll { $0 == nil }
      for (index, place) in places.enumerated() { indexes[place!.id] = index }
    }
  }
}
