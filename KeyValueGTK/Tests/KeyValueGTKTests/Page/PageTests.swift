import Foundation
import XCTest

/// The package's page.
final class PageTests: XCTestCase {
  func testEveryBlockOfSwiftIsCompiledAsItStandsThere() throws {
    let pieces = try Page.pieces()
    var labels: Set<String> = []
    for page in try Page.all() {
      for (index, block) in page.blocks("swift").enumerated() {
        let label = "\(page.name) \(index + 1)"
        labels.insert(label)
        let piece = try XCTUnwrap(pieces[label], "No source has the block \(label).")
        XCTAssertEqual(
          Page.normalised(piece), Page.normalised(block),
          "The page and the source of \(label) are different.")
      }
    }
    XCTAssertEqual(Set(pieces.keys), labels)
  }

  func testThePageHasTheProgramsInterface() throws {
    let source = try String(
      contentsOf: Page.root.appending(path: "Sources/first-window/Interface.swift"),
      encoding: .utf8)
    let parts = source.components(separatedBy: "\"\"\"")
    XCTAssertEqual(
      Page.normalised(try Page("WindowsWithGTK").blocks("xml")[0]),
      Page.normalised(parts[1].split(separator: "\n")))
  }
}

/// A page of the package's catalogue.
struct Page {
  static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
  static let catalogue = root.appending(path: "Sources/KeyValueGTK/KeyValueGTK.docc")

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

  /// A block, or a piece of a source, without what depends on its place.
  static func normalised(_ lines: [Substring]) -> String {
    lines.filter { !$0.hasPrefix("import ") }.joined().filter { !$0.isWhitespace }
  }

  /// The pieces of the sources between `// snippet PAGE NUMBER` and `// end`.
  static func pieces() throws -> [String: [Substring]] {
    var pieces: [String: [Substring]] = [:]
    for folder in ["Sources/first-window", "Tests/KeyValueGTKTests/Page"] {
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
