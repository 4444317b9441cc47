import Testing

@testable import KeyValuePorting

@Suite("The porting tool: what it leaves to a person, and what it doesn't list")
struct PortingRemarkTests {
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

  @Test("a property that Objective-C finds by name in an extension is listed")
  func keysInExtensions() {
    let porting = Porting([
      (
        "A.swift",
        """
        import Foundation
        import Combine
        class Entity: NSObject { @objc dynamic var title = "" }
        extension Entity {
          @objc var short: String { "" }
          @objc dynamic var long: String { "" }
          @objc static var all: [Entity] { [] }
          var own: String { "" }
        }
        @objc extension Entity { var exposed: Int { 1 } }
        @objcMembers class Order: Entity {}
        class SubOrder: Order {}
        extension SubOrder {
          var inherited: Int { 1 }
          private var hidden: Int { 1 }
          @nonobjc var plain: Int { 1 }
        }
        extension UserDefaults { @objc var interval: Double { 0 } }
        func fail() { NSException(name: .genericException, reason: nil, userInfo: nil).raise() }

        """
      )
    ])
    let property =
      "key-value coding doesn't find this property in an extension: move it into the class if its name is used "
      + "as a key"
    #expect(
      porting.remarks.map { "\($0)" } == [
        "A.swift:2: Combine is Apple's: import OpenCombineKVO, with the package's trait OpenCombine, for "
          + "publisher(for:)",
        "A.swift:5: \(property)",
        "A.swift:6: a key in an extension: move it into the class",
        "A.swift:10: \(property)",
        "A.swift:14: \(property)",
        "A.swift:19: 'NSException': Foundation on Linux has none: throw an error, or call fatalError(_:)",
      ])
  }

  @Test("an override's getter that reads what no class states is listed; descriptions aren't")
  func overriddenGetters() {
    let porting = Porting([
      (
        "A.swift",
        #"""
        import Foundation
        class Line: NSObject { @objc dynamic var price = 0.0 }
        @objcMembers class Bill: NSObject {
          dynamic var lines: [Line] = []
          dynamic var note = ""
          var text: String { note }
          class func keyPathsForValuesAffectingText() -> Set<String> { ["note"] }
          override var description: String { note }
        }
        class Taxed: Bill {
          @objc dynamic var tax = 0.0
          override var text: String { super.text + " \(tax)" }
        }
        class Memo: Bill {
          override var text: String { super.text + " \(lines.reduce(0) { $0 + $1.price })" }
          override class func keyPathsForValuesAffectingText() -> Set<String> { ["note", "lines"] }
        }
        class Plain: Line { var text: String { "\(price)" } }

        """#
      )
    ])
    #expect(
      porting.remarks.map { "\($0)" } == [
        "A.swift:12: 'text' is announced when 'tax' changes, which its getter reads; Cocoa announces it if the "
          + "class says so: state it, or switch it off by automaticallyNotifiesObservers(forKey:)",
        "A.swift:15: 'text' is announced when 'lines.price' changes, a key of elements that its getter reads; "
          + "Cocoa doesn't announce that: switch it off by automaticallyNotifiesObservers(forKey:) if it matters",
      ])
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
}
