import Foundation
import Synchronization
import Testing

/// A page of the package's catalogue.
struct Page {
  static let root = URL(filePath: #filePath).appending(path: "../../..").standardized
  static let catalogue = root.appending(path: "Sources/KeyValueReplica/KeyValueReplica.docc")

  let name: String
  let text: String

  init(_ name: String) throws {
    self.name = name
    text = try String(contentsOf: Self.catalogue.appending(path: "\(name).md"), encoding: .utf8)
  }

  static func all() throws -> [Page] {
    try FileManager.default.contentsOfDirectory(atPath: catalogue.path)
      .filter { $0.hasSuffix(".md") }.sorted().map { try Page(String($0.dropLast(3))) }
  }

  /// The blocks of a language, in order.
  func blocks(_ language: String) -> [[Substring]] {
    var blocks: [[Substring]] = []
    var open: Substring?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        if open == nil {
          open = line.dropFirst(3)
          if open! == language { blocks.append([]) }
        } else {
          open = nil
        }
      } else if let open, open == language {
        blocks[blocks.count - 1].append(line)
      }
    }
    return blocks
  }

  /// What the comments at the beginnings of a block's lines say that it prints.
  func claims(_ number: Int) -> [String] {
    blocks("swift")[number - 1].filter { $0.hasPrefix("// ") }.map { String($0.dropFirst(3)) }
  }

  /// A block, or a piece of a source, without what depends on its place.
  static func normalised(_ lines: [Substring]) -> String {
    lines.filter { !$0.hasPrefix("import ") }.joined().filter { !$0.isWhitespace }
  }

  /// The pieces of the sources between `// snippet PAGE NUMBER` and `// end`; several of one number are one
  /// block.
  static func pieces() throws -> [String: [Substring]] {
    var pieces: [String: [Substring]] = [:]
    for folder in ["Sources/acme", "Tests/PageTests"] {
      let folder = root.appending(path: folder)
      for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        var open: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
          let trimmed = line.drop { $0 == " " }
          if trimmed.hasPrefix("// snippet ") {
            open = String(trimmed.dropFirst("// snippet ".count))
          } else if trimmed == "// end" {
            open = nil
          } else if let open {
            pieces[open, default: []].append(line)
          }
        }
      }
    }
    return pieces
  }
}

/// What the blocks of one test print.
final class Printed: Sendable {
  @TaskLocal static var current: Printed?
  private let lines = Mutex<[String]>([])

  func append(_ line: String) { lines.withLock { $0.append(line) } }

  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

/// Takes the place of the standard library's `print`, so that blocks are compiled as they stand on their pages.
///
/// The parameters are those of the standard library's; another list would overload it, not hide it.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  let line = items.map { "\($0)" }.joined(separator: separator)
  if let printed = Printed.current {
    printed.append(line)
  } else {
    Issue.record("Printed outside of a test's task: \(line)")
  }
}
