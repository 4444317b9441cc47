import GRDB
import KeyValueObserving

/// Knows from a log's records which rows of a table differ from the objects of a class.
///
/// A record names each object that it changes, so no object is observed, and the whole model is never
/// compared with the file.
struct RecordedTable<Root, Object, Row>
where
  Root: KeyValueObservable, Object: KeyValueObservable,
  Row: PersistableRecord & Hashable & Identifiable, Row.ID == Int
{
  private let log: KeyValueChangeLog<Root>
  private let values: (Object) -> Row
  /// The file's rows.
  private var stored: [Int: Row]
  /// The row of each object that is or was in the graph.
  private var rows: [KeyValueObjectID: Int] = [:]
  /// The rows that may differ, each with the objects that have its id; at most one is still in the graph.
  private var touched: [Int: Set<KeyValueObjectID>] = [:]

  init(
    _ log: KeyValueChangeLog<Root>, _ snapshot: KeyValueSnapshot, stored: [Row],
    values: @escaping (Object) -> Row
  ) {
    self.log = log
    self.values = values
    self.stored = Dictionary(uniqueKeysWithValues: stored.map { ($0.id, $0) })
    for (id, object) in snapshot.objects { note(id, object.class, object.values) }
  }

  /// Takes what a record changed.
  mutating func note(_ record: KeyValueTransactionRecord) {
    for edit in record.edits {
      switch edit {
      case .create(let id, let name, let values), .delete(let id, let name, let values):
        note(id, name, values)
      default: break
      }
      if let row = rows[edit.id] { touched[row, default: []].insert(edit.id) }
    }
  }

  private mutating func note(
    _ id: KeyValueObjectID, _ name: String, _ values: [String: KeyValueLogValue]
  ) {
    guard name == String(reflecting: Object.self), case .integer(let row)? = values["id"] else {
      return
    }
    rows[id] = row
  }

  /// The changes to write.
  ///
  /// They exclude a row that has its old values again, for example after an undo, and a row that
  /// was added and removed meanwhile.
  var changes: TableChanges<Row> {
    var changes = TableChanges<Row>()
    for (id, objects) in touched.sorted(by: { $0.key < $1.key }) {
      let present = objects.lazy.compactMap { log.object($0) as? Object }.first
      switch (stored[id], present.map(values)) {
      case (nil, let row?): changes.insertions.append(row)
      case (let old?, let row?) where old != row: changes.edits.append(row)
      case (_?, nil): changes.removals.append(id)
      default: break
      }
    }
    return changes
  }

  /// Marks these changes as written.
  mutating func markWritten(_ changes: TableChanges<Row>) {
    for row in changes.insertions + changes.edits { stored[row.id] = row }
    for id in changes.removals { stored[id] = nil }
    touched = [:]
  }

  /// Marks everything as unwritten, for a new, empty file.
  mutating func markUnwritten() {
    stored = [:]
    for (id, row) in rows { touched[row, default: []].insert(id) }
  }
}

/// The difference between a table and its target.
struct TableChanges<Row> {
  var insertions: [Row] = []
  var edits: [Row] = []
  /// By their ids.
  var removals: [Int] = []
}

extension TableChanges where Row: PersistableRecord {
  func writeEntries(to database: Database) throws {
    for row in insertions { try row.insert(database) }
    for row in edits { try row.update(database) }
  }

  func writeRemovals(to database: Database) throws {
    for id in removals { try Row.deleteOne(database, key: id) }
  }
}
