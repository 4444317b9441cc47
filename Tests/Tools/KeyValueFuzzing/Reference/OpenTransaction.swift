import KeyValueObserving

/// A transaction that is going on: what there is to tell at its end.
final class OpenTransaction {
  var entries: [ObjectIdentifier: Entry] = [:]
  var levels: [Level] = []
  var isOpen = true
  /// Whether values are being restored, which nobody is told of.
  var isRestoring = false

  /// One of the transactions that lie inside one another.
  struct Level {
    let entries: [ObjectIdentifier: Entry]
    /// The objects whose properties are restored whether observed or not.
    let receivers: Set<Int>
    /// What properties were before they were first set; nil where nothing is restored.
    var records: [(site: Site, value: FuzzValue)]?
  }

  /// What one observance is to be told.
  struct Entry {
    let observance: Reference.Observance
    /// The observed value before the first change; nil where that was not announced beforehand.
    var old: FuzzValue?
    /// Whether a change was completed.
    var hasChanged = false
    /// The property that is the observed value, where nothing but it changed.
    var site: Site?
    var shape = Shape.whole
    /// The objects that the old value keeps alive, once it is kept.
    var pinned: [Int]?
  }

  enum Shape {
    case whole
    /// An ordered collection: for each element its place in the beginning, nil for what is new.
    case ordered([Int?])
    case unordered
  }

  /// One call at the end.
  struct Notice {
    var kind = KeyValueChangeKind.setting
    var indexes: [Int]?
    var old: FuzzValue?
    var new: FuzzValue?
  }
}

extension OpenTransaction.Shape {
  /// The elements after an announced change; nothing to do with whether it really happened.
  func applying(_ announcement: Announcement) -> OpenTransaction.Shape {
    guard case .ordered(var places) = self, case .ordered(let kind, let indexes) = announcement
    else { return self }
    switch kind {
    case .insertion:
      for index in indexes where index <= places.count { places.insert(nil, at: index) }
    case .removal:
      for index in indexes.reversed() where index < places.count { places.remove(at: index) }
    case .replacement:
      for index in indexes where index < places.count { places[index] = nil }
    case .setting: break
    }
    return .ordered(places)
  }
}
