// What the package of replicas needs besides records: a replica that is behind computes, as data, what its own
// changes become after others'.

@_spi(Replication)
extension KeyValueChangeLog {
  /// The values of one object of the graph; nil if it doesn't belong to it.
  public func values(of id: KeyValueObjectID) throws -> KeyValueSnapshot.Object? {
    guard let entry = core.graph.entry(id) else { return nil }
    return KeyValueSnapshot.Object(class: entry.type.name, values: try core.graph.values(of: entry))
  }

  /// Whether records that have just been made, one after the other, have left the graph as it was.
  public func cancelOut(_ records: [KeyValueTransactionRecord]) -> Bool { core.cancelOut(records) }

  /// Whether this thread has an open transaction, so that what changes now is recorded with it.
  public var isInTransaction: Bool { Transaction.current != nil }

  /// Whether all that has changed until now has its record: no open transaction has changed the graph.
  public var isComplete: Bool { core.collector.isComplete }

  /// Whether a change is in progress, whose record the log's observers may not have yet.
  public var isChanging: Bool { isInTransaction || core.collector.isChanging }

  /// Sets what is called when a change is over: its records and those of its property observers and observers have
  /// been delivered.
  public func whenChangesEnd(_ handler: @escaping () -> Void) { core.collector.hasLeft = handler }

  /// The name of an object's class in records; nil if the object doesn't belong to the graph.
  public func className(of id: KeyValueObjectID) -> String? { core.graph.entry(id)?.type.name }

  /// Whether objects of a recorded class have been seen to lead to objects of the class.
  public func isInCycle(ofClass className: String) -> Bool {
    guard let type = try? core.classes.type(className),
      let logged = try? core.graph.loggedClass(KeyValueSchema.schema(of: type))
    else { return false }
    return logged.isInCycle
  }

  /// The name of the root's class in records.
  public static var rootClassName: String { recordedName(of: Root.self) }

  /// Whether the program has a class of this name in records.
  public func knows(_ className: String) -> Bool { (try? core.classes.type(className)) != nil }

  /// The present name in records of a class; nil for one that the program doesn't have.
  public func presentName(ofClass className: String) -> String? {
    (try? core.classes.type(className)).map { recordedName(of: $0) }
  }

  /// The keys of a recorded class that records have; nil for a class that the program doesn't have.
  public func keys(ofClass className: String) -> [String]? {
    guard let type = try? core.classes.type(className),
      let logged = try? core.graph.loggedClass(KeyValueSchema.schema(of: type))
    else { return nil }
    return logged.keys.map(\.property.key)
  }

  /// How a key of a recorded class is written; nil for a class or key that the program doesn't have.
  public func shape(ofKey key: String, in className: String) -> KeyValueLoggedShape? {
    loggedKey(key, in: className).map { KeyValueLoggedShape($0) }
  }

  /// Whether a key of a recorded class can hold a value, as far as that's known without an object; true for what the
  /// program doesn't have, and for a key that refers to objects.
  public func canHold(
    _ value: KeyValueLogValue, forKey key: String, in className: String
  ) -> Bool {
    guard let key = loggedKey(key, in: className), key.relation == .nothing else { return true }
    do {
      _ = try key.value(of: value, core.graph)
      return true
    } catch KeyValueLogError.typeMismatch {
      return false
    } catch {
      return true
    }
  }

  private func loggedKey(_ key: String, in className: String) -> LoggedKey? {
    guard let type = try? core.classes.type(className),
      let logged = try? core.graph.loggedClass(KeyValueSchema.schema(of: type))
    else { return nil }
    return logged[key]
  }

  /// The record with a state's data in place of those that it expects, where the program reads the same value from
  /// both.
  public func fitted(
    _ record: KeyValueTransactionRecord, to state: KeyValueSnapshot
  ) -> KeyValueTransactionRecord {
    core.graph.fitted(record, to: state, core.classes)
  }

  /// The snapshot with another one's data in place of its own, where the program reads the same value from both.
  ///
  /// Each element of a list or a set and each entry of a dictionary is compared by itself.
  public func fitted(
    _ snapshot: KeyValueSnapshot, to other: KeyValueSnapshot
  ) -> KeyValueSnapshot {
    core.graph.fitted(snapshot, to: other, core.classes)
  }
}

/// How the value of a key is written.
@_spi(Replication)
public struct KeyValueLoggedShape: Sendable, Hashable {
  /// What the value is made of; a dictionary whose keys aren't strings is whole.
  public enum Kind: Sendable, Hashable {
    case whole, ordered, unordered, dictionary
  }

