import Foundation
import Testing

@Suite("Tests and tools that the repository's pages name")
struct NamedTestsTests {
  @Test("Each promise has its rules, tests and tools, and all of them are there")
  func promises() throws {
    let text = try NamedTests.page("Reliability")
    let section = text.split(separator: "\n## ").first { $0.hasPrefix("Promises\n") }
    let rows = try #require(section).split(separator: "\n").filter { $0.hasPrefix("| ") }
      .dropFirst(2)
    #expect(rows.count > 25)
    let tests = try NamedTests()
    let rules = try NamedTests.page("Parity").matches(of: /(?m)^\| ([A-Z][0-9]*a?) \|/)
      .map { String($0.output.1) }
    for row in rows {
      let cells = row.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      try #require(cells.count == 6, "\(row)")
      for rule in cells[2].split(separator: ", ") {
        #expect(rules.contains(String(rule)), "Parity.md has no rule \(rule): \(row)")
      }
      #expect(!(cells[3] + cells[4]).isEmpty, "Nothing tests it: \(row)")
      for name in cells[3].split(separator: ", ") {
        let parts = name.trimmingCharacters(in: ["`"]).split(separator: ".").map(String.init)
        #expect(tests.has(parts[0], parts.dropFirst().first), "There is no \(name).")
      }
      for match in cells[4].matches(of: /`((?:Scripts|Benchmarks)\/[\w-]+|[\w]+-fuzz)`/) {
        #expect(NamedTests.hasTool(String(match.output.1)), "There is no \(match.output.1).")
      }
    }
  }

  @Test("Each test that the ledger names is there")
  func ledger() throws {
    let tests = try NamedTests()
    var count = 0
    for match in try NamedTests.page("Parity").matches(
      of: /(\w+Tests):? ((?:`\w+`(?:, | and )?)+)/)
    {
      for function in match.output.2.matches(of: /`(\w+)`/) {
        count += 1
        let (suite, name) = (String(match.output.1), String(function.output.1))
        #expect(tests.has(suite, name), "There is no \(suite).\(name).")
      }
    }
    #expect(count > 700)
  }

  @Test("A test that isn't there is noticed")
  func missing() throws {
    let tests = try NamedTests()
    #expect(tests.has("NotifyingTests", "sequence"))
    #expect(tests.has("NotifyingTests", nil))
    #expect(!tests.has("NotifyingTests", "sequenc"))
    #expect(!tests.has("NotifyTests", nil))
    #expect(!NamedTests.hasTool("Scripts/broken"))
    #expect(!NamedTests.hasTool("no-fuzz"))
  }
}

/// The sources of all tests of the repository, by the suite, file or folder that a page names.
private struct NamedTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized
  private var sources: [String: String] = [:]

  init() throws {
    for package in ["", "Examples/", "KeyValueInspector/", "KeyValueReplica/", "KeyValueGTK/"] {
      let folder = Self.root.appending(path: "\(package)Tests")
      guard let files = FileManager.default.enumerator(atPath: folder.path) else { continue }
      for case let file as String in files where file.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        let path = file.dropLast(".swift".count).split(separator: "/").map(String.init)
        var names = Set(path.filter { $0.hasSuffix("Tests") })
        for match in text.matches(of: /(?:struct|class|enum|extension) (\w+Tests)\b/) {
          names.insert(String(match.output.1))
        }
        for name in names { sources[name, default: ""] += text }
      }
    }
  }

  /// Whether there's such a suite, and such a test in it.
  func has(_ suite: String, _ test: String?) -> Bool {
    guard let source = sources[suite] else { return false }
    return test.map { source.contains("func \($0)(") } ?? true
  }

  /// Whether a script or a program of this name is there.
  static func hasTool(_ name: String) -> Bool {
    ["", "Tests/Tools/", "KeyValueReplica/Sources/"].contains {
      FileManager.default.fileExists(atPath: root.appending(path: $0 + name).path)
    }
  }

  static func page(_ name: String) throws -> String {
    try String(contentsOf: root.appending(path: "Documentation/\(name).md"), encoding: .utf8)
  }
}
