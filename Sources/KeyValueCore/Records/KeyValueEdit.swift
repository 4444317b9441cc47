/// One change in a record: what happened to one key of one object, or that an object came or left.
///
/// An edit has what's needed to apply it, to take it back, and to notify observers of it as they were
/// notified where it was made:
///
/// ```swift
/// let edit = KeyValueEdit.set(id, key: "count", old: 0, new: 1)
/// print(edit)                                     // set 7f3c2d1a.count: 0 -> 1
/// print(edit.inverse)                             // set 7f3c2d1a.count: 1 -> 0
/// ```
///
/// In JSON, the case's name is a field with the object's id, among the other fields in ascending order:
///
/// ```json
/// {"key":"count","new":1,"old":0,"set":"7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12"}
/// {"elements":["Ada"],"indexes":[[0,1]],"insert":"7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12","key":"names"}
/// ```
///
/// Indexes are half-open ranges, `[[lower, upper], …]`, ascending. The elements of sets are written in
/// ascending order. Edits are compared as they're listed: the same elements in another order are
/// another edit.
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public enum KeyValueEdit: Hashable, Sendable {
  /// An object enters the graph.
  ///
  /// `values` has every stored key. If the object is new in its transaction, they're those at its end,
  /// and the record has no other edit of the object.
  case create(KeyValueObjectID, class: String, values: [String: KeyValueLogValue])
  /// An object leaves the graph.
  ///
  /// `values` are those with which it leaves, so that the inverse can make it again.
  case delete(KeyValueObjectID, class: String, values: [String: KeyValueLogValue])
  /// A key is set.
  case set(KeyValueObjectID, key: String, old: KeyValueLogValue, new: KeyValueLogValue)
  /// Elements enter an ordered collection; the indexes are those after the insertion.
  indirect case insert(
    KeyValueObjectID, key: String, indexes: RangeSet<Int>, elements: [KeyValueLogValue])
  /// Elements leave an ordered collection; the indexes are those before the removal.
  indirect case remove(
    KeyValueObjectID, key: String, indexes: RangeSet<Int>, elements: [KeyValueLogValue])
  /// Elements of an ordered collection are replaced, each by one.
  indirect case replace(
    KeyValueObjectID, key: String, indexes: RangeSet<Int>, old: [KeyValueLogValue],
    new: [KeyValueLogValue])
  /// An ordered collection is set, and written as what differs.
  ///
  /// Observers are notified of a setting. The removed indexes are those before the change, and the
  /// inserted ones those after it.
  indirect case amend(KeyValueObjectID, key: String, removed: Elements, inserted: Elements)
  /// Elements enter a set.
  case union(KeyValueObjectID, key: String, elements: [KeyValueLogValue])
  /// Elements leave a set.
  case subtract(KeyValueObjectID, key: String, elements: [KeyValueLogValue])
  /// Elements leave a set, and others enter it.
  case exchange(
    KeyValueObjectID, key: String, old: [KeyValueLogValue], new: [KeyValueLogValue])
  /// An entry of a dictionary is set, added or removed: nil means that there's none.
  ///
  /// Observers are notified of a setting of the key.
  ///
  /// - Important: A nil in `condition ? value : nil` is the value `.null`, as the compiler understands it;
  ///   write `.none` there.
  indirect case setEntry(
    KeyValueObjectID, key: String, entry: KeyValueLogValue, old: KeyValueLogValue?,
    new: KeyValueLogValue?)

  /// Some elements of an ordered collection.
  public struct Elements: Hashable, Sendable {
    /// Where they are.
    public var indexes: RangeSet<Int>
    /// The elements, one for each index.
    public var elements: [KeyValueLogValue]

    /// Creates the elements.
    ///
    /// - Parameters:
    ///   - indexes: Where they are.
    ///   - elements: One element for each index.
    public init(indexes: RangeSet<Int>, elements: [KeyValueLogValue]) {
      self.indexes = indexes
      self.elements = elements
    }
  }

  /// The object that the edit is about.
  public var id: KeyValueObjectID {
    switch self {
    case .create(let id, _, _), .delete(let id, _, _), .set(let id, _, _, _),
      .insert(let id, _, _, _), .remove(let id, _, _, _), .replace(let id, _, _, _, _),
      .amend(let id, _, _, _), .union(let id, _, _), .subtract(let id, _, _),
      .exchange(let id, _, _, _), .setEntry(let id, _, _, _, _):
      id
    }
  }

  /// The changed key; nil if an object comes or leaves.
  public var key: String? {
    switch self {
    case .create, .delete: nil
    case .set(_, let key, _, _), .insert(_, let key, _, _), .remove(_, let key, _, _),
      .replace(_, let key, _, _, _), .amend(_, let key, _, _), .union(_, let key, _),
      .subtract(_, let key, _), .exchange(_, let key, _, _), .setEntry(_, let key, _, _, _):
      key
    }
  }

  /// The edit that takes this one back.
  public var inverse: KeyValueEdit {
    switch self {
    case .create(let id, let name, let values): .delete(id, class: name, values: values)
    case .delete(let id, let name, let values): .create(id, class: name, values: values)
    case .set(let id, let key, let old, let new): .set(id, key: key, old: new, new: old)
    case .insert(let id, let key, let indexes, let elements):
      .remove(id, key: key, indexes: indexes, elements: elements)
    case .remove(let id, let key, let indexes, let elements):
      .insert(id, key: key, indexes: indexes, elements: elements)
    case .replace(let id, let key, let indexes, let old, let new):
      .replace(id, key: key, indexes: indexes, old: new, new: old)
    case .amend(let id, let key, let removed, let inserted):
      .amend(id, key: key, removed: inserted, inserted: removed)
    case .union(let id, let key, let elements): .subtract(id, key: key, elements: elements)
    case .subtract(let id, let key, let elements): .union(id, key: key, elements: elements)
    case .exchange(let id, let key, let old, let new): .exchange(id, key: key, old: new, new: old)
    case .setEntry(let id, let key, let entry, let old, let new):
      .setEntry(id, key: key, entry: entry, old: new, new: old)
    }
  }
}

