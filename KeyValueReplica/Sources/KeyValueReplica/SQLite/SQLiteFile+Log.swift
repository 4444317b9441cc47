import Foundation

/// A document's row.
struct SQLiteEntry {
  var key: Int64
  var epoch: UUID
  var schema: Int64
  var revision: Int64
  /// The transaction at `revision`.
  var head: UUID?
  /// The revision before the oldest record.
  var oldest: Int64
  /// The transaction at `oldest`.
  var oldestID: UUID?

  var document: LogDocument {
    LogDocument(
      position: LogPosition(epoch: epoch, revision: revision, transaction: head),
      schema: Int(schema), oldest: oldest)
  }
}

/// What a log does, inside a transaction.
extension SQLiteFile {
  func entry(_ name: String) throws(LogError) -> SQLiteEntry? {
    var entry: SQLiteEntry?
    try execute(
      """
      SELECT id, epoch, schema, revision, head, oldest, oldest_id FROM document WHERE name = ?
      """, [.text(name)]
    ) { row throws(LogError) in
      entry = SQLiteEntry(
        key: row.int(0), epoch: try row.id(1), schema: row.int(2), revision: row.int(3),
        head: try row.optionalID(4), oldest: row.int(5), oldestID: try row.optionalID(6))
    }
    return entry
  }

  private func existing(_ name: String) throws(LogError) -> SQLiteEntry {
    guard let entry = try entry(name) else { throw .noDocument(name) }
    return entry
  }

  /// Whether the position is of the document's history and not before its oldest record.
  private func contains(
    _ position: LogPosition, of entry: SQLiteEntry
  ) throws(LogError) -> Bool {
    guard position.epoch == entry.epoch, position.revision >= entry.oldest,
      position.revision <= entry.revision
    else { return false }
    if position.revision == entry.revision { return position.transaction == entry.head }
    if position.revision == entry.oldest { return position.transaction == entry.oldestID }
    return try id(at: position.revision, of: entry) == position.transaction
  }

  private func id(at revision: Int64, of entry: SQLiteEntry) throws(LogError) -> UUID? {
    var id: UUID?
    try execute(
      "SELECT id FROM record WHERE document = ? AND revision = ?",
      [.int(entry.key), .int(revision)]
    ) { row throws(LogError) in id = try row.id(0) }
    return id
  }

  private func records(
    of entry: SQLiteEntry, after revision: Int64, limit: Int
  ) throws(LogError) -> [LogRecord] {
    var records: [LogRecord] = []
    var bytes = 0
    var expected = revision
    try rows(
      """
      SELECT revision, id, author, edits, at FROM record WHERE document = ? AND revision > ?
      ORDER BY revision LIMIT ?
      """, [.int(entry.key), .int(revision), .int(Int64(max(limit, 0)))]
    ) { row throws(LogError) in
      let payload = row.blob(3)
      bytes += payload.count
      if bytes > LogLimits.bytes, !records.isEmpty { return false }
      expected += 1
      guard row.int(0) == expected else {
        throw damage("revision \(expected) is missing")
      }
      records.append(
        LogRecord(
          revision: expected,
          transaction: LogTransaction(id: try row.id(1), author: row.text(2), payload: payload),
          date: Date(timeIntervalSince1970: row.real(4))))
      return true
    }
    return records
  }

  func create(
    _ name: String, schema: Int, snapshot: Data
  ) throws(LogError) -> LogDocument {
    if let entry = try entry(name) { return entry.document }
    try execute(
      "INSERT INTO document (name, epoch, schema) VALUES (?, ?, ?)",
      [.text(name), .id(UUID()), .int(Int64(schema))])
    let entry = try existing(name)
    try keep(LogSnapshot(position: entry.document.position, payload: snapshot), of: entry)
    return entry.document
  }

  func append(
    _ transactions: [LogTransaction], to name: String, after base: LogPosition, schema: Int
  ) throws(LogError) -> LogAppend {
    let entry = try existing(name)
    guard entry.epoch == base.epoch else { return .restore }
    // Before all else: what was committed stays so, also if the schema was raised since. A compaction may have taken
    // all but the last one.
    if let revision = try place(of: transactions[transactions.count - 1].id, in: entry) {
      return .committed(revision)
    }
    // Before the schema: where records were compacted, these may have been committed all the same.
    guard try contains(base, of: entry) else { return .restore }
    guard entry.schema <= schema else {
      throw .schema(expected: schema, found: Int(entry.schema))
    }
    if base.revision < entry.revision {
      return .behind(try records(of: entry, after: base.revision, limit: LogLimits.records))
    }
    for transaction in transactions.dropLast() {
      guard try place(of: transaction.id, in: entry) == nil else {
        throw .partlyAppended(to: name)
      }
    }
    var revision = base.revision
    let now = Date().timeIntervalSince1970
    for transaction in transactions {
      revision += 1
      try execute(
        "INSERT INTO record (document, revision, id, author, edits, at) VALUES (?, ?, ?, ?, ?, ?)",
        [
          .int(entry.key), .int(revision), .id(transaction.id), .text(transaction.author),
          .blob(transaction.payload), .real(now),
        ])
    }
    try execute(
      "UPDATE document SET revision = ?, head = ? WHERE id = ?",
      [.int(revision), .id(transactions[transactions.count - 1].id), .int(entry.key)])
    return .committed(revision)
  }

