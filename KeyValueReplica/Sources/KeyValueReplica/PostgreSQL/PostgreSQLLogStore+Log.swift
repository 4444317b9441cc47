import Foundation

// What a log does: its documents, records and snapshots.
extension PostgreSQLLogStore {
  // MARK: Documents

  /// The document's newest position and schema; nil if there's no such document.
  public func document(_ name: String) async throws(LogError) -> LogDocument? {
    guard try await isSetUp() else { return nil }
    return try await read(name)
  }

  private func read(_ name: String) async throws(LogError) -> LogDocument? {
    let rows: PostgreSQLRows
    do throws(LogError) {
      rows = try await query(
        .reading,
        """
        SELECT epoch, revision, head, schema, oldest FROM kvo.document WHERE name = $1
        """, of: name)
    } catch {
      if case .noDocument = error { return nil }
      throw error
    }
    guard rows.count > 0 else { return nil }
    return LogDocument(
      position: LogPosition(
        epoch: try rows.someID(0, 0), revision: rows.int(0, 1), transaction: rows.id(0, 2)),
      schema: Int(rows.int(0, 3)), oldest: rows.int(0, 4))
  }

  /// Makes a document with its first snapshot, at revision 0, unless there is one.
  public func create(
    _ name: String, schema: Int, snapshot: Data
  ) async throws(LogError) -> LogDocument {
    if try await !isSetUp() { try await migrate() }
    if let document = try await read(name) { return document }
    _ = try await query(
      .writing,
      """
      WITH d AS (
        INSERT INTO kvo.document (name, schema) VALUES ($1, $2)
        ON CONFLICT (name) DO NOTHING RETURNING id)
      INSERT INTO kvo.snapshot (document, revision, state) SELECT id, 0, $3 FROM d
      """, of: name, [.int(Int64(schema)), .bytes(snapshot)])
    guard let document = try await read(name) else {
      throw .unreachable("\(name) was deleted while it was made.")
    }
    return document
  }

  /// Raises the document's schema; never lowers it.
  public func upgrade(_ document: String, to schema: Int) async throws(LogError) {
    let rows = try await query(
      .writing,
      """
      WITH d AS (
        UPDATE kvo.document SET schema = $2 WHERE name = $1 AND schema < $2 RETURNING id)
      SELECT EXISTS (SELECT FROM kvo.document WHERE name = $1), EXISTS (SELECT FROM d)
      """, of: document, [.int(Int64(schema))])
    guard rows.bool(0, 0) else { throw .noDocument(document) }
    if rows.bool(0, 1) { await tell(document, "") }
  }

  /// Deletes a document with all its records and snapshots.
  public func delete(_ document: String) async throws(LogError) {
    let session = try ownSession()
    defer { session.close() }
    func run(
      _ sql: String, _ values: [PostgreSQLValue] = []
    ) async throws(PostgreSQLError) -> PostgreSQLRows {
      try await session.query(PostgreSQLStatement(sql: sql, values: values, isPrepared: false))
    }
    let count: Int
    do throws(PostgreSQLError) {
      _ = try await run("BEGIN")
      let found = try await run(
        "DELETE FROM kvo.document WHERE name = $1 RETURNING id", [.text(document)])
      count = found.count
      // A statement of its own sees the records of an append that the first one has waited for.
      if count > 0 {
        _ = try await run("DELETE FROM kvo.record WHERE document = $1", [.int(found.int(0, 0))])
      }
      _ = try await run("COMMIT")
    } catch {
      let told = error.logError(changes: false)
      throw told.isMissingTable ? .noDocument(document) : told
    }
    guard count > 0 else { throw .noDocument(document) }
    await tell(document, "")
  }

  // MARK: Records

  /// Appends transactions, all or none.
  public func append(
    _ transactions: [LogTransaction], to document: String, after base: LogPosition, schema: Int
  ) async throws(LogError) -> LogAppend {
    precondition(!transactions.isEmpty, "There are no transactions to append.")
    let rows = try await query(
      .writing, "SELECT * FROM kvo.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", of: document,
      [
        .id(base.epoch), .int(base.revision), .id(base.transaction), .int(Int64(schema)),
        .ids(transactions.map(\.id)), .texts(transactions.map(\.author)),
        .byteStrings(transactions.map(\.payload)), .int(Int64(LogLimits.records)),
        .int(Int64(LogLimits.bytes)),
      ], changes: true)
    switch rows.count > 0 ? rows.int(0, 0) : PostgreSQLSchema.Outcome.restore {
    case PostgreSQLSchema.Outcome.noDocument: throw .noDocument(document)
    case PostgreSQLSchema.Outcome.committed:
      let revision = rows.int(0, 1)
      notify(document, revision)
      return .committed(revision)
    case PostgreSQLSchema.Outcome.behind:
      // A compaction may have come between the function's statements.
      let records = try Self.records(rows, after: base, from: 1)
      return records.map { .behind($0) } ?? .restore
    case PostgreSQLSchema.Outcome.schema:
      throw .schema(expected: schema, found: Int(rows.int(0, 1)))
    case PostgreSQLSchema.Outcome.partlyAppended: throw .partlyAppended(to: document)
    default: return .restore
    }
  }

