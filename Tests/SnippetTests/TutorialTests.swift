import Foundation
import Testing

@Suite("The tutorial", .printing)
struct TutorialTests {
  @Test("Each step's code is compiled as the tutorial shows it")
  func compiled() throws {
    let source = TutorialStep.source(of: try TutorialStep.all().filter(\.isCompiledHere))
    if ProcessInfo.processInfo.environment["KVO_WRITE_PAGE"] != nil {
      try source.write(to: TutorialStep.compiled, atomically: true, encoding: .utf8)
    }
    #expect(
      try String(contentsOf: TutorialStep.compiled, encoding: .utf8) == source,
      "KVO_WRITE_PAGE=1 swift test --filter TutorialTests writes TutorialSteps.swift anew.")
  }

  @Test("Each step prints what its comments say", arguments: tutorialSteps.keys.sorted())
  func printed(_ name: String) throws {
    let step = try #require(try TutorialStep.all().first { $0.name == name })
    let run = try #require(tutorialSteps[name])
    try run()
    #expect(Printed.current?.take() == step.claims)
  }

  @Test("Each file of code belongs to a step")
  func shown() throws {
    let pages = try TutorialStep.pages().joined()
    for step in try TutorialStep.all() {
      #expect(pages.contains("file: \(step.name).swift"), "No step shows \(step.name).swift.")
    }
  }
}

/// The code of one of the tutorial's steps: a program of one file.
struct TutorialStep {
  let name: String
  private let lines: [Substring]

  /// Whether the library is enough for it; KeyValueReplica's tests compile and run the others.
  var isCompiledHere: Bool { !lines.contains("import KeyValueReplica") }

  /// The modules that it imports.
  private var imports: [Substring] { lines.filter { $0.hasPrefix("import ") } }

  /// What the step's comments say that it prints.
  var claims: [String] {
    lines.compactMap { $0.hasPrefix("// ") ? String($0.dropFirst(3)) : nil }
  }
}

extension TutorialStep {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
  private static let catalogue = tests.appending(
    path: "../../Sources/KeyValueObserving/KeyValueObserving.docc"
  ).standardized

  /// The source of all steps in this target.
  static let compiled = tests.appending(path: "TutorialSteps.swift")

  /// The steps of all chapters, by name.
  static func all() throws -> [TutorialStep] {
    let folder = catalogue.appending(path: "Resources")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }.sorted()
      .map { file in
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        return TutorialStep(
          name: String(file.dropLast(6)),
          lines: text.split(separator: "\n", omittingEmptySubsequences: false))
      }
  }

  /// The texts of the chapters.
  static func pages() throws -> [String] {
    let folder = catalogue.appending(path: "Tutorials")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".tutorial") }
      .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
  }

  /// All steps as one source: each a namespace of its own, with its statements in a function.
  static func source(of steps: [TutorialStep]) -> String {
    """
    // The tutorial's code, from the catalogue's folder Resources; TutorialTests writes this file.
    \(Set(steps.flatMap(\.imports)).sorted().joined(separator: "\n"))

    /// The functions that run the tutorial's steps, by the steps' names.
    let tutorialSteps: [String: @Sendable () throws -> Void] = [
    \(steps.map { "  \"\($0.name)\": \($0.namespace).run," }.joined(separator: "\n"))
    ]

    \(steps.map(\.source).joined(separator: "\n\n"))

    """
  }

  private var namespace: String { name.replacing("-", with: "") }

  private var source: String {
    let (types, extensions, statements) = parts
    // Constants of a program live as long as it does, and those of a function until their last use.
    let constants = statements.compactMap { $0.prefixMatch(of: /let (\w+) =/)?.output.1 }
    let list = constants.joined(separator: ", ")
    var kept = ["withExtendedLifetime(\(constants.count == 1 ? list : "(\(list))")) {}"]
    if kept[0].count > 96 { kept = ["withExtendedLifetime(", "  (\(list))", ") {}"] }
    let run = ["static func run() throws {"] + indented(statements + kept) + ["}"]
    let members = types + (types.isEmpty ? [] : [""]) + run
    return
      (["enum \(namespace) {"] + indented(members) + ["}"]
      + (extensions.isEmpty ? [] : [""]) + extensions).joined(separator: "\n")
  }

  /// The lines of the types, of extensions, which are at the top level, and of all else.
  private var parts: (types: [String], extensions: [String], statements: [String]) {
    var (types, extensions, statements) = ([String](), [String](), [String]())
    var declaration: [String]?
    for line in lines where !line.hasPrefix("import ") {
      if declaration == nil, line.contains(/^(@|final class |class |struct |extension )/) {
        declaration = []
      }
      guard var open = declaration else {
        // No empty lines at the beginning, nor two of them.
        if !(line.isEmpty && statements.last ?? "" == "") { statements.append(String(line)) }
        continue
      }
      open.append(String(line))
      declaration = open
      guard line.hasPrefix("}") || line.hasSuffix("{}") else { continue }
      declaration = nil
      if open[0].hasPrefix("extension ") {
        open[0] = open[0].replacing("extension ", with: "extension \(namespace).")
        extensions += (extensions.isEmpty ? [] : [""]) + open
      } else {
        types += (types.isEmpty ? [] : [""]) + open
      }
    }
    if statements.last == "" { statements.removeLast() }
    return (types, extensions, statements)
  }

  private func indented(_ lines: [String]) -> [String] {
    lines.map { $0.isEmpty ? "" : "  \($0)" }
  }
}
