import Foundation

/// A file with the own transactions that aren't acknowledged, so that they survive the process.
///
/// Each process has a file of its own, whose number it locks. Files whose numbers are free were left by processes
/// that ended; the process that opens the document next sends what is in them.
final class QueueFile: @unchecked Sendable {
  /// What a process has left.
  struct Left {
    /// The position that the transactions were made on.
    let base: LogPosition
    /// The schema of the program that made them, if it's known.
    let schema: Int?
    let transactions: [LogTransaction]
    /// So many of the first ones have been sent; whether they're committed isn't known.
    let sentCount: Int

    /// Whether an older program may have made the transactions, so that they may have keys that are gone.
    func isOlder(than newer: Int) -> Bool { schema.map { $0 < newer } ?? true }
  }

  private struct Line: Codable {
    /// The position that the transactions of this line and after it were made on.
    var base: LogPosition?
    /// The schema of the program that made them.
    var schema: Int?
    var transaction: LogTransaction?
    /// So many of the first transactions are acknowledged.
    var acknowledged: Int?
    /// So many of the first transactions are sent now.
    var sent: Int?

    /// Whether it can follow lines that leave a number of transactions.
    func fits(after count: Int) -> Bool {
      if base == nil, transaction == nil, acknowledged == nil, sent == nil { return false }
      return (0...count).contains(acknowledged ?? 0) && (sent ?? 0) >= 0
    }
  }

  /// A number that this process has locked, until it's released.
  private final class Place {
    private let lock: Int32
    let path: String

    init(lock: Int32, path: String) {
      self.lock = lock
      self.path = path
    }

    deinit { close(lock) }
  }

  private let path: String
  private let schema: Int
  /// The lock of this file; nil once the file has been left.
  private var own: Place?
  private var others: [Place] = []
  private var handle: FileHandle?
  private var count = 0
  /// So many of the first transactions have been sent, without an answer.
  private var sentCount = 0
  /// How many acknowledged transactions and notes of sending the file has; the queue needs none of them.
  private var spentCount = 0
  private(set) var isLeft = false
  /// Whether the file isn't what the queue is, so that it's written anew.
  private var isStale = true
  private var left: [Left] = []
  /// Files with transactions that this program can't read; they stay for a newer one.
  private(set) var unread: [(path: String, error: any Error)] = []
  /// Changes with what the file has, and with what it should have.
  private(set) var version = 0

  /// - Parameters:
  ///   - folder: Where the files are; it's made if there is none.
  ///   - document: The document's name.
  ///   - epoch: The document's history. Files of another one, of a document of the same name elsewhere, stay.
  ///   - schema: The program's.
  ///   - read: Throws if the program can't read a transaction's payload.
  /// - Throws: `KeyValueReplicaError.refused`, also if a file of the document's is damaged; it stays as it is.
  init(
    in folder: String, for document: String, epoch: UUID, schema: Int = 1,
    reading read: (Data) throws -> Void = { _ in }
  ) throws {
    // Without it, the first file's lock can't be opened, which says why.
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let name = document.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? document
    var own: Place?
    var number = 0
    while true {
      let path = "\(folder)/\(name)-\(number).queue"
      // A lock's file stays, so the first number without one is the end.
      let wasUsed = [path, path + ".lock"].contains { FileManager.default.fileExists(atPath: $0) }
      number += 1
      if !wasUsed, own != nil { break }
      guard let place = try Self.lock(path) else { continue }
      // The process that had the lock until now may have made the file, or removed it.
      let isThere = FileManager.default.fileExists(atPath: path)
      if !isThere, own != nil { continue }
      let left = isThere ? try Self.read(path, epoch) : nil
      if let left, left.base.epoch != epoch { continue }
      do {
        for transaction in left?.transactions ?? [] { try read(transaction.payload) }
      } catch {
        self.unread.append((path: path, error: error))
        continue
      }
      if let left, !left.transactions.isEmpty { self.left.append(left) }
      if own == nil { own = place } else { others.append(place) }
    }
    path = own!.path
    self.own = own
    self.schema = schema
  }

  /// Leaves the file to the next process, and to other replicas of this one; nothing is written to it any more.
  func leave() {
    if isLeft { return }
    isLeft = true
    // What is being encoded isn't written.
    version += 1
    (own, others, handle) = (nil, [], nil)
  }

