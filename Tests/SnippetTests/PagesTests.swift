import Foundation
import Testing

@Suite("Pages of the documentation, and the sources in this folder")
struct PagesTests {
  @Test("Every block of Swift is compiled as it stands there", arguments: try Page.names())
  func pages(_ name: String) throws {
    let sources = try SnippetSources()
    for snippet in try Page(name).ours {
      let label = "\(name) \(snippet.number)"
      let pieces = try #require(sources.pieces[label], "No source has the block \(label).")
      #expect(
        Snippet.normalised(pieces) == Snippet.normalised(snippet.lines),
        "The page and the source of \(label) are different.")
      #expect(
        snippet.claims.isEmpty || sources.compared.contains(label),
        "What \(label) prints is not compared.")
    }
  }

  @Test("README has at most 220 lines, and the two commands on its first screen")
  func readme() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../README.md").standardized
    let lines = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 221)  // The last one is empty.
    let commands = lines.prefix(15).filter { $0.hasPrefix("swift run --package-path Examples") }
    #expect(commands.count == 2)
  }

  @Test("No source claims to be a block that is not there")
  func sources() throws {
    let blocks = try Page.names().flatMap { name in
      try Page(name).ours.map { "\(name) \($0.number)" }
    }
    #expect(try SnippetSources().pieces.keys.filter { !blocks.contains($0) } == [])
  }
}
