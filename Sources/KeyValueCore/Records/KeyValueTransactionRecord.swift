/// What one outermost transaction changed, or one change outside of transactions.
///
/// A record is data: it can be stored, sent, compared and printed, without the classes that it's
/// about. Applied to an equal graph it makes the same change, with the same notifications; its
/// `inverse` takes it back.
///
/// ```swift
/// let record = KeyValueTransactionRecord([.set(id, key: "count", old: 0, new: 1)])
/// print(record)
/// // record 0b8e5f27-6c1d-4a39-b2f4-9d8c7b6a5e01, one change
/// //   set 7f3c2d1a.count: 0 -> 1
/// ```
///
/// In JSON it's
/// `{"edits":[{"key":"count","new":1,"old":0,"set":"7f3c…4e12"}],"id":"0b8e…5e01","isTransaction":false}`;
/// `origin` is there, as a string, only if the record is of another origin. How values and edits are
/// written is described at `KeyValueLogValue` and `KeyValueEdit`.
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public struct KeyValueTransactionRecord: Hashable, Sendable {
  /// The record's identity.
  public var id: KeyValueRecordID
  /// Where the change was made.
  public var origin: KeyValueChangeOrigin
  /// Whether the change was a transaction, whose observers are notified at its end.
  public var isTransaction: Bool
  /// The edits, in the order in which they apply.
  public var edits: [KeyValueEdit]

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - edits: The edits, in the order in which they apply.
  ///   - isTransaction: Whether the change is a transaction.
  ///   - origin: Where the change was made.
  ///   - id: The record's identity, a new one by default.
  public init(
    _ edits: [KeyValueEdit], isTransaction: Bool = false, origin: KeyValueChangeOrigin = .local,
    id: KeyValueRecordID = KeyValueRecordID()
  ) {
    self.id = id
    self.origin = origin
    self.isTransaction = isTransaction
    self.edits = edits
  }

  /// The record that takes this one back: the inverse of each edit, the last first.
  ///
  /// Its id is derived from this record's, so that `record.inverse.inverse == record`. Its origin is
  /// this record's.
  public var inverse: KeyValueTransactionRecord {
    KeyValueTransactionRecord(
      edits.reversed().map(\.inverse), isTransaction: isTransaction, origin: origin,
      id: id.inverse)
  }
}

extension KeyValueTransactionRecord: CustomStringConvertible {
  /// A line with the id, and one for each edit.
  public var description: String {
    let kind = isTransaction ? "transaction" : "one change"
    let from = if case .remote(let name) = origin { ", from \(name.debugDescription)" } else { "" }
    let line = "record \(id), \(kind)\(from)"
    return ([line] + edits.map { "  \($0)" }).joined(separator: "\n")
  }
}
