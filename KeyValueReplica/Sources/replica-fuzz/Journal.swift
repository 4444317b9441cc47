import Foundation

/// One line of what a participant writes down, at once, so that it survives the process.
enum JournalLine: Equatable {
  /// The store has acknowledged a transaction.
  case acknowledged(UUID)
  /// A transaction that nothing keeps from being committed has been sent.
  case sent(UUID)
  /// A transaction was taken back because of a conflict.
  case rejected(UUID)
  /// Everything was acknowledged: the graph at the revision.
  case state(revision: Int64, Digest)
  /// Observers begin to be notified, of a graph at the revision.
  case opened(Int64)
  /// An observer was notified.
  case told(String)
  /// The notifications before were those of the revision.
  case revision(Int64)
  /// A snapshot has taken the graph to the revision; the notifications before were of the difference.
  case restored(Int64)
  /// The participant has done something to itself.
  case fault(String)
  /// The participant has found a difference.
  case violation(String)

  var text: String {
    switch self {
    case .acknowledged(let id): "A \(id)"
    case .sent(let id): "S \(id)"
    case .rejected(let id): "R \(id)"
    case .state(let revision, let digest): "= \(revision) \(digest)"
    case .opened(let revision): "o \(revision)"
    case .told(let line): "t \(line)"
    case .revision(let revision): "r \(revision)"
    case .restored(let revision): "j \(revision)"
    case .fault(let kind): "f \(kind)"
    case .violation(let text): "v \(text)"
    }
  }

  init?(_ text: Substring) {
    let rest = text.dropFirst(2)
    let parsed: JournalLine? =
      switch text.prefix(2) {
      case "A ": UUID(uuidString: String(rest)).map { .acknowledged($0) }
      case "S ": UUID(uuidString: String(rest)).map { .sent($0) }
      case "R ": UUID(uuidString: String(rest)).map { .rejected($0) }
      case "= ":
        Int64(rest.prefix { $0 != " " }).map {
          .state(revision: $0, Digest(text: rest.drop { $0 != " " }.dropFirst()))
        }
      case "o ": Int64(rest).map { .opened($0) }
      case "t ": .told(String(rest))
      case "r ": Int64(rest).map { .revision($0) }
      case "j ": Int64(rest).map { .restored($0) }
      case "f ": .fault(String(rest))
      case "v ": .violation(String(rest))
      default: nil
      }
    guard let parsed else { return nil }
    self = parsed
  }
}

/// Writes lines to a file, each call by one system call.
final class JournalWriter: Sendable {
  private let handle: FileHandle

  init(path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Violation("\(path) can't be opened.") }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  func write(_ lines: JournalLine...) { write(lines) }

  func write(_ lines: [JournalLine]) {
    if lines.isEmpty { return }
    let text = lines.map { $0.text.replacingOccurrences(of: "\n", with: "⏎") + "\n" }.joined()
    handle.write(Data(text.utf8))
  }
}

/// Reads a file while a process writes it.
struct JournalReader {
  let path: String
  private var offset: UInt64 = 0

  init(path: String) { self.path = path }

  /// The whole lines since the last call.
  ///
  /// A line that a killed process has torn is left out.
  mutating func next() throws -> [JournalLine] {
    guard let handle = FileHandle(forReadingAtPath: path) else { return [] }
    defer { try? handle.close() }
    try handle.seek(toOffset: offset)
    let data = try handle.readToEnd() ?? Data()
    guard let end = data.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    let whole = data[...end]
    offset += UInt64(whole.count)
    return try String(decoding: whole, as: UTF8.self).split(separator: "\n").map { text in
      guard let line = JournalLine(text) else {
        throw Violation("\(path) has a line that can't be read: \(text)")
      }
      return line
    }
  }
}
