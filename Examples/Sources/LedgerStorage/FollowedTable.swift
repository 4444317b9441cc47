import GRDB
import KeyValueObserving

/// Tracks the rows of one table that differ from the objects of a list.
///
/// It observes the list, and for each object one dependent key: the object's values. So it knows
/// what to write, and never compares the whole model with the file.
final class FollowedTable<Object, Row>
where
  Object: KeyValueObservable & Identifiable, Object.ID == Int,
  Row: PersistableRecord & Hashable & Identifiable, Row.ID == Int
{
  /// The objects' values.
  private var current: [Int: Row] = [:]
  /// The file's rows.
  private var stored: [Int: Row]
  /// The ids of rows that may differ.
  private var touched: Set<Int> = []
  private lazy var observer = KeyValueObserverController(owner: self)
  /// The line that creates the table, which a trace shows as the place of its registrations.
  private let place: (fileID: StaticString, line: UInt)

  init<Owner: KeyValueObservable>(
    _ list: KeyValueBoundPath<Owner, [Object]>, values: KeyValuePath<Object, Row>, stored: [Row],
    fileID: StaticString = #fileID, line: UInt = #line
  ) {
    place = (fileID, line)
    self.stored = Dictionary(uniqueKeysWithValues: stored.map { ($0.id, $0) })
    touched = Set(self.stored.keys)
    observer.observe(list, options: [.initial, .old, .new], fileID: fileID, line: line) {
      table, _, change in
      for object in change.oldValue ?? [] { table.forget(object) }
      for object in change.newValue ?? [] { table.follow(object, values) }
    }
    touched = touched.filter(differs)
  }

  private func follow(_ object: Object, _ values: KeyValuePath<Object, Row>) {
    observer.observe(
      object.kvo[values], options: [.initial, .new], fileID: place.fileID, line: place.line
    ) { table, object, change in
      table.current[object.id] = change.newValue
      table.touched.insert(object.id)
    }
  }

  private func forget(_ object: Object) {
    observer.unobserve(object)
    current[object.id] = nil
    touched.insert(object.id)
  }

  /// The changes to write.
  ///
  /// They exclude a row that has its old values again, for example after an undo, and a row that
  /// was added and removed meanwhile.
  var changes: TableChanges<Row> {
    var changes = TableChanges<Row>()
    for id in touched.sorted() {
      switch (stored[id], current[id]) {
      case (nil, let row?): changes.insertions.append(row)
      case (let old?, let row?) where old != row: changes.edits.append(row)
      case (_?, nil): changes.removals.append(id)
      default: break
      }
    }
    return changes
  }

  /// Marks these changes as written.
  func markWritten(_ changes: TableChanges<Row>) {
    for row in changes.insertions + changes.edits { stored[row.id] = row }
    for id in changes.removals { stored[id] = nil }
    touched = []
  }

  /// Marks everything as unwritten, for a new, empty file.
  func markUnwritten() {
    stored = [:]
    touched = Set(current.keys)
  }

  private func differs(_ id: Int) -> Bool { stored[id] != current[id] }
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
