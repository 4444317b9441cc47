import Foundation
import Testing

@testable import KeyValuePorting

/// The folder of fixtures: `name.before.swift.txt`, what it becomes, `name.after.swift.txt`, and what's left to a person.
private let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .appendingPathComponent("Fixtures")

private func text(_ name: String) throws -> String {
  try String(contentsOf: fixtures.appendingPathComponent(name), encoding: .utf8)
}

@Suite("The porting tool")
struct PortingTests {
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

  @Test("key paths that a function is given and hands on are listed")
  func keyPathParameters() {
    let porting = Porting([
      (
        "A.swift",
        """
        func watch<T: NSObject, V>(_ object: T, _ path: KeyPath<T, V>) {
          _ = object.observe(path) { _, _ in }
          _ = object.observe(path, options: [.new]) { _, _ in }
        }
        func track(_ paths: [KeyPath<Row, Int>], _ row: Row) {
          for path in paths { _ = row.observe(path) { _, _ in } }
          paths.forEach { _ = row.observe($0) { _, _ in } }
        }
        func title<V>(_ path: KeyPath<Row, V>) -> String { NSExpression(forKeyPath: path).keyPath }
        func typed(_ path: KeyPath<KeyValuePath<Row, Row>, KeyValuePath<Row, Int>>, _ row: Row) {
          _ = row.observe(path) { _, _ in }
        }
        func read(_ path: KeyPath<Row, Int>, _ row: Row) -> Int { row[keyPath: path] }

        """
      )
    ])
    let start = "is one property here, and ends the program at a longer path: for those,"
    #expect(
      porting.remarks.map { "\($0)" } == [
        "A.swift:1: a KeyPath<T, V> \(start) 'path' is of type KeyPath<KeyValuePath<T, T>, KeyValuePath<T, V>>",
        "A.swift:5: a KeyPath<Row, Int> \(start) 'path' is of type KeyPath<KeyValuePath<Row, Row>, "
          + "KeyValuePath<Row, Int>>",
        "A.swift:9: a KeyPath<Row, V> \(start) take the path as a string",
      ])
  }

  @Test("a cast to CVarArg is removed where a format takes any value, and listed elsewhere")
  func argumentCasts() {
    let porting = Porting([
      (
        "A.swift",
        """
        let a = NSPredicate(format: "a > %@ AND b == %@", date as CVarArg, row.id as! CVarArg)
        let b = NSPredicate.init(format: "a", argumentArray: [isNew ? x as CVarArg : (y as any CVarArg)])
        let c = NSExpression(format: "%@ + 1", x ?? y as CVarArg)
        let d = String(format: "%@", date as CVarArg)
        let e = NSPredicate(format: "a == %@", text(date as CVarArg))
        let f = NSPredicate(format: "a IN %@", [x, y] as [CVarArg], x as? CVarArg ?? "")

        """
      )
    ])
    #expect(
      porting.files[0].ported == """
        let a = NSPredicate(format: "a > %@ AND b == %@", date, row.id)
        let b = NSPredicate.init(format: "a", argumentArray: [isNew ? x : (y)])
        let c = NSExpression(format: "%@ + 1", x ?? y)
        let d = String(format: "%@", date as CVarArg)
        let e = NSPredicate(format: "a == %@", text(date as CVarArg))
        let f = NSPredicate(format: "a IN %@", [x, y] as [CVarArg], x as? CVarArg ?? "")

        """)
    #expect(porting.counts == ["5 casts to CVarArg removed"])
    let text =
      "on Linux, only Swift's numbers, String, NSString and FoundationKVO's NSObject are CVarArg: pass one of "
      + "those, such as the value's description"
    #expect(porting.remarks.map { "\($0)" } == [4, 5, 6, 6].map { "A.swift:\($0): \(text)" })
  }

  @Test("a property that's copied, and an order of a class's own, are listed")
  func copiesAndOrders() {
    let porting = Porting([
      (
        "A.swift",
        """
        import FoundationKVO
        @KeyValueObservable
        class Row: NSObject {
          @NSCopying dynamic var title: NSString = ""
          @NSCopying var note: NSString = ""
          func compare(_ other: Row) -> ComparisonResult { .orderedSame }
          func compare(_ other: Row, by key: String) -> ComparisonResult { .orderedSame }
        }
        @KeyValueObservable
        class Column: NSObject {}
        extension Column {
          func compare(_ other: Column) -> ComparisonResult { .orderedSame }
        }
        @KeyValueObservable
        class Cell: NSObject, Comparable {
          func compare(_ other: Cell) -> ComparisonResult { .orderedSame }
        }
        struct Plain {
          func compare(_ other: Plain) -> ComparisonResult { .orderedSame }
        }

        """
      )
    ])
    let start = "sort descriptors, predicates and operators don't call 'compare(_:)' of"
    #expect(
      porting.remarks.map { "\($0)" } == [
        "A.swift:4: a dynamic property with @NSCopying: compute it over a stored one that its setter sets to "
          + "'newValue.copy()'",
        "A.swift:6: \(start) 'Row': conform 'Row' to Comparable, in the same order",
        "A.swift:12: \(start) 'Column': conform 'Column' to Comparable, in the same order",
      ])
    #expect(!porting.files[0].isChanged)
  }

  @Test("what the files declare, or say already, isn't listed")
  func declaredHelpers() {
    let porting = Porting([
      (
        "A.swift",
        """
        import FoundationKVO
        final class XCTKVOExpectation {}
        extension Case {
          func keyValueObservingExpectation(for object: NSObject, keyPath: String) {}
          func test() {
            keyValueObservingExpectation(for: NSObject(), keyPath: "a")
            _ = XCTKVOExpectation()
          }
        }
        @KeyValueObservable
        class Row: NSObject {
          var isBusy: Bool { @objc(isBusy) get { true } }
        }
        class DayUse: Booking {
          override func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
          ) {}
        }

        """
      )
    ])
    #expect(
      porting.remarks.map { "\($0)" } == [
        "A.swift:15: 'Booking' isn't among these files: if it doesn't have FoundationKVO's root, observe with an "
          + "NSObject that 'DayUse' owns"
      ])
  }

  @Test("a key may begin with a capital letter")
  func capitalKeys() {
    let porting = Porting([
      ("A.swift", "let a = (#keyPath(URL), #keyPath(Node.URL), #keyPath(A.Node.x))\n")
    ])
    #expect(porting.files[0].ported == "let a = (\"URL\", \"URL\", \"x\")\n")
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

  @Test("what the files declare isn't Foundation's")
  func ownNames() {
    let porting = Porting([
      (
        "A.swift",
        """
        class ValueTransformer {}
        struct Encoding { let objCType: String }
        extension NSMapTable {}
        func bind(_ key: String, to object: Any, withKeyPath path: String, options: [String: Any]?) {}

        """
      ),
      (
        "B.swift",
        """
        let a = ValueTransformer(), b = encoding.objCType
        bind("a", to: b, withKeyPath: "c", options: nil)
        unbind("a")
        let c = NSMapTable()

        """
      ),
    ])
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:3: 'NSMapTable': use a dictionary with weak references in its values",
        "B.swift:3: 'unbind(_:)': remove the observer that replaces the binding",
        "B.swift:4: 'NSMapTable': use a dictionary with weak references in its values",
      ])
  }

  @Test("methods of one name that get several are renamed by their types, and their calls listed")
  func overloads() {
    let porting = Porting([
      (
        "A.swift",
        """
        class Box: NSObject {
          @objc(insertObject:inRowsAtIndex:) func insert(_ row: Row, at index: Int) {}
          @objc(insertRows:atIndexes:) func insert(_ rows: [Row], at index: IndexSet) {}
          @objc(removeObjectFromRowsAtIndex:) func take(_ index: Int) {}
          func take(_ row: Row) {}
          func act() { insert([], at: []); self.take(0); print(insert(_:at:), insert) }
        }
        class Sub: Box {
          override func insert(_ rows: [Row], at index: IndexSet) {}
          override func insert(_ row: Row, at index: Int) {}
          override func take(_ row: Row) {}
        }

        """
      )
    ])
    #expect(
      porting.files[0].ported == """
        import FoundationKVO

        @KeyValueObservable
        class Box: NSObject {
          func insertObject(_ row: Row, inRowsAtIndex index: Int) {}
          func insertRows(_ rows: [Row], atIndexes index: IndexSet) {}
          func removeObjectFromRowsAtIndex(_ index: Int) {}
          func take(_ row: Row) {}
          func act() { insert([], at: []); self.take(0); print(insert(_:at:), insert) }
        }
        @KeyValueObservable
        class Sub: Box {
          override func insertRows(_ rows: [Row], atIndexes index: IndexSet) {}
          override func insertObject(_ row: Row, inRowsAtIndex index: Int) {}
          override func take(_ row: Row) {}
        }

        """)
    let several =
      "A.swift:6: there are several methods 'insert(_:at:)': the name of this one is "
      + "'insertObject(_:inRowsAtIndex:)' or 'insertRows(_:atIndexes:)'"
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:6: if 'insert' is 'insert(_:at:)', its name is 'insertObject(_:inRowsAtIndex:)'",
        "A.swift:6: if 'insert' is 'insert(_:at:)', its name is 'insertRows(_:atIndexes:)'",
        several, several,
        "A.swift:6: there are several methods 'take(_:)': the name of this one is "
          + "'removeObjectFromRowsAtIndex(_:)' or 'take(_:)'",
      ])
  }

  @Test("members in branches of #if are members")
  func conditionalMembers() {
    let porting = Porting([
      (
        "A.swift",
        """
        class A: NSObject {
          #if DEBUG
          @objc dynamic var x = 0
          #endif
        }
        class B: A {
          override var x: Int { get { 1 } set {} }
        }
        extension B {
          #if DEBUG
          @objc dynamic var y: Int { 1 }
          #endif
        }

        """
      )
    ])
    #expect(porting.files[0].ported.contains("  override dynamic var x"))
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:11: a key in an extension: move it into the class"
      ])
  }

  @Test("a getter that key-value coding finds by its name in Objective-C is listed")
  func gettersWithAnotherName() {
    let porting = Porting([
      (
        "A.swift",
        """
        import Foundation
        class Person: NSObject {
          @objc(fullName) func makeFullName() -> String { "" }
          @objc(isReady)
          func ready() -> Bool { true }
          @objc(age) func age() -> Int { 1 }
          @objc(reset) func clear() {}
          @objc(countOfRows) func rowCount() -> Int { 1 }
          @objc(titleOf:) func title(_ row: Int) -> String { "" }
          @objc(saveAndReturnError:) func save() throws -> Int { 1 }
          @objc(sharedPerson) class func shared() -> Person { Person() }
        }

        """
      )
    ])
    #expect(
      porting.files[0].ported == """
        import FoundationKVO
        @KeyValueObservable
        class Person: NSObject {
          func makeFullName() -> String { "" }
          func ready() -> Bool { true }
          func age() -> Int { 1 }
          func clear() {}
          func countOfRows() -> Int { 1 }
          func title(_ row: Int) -> String { "" }
          func save() throws -> Int { 1 }
          class func shared() -> Person { Person() }
        }

        """)
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:3: key-value coding finds 'makeFullName()' as 'fullName': name the method so if its key is read",
        "A.swift:4: key-value coding finds 'ready()' as 'isReady': name the method so if its key is read",
      ])
  }

  @Test("calls on a type whose name another one has, too, are listed")
  func ambiguousTypes() {
    let porting = Porting([
      (
        "A.swift",
        """
        class List: NSObject {
          class Row: NSObject {
            @objc(removeObjectFromCellsAtIndex:) func remove(at index: Int) {}
          }
        }
        struct Grid {
          struct Row {
            func remove(at index: Int) {}
            func clear() { remove(at: 0) }
          }
          func clear(_ row: Row) { row.remove(at: 0) }
        }

        """
      )
    ])
    #expect(porting.files[0].ported.contains("row.remove(at: 0)"))
    let end = "is of type 'Row', its 'remove(at:)' has the name 'removeObjectFromCellsAtIndex(_:)'"
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:9: if 'remove' \(end)", "A.swift:11: if 'row' \(end)",
      ])
  }

  @Test("a subclass doesn't implement a requirement that was optional for its superclass")
  func optionalOfSuperclass() {
    let porting = Porting([
      (
        "A.swift",
        """
        @objc protocol Watching {
          @objc optional func changed(_ key: String)
          @objc optional func load(_ key: String, then: () -> Void)
        }
        class Base: NSObject {}
        class Middle: Base { func load(_ key: String, then: () -> Void) {} }
        class Sub: Middle {
          func changed(_ key: String) { delegate?.load?(key) { print(key) } }
          override func load(_ key: String, then: () -> Void) {}
        }
        class Other: NSObject, Watching { func changed(_ key: String) {} }

        """
      ),
      ("B.swift", "extension Middle: Watching {}\n"),
    ])
    #expect(
      porting.files[0].ported.contains(
        "  func changed(_ key: String) { delegate?.load(key) { print(key) } }\n"))
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:8: 'changed(_:)' isn't called through its protocol: 'Middle' conforms to that, and has the "
          + "default of the requirement; declare the method in the class that conforms, and override it"
      ])
  }

  @Test("what asks whether there is a requirement that was optional is listed")
  func questionsForOptionals() {
    let porting = Porting([
      (
        "A.swift",
        """
        import Foundation
        @objc protocol Closing {
          @objc optional func close()
          @objc optional func load(_ key: String) -> String?
          @objc optional func save() throws
        }
        func ask(_ delegate: Closing?, _ row: Row) throws {
          delegate?.close?()
          _ = delegate?.close?()
          try delegate?.save?()
          row.run { delegate?.close?() }
          print(delegate?.load?("a") ?? "none", row.close, row.load, row.owner.load)
          delegate?.close?() ?? row.end()
          if delegate?.close?() == nil { row.end() }
          if try delegate?.save?() != nil { row.end() }
          if let _ = delegate?.close?() { row.end() }
          if delegate?.close != nil { row.end() }
          if let load = delegate?.load(_:) { print(load("a") ?? "") }
          if row.owner.save == nil { row.end() }
        }
        class Row: NSObject, Closing {
          let load = 1
          let owner = find()
          func close() {}
        }

        """
      )
    ])
    #expect(
      porting.files[0].ported == """
        import FoundationKVO
        protocol Closing: AnyObject {
          func close()
          func load(_ key: String) -> String?
          func save() throws
        }

        extension Closing {
          func close() {}
          func load(_ key: String) -> String? { nil }
          func save() throws {}
        }
        func ask(_ delegate: Closing?, _ row: Row) throws {
          delegate?.close()
          _ = delegate?.close()
          try delegate?.save()
          row.run { delegate?.close() }
          print(delegate?.load("a") ?? "none", row.close, row.load, row.owner.load)
          delegate?.close() ?? row.end()
          if delegate?.close() == nil { row.end() }
          if try delegate?.save() != nil { row.end() }
          if let _ = delegate?.close() { row.end() }
          if delegate?.close != nil { row.end() }
          if let load = delegate?.load(_:) { print(load("a") ?? "") }
          if row.owner.save == nil { row.end() }
        }
        @KeyValueObservable
        class Row: NSObject, Closing {
          let load = 1
          let owner = find()
          func close() {}
        }

        """)
    let end =
      "never missing here, because it has a default: put what's done without it into the default, or declare "
      + "the method in a protocol of its own, and cast to that"
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:13: the requirement 'close()' is \(end)",
        "A.swift:14: the requirement 'close()' is \(end)",
        "A.swift:15: the requirement 'save()' is \(end)",
        "A.swift:16: the requirement 'close()' is \(end)",
        "A.swift:17: the requirement 'close()' is \(end)",
        "A.swift:18: the requirement 'load(_:)' is \(end)",
        "A.swift:19: if this is the requirement 'save()', it's \(end)",
      ])
  }

  @Test("an optional requirement's default is as visible as the protocol, and static if that is")
  func defaultsOfTypes() {
    let porting = Porting([
      (
        "A.swift",
        """
        @objc package protocol Watching {
          @objc optional static func changed(_ key: String)
          @objc optional func load() -> Int?
        }
        @objc public protocol Marking { @objc optional static func mark() }
        @objc protocol Naming { @objc optional func name() }

        """
      )
    ])
    #expect(
      porting.files[0].ported.contains(
        """

        extension Watching {
          package static func changed(_ key: String) {}
          package func load() -> Int? { nil }
        }

        """))
    #expect(porting.files[0].ported.contains("{\n  public static func mark() {}\n}"))
    #expect(porting.files[0].ported.contains("{\n  func name() {}\n}"))
  }

  @Test("what a getter reads in a switch's cases under #if is listed")
  func conditionalCases() {
    let porting = Porting([
      (
        "A.swift",
        """
        @objcMembers
        class Part: NSObject {
          dynamic var secret = 0
          dynamic var cost = 0
        }
        @objcMembers
        class Model: NSObject {
          dynamic var node: Part?
          var a: Int {
            switch node {
            #if DEBUG
            case let part?: return part.secret
            #else
            case let other?: return other.cost
            #endif
            default: return 0
            }
          }
          class func keyPathsForValuesAffectingA() -> Set<String> { ["node"] }
        }

        """
      )
    ])
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:9: 'a' is announced when 'node.secret' or 'node.cost' changes, which its getter reads; Cocoa "
          + "announces it if the class says so: state it, or switch it off by "
          + "automaticallyNotifiesObservers(forKey:)"
      ])
  }

  @Test("a class's root may be in another file, and so may the property that an override overrides")
  func severalFiles() {
    let porting = Porting([
      ("Sub.swift", "class Sub: Middle {\n  override var x: Int { get { 1 } set {} }\n}\n"),
      ("Middle.swift", "class Middle: Base {}\n"),
      ("Base.swift", "class Base: NSObject {\n  @objc dynamic var x = 0\n}\n"),
    ])
    #expect(
      porting.files.map(\.ported) == [
        "import FoundationKVO\n\n@KeyValueObservable\nclass Sub: Middle {\n"
          + "  override dynamic var x: Int { get { 1 } set {} }\n}\n",
        "import FoundationKVO\n\n@KeyValueObservable\nclass Middle: Base {}\n",
        "import FoundationKVO\n\n@KeyValueObservable\nclass Base: NSObject {\n  dynamic var x = 0\n}\n",
      ])
    #expect(
      porting.counts == [
        "3 imports of FoundationKVO", "3 @KeyValueObservable", "1 @objc and @IB… removed",
        "1 overrides made dynamic",
      ])
    #expect(porting.editCount == 8)
    #expect(porting.remarks == [])
  }

  @Test("a class may have its superclass's name, and subclasses in other files")
  func sameName() {
    let porting = Porting([
      ("Group.swift", "final class Group: Operation {}\n"),
      ("Operation.swift", "open class Operation: Foundation.Operation {}\n"),
      ("Money.swift", "class Money: Foundation.NumberFormatter {\n  dynamic var x = 0\n}\n"),
    ])
    #expect(
      porting.files.map(\.ported) == [
        "import FoundationKVO\n\n@KeyValueObservable\nfinal class Group: Operation, @unchecked Sendable {}\n",
        "import FoundationKVO\n\n@KeyValueObservable\n"
          + "open class Operation: FoundationKVO.Operation, @unchecked Sendable {}\n",
        "class Money: Foundation.NumberFormatter {\n  dynamic var x = 0\n}\n",
      ])
    #expect(
      porting.remarks.map(\.description) == [
        "Money.swift:1: 'NumberFormatter' doesn't have FoundationKVO's root, so 'Money' can't be observed: "
          + "keep the keys in an NSObject that it owns"
      ])
  }

  @Test("a renamed method's overrides and callers may be in other files, and so may the variables")
  func callersElsewhere() {
    let porting = Porting([
      (
        "A.swift",
        """
        func f(_ sub: Sub, _ list: inout [Int]) {
          sub.add(1, at: 0)
          Row().owner.add(1, at: 0)
          shared.add(1, at: 0)
          make().add(1, at: 0)
          list.add(1, at: 0)
          row.other.add(1, at: 0)
          print(#keyPath(Sub.title), #keyPath(Row.owner.title), #keyPath(Row.other.title))
        }

        """
      ),
      ("A2.swift", "extension Sub: Marking {}\n"),
      (
        "B.swift",
        "class Sub: Base {\n  override func add(_ x: Int, at i: Int) { super.add(x, at: i) }\n}\n"
      ),
      (
        "C.swift",
        """
        class Base: NSObject {
          @objc(insertObject:inRowsAtIndex:) func add(_ x: Int, at i: Int) {}
          @objc(name) dynamic var title = ""
        }
        protocol Marking {}
        let shared: Alias = Base()
        typealias Alias = Base
        func make() -> Base { shared }
        struct Row {
          let owner: Sub
          let other = find()
        }

        """
      ),
    ])
    #expect(
      [porting.files[0], porting.files[2]].map(\.ported) == [
        """
        func f(_ sub: Sub, _ list: inout [Int]) {
          sub.insertObject(1, inRowsAtIndex: 0)
          Row().owner.insertObject(1, inRowsAtIndex: 0)
          shared.insertObject(1, inRowsAtIndex: 0)
          make().insertObject(1, inRowsAtIndex: 0)
          list.add(1, at: 0)
          row.other.add(1, at: 0)
          print("name", "owner.name", "other.title")
        }

        """,
        """
        import FoundationKVO

        @KeyValueObservable
        class Sub: Base {
          override func insertObject(_ x: Int, inRowsAtIndex i: Int) { super.insertObject(x, inRowsAtIndex: i) }
        }

        """,
      ])
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:7: if 'row.other' is of type 'Base', its 'add(_:at:)' has the name "
          + "'insertObject(_:inRowsAtIndex:)'",
        "A.swift:8: if 'title' is that of 'Base', its key is 'name'",
        "C.swift:3: the key of 'title' is 'name': name the property so, and remove @objc",
      ])
  }

  @Test("a constant's key may be declared, and shown, in other files")
  func constantsElsewhere() {
    let porting = Porting([
      (
        "A.swift",
        "class A: B {\n  func f() { willChangeValue(forKey: Keys.a); willChangeValue(forKey: k) }\n}\n"
      ),
      ("B.swift", "class B: NSObject {\n  var a = 0\n}\nenum Keys {\n  static let a = \"a\"\n}\n"),
      ("C.swift", "let k = \"c\"\nclass C: NSObject {\n  let k = \"d\"\n}\n"),
      (
        "D.swift",
        "let only = \"d\"\nextension A {\n  func g() { willChangeValue(forKey: only) }\n}\n"
      ),
    ])
    #expect(
      porting.remarks.map(\.description) == [
        "D.swift:3: the key 'd' has no property, and the attribute doesn't see an extension: announce it in "
          + "the class's body, or observers are refused before the first announcement"
      ])
  }

  @Test("a class whose superclass isn't there is listed if it has keys, and not changed")
  func unknownSuperclass() {
    let porting = Porting([
      ("A.swift", "class A: Elsewhere {\n  dynamic var x = 0\n}\nclass B: Elsewhere {}\n"),
      (
        "C.swift",
        "class C: NumberFormatter {\n  dynamic var x = 0\n}\nclass D {\n  dynamic var x = 0\n}\n"
      ),
    ])
    #expect(porting.files.allSatisfy { !$0.isChanged })
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:1: 'Elsewhere' isn't among these files: if it inherits from NSObject, put "
          + "@KeyValueObservable in front of 'A'; otherwise let it inherit from NSObject",
        "C.swift:1: 'NumberFormatter' doesn't have FoundationKVO's root, so 'C' can't be observed: keep the "
          + "keys in an NSObject that it owns",
        "C.swift:4: 'D' has dynamic members and no superclass: let it inherit from NSObject",
      ])
  }

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
    #expect(try run(["--all", folder.path]).status == 64)
    #expect(try run([folder.path + "/none"]).status == 66)
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
