import Foundation
import KeyValueObserving

/// A file with a graph's snapshot and the records of its changes since then.
///
/// The snapshot is the first line. A further line has the records that were appended together. Each line
/// has the checksum of its JSON:
///
///     snapshot 9c0f6bb2d2a4e1f7 {"objects":{…},"root":"…","schema":1}
///     records 51de0a37b9c2846e [{"edits":[…],"id":"…","isTransaction":false}]
///
/// An append is one write and one `fsync`, so when `append` returns, the records are on the disk. What a
/// crash leaves of an append is the last line, whose checksum is wrong; it's dropped, whole. A new snapshot
/// replaces the file by a rename: the new file is on the disk before, the folder after. So a crash leaves
/// the old file or the new one, which say the same.
///
/// Opening changes nothing. A file that can't be read is left as it is.
package final class RecordFile {
  package let path: String
  /// Where the lines end; after it is at most what a crash or a failed write has left.
  private var end: Int
  /// The file's size after this object's last write.
  private var size: Int
  private var snapshotEnd: Int
  private var file: OpenFile
  private let leastGrowth: Int

  private init(path: String, file: OpenFile, contents: Contents, leastGrowth: Int) {
    self.path = path
    self.file = file
    self.leastGrowth = leastGrowth
    (end, size, snapshotEnd) = (contents.end, contents.size, contents.snapshotEnd)
  }

  /// What a file says.
  package struct Contents {
    package fileprivate(set) var snapshot: KeyValueSnapshot
    /// Those since the snapshot.
    package fileprivate(set) var records: [KeyValueTransactionRecord] = []
    /// The number of bytes of a line that a crash has torn.
    package var tornByteCount: Int { size - end }
    fileprivate var snapshotEnd: Int
    fileprivate var end: Int
    fileprivate var size: Int

    /// The snapshot with all records.
    ///
    /// - Throws: `KeyValueLogError` if a record doesn't fit.
    package func latest() throws -> KeyValueSnapshot {
      var latest = snapshot
      for record in records { try latest.apply(record) }
      return latest
    }
  }

  // MARK: Opening and creating

  /// Opens a file that exists.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - schema: The newest version of the model that the program knows.
  ///   - leastGrowth: How many bytes of records there are at least before a snapshot replaces them.
  /// - Returns: The file, and what it says.
  /// - Throws: `LedgerFileError`.
  package static func open(
    _ path: String, schema: Int, leastGrowth: Int = 65_536
  ) throws -> (file: RecordFile, contents: Contents) {
    guard FileManager.default.fileExists(atPath: path) else { throw LedgerFileError.missing(path) }
    let file = try explaining(path) { try OpenFile(resolved(path), O_RDWR) }
    let data = try explaining(path) { try file.read() }
    let contents = try LineReader(path, data, schema: schema).contents()
    let opened = RecordFile(path: path, file: file, contents: contents, leastGrowth: leastGrowth)
    return (opened, contents)
  }

  /// Creates a file with a snapshot.
  ///
  /// - Throws: `LedgerFileError` if the file exists already or can't be created.
  package static func create(
    _ path: String, _ snapshot: KeyValueSnapshot, leastGrowth: Int = 65_536
  ) throws -> RecordFile {
    guard !FileManager.default.fileExists(atPath: path) else { throw LedgerFileError.exists(path) }
    let line = try line(.snapshot, snapshot)
    let file = try explaining(path) {
      let file = try OpenFile.replace(resolved(path), by: line, mode: nil)
      try OpenFile.synchronizeFolder(of: resolved(path))
      return file
    }
    let contents = Contents(
      snapshot: snapshot, snapshotEnd: line.count, end: line.count, size: line.count)
    return RecordFile(path: path, file: file, contents: contents, leastGrowth: leastGrowth)
  }

  // MARK: Writing

  /// Appends records, which are on the disk when this returns.
  ///
  /// - Throws: `LedgerFileError` if the file can't be written, or if another program has written it; then the
  ///   file says what it said.
  package func append(_ records: [KeyValueTransactionRecord]) throws {
    if records.isEmpty { return }
    let line = try Self.line(.records, records)
    try explaining(path) {
      try checkUnchanged()
      do {
        try file.truncate(end)
        try file.write(line, at: end)
        try file.synchronize()
      } catch {
        // What was written is after the end, and the next append cuts it off if this can't.
        try? file.truncate(end)
        size = (try? file.status().size) ?? size
        throw error
      }
    }
    end += line.count
    size = end
  }

  /// Whether the records have become longer than the snapshot.
  package var isDueForSnapshot: Bool { end - snapshotEnd > max(leastGrowth, snapshotEnd) }

  /// Replaces the snapshot and the records by a snapshot that says the same.
  ///
  /// - Throws: `LedgerFileError` if it can't be written; the file stays as it was.
  package func replaceAll(by snapshot: KeyValueSnapshot) throws {
    let line = try Self.line(.snapshot, snapshot)
    try explaining(path) {
      try checkUnchanged()
      file = try OpenFile.replace(resolved(path), by: line, mode: file.status().mode)
      (end, size, snapshotEnd) = (line.count, line.count, line.count)
      try OpenFile.synchronizeFolder(of: resolved(path))
    }
  }

  private func checkUnchanged() throws {
    let found = try? OpenFile.status(of: resolved(path))
    guard let found, found.isSameFile(as: try file.status()), found.size == size else {
      throw LedgerFileError.changed(path)
    }
  }

  private static func line(_ kind: LineKind, _ content: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = try encoder.encode(content)
    return Data("\(kind.rawValue) \(checksum(json)) ".utf8) + json + Data("\n".utf8)
  }
}

