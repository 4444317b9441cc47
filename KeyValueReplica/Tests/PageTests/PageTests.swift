import Foundation
import Testing

@testable import KeyValueReplica

@Suite("The package's pages")
struct PageTests {
  @Test("Every block of Swift is compiled as it stands there, except manifests")
  func blocks() throws {
    let pieces = try Page.pieces()
    var labels: Set<String> = []
    for page in try Page.all() {
      for (index, block) in page.blocks("swift").enumerated() {
        let label = "\(page.name) \(index + 1)"
        labels.insert(label)
        let piece = try #require(pieces[label], "No source has the block \(label).")
        #expect(
          Page.normalised(piece) == Page.normalised(block),
          "The page and the source of \(label) are different.")
      }
    }
    #expect(Set(pieces.keys) == labels)
  }

  @Test("Every test that a page names is there")
  func tests() throws {
    var sources: [String: String] = [:]
    let folder = Page.root.appending(path: "Tests")
    let files = try #require(FileManager.default.enumerator(atPath: folder.path))
    for case let file as String in files where file.hasSuffix(".swift") {
      let name = URL(filePath: file).deletingPathExtension().lastPathComponent
      sources[name] = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    }
    var count = 0
    for page in try Page.all() {
      for match in page.text.matches(of: /`(\w+Tests)\.(\w+)`/) {
        count += 1
        let source = try #require(sources[String(match.1)], "There is no \(match.1).")
        #expect(source.contains("func \(match.2)("), "There is no \(match.0).")
      }
    }
    #expect(count > 20)
  }

  @Test("The page shows the tables that are made")
  func tables() throws {
    let shown = try Page("RunningOnPostgreSQL").blocks("sql")[0].joined().filter {
      !$0.isWhitespace
    }
    let made = PostgreSQLSchema.statements.filter { $0.hasPrefix("CREATE TABLE") }.map { $0 + ";" }
    #expect(shown == made.joined().filter { !$0.isWhitespace })
  }

  @Test("The limits on the page are the defaults")
  func limits() throws {
    let options = KeyValueReplicaOptions()
    #expect(options.maximumPending == 10_000)
    #expect(options.maximumTransactionSize == 64 << 20)
    #expect(options.levelsOfUndo == 100)
    #expect(options.snapshotInterval == 1_000)
    #expect(options.keepsRecords == .seconds(86_400))
    #expect(LogLimits.records == 1_000)
    #expect(LogLimits.bytes == 8 << 20)
    #expect(SQLiteBell.interval == .milliseconds(500))
    #expect(PostgreSQLLogStore.interval == .seconds(2))
    #expect(PostgreSQLLogStore.notificationInterval == .milliseconds(5))
    let page = try Page("SeveralProcesses").text
    for limit in [
      "10,000, `maximumPending`", "64 MB as stored, `maximumTransactionSize`",
      "100 transactions, `levelsOfUndo`", "1,000, `snapshotInterval`", "a day, `keepsRecords`",
      "1,000 records, about 8 MB", "0.5 s on SQLite, 2 s on PostgreSQL",
    ] {
      #expect(page.contains("| \(limit) |"), "\(limit)")
    }
  }
}
