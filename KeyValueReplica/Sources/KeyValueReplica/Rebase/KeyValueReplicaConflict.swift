import KeyValueCore

/// Two writers have changed the same thing: this replica in a transaction that wasn't committed yet, and another
/// one in a transaction that was.
///
/// ```swift
/// let observation = replica.onConflict { print($0[0]) }
/// // Person.name of 7f3c2d1a: "Ada" here, "Grace" from "studio:4711"
/// ```
///
/// A transaction that was built on one of this replica's that was taken back can't be made either. That is reported
/// as a conflict, too, whose `builtOn` is the other transaction.
public struct KeyValueReplicaConflict: Sendable, Hashable {
  /// The object.
  public let object: KeyValueObjectID
  /// The name of its class, as in records.
  public let className: String
  /// The key; nil if the object was deleted by one and changed by the other.
  public let key: String?
  /// The value before both; nil if it isn't known.
  public let base: KeyValueLogValue?
  /// This replica's value, or its reference to an object that isn't there any more; nil if it deleted the object.
  public let mine: KeyValueLogValue?
  /// The other's value, also where this replica has written another one since; nil if it deleted the object, or the
  /// one that `mine` refers to.
  public let theirs: KeyValueLogValue?
  /// The name of the other writer; nil if it isn't known, or if there's none because of `builtOn`.
  public let author: String?
  /// The transaction that met the conflict.
  public let transaction: KeyValueRecordID
  /// The own transaction that was taken back, and that this one was built on; nil if another writer changed the
  /// same.
  public let builtOn: KeyValueRecordID?
}

extension KeyValueReplicaConflict: CustomStringConvertible {
  /// One line: the key, this replica's value and the other's.
  public var description: String {
    let short = "\(object)".prefix(8)
    let subject = key.map { "\(className).\($0) of \(short)" } ?? "\(className) \(short)"
    if builtOn != nil {
      return "\(subject): \(Self.text(mine)) here, built on a transaction that was taken back"
    }
    let writer = author.map { " from \($0.debugDescription)" } ?? ""
    return "\(subject): \(Self.text(mine)) here, \(Self.text(theirs))\(writer)"
  }

  private static func text(_ value: KeyValueLogValue?) -> String {
    value.map { "\($0)" } ?? "deleted"
  }
}

/// What becomes of a transaction that meets a conflict.
public enum KeyValueConflictRule: Sendable {
  /// The whole transaction is taken back, and `status` and the handler of conflicts have both values.
  case reject
  /// The transaction is kept: this replica is the last one to write. What it changed of an object that another
  /// one has deleted is dropped.
  case lastWriterWins
  /// A function decides for each conflict.
  ///
  /// It can be asked more than once about one, so it only computes.
  case custom(@Sendable (KeyValueReplicaConflict) -> Resolution)

  /// What becomes of one conflict.
  public enum Resolution: Sendable, Hashable {
    /// The whole transaction is taken back.
    case reject
    /// This replica's value is written again.
    case mine
    /// The other's value stays; the rest of the transaction is kept.
    case theirs
    /// Another value is written; `.null` is nil.
    ///
    /// If the key's type can't hold it, or if the conflict is of a moved object, the whole transaction is taken
    /// back. `.null` takes an entry out of a dictionary, unless `mine` or `theirs` is `.null`.
    case value(KeyValueLogValue)
  }

  /// The rule that takes the transaction back where this one answers a value for one of these keys.
  func rejectingValues(at places: Set<Place>) -> KeyValueConflictRule {
    guard case .custom(let decide) = self, !places.isEmpty else { return self }
    return .custom { conflict in
      let resolution = decide(conflict)
      guard case .value = resolution, let key = conflict.key,
        places.contains(Place(conflict.object, key))
      else { return resolution }
      return .reject
    }
  }

  func resolve(_ conflict: KeyValueReplicaConflict) -> Resolution {
    switch self {
    case .reject: .reject
    case .lastWriterWins: .mine
    case .custom(let decide): decide(conflict)
    }
  }
}
