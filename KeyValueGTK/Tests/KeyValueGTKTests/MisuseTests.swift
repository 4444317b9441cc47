import Foundation
import XCTest

/// What the program says when it stops.
final class MisuseTests: GTKTestCase {
  func testPropertiesThatDoNotFit() throws {
    try gtk {
      XCTAssertEqual(
        try message("no-property"),
        "GtkEntry has no property “txt”, to which Item.name is to be bound.")
      XCTAssertEqual(
        try message("wrong-type"),
        """
        GtkEntry:max-length is a gint, which Item.name, a String, doesn't fit. Bind it with a transform.
        """)
      XCTAssertEqual(
        try message("read-only"),
        "GtkEntry:text-length, to which Item.name is to be bound, can't be set.")
      XCTAssertEqual(
        try message("no-text"),
        "Item.levels has a list model of texts, but a Level can't be text.")
    }
  }

  func testChangesOnAnotherThread() throws {
    try gtk {
      let rest = """
        on a thread that isn't the main one, the only one that may call GTK. Change what a window shows \
        on the main actor, in code that GLib's main loop runs.
        """
      XCTAssertEqual(
        try message("bound-key"), "Item.name changed, which is bound to GtkEntry:text, \(rest)")
      XCTAssertEqual(try message("mirror"), "Item.name changed, which a window shows, \(rest)")
      XCTAssertEqual(
        try message("list"), "Item.parts changed, which a list in a window has, \(rest)")
      XCTAssertEqual(try message("row"), "Item changed, which a list in a window has, \(rest)")
    }
  }

  func testNames() throws {
    try gtk {
      XCTAssertEqual(
        try message("bad-name"),
        """
        GObject allows no class named “a.b”: a name has at least three of ASCII's letters and digits, \
        -, _ and +, and begins with a letter or _.
        """)
      XCTAssertEqual(
        try message("taken-name"),
        "GObject has another class named GtkEntry. Register Item with another name.")
      XCTAssertEqual(
        try message("second-name"),
        """
        GObject knows Item as Item already. Register it as Thing before its first mirror or list model.
        """)
    }
  }
}

/// What a misuse says.
private func message(_ misuse: String) throws -> String {
  let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
  let program = Process()
  program.executableURL = folder.appending(path: "gtk-misuse")
  program.arguments = [misuse]
  var environment = ProcessInfo.processInfo.environment
  environment["SWIFT_BACKTRACE"] = "enable=no"
  program.environment = environment
  let errors = Pipe()
  program.standardError = errors
  try program.run()
  let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  program.waitUntilExit()
  XCTAssertEqual(program.terminationReason, .uncaughtSignal)
  let lines = text.split(separator: "\n").map(String.init)
  let line = try XCTUnwrap(lines.first { $0.contains("Fatal error: ") }, text)
  return String(line.split(separator: "Fatal error: ", maxSplits: 1)[1])
}
