/// The settings of keys that a collector lets last until something else happens to the key.
///
/// Confined to where the objects are used, as the collector.
struct LastingChanges {
  /// What a key's settings replaced first.
  struct Change {
    let entry: LogGraph.Entry
    let key: LoggedKey
    let place: PropertyPlace
    let old: any CapturedValue
    /// The place among the pending changes; nil if only the graph follows.
    let position: Int?

    /// Whether the property can't be read, because it's being modified in place.
    var isBeingModified: Bool {
      entry.object._$kvoWithRegistrar { registrar in
        registrar.storage()?.read { $0.isModifying(place.id) } ?? false
      }
    }
  }

  /// In the order in which they began; nil where one has ended.
  private var changes: [Change?] = []
  private var indexes: [PropertyPlace: Int] = [:]

  var isEmpty: Bool { indexes.isEmpty }
  var all: [Change] { changes.compactMap(\.self) }

  /// Those whose pending changes are at a position or behind it.
  func all(from position: Int) -> [Change] {
    all.filter { $0.position.map { $0 >= position } ?? false }
  }

  func holds(_ place: PropertyPlace) -> Bool { indexes[place] != nil }

  mutating func append(_ change: Change) {
    indexes[change.place] = changes.count
    changes.append(change)
  }

  mutating func take(_ place: PropertyPlace) -> Change? {
    // Hashing a place takes longer than finding that there's none.
    guard !indexes.isEmpty, let index = indexes.removeValue(forKey: place) else { return nil }
    let change = changes[index]
    changes[index] = nil
    if indexes.isEmpty { changes = [] }
    return change
  }
}