extension KeyValueEdit: CustomStringConvertible {
  /// One line: what happened, to which key of which object, and the values.
  ///
  /// Objects are named by the first digits of their ids.
  ///
  /// ```swift
  /// print(KeyValueEdit.create(id, class: "Counter", values: ["count": 0]))
  /// // create 7f3c2d1a: Counter ["count": 0]
  /// print(KeyValueEdit.insert(id, key: "names", indexes: RangeSet(1..<3), elements: ["Ada", "Grace"]))
  /// // insert 7f3c2d1a.names at 1–2: ["Ada", "Grace"]
  /// ```
  public var description: String {
    let subject = "\(verb) \(id.shortDescription)" + (key.map { ".\($0)" } ?? "")
    switch self {
    case .create(_, let name, let values), .delete(_, let name, let values):
      return "\(subject): \(name) \(KeyValueLogValue.dictionary(values))"
    case .set(_, _, let old, let new): return "\(subject): \(old) -> \(new)"
    case .insert(_, _, let indexes, let elements), .remove(_, _, let indexes, let elements):
      return "\(subject)\(Self.place(indexes)): \(elements)"
    case .replace(_, _, let indexes, let old, let new):
      return "\(subject)\(Self.place(indexes)): \(old) -> \(new)"
    case .amend(_, _, let removed, let inserted):
      let parts = [("removed", removed), ("inserted", inserted)]
        .filter { !$0.1.elements.isEmpty }
        .map { "\($0.0)\(Self.place($0.1.indexes)) \($0.1.elements)" }
      return "\(subject): \(parts.isEmpty ? "nothing differs" : parts.joined(separator: ", "))"
    case .union(_, _, let elements), .subtract(_, _, let elements):
      return "\(subject): \(elements)"
    case .exchange(_, _, let old, let new): return "\(subject): \(old) -> \(new)"
    case .setEntry(_, _, let entry, let old, let new):
      return "\(subject)[\(entry)]: \(Self.text(old)) -> \(Self.text(new))"
    }
  }

  /// The case's name, which is also the field of the object's id in JSON.
  var verb: Verb {
    switch self {
    case .create: .create
    case .delete: .delete
    case .set: .set
    case .insert: .insert
    case .remove: .remove
    case .replace: .replace
    case .amend: .amend
    case .union: .union
    case .subtract: .subtract
    case .exchange: .exchange
    case .setEntry: .setEntry
    }
  }

  enum Verb: String, CaseIterable {
    case create, delete, set, insert, remove, replace, amend, union, subtract, exchange, setEntry
  }

  private static func place(_ indexes: RangeSet<Int>) -> String {
    indexes.isEmpty ? "" : " at \(listing(indexes))"
  }

  private static func text(_ value: KeyValueLogValue?) -> String {
    value.map { "\($0)" } ?? "none"
  }
}

extension KeyValueEdit {
  /// Whether what the edit was made on is what it leaves.
  var changesNothing: Bool {
    func areIdentical(_ old: [KeyValueLogValue], _ new: [KeyValueLogValue]) -> Bool {
      old.elementsEqual(new) { $0.isIdentical(to: $1) }
    }
    return switch self {
    case .create, .delete: false
    case .set(_, _, let old, let new): old.isIdentical(to: new)
    case .insert(_, _, _, let elements), .remove(_, _, _, let elements), .union(_, _, let elements),
      .subtract(_, _, let elements):
      elements.isEmpty
    case .replace(_, _, _, let old, let new), .exchange(_, _, let old, let new):
      areIdentical(old, new)
    case .amend(_, _, let removed, let inserted):
      removed.indexes == inserted.indexes && areIdentical(removed.elements, inserted.elements)
    case .setEntry(_, _, _, let old?, let new?): old.isIdentical(to: new)
    case .setEntry(_, _, _, let old, let new): old == new
    }
  }
}