  /// The revision of a transaction; nil if the log doesn't have it.
  private func place(of id: UUID, in entry: SQLiteEntry) throws(LogError) -> Int64? {
    var revision: Int64?
    try execute(
      "SELECT revision FROM record WHERE document = ? AND id = ?", [.int(entry.key), .id(id)]
    ) { row throws(LogError) in revision = row.int(0) }
    return revision
  }

  func read(
    _ name: String, after position: LogPosition, limit: Int
  ) throws(LogError) -> LogRead {
    let entry = try existing(name)
    guard try contains(position, of: entry) else { return .restore }
    let records =
      position.revision == entry.revision
      ? [] : try records(of: entry, after: position.revision, limit: limit)
    return .records(records, head: entry.revision, schema: Int(entry.schema))
  }

  func snapshot(of name: String) throws(LogError) -> LogSnapshot? {
    guard let entry = try entry(name) else { return nil }
    var snapshot: LogSnapshot?
    try execute(
      """
      SELECT revision, id, state FROM snapshot WHERE document = ? ORDER BY revision DESC LIMIT 1
      """, [.int(entry.key)]
    ) { row throws(LogError) in
      snapshot = LogSnapshot(
        position: LogPosition(
          epoch: entry.epoch, revision: row.int(0), transaction: try row.optionalID(1)),
        payload: row.blob(2))
    }
    return snapshot
  }

  func save(_ snapshot: LogSnapshot, of name: String) throws(LogError) {
    let entry = try existing(name)
    if try contains(snapshot.position, of: entry) { try keep(snapshot, of: entry) }
  }

  private func keep(_ snapshot: LogSnapshot, of entry: SQLiteEntry) throws(LogError) {
    try execute(
      "INSERT OR IGNORE INTO snapshot (document, revision, id, state, at) VALUES (?, ?, ?, ?, ?)",
      [
        .int(entry.key), .int(snapshot.position.revision), .id(snapshot.position.transaction),
        .blob(snapshot.payload), .real(Date().timeIntervalSince1970),
      ])
  }

  func compact(
    _ name: String, keepingSnapshots count: Int, olderThan age: Duration
  ) throws(LogError) -> Int {
    let entry = try existing(name)
    var kept: Int64 = 0
    try execute(
      """
      SELECT min(revision) FROM (
        SELECT revision FROM snapshot WHERE document = ? ORDER BY revision DESC LIMIT ?)
      """, [.int(entry.key), .int(Int64(max(count, 1)))]
    ) { row throws(LogError) in kept = row.int(0) }
    try execute(
      "DELETE FROM snapshot WHERE document = ? AND revision < ?", [.int(entry.key), .int(kept)])
    // Up to the first young one, because a clock may have been set back in between.
    var oldest = kept
    try execute(
      "SELECT min(revision) - 1 FROM record WHERE document = ? AND revision <= ? AND at > ?",
      [.int(entry.key), .int(kept), .real(Date().timeIntervalSince1970 - age / .seconds(1))]
    ) { row throws(LogError) in if !row.isNull(0) { oldest = row.int(0) } }
    guard oldest > entry.oldest else { return 0 }
    try execute(
      "UPDATE document SET oldest = ?, oldest_id = ? WHERE id = ?",
      [.int(oldest), .id(try id(at: oldest, of: entry)), .int(entry.key)])
    try execute(
      "DELETE FROM record WHERE document = ? AND revision <= ?", [.int(entry.key), .int(oldest)])
    return changes
  }

  func upgrade(_ name: String, to schema: Int) throws(LogError) {
    let entry = try existing(name)
    guard schema > entry.schema else { return }
    try execute(
      "UPDATE document SET schema = ? WHERE id = ?", [.int(Int64(schema)), .int(entry.key)])
  }

  func delete(_ name: String) throws(LogError) {
    let entry = try existing(name)
    for table in ["record", "snapshot"] {
      try execute("DELETE FROM \(table) WHERE document = ?", [.int(entry.key)])
    }
    try execute("DELETE FROM document WHERE id = ?", [.int(entry.key)])
  }
}
