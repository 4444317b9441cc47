import Foundation
import Testing

@testable import KeyValuePorting

/// The folder of fixtures: `name.before.swift.txt`, what it becomes, `name.after.swift.txt`, and what's left to a person.
private let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .appendingPathComponent("Fixtures")

private func text(_ name: String) throws -> String {
  try String(contentsOf: fixtures.appendingPathComponent(name), encoding: .utf8)
}

@Suite("The porting tool: files before and after")
struct PortingFileTests {
  @Test(
    "a file becomes what its fixture says, and what's left is listed by line",
    arguments: [
      "Document", "Operations", "Remarks", "Casts", "Undo", "Silence", "Details", "Access",
      "Accessors", "Dependencies", "Idioms", "Getters", "Objects", "Quiet", "Optionals", "Callers",
      "Inherited", "Comments", "Unused", "Arguments", "Names", "Sets",
    ])
  func fixture(_ name: String) throws {
    let porting = Porting([("\(name).swift", try text("\(name).before.swift.txt"))])
    #expect(porting.files[0].ported == (try text("\(name).after.swift.txt")))
    let remarks = porting.remarks.map { "\($0)\n" }.joined()
    #expect(remarks == (try text("\(name).remarks.txt")))
  }

  @Test(
    "porting what has been ported changes nothing",
    arguments: [
      "Document", "Operations", "Casts", "Details", "Access", "Accessors", "Dependencies",
      "Callers", "Inherited", "Objects", "Quiet", "Optionals", "Comments", "Unused", "Names",
      "Sets",
    ])
  func twice(_ name: String) throws {
    let porting = Porting([("\(name).swift", try text("\(name).after.swift.txt"))])
    #expect(porting.files[0].edits.map(\.replacement) == [])
    #expect(!porting.files[0].isChanged)
  }

  @Test("after the edits, what's left has the lines that the edited files have")
  func editedLines() {
    let text = """
      import Foundation

      class Row: NSObject {
        @objc dynamic var x = 0, y = 0
        @objc
        dynamic lazy var rows = [1]
        func act() { perform(#selector(f)) }
      }

      """
    let porting = Porting([("Row.swift", text)])
    let ported = """
      import FoundationKVO

      @KeyValueObservable
      class Row: NSObject {
        dynamic var x = 0
        dynamic var y = 0
        dynamic lazy var rows = [1]
        func act() { perform(#selector(f)) }
      }

      """
    #expect(porting.files[0].ported == ported)
    #expect(porting.remarks.map(\.line) == [5, 7, 7])
    #expect(porting.portedRemarks.map(\.line) == [7, 8, 8])
    #expect(porting.portedRemarks.map(\.text) == porting.remarks.map(\.text))
  }

  @Test(
    "what a ported file imports, and says of NSObject, stays",
    arguments: [
      "import FoundationKVO",
      "import Foundation\nimport FoundationKVO\nimport class Foundation.Thread",
      "#if os(Linux)\nimport FoundationKVO\n#else\nimport Foundation\n#endif",
    ])
  func portedFile(_ imports: String) {
    let text = """
      \(imports)

      @KeyValueObservable
      class Row: NSObject {
        var name: Foundation.NSObject
        func take(_ other: Any) { set(other as! NSObject, other is NSObject, Foundation.NSObject()) }
        func isRow(_ row: Foundation.NSObject) -> Bool { row.isKind(of: NSObject.self) }
        func isObject(_ other: Any) -> Bool { if case is NSObject = other { true } else { false } }
      }

      """
    let porting = Porting([("Row.swift", text)])
    #expect(porting.files[0].ported == text)
    #expect(porting.remarks == [])
  }
}
