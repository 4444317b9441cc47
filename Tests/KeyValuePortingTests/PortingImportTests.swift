import Testing

@testable import KeyValuePorting

@Suite("The porting tool: imports")
struct PortingImportTests {
  @Test("beside XCTest, which imports Foundation, a file imports what it names of FoundationKVO")
  func testsOnly() {
    let porting = Porting([
      ("A.swift", "@testable import Model\nimport XCTest\nlet kind = NSKeyValueChange.setting\n"),
      ("B.swift", "import XCTest\nlet kind = 1\n"),
      ("C.swift", "import Foundation\nimport XCTest\nclass C: NSObject {}\n"),
      ("D.swift", "import FoundationKVO\nimport XCTest\nlet kind = NSKeyValueChange.setting\n"),
      ("E.swift", "import XCTest\nlet queue = OperationQueue(), progress = Progress()\n"),
      ("F.swift", "import Foundation\nclass Progress {}\n"),
      ("G.swift", "import XCTest\nimport Foundation\nlet block = BlockOperation {}\n"),
      ("H.swift", "import XCTest\nfunc f(_ a: NSExpression, _ b: ProgressReporting) {}\n"),
    ])
    #expect(
      porting.files.map(\.ported) == [
        "@testable import Model\nimport FoundationKVO\nimport XCTest\n"
          + "let kind = NSKeyValueChange.setting\n",
        "import XCTest\nlet kind = 1\n",
        "import FoundationKVO\nimport class FoundationKVO.NSObject\nimport XCTest\n"
          + "@KeyValueObservable\nclass C: NSObject {}\n",
        "import FoundationKVO\nimport XCTest\nlet kind = NSKeyValueChange.setting\n",
        "import FoundationKVO\nimport class FoundationKVO.OperationQueue\nimport XCTest\n"
          + "let queue = OperationQueue(), progress = Progress()\n",
        "import FoundationKVO\nclass Progress {}\n",
        "import XCTest\nimport FoundationKVO\nimport class FoundationKVO.BlockOperation\n"
          + "let block = BlockOperation {}\n",
        "import FoundationKVO\nimport class FoundationKVO.NSExpression\n"
          + "import protocol FoundationKVO.ProgressReporting\nimport XCTest\n"
          + "func f(_ a: NSExpression, _ b: ProgressReporting) {}\n",
      ])
  }

  @Test("each branch of #if has its own import")
  func branches() {
    let porting = Porting([
      ("A.swift", "#if os(macOS)\nimport AppKit\n#else\nimport UIKit\n#endif\nlet x = 1\n"),
      ("B.swift", "import Foundation\n#if os(macOS)\nimport AppKit\n#endif\nlet x = 1\n"),
      ("C.swift", "#if os(macOS)\nimport AppKit\n#endif\nclass C: NSObject {}\n"),
      ("D.swift", "#if os(macOS)\nimport AppKit\nclass D: NSObject {}\n#endif\n"),
      (
        "E.swift",
        "#if os(macOS)\nimport AppKit\n#else\nimport UIKit\n#endif\nclass E: NSObject {}\n"
      ),
    ])
    #expect(
      porting.files.map(\.ported) == [
        "#if os(macOS)\nimport FoundationKVO\n#else\nimport FoundationKVO\n#endif\nlet x = 1\n",
        "import FoundationKVO\n#if os(macOS)\n#endif\nlet x = 1\n",
        "import FoundationKVO\n\n#if os(macOS)\nimport FoundationKVO\n#endif\n"
          + "@KeyValueObservable\nclass C: NSObject {}\n",
        "#if os(macOS)\nimport FoundationKVO\n@KeyValueObservable\nclass D: NSObject {}\n#endif\n",
        "#if os(macOS)\nimport FoundationKVO\n#else\nimport FoundationKVO\n#endif\n"
          + "@KeyValueObservable\nclass E: NSObject {}\n",
      ])
  }

  @Test("a file without imports whose class gets the attribute imports it, behind its own comments")
  func importOfAttribute() {
    let porting = Porting([
      ("A.swift", "import Foundation\nclass A: NSObject {}\n"),
      ("B.swift", "class B: A {}\n"),
      ("C.swift", "// C.swift\n\n/// What C is.\nclass C: A {}\n"),
      ("D.swift", "// D.swift\n//\n\n// What D is.\nclass D: A {}\n"),
      ("E.swift", "// E.swift\nimport XCTest\n\nclass E: A {}\n"),
      ("F.swift", "// F.swift\nlet f = 1\nclass F: A {}\n"),
      ("G.swift", "class G {}\n"),
    ])
    #expect(
      porting.files.map(\.ported) == [
        "import FoundationKVO\n@KeyValueObservable\nclass A: NSObject {}\n",
        "import FoundationKVO\n\n@KeyValueObservable\nclass B: A {}\n",
        "// C.swift\n\nimport FoundationKVO\n\n/// What C is.\n@KeyValueObservable\nclass C: A {}\n",
        "// D.swift\n//\n\nimport FoundationKVO\n\n// What D is.\n@KeyValueObservable\nclass D: A {}\n",
        "// E.swift\nimport FoundationKVO\nimport XCTest\n\n@KeyValueObservable\nclass E: A {}\n",
        "// F.swift\nimport FoundationKVO\n\nlet f = 1\n@KeyValueObservable\nclass F: A {}\n",
        "class G {}\n",
      ])
  }
}
