import Foundation
import Testing

@Suite("The tutorial's steps with a document", .timeLimit(.minutes(10)))
struct TutorialTests {
  private let folder = TemporaryFolder()

  @Test("Each step is the program that is run here")
  func compiled() throws {
    let steps = try TutorialStep.all()
    for step in steps {
      if ProcessInfo.processInfo.environment["KVO_WRITE_PAGE"] != nil {
        try step.text.write(to: step.program, atomically: true, encoding: .utf8)
      }
      #expect(
        try String(contentsOf: step.program, encoding: .utf8) == step.text,
        """
        KVO_WRITE_PAGE=1 swift test --package-path KeyValueReplica --filter TutorialTests writes \
        \(step.program.path) anew.
        """)
    }
    #expect(steps.map(\.name) == ["Share-6", "Share-7", "Share-8"])
  }

  // A document knows a class by its module, too, and each step is a module here. So each test makes its own.

  @Test("A document is made once, and is there when it's opened again")
  func opened() throws {
    let step = try TutorialStep("Share-6")
    for _ in 0..<2 {
      #expect(try step.run(in: folder).lines(10) == step.claims)
    }
  }

  @Test("A program's observer is told of another program's entry")
  func shared() throws {
    let step = try TutorialStep("Share-7")
    let watching = try step.run(in: folder)
    var printed = watching.lines(2)
    let adding = try step.run(["Power", "-60"], in: folder)
    #expect(adding.lines(10) == ["total: 0 -> -900", "total: -900 -> -960"])
    printed += watching.lines(2)
    #expect(printed == step.claims)
  }

  @Test("A program undoes its own change, and another's stays")
  func undone() throws {
    let step = try TutorialStep("Share-8")
    let power = try step.run(["Power", "-60"], in: folder)
    #expect(power.lines(10) == ["total: 0 -> -900", "total: -900 -> -960"])
    let undoing = try step.run(in: folder)
    var printed = undoing.lines(2)
    let salary = try step.run(["Salary", "3000"], in: folder)
    printed += undoing.lines(10)
    #expect(printed == step.claims)
    withExtendedLifetime(salary) {}
  }
}

/// The code of a step of the tutorial that opens a document: a program of one file, which is a target here.
private struct TutorialStep {
  private static let resources = Page.root.appending(
    path: "../Sources/KeyValueObserving/KeyValueObserving.docc/Resources"
  ).standardized

  let name: String
  let text: String

  init(_ name: String) throws {
    self.name = name
    text = try String(
      contentsOf: Self.resources.appending(path: "\(name).swift"), encoding: .utf8)
  }

  static func all() throws -> [TutorialStep] {
    try FileManager.default.contentsOfDirectory(atPath: resources.path)
      .filter { $0.hasSuffix(".swift") }.sorted().map { try TutorialStep(String($0.dropLast(6))) }
      .filter { $0.text.contains("import KeyValueReplica\n") }
  }

  /// The source of its target.
  var program: URL { Page.root.appending(path: "Tests/TutorialSteps/\(name)/main.swift") }

  /// What the step's comments say that it prints.
  var claims: [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("// ") }.map { String($0.dropFirst(3)) }
  }

  func run(_ arguments: [String] = [], in folder: TemporaryFolder) throws -> Program {
    try Program(name, arguments, in: folder.path)
  }
}
