import Foundation
import Testing

@Suite("The porting tool: the program")
struct PortingProgramTests {
  @Test("the program changes files, and with --check only says what there is to do")
  func program() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("Inner"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("Inner/A.swift")
    let before = "import Cocoa\nclass A: NSObject {}\nlet x = #selector(f)\n"
    try before.write(to: file, atomically: true, encoding: .utf8)
    try "import Cocoa\n".write(
      to: folder.appendingPathComponent("notes.txt"), atomically: true, encoding: .utf8)

    let left = ": there are no selectors: pass a closure"
    let counts = """
      1 imports of FoundationKVO
      1 @KeyValueObservable
      2 edits in 1 of 1 files, 1 places for a person

      """
    let report = "\(file.path):3\(left)\n\(counts)"
    #expect(try run(["--check", folder.path]) == .init(status: 1, output: report))
    #expect(try String(contentsOf: file, encoding: .utf8) == before)
    #expect(
      try run([folder.path])
        == .init(status: 0, output: "\(file.path):4\(left)\n\(counts)"))
    #expect(
      try String(contentsOf: file, encoding: .utf8)
        == "import FoundationKVO\n@KeyValueObservable\nclass A: NSObject {}\nlet x = #selector(f)\n"
    )
    #expect(try run(["--help"]).output.hasPrefix("usage: kvo-port [--check] PATH…\n"))
    #expect(try run([]).status == 64)
    let unknown = try run(["--all", folder.path], after: ":")
    #expect(unknown.status == 64)
    #expect(unknown.output.hasPrefix("kvo-port: there is no option '--all'\nusage: kvo-port"))
    let none = "\(folder.path)/none"
    #expect(
      try run([none], after: ":")
        == .init(status: 66, output: "kvo-port: there is no file or folder '\(none)'\n"))
  }

  @Test("a file that's given several times is ported once")
  func sameFile() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let link = folder.appendingPathExtension("link")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
    defer {
      try? FileManager.default.removeItem(at: link)
      try? FileManager.default.removeItem(at: folder)
    }
    let file = folder.appendingPathComponent("A.swift")
    try """
    class Box: NSObject {
      @objc(insertObject:inRowsAtIndex:) func add(_ row: Int, at index: Int) {}
    }
    func fill(_ box: Box) { box.add(1, at: 0) }

    """.write(to: file, atomically: true, encoding: .utf8)
    let result = try run([
      file.path, folder.path, "\(folder.path)/../\(folder.lastPathComponent)", link.path,
    ])
    #expect(result.status == 0)
    #expect(result.output.hasSuffix(" edits in 1 of 1 files, 0 places for a person\n"))
    #expect(
      try String(contentsOf: file, encoding: .utf8) == """
        import FoundationKVO

        @KeyValueObservable
        class Box: NSObject {
          func insertObject(_ row: Int, inRowsAtIndex index: Int) {}
        }
        func fill(_ box: Box) { box.insertObject(1, inRowsAtIndex: 0) }

        """)
  }

  @Test("a link to a folder isn't followed inside a folder")
  func linkedFolders() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let other = folder.appendingPathExtension("other")
    defer {
      try? FileManager.default.removeItem(at: folder)
      try? FileManager.default.removeItem(at: other)
    }
    for (place, file) in [(folder, "A.swift"), (other, "B.swift")] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try "import Foundation\n".write(
        to: place.appendingPathComponent(file), atomically: true, encoding: .utf8)
    }
    for (link, target) in [("Around", folder), ("Other", other)] {
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent(link), withDestinationURL: target)
    }
    let report = """
      1 imports of FoundationKVO
      1 edits in 1 of 1 files, 0 places for a person

      """
    #expect(try run(["--check", folder.path]) == .init(status: 1, output: report))
  }

  // The thread sanitizer's own memory is a mapped file, which the limit forbids, too.
  @Test(
    "where a file can't be written, the program names those that it has written",
    .disabled(if: ProcessInfo.processInfo.environment["KVO_TESTS"] == "few"))
  func failedWrite() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let long = "import Foundation\n// \(String(repeating: "long ", count: 100_000))\n"
    let texts = ["import Foundation\n", "import Foundation\n", long]
    let files = ["A", "B", "C"].map { folder.appendingPathComponent("\($0).swift") }
    for (file, text) in zip(files, texts) {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    // No larger file can be written: a limit that also holds for root.
    let result = try run([folder.path], after: "trap '' XFSZ; ulimit -f 64")
    #expect(result.status == 66)
    #expect(result.output.hasPrefix("kvo-port: '\(files[2].path)' can't be written: "))
    let written = """

      Restore these files before another run, because they are ported already:
      \(files[0].path)
      \(files[1].path)

      """
    #expect(result.output.hasSuffix(written))
    let ported = "import FoundationKVO\n"
    #expect(
      try files.map { try String(contentsOf: $0, encoding: .utf8) } == [ported, ported, long])
  }

  private struct Run: Equatable {
    let status: Int32
    let output: String
  }

  /// Runs the tool, which is built beside the tests; after a shell's commands, with its errors in the output.
  private func run(_ arguments: [String], after commands: String? = nil) throws -> Run {
    let process = Process()
    let tool = Bundle.main.bundleURL.appendingPathComponent("kvo-port")
    process.executableURL = tool
    process.arguments = arguments
    if let commands {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "\(commands); exec \"$0\" \"$@\" 2>&1", tool.path] + arguments
    }
    // A file, because reading a pipe may be interrupted by another test's crash.
    let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: output) }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let data = try Data(contentsOf: output)
    return Run(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
  }
}
