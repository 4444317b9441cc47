/// The watched properties of an object, sorted by id.
///
/// Nearly always there's only one, which is stored inline, not in an array.
struct WatchedProperties {
  /// The property with the lowest id; a placeholder if there's none.
  private var first = WatchedProperties.none
  private var others: ContiguousArray<WatchedProperty> = []

  private static let noProperty = Int.min
  private static var none: WatchedProperty { WatchedProperty(id: noProperty, isAutomatic: false) }

  var isEmpty: Bool { first.id == WatchedProperties.noProperty }

  var count: Int { isEmpty ? 0 : others.count + 1 }

  /// The properties in order, in a new array.
  var all: [WatchedProperty] { isEmpty ? [] : [first] + others }

  /// The sole audience of a property, if it has one; the property is then announced automatically.
  ///
  /// Mutating for the same reason as its caller, `RegistrarState.assignment(to:)`: nothing is copied.
  @inline(__always)
  mutating func sole(of id: Int) -> SoleAudience? {
    first.id == id ? first.sole : otherSole(of: id)
  }

  @inline(never)
  private mutating func otherSole(of id: Int) -> SoleAudience? {
    let (found, index) = index(of: id)
    return found && index > 0 ? others[index - 1].sole : nil
  }

  /// Whether a property is watched and announced by its accessors.
  func isAutomatic(_ id: Int) -> Bool {
    if first.id == id { return first.isAutomatic }
    let (found, index) = index(of: id)
    return found && others[index - 1].isAutomatic
  }

  func watches(of id: Int) -> WatchList {
    if first.id == id { return first.watches }
    let (found, index) = index(of: id)
    return found ? others[index - 1].watches : .none
  }

  mutating func insert(_ watch: Watch, at index: Int) {
    if index == 0 { first.insert(watch) } else { others[index - 1].insert(watch) }
  }

  /// Removes a watch, and the property with its last watch.
  mutating func remove(_ observance: Observance, _ hop: WatchedHop?, at index: Int) {
    if index == 0 {
      first.remove(observance, hop)
    } else {
      others[index - 1].remove(observance, hop)
    }
    let watches = index == 0 ? first.watches : others[index - 1].watches
    if watches.isEmpty { remove(at: index) }
  }

  /// A property's index, or the index to insert it at.
  @inline(__always)
  func index(of id: Int) -> (found: Bool, index: Int) {
    first.id == id ? (true, 0) : search(id)
  }

  private func search(_ id: Int) -> (found: Bool, index: Int) {
    if id < first.id || isEmpty { return (false, 0) }
    var low = 0
    var high = others.count
    while low < high {
      let middle = (low + high) / 2
      if others[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return (low < others.count && others[low].id == id, low + 1)
  }

  mutating func insert(_ property: WatchedProperty, at index: Int) {
    if isEmpty {
      first = property
    } else if index == 0 {
      others.insert(first, at: 0)
      first = property
    } else if index == count {
      others.append(property)  // `insert` at the end takes longer
    } else {
      others.insert(property, at: index - 1)
    }
  }

  private mutating func remove(at index: Int) {
    if index > 0 {
      others.remove(at: index - 1)
    } else {
      first = others.isEmpty ? WatchedProperties.none : others.removeFirst()
    }
  }
}
