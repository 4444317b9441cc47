import Foundation
import Testing

/// The compiler, using the modules and the plug-in that these tests were built with.
enum Compiler {
  /// The folder with the modules and the plug-in.
  private static let products: URL? = {
    var folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let module = folder.appending(path: "Modules/KeyValueObserving.swiftmodule")
      if FileManager.default.fileExists(atPath: module.path) { return folder }
    }
    return nil
  }()

  static var isAvailable: Bool {
    guard let products else { return false }
    return FileManager.default.fileExists(
      atPath: products.appending(path: "KeyValueMacros-tool").path)
  }

  /// Type-checks a file, and returns each distinct diagnostic with its line number.
  static func check(_ file: URL, _ condition: String) throws -> [(number: Int, text: String)] {
    let text = try output(file, condition)
    var seen: Set<String> = []
    return text.split(separator: "\n").compactMap { line -> (number: Int, text: String)? in
      guard let match = line.wholeMatch(of: /.*\.swift:(\d+):\d+: ((?:warning|error): .*)/),
        let number = Int(match.output.1), seen.insert(String(line)).inserted
      else { return nil }
      return (
        number, String(match.output.2).replacing(/\ (\(from macro .*\)|\[#[\w-]+\])$/, with: "")
      )
    }
  }

  /// Type-checks a file, and returns all that the compiler prints.
  static func output(_ file: URL, _ condition: String, options: [String] = []) throws -> String {
    let products = try #require(products)
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments =
      [
        "swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style=llvm", "-D",
        condition, "-I", products.appending(path: "Modules").path,
        "-I", products.appending(path: "CKeyValueWord.build").path,
        "-load-plugin-executable",
        products.appending(path: "KeyValueMacros-tool").path + "#KeyValueMacros",
      ] + options + [file.path]
    let output = Pipe()
    compiler.standardError = output
    try compiler.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    compiler.waitUntilExit()
    #expect(!text.contains("<unknown>"), "\(text)")
    return text
  }
}
