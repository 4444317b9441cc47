import Foundation
import KeyValuePorting

/// Ports a Cocoa source to FoundationKVO.
@main
enum KvoPort {
  static let usage = """
    usage: kvo-port [--check] PATH…

    Ports the Swift files of a Cocoa source, and those in folders, to FoundationKVO: changes what a rule can
    change, prints how many edits of each kind it made, and lists with file and line what a person has to do.
    The lines are those of the edited files. What an edit removed, a second run doesn't list.
    Give it all files that belong together: the superclass of a class may be in another one.
    A link to a folder is followed where it's given, and not inside a folder.

      --check   changes nothing, and lists the lines of the files as they are; the status is 1 if there is
                something to do
    """

  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    let isCheck = arguments.contains("--check")
    arguments.removeAll { $0 == "--check" }
    if arguments.contains(where: { $0 == "--help" || $0 == "-h" }) {
      print(usage)
      exit(0)
    }
    if let unknown = arguments.first(where: { $0.hasPrefix("-") }) {
      fail("kvo-port: there is no option '\(unknown)'\n\(usage)", 64)
    }
    if arguments.isEmpty { fail(usage, 64) }
    do {
      // A file that is given twice would declare everything twice, which makes its names ambiguous.
      var seen: Set<String> = []
      let names = try arguments.flatMap(files).filter { name in
        let file = URL(fileURLWithPath: name).standardizedFileURL.resolvingSymlinksInPath()
        return seen.insert(file.path).inserted
      }
      if names.isEmpty { fail("kvo-port: no Swift files there", 66) }
      let porting = Porting(
        try names.map { ($0, try String(contentsOfFile: $0, encoding: .utf8)) })
      if !isCheck { write(porting.files.filter { $0.isChanged }) }
      for remark in isCheck ? porting.remarks : porting.portedRemarks { print(remark) }
      for line in porting.counts { print(line) }
      print(
        "\(porting.editCount) edits in \(porting.files.count { $0.isChanged }) of \(names.count) files, "
          + "\(porting.remarks.count) places for a person")
      exit(isCheck && porting.editCount + porting.remarks.count > 0 ? 1 : 0)
    } catch {
      fail("kvo-port: \(error)", 66)
    }
  }

  /// Writes what files have become.
  private static func write(_ files: [Porting.File]) {
    for (index, file) in files.enumerated() {
      do {
        try file.ported.write(toFile: file.name, atomically: true, encoding: .utf8)
      } catch {
        var message = "kvo-port: '\(file.name)' can't be written: \(error)"
        if index > 0 {
          // Another run doesn't see what the edits removed there.
          message += "\nRestore these files before another run, because they are ported already:"
          message += files[..<index].map { "\n\($0.name)" }.joined()
        }
        fail(message, 66)
      }
    }
  }

  /// The Swift files at a path, in a folder in their order by name.
  private static func files(at path: String) throws -> [String] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      fail("kvo-port: there is no file or folder '\(path)'", 66)
    }
    guard isFolder.boolValue else { return [path] }
    let entries = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    return try entries.filter { !$0.hasPrefix(".") }.flatMap { entry -> [String] in
      let inner = path.hasSuffix("/") ? path + entry : "\(path)/\(entry)"
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: inner, isDirectory: &isFolder)
      // A link to a folder may lead back to this one.
      let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: inner)) != nil
      let isTaken = isFolder.boolValue ? !isLink : entry.hasSuffix(".swift")
      return isTaken ? try files(at: inner) : []
    }
  }

  private static func fail(_ message: String, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(status)
  }
}
