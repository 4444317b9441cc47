import SwiftSyntax
import Testing

@Suite("Diagnostics of Cocoa's classes")
struct CocoaDiagnosticsTests {
  @Test("The requirements of NSKeyValueObservingCustomization are no near misses")
  func customization() {
    let source = #"""
      @KeyValueObservable
      class Point: NSObject, NSKeyValueObservingCustomization {
        dynamic var x = 0.0
        dynamic var y = 0.0
        static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> { [] }
        static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool { true }
      }
      """#
    #expect(reports(on: source, inheriting: true, cocoa: true) == "")
  }

  @Test("Members that can't be dynamic are rejected")
  func refusals() {
    let reports = reports(
      on: #"""
        @KeyValueObservable
        class Point: NSObject {
          dynamic var x = 0.0, y = 0.0
          dynamic lazy var length = 1.0
        }
        """#,
      inheriting: true, cocoa: true)
    #expect(
      reports == #"""
        3: error: 'x' and 'y' share one 'var', which cannot be observed; declare each property by itself
          declare each property by itself
          -   dynamic var x = 0.0, y = 0.0
          +   dynamic var x = 0.0
          +   dynamic var y = 0.0
        4: error: lazy property 'length' cannot announce its changes; mark it @NotifiesManually and announce them yourself, or @KeyValueIgnored, after which no observer is told of them, or make it computed over a stored optional
          add '@NotifiesManually'
          -   dynamic lazy var length = 1.0
          +   @NotifiesManually dynamic lazy var length = 1.0
          add '@KeyValueIgnored'
          -   dynamic lazy var length = 1.0
          +   @KeyValueIgnored dynamic lazy var length = 1.0
        """#)
  }

  @Test("Private members that would need a replacement are rejected")
  func privateReplacements() {
    let reports = reports(
      on: #"""
        @KeyValueObservable
        class Download: Operation {
          private var stored = 0
          private dynamic var state: Int { get { stored } set { stored = newValue } }
          private(set) dynamic var part: Int { get { stored } set { stored = newValue } }
          fileprivate dynamic var whole: Int { get { stored } set { stored = newValue } }
          @NotifiesManually private dynamic var own: Int { get { stored } set { stored = newValue } }
          private dynamic var shown: Int { stored }
          private dynamic var pieces = [1]
          private dynamic func insertObject(_ piece: Int, inPiecesAt index: Int) {}
          private dynamic func countOfPieces() -> Int { 0 }
        }
        """#,
      inheriting: true, cocoa: true)
    #expect(
      reports == #"""
        4: error: computed property 'state' is private, so it cannot announce its changes: Swift replaces no private member; make it fileprivate, or mark it @NotifiesManually
          replace 'private' by 'fileprivate'
          -   private dynamic var state: Int { get { stored } set { stored = newValue } }
          +   fileprivate dynamic var state: Int { get { stored } set { stored = newValue } }
          add '@NotifiesManually'
          -   private dynamic var state: Int { get { stored } set { stored = newValue } }
          +   @NotifiesManually private dynamic var state: Int { get { stored } set { stored = newValue } }
        10: error: method 'insertObject' is private, so it cannot announce its changes: Swift replaces no private member; make it fileprivate
          replace 'private' by 'fileprivate'
          -   private dynamic func insertObject(_ piece: Int, inPiecesAt index: Int) {}
          +   fileprivate dynamic func insertObject(_ piece: Int, inPiecesAt index: Int) {}
        """#)
  }

  @Test("An override that setters would call in Cocoa is reported, in a class with setters")
  func overriddenAnnouncements() {
    let reports = reports(
      on: #"""
        @KeyValueObservable
        class Page: NSObject {
          dynamic var title = ""
          override func willChangeValue(forKey key: String) { super.willChangeValue(forKey: key) }
          override func didChangeValue(forKey key: String) { super.didChangeValue(forKey: key) }
          func didChangeValue(forKey key: String, twice: Bool) {}
          override func willChange(
            _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
          ) {}
          override func didChangeValue(
            forKey key: String, withSetMutation kind: NSKeyValueSetMutationKind, using objects: Set<AnyHashable>
          ) {}
        }
        @KeyValueObservable
        class Computed: NSObject {
          var title: String { "" }
          override func didChangeValue(forKey key: String) { super.didChangeValue(forKey: key) }
        }
        """#,
      inheriting: true, cocoa: true)
    #expect(
      reports == #"""
        4: warning: only changes that are announced by hand call this override of 'willChangeValue(forKey:)': setters and key-value coding do not; write 'willSet' for a property, observe its key, or mark the method @KeyValueIgnored if it is meant for those
        5: warning: only changes that are announced by hand call this override of 'didChangeValue(forKey:)': setters and key-value coding do not; write 'didSet' for a property, observe its key, or mark the method @KeyValueIgnored if it is meant for those
        7: warning: only changes that are announced by hand call this override of 'willChange(_:valuesAt:forKey:)': setters, proxies and accessors do not; observe its key, or mark the method @KeyValueIgnored if it is meant for those
        10: warning: only changes that are announced by hand call this override of 'didChangeValue(forKey:withSetMutation:using:)': setters, proxies and accessors do not; observe its key, or mark the method @KeyValueIgnored if it is meant for those
        """#)
    #expect(
      KeyValueMacrosTests.reports(
        on: #"""
          @KeyValueObservable
          class Page: NSObject {
            dynamic var title = ""
            @KeyValueIgnored
            override func didChangeValue(forKey key: String) { super.didChangeValue(forKey: key) }
          }
          """#,
        inheriting: true, cocoa: true) == "")
  }

  @Test(
    "A class without FoundationKVO's root is rejected, and misspelt customisation points are reported"
  )
  func roots() {
    #expect(
      KeyValueMacrosTests.reports(
        on: #"""
          @KeyValueObservable
          class Money: NumberFormatter {
            dynamic var currency: String { get { "" } set {} }
          }
          """#,
        cocoa: true) == #"""
          2: error: 'Money' does not have FoundationKVO's root class, whose methods observers and key-value coding call; let it inherit from FoundationKVO's 'NSObject', and keep an object of the class that it inherits from now in a property
          """#)
    #expect(
      KeyValueMacrosTests.reports(
        on: #"""
          @KeyValueObservable
          class Both: NSObject {
            dynamic var first = ""
          }
          """#,
        cocoa: true) == #"""
          2: error: the 'NSObject' of 'Both' is not FoundationKVO's, or is ambiguous, because the file imports Foundation, too; write 'import class FoundationKVO.NSObject' beside 'import FoundationKVO', or leave 'import Foundation' out
          """#)
    #expect(
      KeyValueMacrosTests.reports(
        on: #"""
          @KeyValueObservable
          class Person: NSObject {
            dynamic var first = ""
            class func keyPathsforValuesAffectingName() -> Set<String> { ["first"] }
            class var keyPathsForValueAffectingTitle: Set<String> { ["first"] }
            class func automaticalyNotifiesObserversOfFirst() -> Bool { false }
          }
          """#,
        inheriting: true, cocoa: true) == #"""
          4: warning: 'keyPathsforValuesAffectingName()' is not taken for a customisation point, which is spelt 'keyPathsForValuesAffecting<Key>()'
          6: warning: 'automaticalyNotifiesObserversOfFirst()' is not taken for a customisation point, which is spelt 'automaticallyNotifiesObserversOf<Key>()'
          5: warning: 'keyPathsForValueAffectingTitle' is not taken for a customisation point, which is spelt 'keyPathsForValuesAffecting<Key>'
          """#)
  }

  @Test("Key paths that are returned as objects are refused where they're declared")
  func keysAsObjects() {
    let source = #"""
      @KeyValueObservable
      class Person: NSObject {
        dynamic var first = ""
        var name: String { first }
        class var keyPathsForValuesAffectingName: Set<NSObject> { ["first" as NSString] }
        class func keyPathsForValuesAffectingTitle() -> NSSet { ["first"] }
        class func keyPathsForValuesAffectingText() -> Set<String> { ["first"] }
      }
      """#
    #expect(
      KeyValueMacrosTests.reports(on: source, inheriting: true, cocoa: true) == #"""
        5: error: 'keyPathsForValuesAffectingName' has to return 'Set<String>', in which the library finds what the key depends on
          return 'Set<String>'
          -   class var keyPathsForValuesAffectingName: Set<NSObject> { ["first" as NSString] }
          +   class var keyPathsForValuesAffectingName: Set<String> { ["first" as NSString] }
        6: error: 'keyPathsForValuesAffectingTitle' has to return 'Set<String>', in which the library finds what the key depends on
          return 'Set<String>'
          -   class func keyPathsForValuesAffectingTitle() -> NSSet { ["first"] }
          +   class func keyPathsForValuesAffectingTitle() -> Set<String> { ["first"] }
        """#)
    // Their calls would be errors in the expansion.
    let (expanded, _) = expansion(of: source, inheriting: true, cocoa: true)
    #expect(!expanded.description.contains("$0.keyPathsForValuesAffectingName"))
    #expect(!expanded.description.contains("$0.keyPathsForValuesAffectingTitle"))
    #expect(expanded.description.contains("$0.keyPathsForValuesAffectingText()"))
  }

  @Test("A cast to NSObject, which few values are, is reported")
  func casts() {
    #expect(
      KeyValueMacrosTests.reports(
        on: #"""
          @KeyValueObservable
          class Document: NSObject {
            dynamic var title = ""
            func register(_ values: [Any], _ change: [String: Any]) {
              let new = change["new"] as? NSObject
              let count = values.count { $0 is NSObject }
              let own = values[0] as! FoundationKVO.NSObject
              let any = values[0] as! Foundation.NSObject
            }
            override func observeValue(forKeyPath keyPath: String?, of object: Any?) {
              func note() {}
              guard let object = object as? NSObject else { return }
            }
          }
          """#,
        inheriting: true, cocoa: true) == #"""
          5: warning: 'as? NSObject' fails for strings, numbers, collections and NSNull, which are not FoundationKVO's 'NSObject'; write 'Foundation.NSObject', or 'FoundationKVO.NSObject' if only objects with keys are meant
            write 'Foundation.NSObject'
            -     let new = change["new"] as? NSObject
            +     let new = change["new"] as? Foundation.NSObject
          6: warning: 'is NSObject' fails for strings, numbers, collections and NSNull, which are not FoundationKVO's 'NSObject'; write 'Foundation.NSObject', or 'FoundationKVO.NSObject' if only objects with keys are meant
            write 'Foundation.NSObject'
            -     let count = values.count { $0 is NSObject }
            +     let count = values.count { $0 is Foundation.NSObject }
          """#)
  }

  @Test("An override that sets neither super's property nor is dynamic is reported")
  func muteOverrides() {
    let reports = reports(
      on: #"""
        @KeyValueObservable
        class Line: Graphic {
          private var stored = 0
          override var width: Int { get { stored } set { stored = newValue } }
          override var height: Int { get { super.height } set { super.height = newValue } }
          override dynamic var depth: Int { get { stored } set { stored = newValue } }
          @NotifiesManually override var own: Int { get { stored } set { stored = newValue } }
          override var shown: Int { stored }
        }
        """#,
      inheriting: true, cocoa: true)
    #expect(
      reports == #"""
        4: warning: this override of 'width' is not dynamic and does not set 'super.width', so setting it notifies no observer, as it does in Cocoa if the superclass's is dynamic; write 'override dynamic', or mark it @NotifiesManually
          add 'dynamic'
          -   override var width: Int { get { stored } set { stored = newValue } }
          +   override dynamic var width: Int { get { stored } set { stored = newValue } }
          add '@NotifiesManually'
          -   override var width: Int { get { stored } set { stored = newValue } }
          +   @NotifiesManually override var width: Int { get { stored } set { stored = newValue } }
        """#)
  }

  @Test("A class with keys that a global actor isolates is rejected; one without keys isn't")
  func isolatedClasses() {
    let reports = reports(
      on: #"""
        @MainActor
        @KeyValueObservable
        final class Model: NSObject {
          dynamic var count = 0
        }
        @MainActor
        @KeyValueObservable
        final class Watcher: NSObject {
          static var shared = 1
          @KeyValueIgnored var cache = 1
          nonisolated var title: String { "" }
        }
        """#,
      inheriting: true, cocoa: true)
    #expect(
      reports == #"""
        1: error: 'Model' is isolated to '@MainActor', but 'NSObject', whose key-value coding reads and sets its keys, is not; remove '@MainActor' from the class, and put it on the methods that need it
          remove '@MainActor'
          - @MainActor
          +
        """#)
  }
}
