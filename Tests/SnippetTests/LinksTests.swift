import Foundation
import Testing

@Suite("Links of the repository's pages")
struct LinksTests {
  @Test("Each leads to a file, and to a heading of it", arguments: try MarkdownFile.all())
  func alive(_ page: MarkdownFile) throws {
    for link in page.links where !link.contains(/^[a-z]+:/) {
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let target =
        parts[0].isEmpty ? page.file : URL(filePath: String(parts[0]), relativeTo: page.file)
      #expect(FileManager.default.fileExists(atPath: target.path), "There is no \(link).")
      if parts.count == 2, target.pathExtension == "md" {
        let anchors = try MarkdownFile(target).anchors
        #expect(anchors.contains(String(parts[1])), "There is no heading for \(link).")
      }
    }
  }

  @Test("None is DocC's alone, which a code host shows as text", arguments: try MarkdownFile.all())
  func shownByHosts(_ page: MarkdownFile) {
    // Scripts/documentation writes [Undoing](Undoing.md) as DocC spells it.
    let lines = page.prose.filter { $0.contains("<doc:") || $0.contains("](doc:") }
    #expect(lines == [], "Write [Undoing](Undoing.md).")
  }

  @Test("Anchors are those of a code host")
  func anchors() {
    let page = MarkdownFile(
      name: "Page.md", file: URL(filePath: "/Page.md"),
      text: """
        # ``Types`` & *paths*, in Swift 6.2
        ## Why?
        ```
        # no heading
        ```
        ## Why?
        See [one](A.md#b), `[none](C.md)` and <img src="d.svg">.
        """)
    #expect(page.anchors == ["types--paths-in-swift-62", "why", "why-1"])
    #expect(page.links == ["A.md#b", "d.svg"])
  }
}

/// A page of the repository, in Markdown.
struct MarkdownFile: CustomTestStringConvertible {
  /// Its path in the repository.
  let name: String
  let file: URL
  /// Its lines outside of blocks of code.
  let prose: [String]

  var testDescription: String { name }

  init(name: String, file: URL, text: String) {
    self.name = name
    self.file = file
    var isCode = false
    prose = text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
      let fence = line.contains(/^\s*```/)
      if fence { isCode.toggle() }
      return fence || isCode ? nil : String(line)
    }
  }

  init(_ file: URL) throws {
    self.init(
      name: file.lastPathComponent, file: file,
      text: try String(contentsOf: file, encoding: .utf8))
  }

  /// All pages of the repository.
  static func all() throws -> [MarkdownFile] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
      .standardized
    let names = FileManager.default.enumerator(atPath: root.path)
    var pages: [MarkdownFile] = []
    while let name = names?.nextObject() as? String {
      // .build, and folders of other tools.
      if name.split(separator: "/").last?.hasPrefix(".") == true { names?.skipDescendants() }
      guard name.hasSuffix(".md") else { continue }
      let file = root.appending(path: name)
      pages.append(
        MarkdownFile(name: name, file: file, text: try String(contentsOf: file, encoding: .utf8)))
    }
    return pages.sorted { $0.name < $1.name }
  }

  /// Where its links and pictures lead.
  var links: [String] {
    let text = prose.joined(separator: "\n").replacing(/`[^`\n]*`/, with: "")
    let found =
      text.matches(of: /\]\(\s*([^)\s]+)[^)]*\)/).map(\.output.1)
      + text.matches(of: /(?:src|srcset|href)="([^"\s]+)[^"]*"/).map(\.output.1)
    return found.map { String($0).removingPercentEncoding ?? String($0) }
  }

  /// The names of its headings in links.
  var anchors: Set<String> {
    var counts: [String: Int] = [:]
    return Set(
      prose.compactMap { line -> String? in
        guard let title = line.wholeMatch(of: /#+ +(.*)/)?.output.1 else { return nil }
        // A link's text without its address, and no markup.
        let text = title.replacing(/\[([^\]]*)\]\([^)]*\)/, with: { String($0.output.1) })
        let slug = text.lowercased().filter {
          $0.isLetter || $0.isNumber || "_- ".contains($0)
        }.replacing(" ", with: "-")
        defer { counts[slug, default: 0] += 1 }
        return counts[slug].map { "\(slug)-\($0)" } ?? slug
      })
  }
}
