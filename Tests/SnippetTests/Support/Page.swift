import Foundation

/// A block of Swift on a page of the documentation.
struct Snippet {
  let page: String
  let number: Int
  /// The block's lines, as on the page.
  let lines: [String]
  /// What the page says that the block prints: its comments, and the plain block that follows it.
  let claims: [String]

  /// Whether the block belongs to this library: not one of another's (`// before`), nor a manifest.
  var isOurs: Bool {
    !["// before", "// swift-tools-version"].contains { lines.first?.hasPrefix($0) == true }
  }

  /// The block, or a piece of a source file, in a form that does not depend on its layout.
  ///
  /// Imports stand at the top of a file, and `// after` is a heading.
  static func normalised(_ lines: [some StringProtocol]) -> String {
    lines
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0 != "// after" && !$0.hasPrefix("import ") }
      .joined()
      .filter { !$0.isWhitespace }
      .replacing(",]", with: "]")  // swift-format's, where a literal is wrapped
  }
}

/// A page of the documentation: the README, or one of the catalogue.
struct Page {
  let name: String
  /// The page's blocks of Swift, in order; `snippet(1)` is the first of them.
  private let snippets: [Snippet]

  func snippet(_ number: Int) -> Snippet? {
    number >= 1 && number <= snippets.count ? snippets[number - 1] : nil
  }

  /// The blocks that have to be compiled.
  var ours: [Snippet] { snippets.filter(\.isOurs) }
}

extension Page {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "../../..").standardized
  private static let catalogue = root.appending(
    path: "Sources/KeyValueObserving/KeyValueObserving.docc")

  /// The names of all pages.
  static func names() throws -> [String] {
    let files = try FileManager.default.contentsOfDirectory(atPath: catalogue.path)
    return ["README", "PortingFromCocoa"]
      + files.filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }.sorted()
  }

  /// Reads a page.
  init(_ name: String) throws {
    let folder =
      switch name {
      case "README": Page.root
      case "PortingFromCocoa": Page.root.appending(path: "Documentation")
      default: Page.catalogue
      }
    let text = try String(contentsOf: folder.appending(path: "\(name).md"), encoding: .utf8)
    self.name = name
    snippets = Page.snippets(of: text, on: name)
  }

  /// Takes a page apart.
  ///
  /// A plain block belongs to the last block of Swift before it.
  private static func snippets(of text: String, on page: String) -> [Snippet] {
    var snippets: [Snippet] = []
    var block: (language: Substring, lines: [String])?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let trimmed = line.drop { $0 == " " }
      if let ended = block, trimmed == "```" {
        block = nil
        if ended.language == "swift" {
          snippets.append(
            Snippet(
              page: page, number: snippets.count + 1, lines: ended.lines,
              claims: ended.lines.compactMap(comment)))
        } else if ended.language.isEmpty, let last = snippets.popLast() {
          snippets.append(
            Snippet(
              page: page, number: last.number, lines: last.lines, claims: last.claims + ended.lines)
          )
        }
      } else if block != nil {
        block?.lines.append(String(line))
      } else if trimmed.hasPrefix("```") {
        block = (trimmed.dropFirst(3), [])
      }
    }
    return snippets
  }

  /// What a line says behind `//`; a declaration's comment, behind `///`, claims nothing.
  private static func comment(_ line: String) -> String? {
    if line == "// after" || line.contains("///") { return nil }
    if line.hasPrefix("//") { return String(line.dropFirst(2)) }
    return line.range(of: " //").map { String(line[$0.upperBound...]) }
  }
}

/// The pieces of source that stand between `// snippet PAGE NUMBER` and `// end` in this target, and in
/// the one whose default isolation is the main actor.
struct SnippetSources {
  /// Pieces by page and number; several of one number are one block.
  private(set) var pieces: [String: [Substring]] = [:]
  /// Blocks whose output is compared, by `expectPrinted`.
  private(set) var compared: Set<String> = []

  init() throws {
    let tests = URL(filePath: #filePath).appending(path: "../../..").standardized
    for folder in ["SnippetTests", "DefaultIsolationTests"].map({ tests.appending(path: $0) }) {
      for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      where file.hasSuffix(".swift") {
        read(try String(contentsOf: folder.appending(path: file), encoding: .utf8))
      }
    }
  }

  private mutating func read(_ text: String) {
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
    for call in text.matches(of: /expectPrinted\(\s*"(\w+)",\s*(\d+)/) {
      compared.insert("\(call.1) \(call.2)")
    }
  }
}
