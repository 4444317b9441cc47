import Foundation

/// A file with the own transactions that aren't acknowledged, so that they survive the process.
///
/// Each process has a file of its own, which it locks. One that is found unlocked was left by a process that
/// ended; its transactions are sent by the process that finds it.
final class QueueFile: @unchecked Sendable {
  private struct Line: Codable {
    /// The lines before this one don't count any more.
    var reset: Bool?
    /// The position that the transactions after this line were made on.
    var base: LogPosition?
    var transaction: LogTransaction?
    /// So many of the first transactions are acknowledged.
    var acknowledged: Int?
  }

  private let handle: FileHandle
  private let path: String
  private var count = 0
  /// Whether the transactions have been changed since they were written.
  private var isStale = false
  /// What an earlier process has left: the base, and the transactions.
  private(set) var left: (base: LogPosition, transactions: [LogTransaction])?

  init(in folder: String, for document: String, store: any LogStore) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    let name = document.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? document
    for number in 0..<10_000 {
      let path = "\(folder)/\(name)-\(number).queue"
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw KeyValueReplicaError.refused(
          code: "\(errno)",
          message: "the queue's file \(path) can't be opened: \(String(cString: strerror(errno)))")
      }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        self.path = path
        left = try Self.read(handle)
        return
      }
      close(descriptor)
    }
    throw KeyValueReplicaError.refused(code: "", message: "\(folder) has too many queue files")
  }

  private static func read(
    _ handle: FileHandle
  ) throws -> (LogPosition, [LogTransaction])? {
    let data = try handle.readToEnd() ?? Data()
    let decoder = JSONDecoder()
    var base: LogPosition?
    var transactions: [LogTransaction] = []
    // A line that was torn by the end of the process, the last one, wasn't sent yet.
    for line in data.split(separator: UInt8(ascii: "\n")) {
      guard let line = try? decoder.decode(Line.self, from: line) else { break }
      if line.reset == true { transactions = [] }
      if let position = line.base { base = position }
      if let count = line.acknowledged { transactions.removeFirst(min(count, transactions.count)) }
      if let transaction = line.transaction { transactions.append(transaction) }
    }
    guard let base, !transactions.isEmpty else { return nil }
    return (base, transactions)
  }

  /// The transactions have been changed, or some are gone: all are written again.
  func makeStale() { isStale = true }

  /// The number of the first transactions that needn't be written.
  var keptCount: Int { isStale ? 0 : count }

  /// Writes the transactions after those that have been written.
  func keep(_ transactions: [LogTransaction], at base: LogPosition) throws {
    var data = Data()
    try add(Line(reset: isStale ? true : nil, base: base), to: &data)
    for transaction in transactions { try add(Line(transaction: transaction), to: &data) }
    try handle.seekToEnd()
    try handle.write(contentsOf: data)
    count = (isStale ? 0 : count) + transactions.count
    isStale = false
  }

  private func add(_ line: Line, to data: inout Data) throws {
    data += try JSONEncoder().encode(line)
    data.append(UInt8(ascii: "\n"))
  }

  func acknowledge(_ number: Int, at base: LogPosition) {
    count -= number
    if count <= 0 { return empty() }
    if isStale { return }
    var data = Data()
    guard (try? add(Line(base: base, acknowledged: number), to: &data)) != nil else { return }
    try? handle.write(contentsOf: data)
  }

  private func empty() {
    count = 0
    isStale = false
    try? handle.truncate(atOffset: 0)
  }

  /// What was left; it stays in the file until the queue is written, which it's taken into.
  func takeLeft() -> (base: LogPosition, transactions: [LogTransaction])? {
    defer { left = nil }
    isStale = true
    return left
  }
}