  /// What the value is made of.
  public let kind: Kind
  /// Whether the objects that the value refers to belong to the graph.
  public let isFollowed: Bool
  /// Whether the value refers to objects that don't belong to the graph because of it.
  public let isWeak: Bool
  /// Whether the value is ordered, and an element occurs once.
  public let isDistinct: Bool
  /// Whether the value may be nil.
  public let mayBeNil: Bool
  /// Whether the value is a dictionary that refers to objects, and whose keys may have other objects inside.
  public let mayHaveObjectsInKeys: Bool

  /// Describes a key without the class that has it.
  public init(
    kind: Kind, isFollowed: Bool, isWeak: Bool, isDistinct: Bool, mayBeNil: Bool = true,
    mayHaveObjectsInKeys: Bool = false
  ) {
    self.mayHaveObjectsInKeys = mayHaveObjectsInKeys
    self.mayBeNil = mayBeNil
    self.kind = kind
    self.isFollowed = isFollowed
    self.isWeak = isWeak
    self.isDistinct = isDistinct
  }

  init(_ key: LoggedKey) {
    let type = unwrapped(key.property.valueType)
    isDistinct = (type as? any OrderedToMany.Type)?.isDistinct ?? false
    kind =
      if key.isOrdered {
        .ordered
      } else if key.isUnordered {
        .unordered
      } else if type is any StringKeyed.Type {
        .dictionary
      } else {
        .whole
      }
    isFollowed = key.isFollowed
    isWeak = key.isWeak
    mayBeNil = isOptional(key.property.valueType)
    mayHaveObjectsInKeys = key.relation == .dictionary && key.mayHaveObjectsInside
  }
}

@_spi(Replication)
extension KeyValueSnapshot {
  /// The objects that nothing leads to from the root.
  ///
  /// - Parameter isFollowed: Whether the objects that a class's key refers to belong to the graph.
  /// - Returns: Their ids.
  public func unreachable(
    following isFollowed: (_ className: String, _ key: String) -> Bool
  ) -> Set<KeyValueObjectID> {
    var rest = Set(objects.keys)
    var work = [root]
    rest.remove(root)
    while let id = work.popLast(), let object = objects[id] {
      for (key, value) in object.values where value.mayRefer && isFollowed(object.class, key) {
        value.forEachFollowedReference { if rest.remove($0) != nil { work.append($0) } }
      }
    }
    return rest
  }
}

extension KeyValueLogValue {
  /// Calls the body with each object that belongs to the graph because a followed key has the value.
  ///
  /// A dictionary whose keys aren't strings is an array of pairs. An object inside one of its keys belongs to the
  /// graph because of another key.
  fileprivate func forEachFollowedReference(_ body: (KeyValueObjectID) -> Void) {
    guard case .array(let elements) = self else { return forEachReference(body) }
    for element in elements {
      if case .array(let pair) = element {
        pair.last?.forEachReference(body)
      } else {
        element.forEachReference(body)
      }
    }
  }
}

@_spi(Replication)
extension KeyValueTransactionRecord {
  /// The record with what is there in place of what its edits expect, where both are the same.
  ///
  /// - Parameters:
  ///   - state: What the record is to be applied to.
  ///   - isSame: Whether what an edit expects of an object's key is what is there. Of an entry, both are dictionaries
  ///     that have nothing else.
  ///   - isSameElement: The same of an element of a list or a set.
  ///   - form: What is equal of elements of a set that may be the same. It's asked once for each, so that not each
  ///     is compared with each.
  /// - Returns: The record; from the first edit on that doesn't fit all the same, the edits are as they were.
  public func fitted(
    to state: KeyValueSnapshot,
    isSame: (
      KeyValueObjectID, _ key: String, _ expected: KeyValueLogValue, _ present: KeyValueLogValue
    ) -> Bool,
    isSameElement: (
      KeyValueObjectID, _ key: String, _ expected: KeyValueLogValue, _ present: KeyValueLogValue
    ) -> Bool,
    form: (KeyValueObjectID, _ key: String, _ element: KeyValueLogValue) -> KeyValueLogValue
  ) -> KeyValueTransactionRecord {
    var record = self
    var application = SnapshotApplication(to: state)
    // The sets in which members were looked for.
    var sets: [KeyValueObjectID: [String: PresentElements]] = [:]
    for (index, edit) in edits.enumerated() {
      let fitted = edit.fitted(
        to: application.object(edit.id), &sets[edit.id, default: [:]], isSame, isSameElement, form)
      guard (try? application.apply(fitted)) != nil else { break }
      fitted.insert(into: &sets[edit.id, default: [:]], form)
      record.edits[index] = fitted
    }
    return record
  }
}