  /// Locks a number; nil if another process has it.
  private static func lock(_ path: String) throws -> Place? {
    let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw problem("opened", path) }
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      // Where files can't be locked, no other number can be either.
      let failure = errno == EWOULDBLOCK ? nil : problem("locked", path)
      close(lock)
      if let failure { throw failure }
      return nil
    }
    return Place(lock: lock, path: path)
  }

  private static func read(_ path: String, _ epoch: UUID) throws -> Left? {
    let data = try Data(contentsOf: URL(filePath: path))
    let decoder = JSONDecoder()
    var base: LogPosition?
    var schema: Int?
    var transactions: [LogTransaction] = []
    var sentCount = 0
    let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, text) in lines.enumerated() {
      guard let line = try? decoder.decode(Line.self, from: text),
        line.fits(after: transactions.count)
      else {
        // The process may have ended while it wrote the last line, whose transaction wasn't sent yet.
        if index == lines.count - 1 { break }
        // Another document's file stays as it is.
        if let base, base.epoch != epoch { break }
        // Without the line, the counts of those after it would be of other transactions.
        throw KeyValueReplicaError.refused(
          code: "queue",
          message: "Line \(index + 1) of the queue's file \(path) is damaged. The file can have "
            + "changes that weren't sent: move it to another folder to open the document without them."
        )
      }
      if let position = line.base { base = position }
      if let number = line.schema { schema = number }
      if let count = line.acknowledged {
        transactions.removeFirst(count)
        sentCount = 0
      }
      if let transaction = line.transaction { transactions.append(transaction) }
      if let count = line.sent { sentCount = count }
    }
    return base.map {
      Left(base: $0, schema: schema, transactions: transactions, sentCount: sentCount)
    }
  }

  /// The transactions have been changed, or some are gone: all are written again.
  func makeStale() {
    (sentCount, isStale) = (0, true)
    version += 1
  }

  /// The number of the first transactions that needn't be written.
  var keptCount: Int { isStale || isLong ? 0 : count }

  /// Whether most of the file isn't needed any more, so that it's written anew.
  private var isLong: Bool { spentCount > max(1_000, count) }

  /// Writes the transactions after those that have been written.
  func keep(_ transactions: [LogTransaction], at base: LogPosition) throws {
    if isLeft { return }
    version += 1
    var data = Data()
    try add(Line(base: base, schema: schema), to: &data)
    for transaction in transactions { try add(Line(transaction: transaction), to: &data) }
    if isStale || isLong {
      if sentCount > 0 { try add(Line(sent: sentCount), to: &data) }
      handle = try Self.replace(path, by: data)
      (count, spentCount, isStale) = (transactions.count, 0, false)
      forgetOthers()
    } else {
      try append(data)
      count += transactions.count
    }
  }

  /// Writes a file anew, whole or not at all, that only its user can read.
  ///
  /// - Returns: The file, at its end.
  private static func replace(_ path: String, by data: Data) throws -> FileHandle {
    let part = path + ".part"
    // A process that ended while it wrote may have left it.
    unlink(part)
    let descriptor = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw problem("written", path) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try file.write(contentsOf: data)
      // What the present file has may be on the disk already.
      if access(path, F_OK) == 0 { try file.synchronize() }
      guard rename(part, path) == 0 else { throw problem("written", path) }
    } catch {
      unlink(part)
      throw error
    }
    return file
  }

  /// The error of the last system call.
  private static func problem(_ action: String, _ path: String) -> KeyValueReplicaError {
    let number = errno
    let advice =
      switch number {
      case EACCES, EPERM: " Give the user the permission to write it and its folder."
      case ENOENT: " Make its folder."
      case ENOLCK, ENOSYS: " Name a folder in `options.queueFolder` whose files can be locked."
      default: ""
      }
    return .refused(
      code: "queue",
      message: "The queue's file \(path) can't be \(action): \(String(cString: strerror(number)))."
        + advice)
  }

  private func append(_ data: Data) throws {
    do {
      try handle?.write(contentsOf: data)
    } catch {
      // Part of it may be there.
      isStale = true
      throw error
    }
  }

  private func add(_ line: Line, to data: inout Data) throws {
    data += try JSONEncoder().encode(line)
    data.append(UInt8(ascii: "\n"))
  }

  /// The first transactions are sent now: if the process ends, whether they're committed isn't known.
  ///
  /// None are, 0, once the store has said that it hasn't committed them.
  func send(_ number: Int) throws {
    if number == sentCount { return }
    sentCount = number
    version += 1
    if isStale { return }
    spentCount += 1
    var data = Data()
    try add(Line(sent: number), to: &data)
    try append(data)
  }

  /// The first transactions are committed.
  ///
  /// - Parameters:
  ///   - number: How many.
  ///   - base: The position after them.
  ///   - isAll: Whether there are no more in the queue.
  func acknowledge(_ number: Int, at base: LogPosition, isAll: Bool) {
    version += 1
    sentCount = 0
    if isAll { return empty() }
    // The others aren't in this file, so they stay in those that were left.
    if isStale { return }
    count -= number
    spentCount += number
    if count <= 0 { return empty() }
    var data = Data()
    if (try? add(Line(base: base, acknowledged: number), to: &data)) != nil { try? append(data) }
  }

  /// There's nothing in the queue.
  func empty() {
    if isLeft { return }
    (count, sentCount, isStale, handle) = (0, 0, true, nil)
    version += 1
    try? FileManager.default.removeItem(atPath: path)
    forgetOthers()
  }

  /// What was left in other files is in this one, or acknowledged.
  private func forgetOthers() {
    for other in others { try? FileManager.default.removeItem(atPath: other.path) }
    others = []
  }

  /// What was left; it stays in the files until the queue is written, which it's taken into.
  func takeLeft() -> [Left] {
    defer { left = [] }
    return left
  }
}
