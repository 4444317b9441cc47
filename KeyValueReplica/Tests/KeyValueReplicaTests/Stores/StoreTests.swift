import Foundation
import KeyValueReplicaTestSupport
import Testing

@testable import KeyValueReplica

/// What holds of each store.
@Suite struct StoreTests {
  @Test(
    "S0 the tests run over PostgreSQL too",
    .enabled(
      if: PostgreSQLServer.isInstalled,
      "PostgreSQL isn't installed: the tests run over SQLite only. Debian: apt install postgresql"))
  func kinds() async throws {
    #expect(StoreKind.available == StoreKind.allCases)
    #expect(try await StoreKind.postgreSQL.place().store().document("d") == nil)
  }

  // MARK: Appending

  @Test(
    "S1 revisions are in commit order and without a gap, whatever the number of writers",
    arguments: StoreKind.available)
  func concurrentWriters(kind: StoreKind) async throws {
    let place = try await kind.place()
    let first = place.store()
    let start = try await first.make("d")
    let appended = try await withThrowingTaskGroup(of: [LogTransaction].self) { group in
      for author in ["Ada", "Bob", "Cyd", "Dan"] {
        group.addTask {
          let store = place.store()
          defer { store.close() }
          var writer = TestWriter(store: store, document: "d", position: start)
          var written: [LogTransaction] = []
          for number in 1...25 {
            // One, two or three at once.
            let batch = (0...number % 3).map { LogTransaction("\(number).\($0)", by: author) }
            try await writer.append(batch)
            written += batch
          }
          return written
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let records = try await first.all(of: "d", after: start)
    #expect(records.count == 4 * 50)
    #expect(records.map(\.revision) == Array(1...200))
    for transactions in appended {
      let author = transactions[0].author
      #expect(records.map(\.transaction).filter { $0.author == author } == transactions)
    }
    let document = try await first.document("d")
    #expect(
      document
        == LogDocument(
          position: LogPosition(
            epoch: start.epoch, revision: 200, transaction: records[199].transaction.id),
          schema: 1, oldest: 0))
    first.close()
  }

  @Test(
    "S2 several transactions get consecutive revisions, and no others come between",
    arguments: StoreKind.available)
  func batches(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d")
    let transactions = (1...1000).map { LogTransaction("\($0)") }
    let outcome = try await store.append(transactions, to: "d", after: start, schema: 1)
    #expect(outcome == .committed(1000))
    let records = try await store.all(of: "d", after: start)
    #expect(records.map(\.transaction) == transactions)
    #expect(records.map(\.revision) == Array(1...1000))
    store.close()
  }

  @Test(
    "S2 of several transactions all are appended or none is", arguments: StoreKind.available)
  func allOrNone(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d")
    let twice = LogTransaction("twice")
    let thrown = try await error {
      _ = try await store.append(
        [LogTransaction("one"), twice, twice], to: "d", after: start, schema: 1)
    }
    guard case .refused = thrown else { throw Unexpected("\(thrown as Any)") }
    #expect(try await store.lines(of: "d") == [])
    #expect(try await store.document("d")?.position == start)
    store.close()
  }

  @Test(
    "S3 transactions that are appended again from the same base are found, and not appended twice",
    arguments: StoreKind.available)
  func appendedAgain(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d")
    let transactions = [LogTransaction("one"), LogTransaction("two")]
    #expect(
      try await store.append(transactions, to: "d", after: start, schema: 1) == .committed(2))
    // At once, by another store, and after others came.
    let other = place.store()
    #expect(
      try await other.append(transactions, to: "d", after: start, schema: 1) == .committed(2))
    let head = LogPosition(
      epoch: start.epoch, revision: 2, transaction: transactions[1].id)
    try await store.add("three", to: "d", after: head)
    #expect(
      try await other.append(transactions, to: "d", after: start, schema: 1) == .committed(2))
    // They're committed, whatever the document's schema is now.
    try await store.upgrade("d", to: 2)
    #expect(
      try await other.append(transactions, to: "d", after: start, schema: 1) == .committed(2))
    #expect(try await store.lines(of: "d") == ["1 Ada: one", "2 Ada: two", "3 Ada: three"])
    store.close()
    other.close()
  }

  @Test(
    "S3 a transaction isn't appended twice from another base either",
    arguments: StoreKind.available)
  func appendedAgainElsewhere(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d")
    let one = LogTransaction("one")
    var head = try await store.add([one], to: "d", after: start)
    head = try await store.add("two", to: "d", after: head)
    #expect(try await store.append([one], to: "d", after: head, schema: 1) == .committed(1))
    #expect(try await store.lines(of: "d") == ["1 Ada: one", "2 Ada: two"])
    store.close()
  }

  @Test(
    "S3 transactions some of which are in the log already are refused, not torn apart",
    arguments: StoreKind.available)
  func partlyAppended(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d")
    let one = LogTransaction("one")
    let head = try await store.add([one], to: "d", after: start)
    let both = [one, LogTransaction("two")]
    // From the base before, the first one is among what came.
    let outcome = try await store.append(both, to: "d", after: start, schema: 1)
    guard case .behind(let records) = outcome else { throw Unexpected("\(outcome)") }
    #expect(records.map(\.transaction) == [one])
    let thrown = try await error {
      _ = try await store.append(both, to: "d", after: head, schema: 1)
    }
    #expect(
      thrown
        == .refused(
          code: "partly appended",
          message: "Some of the transactions are in d already, and others aren't. After an "
            + "unknown outcome append the same ones."))
    #expect(try await store.lines(of: "d") == ["1 Ada: one"])
    store.close()
  }

  @Test(
    "S3 transactions are found by the last one that is left, and have to restore once it's compacted",
    arguments: StoreKind.available)
  func appendedAgainCompacted(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d")
    let transactions = [LogTransaction("one"), LogTransaction("two")]
    let two = try await store.add(transactions, to: "d", after: start)
    let one = LogPosition(epoch: start.epoch, revision: 1, transaction: transactions[0].id)
    // Whatever the document's schema is now.
    try await store.upgrade("d", to: 2)
    let outcomes: [(LogPosition, LogAppend)] = [(one, .committed(2)), (two, .restore)]
    for (position, outcome) in outcomes {
      try await store.save(LogSnapshot(position: position, payload: Data()), of: "d")
      #expect(try await store.compact("d", keepingSnapshots: 1, olderThan: .seconds(-60)) == 1)
      #expect(
        try await store.append(transactions, to: "d", after: start, schema: 1) == outcome)
    }
    // A base that is known is refused for the schema.
    let thrown = try await error {
      _ = try await store.append([LogTransaction("three")], to: "d", after: two, schema: 1)
    }
    #expect(thrown == .schema(expected: 1, found: 2))
    store.close()
  }

  @Test(
    "S4 a base that others came after gets their records, in order and cut off at a limit",
    arguments: StoreKind.available)
  func behind(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d")
    let head = try await store.add("one", "two", "three", to: "d", after: start)
    let mine = LogTransaction("mine", by: "Bob")
    let second = LogPosition(
      epoch: start.epoch, revision: 2,
      transaction: try await store.all(of: "d", after: start)[1].transaction.id)
    for (base, lines) in [
      (start, ["1 Ada: one", "2 Ada: two", "3 Ada: three"]), (second, ["3 Ada: three"]),
    ] {
      let outcome = try await store.append([mine], to: "d", after: base, schema: 1)
      guard case .behind(let records) = outcome else { throw Unexpected("\(outcome)") }
      #expect(records.map(\.line) == lines)
    }
    let many = (0..<2000).map { LogTransaction("\($0)") }
    _ = try await store.add(many, to: "d", after: head)
    let outcome = try await store.append([mine], to: "d", after: start, schema: 1)
    guard case .behind(let records) = outcome else { throw Unexpected("\(outcome)") }
    #expect(records.map(\.revision) == Array(1...Int64(LogLimits.records)))
    store.close()
  }

  @Test(
    "S4 what's handed over at once is limited in bytes, and is at least one record",
    arguments: StoreKind.available)
  func bytesAtOnce(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    var position = try await store.make("d")
    let start = position
    let large = Data(repeating: 7, count: LogLimits.bytes / 4)
    for size in [4, 1, 1, 1, 1, 1, 5] {
      let payload = Data(repeating: 7, count: large.count * size)
      position = try await store.add(
        [LogTransaction(author: "Ada", payload: payload)], to: "d", after: position)
    }
    var pieces: [[Int64]] = []
    var reader = start
    while reader.revision < 7 {
      let read = try await store.records(of: "d", after: reader, limit: 100)
      guard case .records(let records, head: 7, schema: 1) = read else {
        throw Unexpected("\(read)")
      }
      let outcome = try await store.append(
        [LogTransaction("mine")], to: "d", after: reader, schema: 1)
      #expect(outcome == .behind(records))
      pieces.append(records.map(\.revision))
      reader.revision = records.last!.revision
      reader.transaction = records.last!.transaction.id
    }
    #expect(pieces == [[1], [2, 3, 4, 5], [6], [7]])
    store.close()
  }

  // MARK: Reading

  @Test(
    "S5 records are read from a position on, at most as many as wanted",
    arguments: StoreKind.available)
  func reading(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d")
    #expect(
      try await store.records(of: "d", after: start, limit: 10)
        == .records([], head: 0, schema: 1))
    let before = Date()
    try await store.add("one", "two", "three", to: "d", after: start)
    let read = try await store.records(of: "d", after: start, limit: 2)
    guard case .records(let records, head: 3, schema: 1) = read else { throw Unexpected("\(read)") }
    #expect(records.map(\.line) == ["1 Ada: one", "2 Ada: two"])
    for record in records {
      // The clock's digits are cut off in the file.
      #expect(record.date > before - 1 && record.date < Date() + 1)
    }
    #expect(
      try await store.records(of: "d", after: start, limit: 0)
        == .records([], head: 3, schema: 1))
    #expect(try await store.all(of: "d", after: start, limit: 1).count == 3)
    store.close()
  }

  @Test(
    "S5 a compacted position, one of another epoch and one of a rewritten history have to restore",
    arguments: StoreKind.available)
  func restoring(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    func expectRestore(
      _ position: LogPosition, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let read = try await store.records(of: "d", after: position, limit: 10)
      #expect(read == .restore, sourceLocation: sourceLocation)
      let outcome = try await store.append(
        [LogTransaction("mine")], to: "d", after: position, schema: 1)
      #expect(outcome == .restore, sourceLocation: sourceLocation)
    }
    let start = try await store.make("d")
    let one = try await store.add("one", to: "d", after: start)
    let two = try await store.add("two", to: "d", after: one)
    let three = try await store.add("three", to: "d", after: two)

    // A rewritten history: the newest is lost, and its revision given out again.
    try await place.rewind("d", to: 2)
    try await expectRestore(three)
    let other = try await store.add("other", to: "d", after: two)
    try await expectRestore(three)
    let four = try await store.add("four", to: "d", after: other)
    try await expectRestore(three)
    // Positions of before are fine.
    #expect(
      try await store.all(of: "d", after: two).map(\.line) == ["3 Ada: other", "4 Ada: four"])

    // A revision that isn't there yet, one without its transaction, and one of another epoch.
    try await expectRestore(LogPosition(epoch: start.epoch, revision: 5, transaction: UUID()))
    try await expectRestore(LogPosition(epoch: start.epoch, revision: 4, transaction: UUID()))
    try await expectRestore(LogPosition(epoch: start.epoch, revision: 4, transaction: nil))
    try await expectRestore(LogPosition(epoch: UUID(), revision: 4, transaction: four.transaction))

    // A compacted one: from its snapshot on all is there.
    try await store.save(LogSnapshot(position: other, payload: Data()), of: "d")
    try await place.age("d", 1...4, by: .seconds(100))
    try await store.compact("d", keepingSnapshots: 1, olderThan: .seconds(50))
    try await expectRestore(start)
    try await expectRestore(two)
    try await expectRestore(three)
    #expect(try await store.all(of: "d", after: other).map(\.line) == ["4 Ada: four"])
    #expect(try await store.lines(after: four, of: "d") == [])

    // Made again: the revisions start from 0, in another epoch.
    try await store.delete("d")
    let again = try await store.make("d")
    #expect(again.revision == 0 && again.epoch != start.epoch)
    try await expectRestore(start)
    try await expectRestore(four)
    store.close()
  }

  @Test("S5 a record that's missing is noticed", arguments: StoreKind.available)
  func gaps(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d")
    let one = try await store.add("one", to: "d", after: start)
    try await store.add("two", "three", to: "d", after: one)
    try await place.damage("d", 2)
    let thrown = try await error { _ = try await store.records(of: "d", after: start, limit: 9) }
    switch kind {
    case .sqlite:
      #expect(
        thrown
          == .refused(
            code: "SQLITE_CORRUPT",
            message: "\(place.name) is damaged (revision 2 is missing). Restore it from a backup."))
    case .postgreSQL:
      #expect(
        thrown
          == .refused(code: "XX001", message: "A revision of d after 0 is missing."))
    }
    store.close()
  }

  // MARK: Documents

  @Test(
    "S6 a document that several processes make at once is one", arguments: StoreKind.available)
  func creators(kind: StoreKind) async throws {
    let place = try await kind.place()
    let documents = try await withThrowingTaskGroup(of: LogDocument.self) { group in
      for number in 1...8 {
        group.addTask {
          let store = place.store()
          defer { store.close() }
          return try await store.create("d", schema: 1, snapshot: Data("\(number)".utf8))
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(documents.count == 8)
    #expect(Set(documents).count == 1)
    let store = place.store()
    #expect(try await store.document("d") == documents[0])
    #expect(documents[0].position.revision == 0 && documents[0].position.transaction == nil)
    #expect(try await place.kept(of: "d") == Kept(records: [], snapshots: [0]))
    let snapshot = try #require(try await store.snapshot(of: "d"))
    #expect(snapshot.position == documents[0].position)
    #expect((1...8).map { Data("\($0)".utf8) }.contains(snapshot.payload))
    store.close()
  }

  @Test("S6 the documents of a store are independent", arguments: StoreKind.available)
  func independence(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let names = ["a", "A", "ä", "with 'quotes\" and ; -- %s $1", "日本語 🦆", ""]
    var ends: [String: LogPosition] = [:]
    for (index, name) in names.enumerated() {
      #expect(try await store.document(name) == nil)
      let start = try await store.make(name, schema: index + 1)
      ends[name] = start
      for number in 0..<index {
        let outcome = try await store.append(
          [LogTransaction("\(number)", by: name)], to: name, after: ends[name]!,
          schema: index + 1)
        #expect(outcome == .committed(Int64(number + 1)))
        ends[name] = try await store.document(name)!.position
      }
    }
    try await store.delete("A")
    for (index, name) in names.enumerated() where name != "A" {
      #expect(try await store.document(name)?.position == ends[name])
      #expect(try await store.document(name)?.schema == index + 1)
      #expect(
        try await store.lines(of: name) == (0..<index).map { "\($0 + 1) \(name): \($0)" })
    }
    #expect(Set(ends.values.map(\.epoch)).count == names.count)
    store.close()
  }

  @Test(
    "S7 a document of a newer schema refuses a writer, and no schema is lowered",
    arguments: StoreKind.available)
  func schemas(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d", schema: 2)
    let thrown = try await error {
      _ = try await store.append([LogTransaction("old")], to: "d", after: start, schema: 1)
    }
    #expect(thrown == .schema(expected: 1, found: 2))
    // The same and a newer one may write; a newer one says so with `upgrade`.
    let one = LogTransaction("one")
    #expect(try await store.append([one], to: "d", after: start, schema: 2) == .committed(1))
    let head = LogPosition(epoch: start.epoch, revision: 1, transaction: one.id)
    #expect(
      try await store.append([LogTransaction("two")], to: "d", after: head, schema: 3)
        == .committed(2))
    #expect(try await store.document("d")?.schema == 2)
    try await store.upgrade("d", to: 3)
    #expect(try await store.document("d")?.schema == 3)
    try await store.upgrade("d", to: 2)
    #expect(try await store.document("d")?.schema == 3)
    // A reader of an old schema reads, and learns of the new one.
    guard
      case .records(let records, head: 2, schema: 3) = try await store.records(
        of: "d", after: start, limit: 10)
    else { throw Unexpected("no records") }
    #expect(records.map(\.line) == ["1 Ada: one", "2 Ada: two"])
    // An old writer that's behind too is told of the schema, not to rebase.
    let late = try await error {
      _ = try await store.append([LogTransaction("old")], to: "d", after: start, schema: 2)
    }
    #expect(late == .schema(expected: 2, found: 3))
    // To make it again changes nothing.
    #expect(try await store.create("d", schema: 9, snapshot: Data()).schema == 3)
    store.close()
  }

  @Test(
    "S8 the newest snapshot is handed out, and one of a revision kept",
    arguments: StoreKind.available)
  func snapshots(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    #expect(try await store.snapshot(of: "d") == nil)
    let start = try await store.create("d", schema: 1, snapshot: Data("zero".utf8)).position
    #expect(
      try await store.snapshot(of: "d") == LogSnapshot(position: start, payload: Data("zero".utf8)))
    let one = try await store.add("one", to: "d", after: start)
    let two = try await store.add("two", to: "d", after: one)
    let ofTwo = LogSnapshot(position: two, payload: Data("two".utf8))
    try await store.save(ofTwo, of: "d")
    #expect(try await store.snapshot(of: "d") == ofTwo)
    // A second one of the revision, an older one, ones of another history.
    try await store.save(LogSnapshot(position: two, payload: Data("again".utf8)), of: "d")
    try await store.save(LogSnapshot(position: one, payload: Data("one".utf8)), of: "d")
    for (epoch, revision, id) in [
      (UUID(), 2, two.transaction), (start.epoch, 3, UUID()), (start.epoch, 1, UUID()),
      (start.epoch, 2, nil),
    ] as [(UUID, Int64, UUID?)] {
      let position = LogPosition(epoch: epoch, revision: revision, transaction: id)
      try await store.save(LogSnapshot(position: position, payload: Data("no".utf8)), of: "d")
    }
    #expect(try await store.snapshot(of: "d") == ofTwo)
    #expect(try await place.kept(of: "d") == Kept(records: [1, 2], snapshots: [0, 1, 2]))
    store.close()
  }

  @Test(
    "S9 compacting keeps the newest snapshots, the records after them, and all young records",
    arguments: StoreKind.available)
  func compacting(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    var position = try await store.make("d")
    var passed: [LogPosition] = []
    for number in 1...10 {
      passed.append(position)
      position = try await store.add("\(number)", to: "d", after: position)
      if number.isMultiple(of: 2) {
        try await store.save(LogSnapshot(position: position, payload: Data()), of: "d")
      }
    }
    // All are young, and stay for ever.
    #expect(
      try await store.compact("d", keepingSnapshots: 3, olderThan: .seconds(Int64.max)) == 0)
    #expect(try await store.compact("d", keepingSnapshots: 3, olderThan: .seconds(60)) == 0)
    #expect(try await place.kept(of: "d") == Kept(records: Array(1...10), snapshots: [6, 8, 10]))
    #expect(try await store.document("d")?.oldest == 0)
    // The third is young, although those after it are old: a clock was set back.
    try await place.age("d", 1...2, by: .seconds(120))
    try await place.age("d", 4...9, by: .seconds(120))
    #expect(try await store.compact("d", keepingSnapshots: 3, olderThan: .seconds(60)) == 2)
    #expect(try await place.kept(of: "d") == Kept(records: Array(3...10), snapshots: [6, 8, 10]))
    #expect(try await store.document("d")?.oldest == 2)
    try await place.age("d", 3...3, by: .seconds(120))
    #expect(try await store.compact("d", keepingSnapshots: 2, olderThan: .seconds(60)) == 6)
    #expect(try await place.kept(of: "d") == Kept(records: [9, 10], snapshots: [8, 10]))
    #expect(try await store.compact("d", keepingSnapshots: 2, olderThan: .seconds(60)) == 0)
    // At least one stays; the document goes on.
    #expect(try await store.compact("d", keepingSnapshots: 0, olderThan: .seconds(-60)) == 2)
    // A snapshot that the compaction has passed comes too late.
    for late in passed {
      try await store.save(LogSnapshot(position: late, payload: Data()), of: "d")
    }
    #expect(try await place.kept(of: "d") == Kept(records: [], snapshots: [10]))
    #expect(
      try await store.document("d") == LogDocument(position: position, schema: 1, oldest: 10))
    #expect(try await store.snapshot(of: "d")?.position == position)
    #expect(
      try await store.records(of: "d", after: position, limit: 10)
        == .records([], head: 10, schema: 1))
    let end = try await store.add("11", to: "d", after: position)
    #expect(try await store.all(of: "d", after: position).map(\.line) == ["11 Ada: 11"])
    // The position of the newest deleted record is known by its transaction.
    var forged = position
    forged.transaction = UUID()
    #expect(try await store.records(of: "d", after: forged, limit: 10) == .restore)
    #expect(try await store.document("d")?.position == end)
    store.close()
  }

  @Test("S10 a document that isn't there is an error", arguments: StoreKind.available)
  func noDocument(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d")
    try await store.add("one", to: "d", after: start)
    #expect(try await store.records(of: "d", after: start, limit: 1) != .restore)
    try await store.delete("d")
    #expect(try await store.document("d") == nil)
    #expect(try await store.snapshot(of: "d") == nil)
    let position = LogPosition(epoch: UUID(), revision: 0)
    let calls: [@Sendable () async throws -> Void] = [
      {
        _ = try await store.append([LogTransaction("two")], to: "d", after: start, schema: 1)
      },
      { _ = try await store.records(of: "d", after: start, limit: 1) },
      {
        try await store.save(LogSnapshot(position: position, payload: Data()), of: "d")
      },
      {
        try await store.compact("d", keepingSnapshots: 1, olderThan: .zero)
      },
      { try await store.upgrade("d", to: 2) },
      { try await store.delete("d") },
      { _ = try await store.hints(of: "d") },
    ]
    for call in calls {
      #expect(try await error(call) == .noDocument("d"))
    }
    store.close()
  }

  // MARK: Hints

  @Test(
    "S11 each transaction that's committed after hints began is hinted at",
    arguments: StoreKind.available)
  func hints(kind: StoreKind) async throws {
    let place = try await kind.place()
    let (store, other) = (place.store(), place.store())
    var position = try await store.make("d")
    // A reader that reads only when it's hinted at, and begins while another store writes.
    for round in 1...20 {
      let base = position
      async let written = other.add("first \(round)", to: "d", after: base)
      let hints = try await store.hints(of: "d")
      var reader = base
      let read = try await store.all(of: "d", after: base)
      position = try await written
      let end = try await other.add("second \(round)", to: "d", after: position)
      var seen = read
      if let last = read.last {
        reader.revision = last.revision
        reader.transaction = last.transaction.id
      }
      for await _ in hints {
        let more = try await store.all(of: "d", after: reader)
        seen += more
        if let last = more.last {
          reader.revision = last.revision
          reader.transaction = last.transaction.id
        }
        if reader.revision == end.revision { break }
      }
      #expect(
        seen.map(\.transaction.text) == ["first \(round)", "second \(round)"])
      position = end
    }
    store.close()
    other.close()
  }

  @Test(
    "S11 a deletion and a raised schema are hinted at, too", arguments: StoreKind.available)
  func hintsOfOthers(kind: StoreKind) async throws {
    let place = try await kind.place()
    let (store, other) = (place.store(), place.store())
    let start = try await store.make("d")
    let hints = try await store.hints(of: "d")
    try await other.upgrade("d", to: 2)
    for await _ in hints {
      let read = try await store.records(of: "d", after: start, limit: 1)
      if read == .records([], head: 0, schema: 2) { break }
    }
    let more = try await store.hints(of: "d")
    try await other.delete("d")
    for await _ in more {
      if try await store.document("d") == nil { break }
    }
    store.close()
    other.close()
  }

  // MARK: Bytes

  @Test("S12 each byte of a payload is kept", arguments: StoreKind.available)
  func bytes(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let payloads = [
      Data(), Data([0]), Data("a\u{0}b".utf8), Data(#"{"a": "\u0000", "b": 1.0e400}"#.utf8),
      Data(0...255), Data([0xC3, 0x28, 0xFF]),
    ]
    let start = try await store.create("d", schema: 1, snapshot: payloads[2]).position
    let transactions = payloads.map { LogTransaction(author: "Ada 🦆 'x'", payload: $0) }
    let end = try await store.add(transactions, to: "d", after: start)
    #expect(try await store.all(of: "d", after: start).map(\.transaction) == transactions)
    #expect(try await store.snapshot(of: "d")?.payload == payloads[2])
    try await store.save(LogSnapshot(position: end, payload: payloads[5]), of: "d")
    #expect(try await store.snapshot(of: "d")?.payload == payloads[5])
    store.close()
  }

  @Test("S12 a payload of 20 MB is kept", arguments: StoreKind.available)
  func manyBytes(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d")
    // Each block is another one.
    let payload = (UInt8(0)..<20).reduce(into: Data()) { payload, number in
      payload.append(Data(repeating: number, count: 1 << 20))
    }
    let transaction = LogTransaction(author: "Ada", payload: payload)
    let end = try await store.add([transaction], to: "d", after: start)
    let records = try await store.all(of: "d", after: start)
    // Not as one expectation, which would print them.
    let isSame = records.map(\.transaction) == [transaction]
    #expect(isSame)
    try await store.save(LogSnapshot(position: end, payload: payload), of: "d")
    let isSnapshotSame = try await store.snapshot(of: "d")?.payload == payload
    #expect(isSnapshotSame)
    store.close()
  }

  // MARK: Closing

  @Test(
    "S13 a closed store refuses each call, and its hints end", arguments: StoreKind.available)
  func closing(kind: StoreKind) async throws {
    let place = try await kind.place()
    let store = place.store()
    let start = try await store.make("d")
    let hints = try await store.hints(of: "d")
    store.close()
    store.close()
    for await _ in hints {}
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await store.document("d") },
      {
        _ = try await store.append([LogTransaction("two")], to: "d", after: start, schema: 1)
      },
      { _ = try await store.hints(of: "d") },
    ]
    for call in calls {
      guard case .refused("closed", _) = try await error(call) else {
        Issue.record("not refused")
        continue
      }
    }
    // Others go on.
    let other = place.store()
    #expect(try await other.document("d")?.position == start)
    other.close()
  }

  @Test("S13 a store whose last reference goes ends its hints", arguments: StoreKind.available)
  func releasing(kind: StoreKind) async throws {
    let place = try await kind.place()
    var hints: AsyncStream<Int64?>
    do {
      let store = place.store()
      try await store.make("d")
      hints = try await store.hints(of: "d")
    }
    for await _ in hints {}
  }
}

extension LogStore {
  fileprivate func lines(after position: LogPosition, of document: String) async throws -> [String]
  {
    try await all(of: document, after: position).map(\.line)
  }
}