private enum LineKind: String {
  case snapshot, records
}

/// The FNV-1a hash, which finds what a crash has torn.
private func checksum(_ data: Data) -> String {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  data.withUnsafeBytes { bytes in
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }
  let digits = String(hash, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

private func resolved(_ path: String) -> String {
  URL(fileURLWithPath: path).resolvingSymlinksInPath().path
}

/// Reads a file's lines.
private struct LineReader {
  let path: String
  let data: Data
  let schema: Int

  init(_ path: String, _ data: Data, schema: Int) {
    self.path = path
    self.data = data
    self.schema = schema
  }

  func contents() throws -> RecordFile.Contents {
    guard data.starts(with: Data("\(LineKind.snapshot.rawValue) ".utf8)) else {
      let isDatabase = data.starts(with: Data("SQLite format 3\0".utf8))
      throw isDatabase ? LedgerFileError.isDatabase(path) : LedgerFileError.notALedger(path)
    }
    let first = data.firstIndex(of: newline) ?? data.endIndex
    guard first < data.endIndex, let start = json(.snapshot, data[..<first]) else {
      throw LedgerFileError.damaged(path, line: 1, of: lineCount)
    }
    var contents = RecordFile.Contents(
      snapshot: try snapshot(start), snapshotEnd: first + 1, end: first + 1, size: data.count)
    var number = 1
    while contents.end < data.endIndex {
      number += 1
      let next = data[contents.end...].firstIndex(of: newline)
      guard let next, let json = json(.records, data[contents.end..<next]) else {
        // An append that a crash has torn is the last line: it began when all before was on the disk.
        if next.map({ $0 + 1 < data.endIndex }) ?? false {
          throw LedgerFileError.damaged(path, line: number, of: lineCount)
        }
        break
      }
      contents.records += try decode([KeyValueTransactionRecord].self, json, line: number)
      contents.end = next + 1
    }
    return contents
  }

  private func snapshot(_ json: Data) throws -> KeyValueSnapshot {
    // First: a newer program may have written the rest in another way.
    struct Version: Decodable { let schema: Int }
    let found = try decode(Version.self, json, line: 1).schema
    guard found <= schema else {
      throw LedgerFileError.newer(path, schema: found, known: schema)
    }
    return try decode(KeyValueSnapshot.self, json, line: 1)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ json: Data, line: Int) throws -> Value
  {
    do {
      return try JSONDecoder().decode(type, from: json)
    } catch {
      throw LedgerFileError.unreadable(path, line: line, "\(error)")
    }
  }

  /// The JSON of a line; nil if the checksum isn't the JSON's.
  private func json(_ kind: LineKind, _ line: Data) -> Data? {
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard parts.count == 3, String(decoding: parts[0], as: UTF8.self) == kind.rawValue,
      String(decoding: parts[1], as: UTF8.self) == checksum(parts[2])
    else { return nil }
    return parts[2]
  }

  private var newline: UInt8 { UInt8(ascii: "\n") }

  private var lineCount: Int {
    data.count { $0 == newline } + (data.last == newline ? 0 : 1)
  }
}
