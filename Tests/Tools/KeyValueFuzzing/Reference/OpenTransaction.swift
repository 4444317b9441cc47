import KeyValueObserving

/// An open transaction, with the notifications to deliver at its end.
final class OpenTransaction {
  var entries: [ObjectIdentifier: Entry] = [:]
  var levels: [Level] = []
  /// The recorders that forget what is rolled back, in the order of their first changes.
  var recorders: [Reference.Recorder] = []
  /// Those of which its changes are one level.
  var groups: [Reference.Recorder] = []
  /// How many entries have been made.
  private var entryCount = 0
  var isOpen = true
  /// Whether values are being restored, which doesn't notify observers.
  var isRestoring = false
  /// The observances that were registered before it.
  private let earlier: [Reference.Observance]

  init(after observances: [Reference.Observance]) { earlier = observances }

  func makeEntry(_ observance: Reference.Observance) -> Entry {
    entryCount += 1
    return Entry(observance: observance, place: entryCount)
  }

  /// Whether an observance was registered in the transaction; it isn't notified of a change in progress.
  func mayMissChanges(_ observance: Reference.Observance) -> Bool {
    !earlier.contains { $0 === observance }
  }

  /// One of the nested transactions.
  struct Level {
    let entries: [ObjectIdentifier: Entry]
    /// The whole model when the level began; nil if the level isn't rolled back.
    let model: World.Model?
    /// What the recorders had recorded when the level began, by their numbers.
    let recorded: [Int: Reference.Recorder.Recorded]
    /// The properties that have been set, in the order of their first sets.
    var records: [Record] = []
  }

  /// A property's value before it was first set.
  struct Record {
    let site: Site
    let value: FuzzValue
    /// The objects that the value keeps alive until the level ends.
    let pinned: [Int]
  }

  /// The pending notification of one observance.
  struct Entry {
    let observance: Reference.Observance
    /// Its place among the entries, which are in the order of their first changes.
    let place: Int
    /// The observed value before the first change; nil if that change wasn't announced beforehand.
    var old: FuzzValue?
    /// Whether a change has completed.
    var hasChanged = false
    /// The property that holds the observed value, if no other property changed.
    var site: Site?
    var shape = Shape.whole
    /// The objects that the old value keeps alive, once it's kept.
    var pinned: [Int]?
  }

  enum Shape {
    case whole
    /// An ordered collection: the original index of each element, or nil for a new element.
    case ordered([Int?])
    case unordered
  }

  /// One call at the end of the transaction.
  struct Notice {
    var kind = KeyValueChangeKind.setting
    var indexes: [Int]?
    var old: FuzzValue?
    var new: FuzzValue?
  }
}

extension OpenTransaction.Shape {
  /// The elements after an announced change, whether or not the change really happened.
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
