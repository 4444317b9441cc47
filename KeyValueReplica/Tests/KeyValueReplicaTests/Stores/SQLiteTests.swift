import CSQLite
import Foundation
import KeyValueReplicaTestSupport
import Testing

@testable import KeyValueReplica

/// What holds of the file.
@Suite struct SQLiteTests {
  private func store(
    _ place: SQLitePlace, durability: SQLiteLogStore.Durability = .process,
    patience: Duration = .seconds(10)
  ) -> SQLiteLogStore {
    SQLiteLogStore(path: place.path, durability: durability, patience: patience)
  }

  /// What a store of the path says to its first call.
  private func refusal(_ path: String) async throws -> LogError? {
    let store = SQLiteLogStore(path: path)
    defer { store.close() }
    return try await error { _ = try await store.create("d", schema: 1, snapshot: Data()) }
  }

  // MARK: Opening

  @Test("SL1 the first call makes the file, not the store's initializer")
  func opening() async throws {
    let place = try SQLitePlace()
    let store = store(place)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder) == [])
    #expect(try await store.document("d") == nil)
    #expect(FileManager.default.fileExists(atPath: place.path))
    store.close()
  }

  @Test("SL1 a file that isn't a database is refused and left as it is")
  func noDatabase() async throws {
    let place = try SQLitePlace()
    let text = Data(String(repeating: "Dear Ada. ", count: 1000).utf8)
    try text.write(to: URL(fileURLWithPath: place.path))
    #expect(
      try await refusal(place.path)
        == .refused(
          code: "SQLITE_NOTADB",
          message: "\(place.path) isn't a SQLite database. Name another file."))
    #expect(FileManager.default.contents(atPath: place.path) == text)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder) == ["log.kvo"])
  }

  @Test("SL1 another program's database is refused and left as it is")
  func foreignDatabase() async throws {
    let place = try SQLitePlace()
    let store = store(place)
    try await store.make("d")
    store.close()
    let refused = LogError.refused(
      code: "application_id",
      message: "\(place.path) is a SQLite database of another program. Give the documents a file "
        + "of their own.")
    try await waitUntilClosed(place)
    // Of a program that sets an id, and of one that sets none.
    for id in [7, 0] {
      let pragmas =
        "PRAGMA journal_mode = DELETE; PRAGMA user_version = 0; PRAGMA application_id = \(id)"
      // The connection that deletes the log lets go of the file only then.
      try await wait { SQLiteTests.sqlite(place.path, pragmas) }
      let before = FileManager.default.contents(atPath: place.path)
      #expect(try await refusal(place.path) == refused)
      #expect(FileManager.default.contents(atPath: place.path) == before)
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder) == ["log.kvo"])
    }
  }

  @Test("SL1 a file of a newer format is refused")
  func newerFormat() async throws {
    let place = try SQLitePlace()
    let store = store(place)
    try await store.make("d")
    store.close()
    try place.file().execute("PRAGMA user_version = 2")
    #expect(
      try await refusal(place.path)
        == .refused(
          code: "user_version",
          message: "\(place.path) has format 2, and this program knows format 1. Update the "
            + "program."))
  }

  @Test("SL1 a path where there can't be a file is refused")
  func noPlace() async throws {
    let place = try SQLitePlace()
    #expect(
      try await refusal(place.folder + "/missing/log.kvo")
        == .refused(
          code: "SQLITE_CANTOPEN",
          message: "\(place.folder)/missing/log.kvo can't be opened, because its folder doesn't "
            + "exist. Make the folder."))
    #expect(
      try await refusal(place.folder)
        == .refused(
          code: "SQLITE_CANTOPEN", message: "\(place.folder) is a folder. Name a file in it."))
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder) == [])
  }

  @Test("SL1 a path that names no file is refused", arguments: ["", ":memory:"])
  func noFile(path: String) async throws {
    #expect(
      try await refusal(path)
        == .refused(
          code: "path",
          message: "The path \"\(path)\" names no file. Give the store a file's path."))
  }

  @Test(
    "SL1 a file that may only be read is refused",
    .enabled(
      if: WriterProcess.startsAsNobody,
      "The writer doesn't start as nobody: the clone or the toolchain is closed to others."))
  func readOnly() async throws {
    let place = try SQLitePlace()
    let store = store(place)
    let start = try await store.make("d")
    store.close()
    try await waitUntilClosed(place)
    chmod(place.folder, 0o755)
    chmod(place.path, 0o444)
    // By a process that isn't root's.
    let lines = try await WriterProcess.output(
      ["\(place.path)", "d", "Ada", "1"], asNobody: true)
    #expect(
      lines == [
        "error refused(code: \"SQLITE_READONLY\", message: \"\(place.path) can\\'t be written. Give "
          + "the user the permission to write it and its folder.\")"
      ])
    #expect(try await self.store(place).document("d")?.position == start)
  }

  @Test("SL1 a store whose file is replaced goes on with the new one")
  func replaced() async throws {
    let place = try SQLitePlace()
    let store = store(place)
    let start = try await store.make("d")
    try await store.add("one", to: "d", after: start)
    for name in ["log.kvo", "log.kvo-wal", "log.kvo-shm"] {
      try FileManager.default.removeItem(atPath: "\(place.folder)/\(name)")
    }
    #expect(try await store.document("d") == nil)
    let append = try await error {
      _ = try await store.append([LogTransaction("two")], to: "d", after: start, schema: 1)
    }
    #expect(append == .noDocument("d"))
    let again = try await store.make("d")
    #expect(again.epoch != start.epoch)
    try await store.add("new", to: "d", after: again)
    let other = self.store(place)
    #expect(try await other.lines(of: "d") == ["1 Ada: new"])
    store.close()
    other.close()
  }

  @Test("SL5 a file in another one's place is told from it, however often")
  func versions() async throws {
    let place = try SQLitePlace()
    let connection = SQLiteConnection(
      path: place.path, durability: .process, patience: .seconds(10))
    var versions: Set<SQLiteVersion> = []
    for _ in 0..<10 {
      versions.insert(try await connection.version())
      for name in ["log.kvo", "log.kvo-wal", "log.kvo-shm"] {
        try? FileManager.default.removeItem(atPath: "\(place.folder)/\(name)")
      }
    }
    #expect(versions.count == 10)
    await connection.end()
  }

  @Test("SL1 processes that open a new file at once all get on")
  func openedAtOnce() async throws {
    for _ in 1...10 {
      let place = try SQLitePlace()
      try await withThrowingTaskGroup { group in
        for number in 1...8 {
          group.addTask {
            let store = place.store()
            try await store.make("\(number)")
            store.close()
          }
        }
        try await group.waitForAll()
      }
      let store = place.store()
      for number in 1...8 { #expect(try await store.document("\(number)") != nil) }
      store.close()
    }
  }

  // MARK: Durability and room

  @Test("SL2 a commit waits for the disk, unless the durability says otherwise")
  func durability() async throws {
    func level(_ durability: SQLiteLogStore.Durability) async throws -> [Int64] {
      let place = try SQLitePlace()
      let store = store(place, durability: durability)
      let levels = try await store.writer.read { file throws(LogError) in
        var levels: [Int64] = []
        for name in ["synchronous", "fullfsync", "checkpoint_fullfsync"] {
          try file.execute("PRAGMA \(name)") { row throws(LogError) in levels.append(row.int(0)) }
        }
        try file.execute("PRAGMA journal_mode") { row throws(LogError) in
          levels.append(row.text(0) == "wal" ? 1 : 0)
        }
        return levels
      }
      store.close()
      return levels
    }
    // FULL is 2, NORMAL 1.
    #expect(try await level(.full) == [2, 1, 1, 1])
    #expect(try await level(.process) == [1, 0, 0, 1])
  }

  @Test("SL3 without room nothing is appended, and with room the same is")
  func noRoom() async throws {
    let place = try SQLitePlace()
    let store = store(place)
    var position = try await store.make("d")
    try await store.writer.read { file throws(LogError) in
      try file.execute("PRAGMA max_page_count = 40")
    }
    func batch() -> [LogTransaction] {
      (1...3).map { LogTransaction(String(repeating: "\($0)", count: 3000)) }
    }
    var refused: ([LogTransaction], LogError)?
    while refused == nil {
      let batch = batch()
      let thrown = try await error {
        position = try await store.add(batch, to: "d", after: position)
      }
      if let thrown { refused = (batch, thrown) }
      guard position.revision < 100 else { throw Unexpected("It found room.") }
    }
    #expect(
      refused?.1
        == .refused(
          code: "SQLITE_FULL",
          message: "\(place.path) can't grow, because the disk is full. Make room on it."))
    #expect(position.revision > 0)
    #expect(try await store.document("d")?.position == position)
    #expect(try await store.lines(of: "d").count == Int(position.revision))
    try await store.writer.read { file throws(LogError) in
      try file.execute("PRAGMA max_page_count = 400")
    }
    let end = try await store.add(refused!.0, to: "d", after: position)
    #expect(try await store.document("d")?.position == end)
    store.close()
  }

  @Test(
    "SL3 on a full disk nothing is appended, and with room the same is",
    .enabled(if: SQLiteTests.canMount, "It needs root, to mount a disk that it can fill."))
  func fullDisk() async throws {
    let place = try SQLitePlace()
    let disk = place.folder + "/disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    #expect(SQLiteTests.run("mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk) == 0)
    defer { _ = SQLiteTests.run("umount", "-l", disk) }
    let path = disk + "/log.kvo"
    let store = SQLiteLogStore(path: path)
    var position = try await store.make("d")
    var refused: (LogTransaction, LogError)?
    while refused == nil {
      let transaction = LogTransaction(String(repeating: "x", count: 10_000))
      let thrown = try await error {
        position = try await store.add([transaction], to: "d", after: position)
      }
      if let thrown { refused = (transaction, thrown) }
      guard position.revision < 100 else { throw Unexpected("It found room.") }
    }
    #expect(
      refused?.1
        == .refused(
          code: "SQLITE_FULL",
          message: "\(path) can't grow, because the disk is full. Make room on it."))
    #expect(position.revision > 0)
    #expect(try await store.lines(of: "d").count == Int(position.revision))
    #expect(SQLiteTests.run("mount", "-o", "remount,size=4m", disk) == 0)
    let end = try await store.add([refused!.0], to: "d", after: position)
    #expect(try await store.document("d")?.position == end)
    store.close()
  }

  // MARK: Locks

  @Test("SL4 a lock that's kept too long is an error, after which the same call works")
  func locked() async throws {
    let place = try SQLitePlace()
    let store = store(place, patience: .milliseconds(50))
    let start = try await store.make("d")
    let one = LogTransaction("one")
    do {
      let other = try place.file()
      try other.execute("BEGIN IMMEDIATE")
      let thrown = try await error {
        _ = try await store.append([one], to: "d", after: start, schema: 1)
      }
      #expect(
        thrown
          == .unreachable("\(place.path) has been locked by another program for too long."))
      // Reading goes on.
      #expect(try await store.document("d")?.position == start)
      try other.execute("ROLLBACK")
    }
    #expect(try await store.append([one], to: "d", after: start, schema: 1) == .committed(1))
    store.close()
  }

  @Test("SL4 closing a store ends its wait for a lock")
  func closedWhileLocked() async throws {
    let place = try SQLitePlace()
    let store = store(place, patience: .seconds(600))
    let start = try await store.make("d")
    let other = try place.file()
    try other.execute("BEGIN IMMEDIATE")
    async let thrown = error {
      _ = try await store.append([LogTransaction("one")], to: "d", after: start, schema: 1)
    }
    // A read that's carried out meanwhile shows that it doesn't wait behind the write.
    #expect(try await store.document("d")?.position == start)
    store.close()
    #expect(
      try await thrown
        == .refused(code: "closed", message: "The store of \(place.path) was closed."))
    try other.execute("ROLLBACK")
    #expect(try await self.store(place).lines(of: "d") == [])
  }

  // MARK: The bell

  @Test("SL5 each call that changes what readers see rings the bell")
  func ringing() async throws {
    let place = try SQLitePlace()
    let store = store(place)
    let start = try await store.make("d")
    // Which makes the bell.
    let hints = try await store.hints(of: "d")
    let count = Counted()
    let queue = DispatchQueue(label: "bell")
    // It never looks by itself.
    let watch = SQLiteWatch(place.path + "-bell", on: queue, every: .seconds(3600)) { event in
      if event == .rung { count.add() }
    }
    let calls: [@Sendable () async throws -> Void] = [
      { try await store.add("one", to: "d", after: start) },
      { try await store.upgrade("d", to: 2) },
      { try await store.delete("d") },
    ]
    for call in calls {
      let before = count.value
      try await call()
      try await wait { count.value > before }
    }
    withExtendedLifetime((watch, hints)) {}
    store.close()
  }

  @Test("SL5 a commit of a process that was killed before it could ring is hinted at, too")
  func withoutBell() async throws {
    let place = try SQLitePlace()
    let store = store(place)
    let start = try await store.make("d")
    let hints = try await store.hints(of: "d")
    let one = LogTransaction("one")
    // A commit by a connection that has no bell.
    let outcome = try place.file().transaction("BEGIN IMMEDIATE") { file throws(LogError) in
      try file.append([one], to: "d", after: start, schema: 1)
    }
    #expect(outcome == .committed(1))
    for await _ in hints {
      if try await store.lines(of: "d") == ["1 Ada: one"] { break }
    }
    store.close()
  }

  @Test("SL5 a bell that was deleted is made again, with the database's permissions")
  func deletedBell() async throws {
    let place = try SQLitePlace()
    let (store, other) = (store(place), store(place))
    var position = try await store.make("d")
    chmod(place.path, 0o640)
    let hints = try await store.hints(of: "d")
    let bell = place.path + "-bell"
    for round in 1...3 {
      try FileManager.default.removeItem(atPath: bell)
      position = try await other.add("\(round)", to: "d", after: position)
      for await _ in hints {
        if try await store.document("d")?.position == position { break }
      }
      var status = stat()
      #expect(stat(bell, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o640)
    }
    store.close()
    other.close()
  }

  @Test("SL5 a quiet file gives no hints")
  func quiet() async throws {
    let place = try SQLitePlace()
    let store = store(place)
    let start = try await store.make("d")
    try await store.make("e")
    let hints = try await store.hints(of: "d")
    let count = Counted()
    let task = Task { for await _ in hints { count.add() } }
    // The look at the database twice a second finds nothing new: the next hint is the commit's.
    let clock = ContinuousClock.now
    try await wait { ContinuousClock.now - clock > .milliseconds(1200) }
    #expect(count.value == 0)
    try await store.add("one", to: "d", after: start)
    try await wait { count.value > 0 }
    store.close()
    await task.value
  }

  // MARK: Help

  /// Waits until the last connection is closed, which deletes the write-ahead log.
  private func waitUntilClosed(_ place: SQLitePlace) async throws {
    try await wait { try FileManager.default.contentsOfDirectory(atPath: place.folder).count == 1 }
  }

  static let canMount = geteuid() == 0 && run("unshare", "-m", "true") == 0

  static func run(_ arguments: String...) -> Int32 {
    (try? ChildProcess(arguments).waitHere()) ?? -1
  }

  /// Runs a statement on a file that the store refuses.
  static func sqlite(_ path: String, _ sql: String) -> Bool {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    return sqlite3_open(path, &handle) == SQLITE_OK
      && sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
  }
}
