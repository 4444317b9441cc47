import Testing

@testable import KeyValuePorting

@Suite("The porting tool: methods that are renamed, their callers, and keys")
struct PortingNameTests {
  @Test("a key may begin with a capital letter")
  func capitalKeys() {
    let porting = Porting([
      ("A.swift", "let a = (#keyPath(URL), #keyPath(Node.URL), #keyPath(A.Node.x))\n")
    ])
    #expect(porting.files[0].ported == "let a = (\"URL\", \"URL\", \"x\")\n")
  }

  @Test("a property in upper case on the way of #keyPath stays in the key path")
  func capitalKeysOnTheWay() {
    let porting = Porting([
      (
        "A.swift",
        """
        class Feed: NSObject {
          @objc dynamic var URL = NSURL()
          @objc dynamic var next: Feed?
          func show() { print(#keyPath(URL.host), #keyPath(next.URL.host)) }
        }
        let a = (#keyPath(Feed.URL.host), #keyPath(Feed.URL), #keyPath(App.Feed.URL.host))

        """
      )
    ])
    let text = porting.files[0].ported
    #expect(text.contains("let a = (\"URL.host\", \"URL\", \"URL.host\")\n"), "\(text)")
    #expect(text.contains("print(\"URL.host\", \"next.URL.host\")"), "\(text)")
  }

  @Test("an enum case's name in Objective-C is removed with the enum's @objc")
  func enumCases() {
    let porting = Porting([
      ("A.swift", "@objc enum State: Int {\n  @objc(StateOpen) case open\n  case closed\n}\n")
    ])
    #expect(porting.files[0].ported == "enum State: Int {\n  case open\n  case closed\n}\n")
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
}
