import Foundation
import Testing

@Suite("The ported programs print what they would in Cocoa")
struct PortedProgramTests {
  @Test("raise-man: a document observes its employees and undoes their changes")
  func undo() throws {
    #expect(
      try run("raise-man") == """
        Two employees are hired.
          row 0 appears: Ada
          average: 5.0%
          title: Untitled (edited)
          row 1 appears: Charles
          average: 3.5%
        The file is saved, then a raise is typed into a cell.
          title: Untitled
          average: 8.6%
          row 1: Charles 12.3%
          title: Untitled (edited)
          A raise of 750.0% is not between -10% and 100%.
        A name changes, and a raise is cleared.
          average: 8.6%
          row 0: Ada King 5.0%
          average: 6.2%
          row 0: Ada King 0.0%
        Edit > Undo Change of Raise
          average: 8.6%
          row 0: Ada King 5.0%
        Edit > Undo Change of Name
          average: 8.6%
          row 0: Ada 5.0%
        Edit > Redo Change of Name
          average: 8.6%
          row 0: Ada King 5.0%
        Charles leaves.
          row 1 disappears: Charles
          average: 5.0%
        Edit > Undo Delete
          row 1 appears: Charles
          average: 8.6%
        Edit > Undo Change of Name
          average: 8.6%
          row 0: Ada 5.0%
        Edit > Undo Change of Raise
          average: 3.5%
          row 1: Charles 2.0%
          title: Untitled
        The table is sorted by name, backwards.
          the table reloads 2 rows
          average: 3.5%
        [Charles 2.0%, Ada 5.0%]
        ["isEdited": 0]

        """)
  }

  @Test("reader-settings: a window follows the defaults, wherever they change")
  func settings() throws {
    #expect(
      try run("reader-settings") == """
        A window and the panel open.
          window: style 12/17 Light
          panel: settings.fontSize 12
          panel: settings.theme 0
        Code sets properties.
          window: style 14/20 Light
          panel: settings.fontSize 14
          window: style 14/20 Dark
          panel: settings.theme 2
          window: menu ["Emma.txt"], new: ["Emma.txt"]
          window: menu ["Persuasion.txt", "Emma.txt"], new: ["Persuasion.txt"]
          window: menu ["Emma.txt", "Persuasion.txt"], new: []
        The panel's controls set values by key.
          window: style 36/50 Dark
          panel: settings.fontSize 36
          window: style 36/50 Dark justified
          window: style 12/17 Dark justified
          panel: settings.fontSize 12
        Another part of the program changes the defaults.
          window: style 12/17 Sepia justified
          panel: settings.theme 1
          window: style 18/25 Sepia justified
          panel: settings.fontSize 18
        The window closes, and the defaults are restored.
          panel: settings.fontSize 12
          panel: settings.theme 0
          panel: settings.fontSize is empty
          panel: settings.theme is empty
        fontSize: 12
        lineHeight: 17
        theme: 0

        """)
  }

  @Test("download-queue: operations run asynchronously, report progress, and can be cancelled")
  func downloads() throws {
    #expect(
      try run("download-queue") == """
        d.txt begins
        d.txt ends
        a.txt begins
          a.txt: 100 of 300
          all: 8%
          a.txt: 200 of 300
          all: 17%
          a.txt: 300 of 300
          all: 26%
        a.txt ends
        b.txt begins
          b.txt: 100 of 250
          all: 34%
          b.txt: 200 of 250
          all: 43%
          b.txt: 250 of 250
          all: 47%
        b.txt ends
        c.txt begins
          c.txt: 100 of 400
          all: 56%
          c.txt: 200 of 400
          c.txt is cancelled
          all: 65%
        c.txt ends
        The archive:
          a.txt has 300 bytes
          b.txt has 250 bytes
          c.txt was cancelled
          d.txt was not found
        550 of 1150

        """)
  }

  @Test("conditional-operations: jobs with conditions, and keys without properties")
  func conditions() throws {
    #expect(
      try run("conditional-operations") == """
        late is cancelled
        added: parse
        added: parse, fetch
        fetch starts
        fetch finishes, 0 failed
        parse starts
        parse finishes, 0 failed
        added: parse, fetch, upload
        upload finishes, 1 failed
        added: parse, fetch, upload, late
        late finishes, 0 failed
        ["fetch", "late", "parse", "upload"]
        1

        """)
  }

  /// Runs a program, which the build puts next to the tests, and returns its output.
  private func run(_ name: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent(name)
    process.standardInput = FileHandle.nullDevice
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    // The audit finds nothing to report.
    #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text
  }
}