  /// The records after a position, in order and without a gap.
  public func records(
    of document: String, after position: LogPosition, limit: Int
  ) async throws(LogError) -> LogRead {
    let rows = try await query(
      .reading,
      """
      SELECT d.epoch = $4 AND \(PostgreSQLSchema.isKnown), d.revision, d.schema,
        r.revision, r.id, r.author, r.edits, r.at
      FROM kvo.document d LEFT JOIN LATERAL (
        SELECT s.* FROM (
          SELECT t.*, sum(octet_length(t.edits)) OVER (ORDER BY t.revision) AS bytes FROM (
            SELECT * FROM kvo.record WHERE document = d.id AND revision > $2
            ORDER BY revision LIMIT $5) t) s
        WHERE s.bytes <= $6 OR s.revision = $2 + 1) r ON true
      WHERE d.name = $1 ORDER BY r.revision
      """, of: document,
      [
        .int(position.revision), .id(position.transaction), .id(position.epoch),
        .int(Int64(min(max(limit, 0), 10 * LogLimits.records))), .int(Int64(LogLimits.bytes)),
      ])
    guard rows.count > 0 else { throw .noDocument(document) }
    guard rows.bool(0, 0) else { return .restore }
    let (head, schema) = (rows.int(0, 1), Int(rows.int(0, 2)))
    if rows.isNull(0, 3) { return .records([], head: head, schema: schema) }
    guard let records = try Self.records(rows, after: position, from: 3) else {
      // One statement sees one state, in which there is no gap.
      throw .refused(
        code: "XX001", message: "A revision of \(document) after \(position.revision) is missing.")
    }
    return .records(records, head: head, schema: schema)
  }

  /// The records of rows; nil if there's a gap.
  private static func records(
    _ rows: PostgreSQLRows, after position: LogPosition, from column: Int
  ) throws(LogError) -> [LogRecord]? {
    var records: [LogRecord] = []
    records.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      let revision = rows.int(row, column)
      guard revision == position.revision + Int64(row) + 1 else { return nil }
      records.append(
        LogRecord(
          revision: revision,
          transaction: LogTransaction(
            id: try rows.someID(row, column + 1), author: rows.text(row, column + 2),
            payload: rows.data(row, column + 3)),
          date: rows.date(row, column + 4)))
    }
    return records
  }

  // MARK: Snapshots

  /// The newest snapshot; nil if there's no such document.
  public func snapshot(of document: String) async throws(LogError) -> LogSnapshot? {
    let rows: PostgreSQLRows
    do throws(LogError) {
      rows = try await query(
        .reading,
        """
        SELECT d.epoch, s.revision, s.id, s.state
        FROM kvo.document d JOIN kvo.snapshot s ON s.document = d.id
        WHERE d.name = $1 ORDER BY s.revision DESC LIMIT 1
        """, of: document)
    } catch {
      if case .noDocument = error { return nil }
      throw error
    }
    guard rows.count > 0 else { return nil }
    return LogSnapshot(
      position: LogPosition(
        epoch: try rows.someID(0, 0), revision: rows.int(0, 1), transaction: rows.id(0, 2)),
      payload: rows.data(0, 3))
  }

  /// Keeps a snapshot, unless there's one of its revision.
  public func save(_ snapshot: LogSnapshot, of document: String) async throws(LogError) {
    let rows = try await query(
      .writing,
      """
      WITH d AS (SELECT * FROM kvo.document WHERE name = $1),
        s AS (
          INSERT INTO kvo.snapshot (document, revision, id, state)
          SELECT d.id, $2, $3, $5 FROM d WHERE d.epoch = $4 AND \(PostgreSQLSchema.isKnown)
          ON CONFLICT DO NOTHING)
      SELECT FROM d
      """, of: document,
      [
        .int(snapshot.position.revision), .id(snapshot.position.transaction),
        .id(snapshot.position.epoch), .bytes(snapshot.payload),
      ])
    guard rows.count > 0 else { throw .noDocument(document) }
  }

  /// Deletes the records up to the oldest of the `count` newest snapshots, and the snapshots
  /// before it.
  @discardableResult
  public func compact(
    _ document: String, keepingSnapshots count: Int, olderThan age: Duration
  ) async throws(LogError) -> Int {
    // A thousand years are for ever, and the server can take them from a date.
    let most = 1_000 * 366 * 86_400.0
    let microseconds = Int64(min(max(age / .seconds(1), -most), most) * 1_000_000)
    let rows = try await query(
      .writing, "SELECT kvo.compact($1, $2, $3 * interval '1 microsecond')", of: document,
      [.int(Int64(count)), .int(microseconds)])
    guard !rows.isNull(0, 0) else { throw .noDocument(document) }
    return Int(rows.int(0, 0))
  }
}

extension PostgreSQLRows {
  fileprivate func someID(_ row: Int, _ column: Int) throws(LogError) -> UUID {
    guard let id = id(row, column) else {
      throw .refused(code: "XX001", message: "An id in the schema kvo isn't a UUID.")
    }
    return id
  }
}
