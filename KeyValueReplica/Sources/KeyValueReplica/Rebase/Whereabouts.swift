@_spi(Replication) import KeyValueCore

/// How much more often each object is in each list and set after a record than before it.
///
/// An object that only changes its place in a list is there as often as before.
struct Whereabouts {
  private var differences: [KeyValueObjectID: [Place: Int]] = [:]
  /// In the order in which the record mentions them.
  private var mentioned: [KeyValueObjectID] = []

  /// - Parameters:
  ///   - record: The record.
  ///   - isCollection: Whether a key of an object is a list or a set; with the object's class if the record makes
  ///     or deletes it.
  init(
    _ record: KeyValueTransactionRecord, _ isCollection: (Place, _ className: String?) -> Bool
  ) {
    var classes: [KeyValueObjectID: String] = [:]
    for edit in record.edits {
      switch edit {
      case .create(let id, let name, let values), .delete(let id, let name, let values):
        classes[id] = name
        for (key, value) in values where isCollection(Place(id, key), name) {
          let isMade = if case .create = edit { true } else { false }
          value.forEachReferencedObject { count($0, at: Place(id, key), isMade ? 1 : -1) }
        }
      case .setEntry: break
      case .set(let id, let key, _, _) where !isCollection(Place(id, key), classes[id]): break
      default:
        guard let place = Place(edit) else { break }
        edit.inverse.forEachWrittenReference { count($0, at: place, -1) }
        edit.forEachWrittenReference { count($0, at: place, 1) }
      }
    }
  }

  private mutating func count(_ id: KeyValueObjectID, at place: Place, _ number: Int) {
    if differences[id] == nil { mentioned.append(id) }
    differences[id, default: [:]][place, default: 0] += number
  }

  /// The objects that are elsewhere now, in the order in which the record mentions them.
  var objects: [KeyValueObjectID] {
    mentioned.filter { differences[$0]!.contains { $0.value != 0 } }
  }

  /// Where an object is less often, and how much.
  func departures(of id: KeyValueObjectID) -> [(place: Place, count: Int)] {
    places(of: id).filter { $0.count < 0 }.map { ($0.place, -$0.count) }
  }

  /// Where an object is more often, and how much.
  func arrivals(of id: KeyValueObjectID) -> [(place: Place, count: Int)] {
    places(of: id).filter { $0.count > 0 }
  }

  /// The objects that are more often somewhere, and where.
  var allArrivals: [(KeyValueObjectID, Set<Place>)] {
    differences.keys.compactMap { id in
      let places = Set(arrivals(of: id).map(\.place))
      return places.isEmpty ? nil : (id, places)
    }
  }

  /// The objects that the record deletes, and that have objects in lists or sets until then.
  func emptied(by record: KeyValueTransactionRecord) -> Set<KeyValueObjectID> {
    let deleted = Set(
      record.edits.compactMap { if case .delete(let id, _, _) = $0 { id } else { nil } })
    if deleted.isEmpty { return [] }
    return differences.keys.reduce(into: []) { emptied, id in
      for (place, _) in departures(of: id) where deleted.contains(place.id) {
        emptied.insert(place.id)
      }
    }
  }

  private func places(of id: KeyValueObjectID) -> [(place: Place, count: Int)] {
    (differences[id] ?? [:]).map { ($0.key, $0.value) }
      .sorted { $0.place < $1.place }
  }
}