extension KeyValueEdit {
  /// The edit with what an object has in place of what the edit expects, where both are the same.
  fileprivate func fitted(
    to object: KeyValueSnapshot.Object?, _ sets: inout [String: PresentElements],
    _ isSame: (KeyValueObjectID, String, KeyValueLogValue, KeyValueLogValue) -> Bool,
    _ isSameElement: (KeyValueObjectID, String, KeyValueLogValue, KeyValueLogValue) -> Bool,
    _ form: (KeyValueObjectID, String, KeyValueLogValue) -> KeyValueLogValue
  ) -> KeyValueEdit {
    guard let object else { return self }
    func value(_ expected: KeyValueLogValue, _ key: String) -> KeyValueLogValue {
      guard let present = object.values[key], present != expected,
        isSame(id, key, expected, present)
      else { return expected }
      return present
    }
    func elements(
      _ expected: [KeyValueLogValue], _ key: String, at indexes: RangeSet<Int>
    ) -> [KeyValueLogValue] {
      let indexes = IndexRanges(indexes)
      guard case .array(let present)? = object.values[key], indexes.isWithin(present.count),
        indexes.count == expected.count
      else { return expected }
      return zip(indexes.indices, expected).map { index, element in
        let other = present[index]
        return element != other && isSameElement(id, key, element, other) ? other : element
      }
    }
    func members(_ expected: [KeyValueLogValue], _ key: String) -> [KeyValueLogValue] {
      guard case .array(let present)? = object.values[key] else { return expected }
      return sets[key, default: PresentElements(present)].take(expected) {
        form(id, key, $0)
      } isSame: {
        isSameElement(id, key, $0, $1)
      }
    }
    switch self {
    case .create, .insert, .union: return self
    case .delete(_, let name, let values):
      var fitted = values
      for (key, expected) in values { fitted[key] = value(expected, key) }
      return .delete(id, class: name, values: fitted)
    case .set(_, let key, let old, let new):
      return .set(id, key: key, old: value(old, key), new: new)
    case .remove(_, let key, let indexes, let old):
      return .remove(
        id, key: key, indexes: indexes, elements: elements(old, key, at: indexes))
    case .replace(_, let key, let indexes, let old, let new):
      return .replace(
        id, key: key, indexes: indexes, old: elements(old, key, at: indexes), new: new)
    case .amend(_, let key, var removed, let inserted):
      removed.elements = elements(removed.elements, key, at: removed.indexes)
      return .amend(id, key: key, removed: removed, inserted: inserted)
    case .subtract(_, let key, let old):
      return .subtract(id, key: key, elements: members(old, key))
    case .exchange(_, let key, let old, let new):
      return .exchange(id, key: key, old: members(old, key), new: new)
    case .setEntry(_, let key, let entry, let old, let new):
      guard let old, let name = entry.entryName,
        case .dictionary(let entries)? = object.values[key], let present = entries[name],
        present != old, isSame(id, key, .dictionary([name: old]), .dictionary([name: present]))
      else { return self }
      return .setEntry(id, key: key, entry: entry, old: present, new: new)
    }
  }

  /// Has the sets of the edit's object in which members were looked for follow the edit; its old members were taken.
  fileprivate func insert(
    into sets: inout [String: PresentElements],
    _ form: (KeyValueObjectID, String, KeyValueLogValue) -> KeyValueLogValue
  ) {
    switch self {
    case .create, .delete: sets = [:]
    case .union(_, let key, let new), .exchange(_, let key, _, let new):
      sets[key]?.insert(new) { form(id, key, $0) }
    case .subtract: break
    case .set(_, let key, _, _), .insert(_, let key, _, _), .remove(_, let key, _, _),
      .replace(_, let key, _, _, _), .amend(_, let key, _, _), .setEntry(_, let key, _, _, _):
      sets[key] = nil
    }
  }
}

@_spi(Replication)
extension KeyValueLogValue {
  /// The elements of a set, as they're written.
  public static func ascendingElements(_ elements: [KeyValueLogValue]) -> [KeyValueLogValue] {
    ascending(elements)
  }

  /// Calls the body with each object that the value refers to.
  public func forEachReferencedObject(_ body: (KeyValueObjectID) -> Void) {
    forEachReference(body)
  }
}

@_spi(Replication)
extension KeyValueEdit {
  /// Calls the body with each object that a value which the edit writes refers to.
  public func forEachWrittenReference(_ body: (KeyValueObjectID) -> Void) {
    forEachReference(body)
  }

  /// Calls the body with each object that a value of the edit refers to, before or after it.
  public func forEachReferencedObject(_ body: (KeyValueObjectID) -> Void) {
    forEachReference(body)
    inverse.forEachReference(body)
  }
}
