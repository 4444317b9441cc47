@_spi(Replication) import KeyValueCore

/// What another writer's record has changed, as far as transactions of this replica may meet it.
///
/// Lists that the other side hasn't edited get a track as soon as this side edits them, so that each further edit
/// finds its elements.
struct RemoteChanges {
  /// The places that the other has written, with its values, whatever this side writes there.
  private(set) var written: [Place: KeyValueLogValue] = [:]
  /// Those where this side has written another value since.
  private(set) var overwritten: Set<Place> = []
  private var overwrittenBefore: Set<Place> = []
  /// Of dictionaries, the entries that the other has written.
  private(set) var entries: [Place: Set<String>] = [:]
  /// The lists that the other has set as a whole; what it edits afterwards has indexes of what it has set.
  private var settings: Set<Place> = []
  /// The objects that the other has deleted.
  private(set) var deleted: Set<KeyValueObjectID> = []
  /// The lists and sets that the other has put objects into.
  var arrivals: [KeyValueObjectID: Set<Place>] = [:]
  /// The lists that have been edited, with both sides' elements.
  var tracks: [Place: ListTrack] = [:]

  /// - Parameters:
  ///   - remote: The other writer's record.
  ///   - base: The state before it, without this replica's transactions.
  ///   - state: The state after it.
  ///   - model: What is known of the classes.
  init(
    _ remote: KeyValueTransactionRecord, on base: KeyValueSnapshot,
    leaving state: KeyValueSnapshot, _ model: Model
  ) {
    // Classes of objects that the record makes.
    var made: [KeyValueObjectID: String] = [:]
    for case .create(let id, let name, _) in remote.edits { made[id] = name }
    for edit in remote.edits {
      guard let place = Place(edit) else {
        noteLife(edit, base)
        continue
      }
      let name = base.objects[place.id]?.class ?? made[place.id]
      note(edit, at: place, base, model, className: name)
    }
    forEachTrack { $0.beginOurs() }
    for place in Array(written.keys) {
      if let value = state.objects[place.id]?.values[place.key] { written[place] = value }
    }
  }

  private mutating func noteLife(_ edit: KeyValueEdit, _ base: KeyValueSnapshot) {
    switch edit {
    case .delete(let id, _, _): deleted.insert(id)
    case .create(let id, _, let values):
      deleted.remove(id)
      // It came back, and not as it was.
      guard let object = base.objects[id] else { break }
      for (key, value) in values {
        let place = Place(id, key)
        let before = tracks[place].map { .array($0.mergedValues) } ?? object.values[key]
        if !before.isIdentical(to: value) { noteSetting(place) }
      }
    default: break
    }
  }

  private mutating func noteSetting(_ place: Place) {
    noteWriting(place)
    settings.insert(place)
    tracks[place] = nil
  }

  /// Notes that the other has written a place; the value is known in the end.
  private mutating func noteWriting(_ place: Place) { written[place] = KeyValueLogValue.null }

  private mutating func note(
    _ edit: KeyValueEdit, at place: Place, _ base: KeyValueSnapshot, _ model: Model,
    className: String?
  ) {
    noteWriting(place)
    let isList = model.kind(place.key, in: className) == .ordered
    switch edit {
    case .insert, .remove, .replace, .amend:
      if settings.contains(place) { break }
      // As data, a set is an array, too.
      if !isList { return noteSetting(place) }
      if tracks[place] == nil, let elements = base.elements(at: place) {
        tracks[place] = ListTrack(
          base: elements, isDistinct: model.isDistinct(place.key, in: className))
      }
      tracks[place]?.follow(edit)
    case .union, .subtract, .exchange, .setEntry:
      // As data, a list is an array as a set is.
      if isList { return noteSetting(place) }
      guard case .setEntry(_, _, .string(let name), _, _) = edit else { break }
      entries[place, default: []].insert(name)
    case .set(_, _, .dictionary(let old), .dictionary(let new))
    where model.kind(place.key, in: className) == .dictionary:
      entries[place, default: []].formUnion(old.names(differingFrom: new))
    case .set: noteSetting(place)
    case .create, .delete: break
    }
  }

  // MARK: One transaction of this replica

  mutating func begin() {
    overwrittenBefore = overwritten
    forEachTrack { $0.begin() }
  }

  /// Takes the transaction that was begun out of what this side has written.
  mutating func reject(_ record: KeyValueRecordID) {
    overwritten = overwrittenBefore
    forEachTrack { $0.reject(record) }
  }

  /// Changes each track in place: a loop over the keys would keep the dictionary, which would be copied.
  private mutating func forEachTrack(_ body: (inout ListTrack) -> Void) {
    var index = tracks.startIndex
    while index != tracks.endIndex {
      body(&tracks.values[index])
      tracks.formIndex(after: &index)
    }
  }

  /// Whether the other has written a place.
  func hasWritten(_ place: Place) -> Bool { written.keys.contains(place) }

  /// The places of an object that the other has written, in the order of their keys.
  func written(of id: KeyValueObjectID) -> [Place] {
    written.keys.filter { $0.id == id }.sorted { $0.key < $1.key }
  }

  /// The other's value of an entry of a dictionary; nil if there's none.
  func entry(_ name: String, at place: Place) -> KeyValueLogValue? {
    guard case .dictionary(let entries)? = written[place] else { return nil }
    return entries[name]
  }

  /// Notes that this side writes another value than the other's.
  mutating func overwrite(_ place: Place) { overwritten.insert(place) }

  /// An object of ours that wasn't there is as we make it.
  mutating func forget(_ id: KeyValueObjectID) {
    deleted.remove(id)
    written = written.filter { $0.key.id != id }
    overwritten = overwritten.filter { $0.id != id }
    tracks = tracks.filter { $0.key.id != id }
    entries = entries.filter { $0.key.id != id }
  }

  /// A value of an object that both sides have made is the other's, as if it had set it after this side did.
  ///
  /// - Parameters:
  ///   - place: The object and the key.
  ///   - ours: The value that this side made the object with.
  ///   - theirs: The value that is there.
  ///   - className: The object's class.
  ///   - model: What is known of the classes.
  /// - Returns: Whether the list at the place is followed anew.
  mutating func meet(
    _ place: Place, ours: KeyValueLogValue, theirs: KeyValueLogValue, className: String,
    _ model: Model
  ) -> Bool {
    let kind = model.kind(place.key, in: className)
    switch (ours, theirs) {
    case (.array(let ours), .array(let elements)) where kind == .ordered:
      if tracks[place]?.ourValues == ours { return false }
      note(theirs, at: place)
      tracks[place] = ListTrack(
        base: ours, changedTo: elements, isDistinct: model.isDistinct(place.key, in: className))
      return true
    case (.dictionary(let ours), .dictionary(let present)) where kind == .dictionary:
      note(theirs, at: place)
      entries[place, default: []].formUnion(ours.names(differingFrom: present))
    default:
      if !ours.isIdentical(to: theirs) { note(theirs, at: place) }
    }
    return false
  }

  /// Notes what is there as the other's value, unless the other has written one itself.
  private mutating func note(_ value: KeyValueLogValue, at place: Place) {
    if !hasWritten(place) { written[place] = value }
  }
}
