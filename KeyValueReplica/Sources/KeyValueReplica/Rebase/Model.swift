@_spi(Replication) import KeyValueCore

/// What a rebase knows of the program's classes.
struct Model {
  /// How a key of a class is written; nil for what the program doesn't have.
  let shape: (_ key: String, _ className: String) -> KeyValueLoggedShape?
  /// Whether objects of a class may lead back to themselves.
  let isInCycle: (_ className: String) -> Bool
  /// A record with a state's data in place of those that it expects, where both are the same value.
  let fitted: (KeyValueTransactionRecord, _ state: KeyValueSnapshot) -> KeyValueTransactionRecord

  init(
    shape: @escaping (_ key: String, _ className: String) -> KeyValueLoggedShape?,
    isInCycle: @escaping (_ className: String) -> Bool,
    fitted: @escaping (KeyValueTransactionRecord, KeyValueSnapshot) -> KeyValueTransactionRecord =
      { record, _ in record }
  ) {
    (self.shape, self.isInCycle, self.fitted) = (shape, isInCycle, fitted)
  }

  init<Root>(_ log: KeyValueChangeLog<Root>) {
    let shapes = KnownShapes()
    self.init(
      shape: { key, name in shapes.shape(key, name) { log.shape(ofKey: key, in: name) } },
      isInCycle: { log.isInCycle(ofClass: $0) },
      fitted: { log.fitted($0, to: $1) })
  }

  func kind(_ key: String, in className: String?) -> KeyValueLoggedShape.Kind {
    className.flatMap { shape(key, $0)?.kind } ?? .whole
  }

  func isDistinct(_ key: String, in className: String?) -> Bool {
    className.flatMap { shape(key, $0)?.isDistinct } ?? false
  }

  /// Whether a key may be nil; false for what the program doesn't have.
  func mayBeNil(_ key: String, in className: String?) -> Bool {
    className.flatMap { shape(key, $0)?.mayBeNil } ?? false
  }

  func isFollowed(_ className: String, _ key: String) -> Bool {
    shape(key, className)?.isFollowed ?? true
  }

  func isWeak(_ className: String, _ key: String) -> Bool {
    shape(key, className)?.isWeak ?? false
  }

  /// Whether a key's reference doesn't keep its object in the graph, and becomes nil if the object leaves.
  func isCleared(_ className: String, _ key: String) -> Bool {
    shape(key, className).map { $0.isWeak && $0.mayBeNil } ?? false
  }

  /// Whether a key's reference doesn't keep its object in the graph, but can't be nil either.
  func isUnowned(_ className: String, _ key: String) -> Bool {
    shape(key, className).map { $0.isWeak && !$0.mayBeNil } ?? false
  }

  /// Whether a key's value has objects inside, as a structure's property is, or the key of a dictionary: they belong
  /// to the graph because of other keys, and without them the value can't be read.
  ///
  /// The objects that are the values of such a dictionary aren't inside, but they can't leave while it has them.
  func isInside(_ className: String, _ key: String) -> Bool {
    guard let shape = shape(key, className) else { return false }
    return !shape.isFollowed && !shape.isWeak || shape.mayHaveObjectsInKeys
  }
}

extension KeyValueSnapshot {
  /// Applies a record, also where the state is written otherwise than the record expects.
  ///
  /// - Returns: The record as it fits the state exactly.
  /// - Throws: `KeyValueLogError` if the record doesn't fit. The snapshot is then as it was.
  @discardableResult
  mutating func apply(
    _ record: KeyValueTransactionRecord, fittedBy model: Model
  ) throws -> KeyValueTransactionRecord {
    if (try? apply(record)) != nil { return record }
    let fitted = model.fitted(record, self)
    try apply(fitted)
    return fitted
  }
}

/// A key of an object.
struct Place: Hashable, Comparable {
  let id: KeyValueObjectID
  let key: String

  init(_ id: KeyValueObjectID, _ key: String) {
    self.id = id
    self.key = key
  }

  static func < (one: Place, other: Place) -> Bool {
    (one.key, "\(one.id)") < (other.key, "\(other.id)")
  }

  init?(_ edit: KeyValueEdit) {
    guard let key = edit.key else { return nil }
    self.init(edit.id, key)
  }
}

extension KeyValueTransactionRecord {
  /// The objects that the record changes.
  var subjects: Set<KeyValueObjectID> { Set(edits.map(\.id)) }

  /// The objects that the record's values refer to, and those that it creates or deletes.
  var referred: Set<KeyValueObjectID> {
    var ids: Set<KeyValueObjectID> = []
    for edit in edits {
      if edit.key == nil { ids.insert(edit.id) }
      edit.forEachReferencedObject { ids.insert($0) }
    }
    return ids
  }

  /// The objects that the record takes a reference to away, and that it doesn't delete.
  var released: Set<KeyValueObjectID> {
    var ids: Set<KeyValueObjectID> = []
    for edit in edits {
      var before: Set<KeyValueObjectID> = []
      edit.inverse.forEachWrittenReference { before.insert($0) }
      // What a set value still refers to isn't released.
      edit.forEachWrittenReference { before.remove($0) }
      ids.formUnion(before)
    }
    for case .delete(let id, _, _) in edits { ids.remove(id) }
    return ids
  }

  /// The collections that the record sets as a whole.
  var settings: Set<Place> {
    var places: Set<Place> = []
    for edit in edits {
      switch edit {
      case .set, .amend: if let place = Place(edit) { places.insert(place) }
      default: break
      }
    }
    return places
  }
}

/// How keys are written that were asked for before.
private final class KnownShapes {
  private var shapes: [String: [String: KeyValueLoggedShape]] = [:]

  func shape(
    _ key: String, _ className: String, else find: () -> KeyValueLoggedShape?
  ) -> KeyValueLoggedShape? {
    if let known = shapes[className]?[key] { return known }
    let shape = find()
    // The program may load a class that it doesn't have yet.
    if let shape { shapes[className, default: [:]][key] = shape }
    return shape
  }
}
