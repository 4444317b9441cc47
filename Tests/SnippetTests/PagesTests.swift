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

  @Test("No source claims to be a block that is not there")
  func sources() throws {
    let blocks = try Page.names().flatMap { name in
      try Page(name).ours.map { "\(name) \($0.number)" }
    }
    #expect(try SnippetSources().pieces.keys.filter { !blocks.contains($0) } == [])
  }
}
