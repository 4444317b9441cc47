import Testing

@Suite("Expansions of Cocoa's classes, where dynamic announces")
struct CocoaExpansionTests {
  @Test("dynamic stored properties get accessors, other stored properties are announced by key")
  func storedProperties() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        class Person: NSObject {
          dynamic var name = ""
          var age = 0
          let id = 1
          lazy var cache = [1]
          @KeyValueIgnored var scratch = 0
        }
        """#,
      inheriting: true, cocoa: true,
      is: #"""
        STORED
        """#)
  }

  @Test("A dynamic computed property with a setter is replaced by one that announces")
  func computedProperties() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Account: NSObject {
          private var cents = 0
          dynamic var balance: Int {
            get { cents }
            set { cents = newValue }
          }
          dynamic var isEmpty: Bool { balance == 0 }
          var limit: Int {
            get { cents }
            set { cents = newValue }
          }
          override dynamic var note: String {
            get { super.note }
            set { super.note = newValue }
          }
        }
        """#,
      inheriting: true, cocoa: true,
      is: #"""
        COMPUTED
        """#)
  }

  @Test("dynamic collection accessors are replaced, with index sets; others are only found by name")
  func accessors() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        class Library: NSObject {
          func countOfBooks() -> Int { 0 }
          dynamic func insertObject(_ book: Book, inBooksAtIndex index: Int) {}
          dynamic func removeBooks(at indexes: IndexSet) {}
          func replaceBooks(at indexes: IndexSet, withBooks books: [Book]) {}
          func enumeratorOfTags() -> NSEnumerator { tags.objectEnumerator() }
          dynamic func addTagsObject(_ tag: String) {}
          dynamic func open() {}
        }
        """#,
      inheriting: true, cocoa: true,
      is: #"""
        ACCESSORS
        """#)
  }

  @Test("Class functions and class properties of a key, and validators with pointers")
  func hooks() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        class Circle: NSObject {
          dynamic var radius = 1.0
          var area: Double { radius * radius }
          class var keyPathsForValuesAffectingArea: Set<String> { ["radius"] }
          class func automaticallyNotifiesObserversOfRadius() -> Bool { false }
          func validateRadius(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
        }
        """#,
      inheriting: true, cocoa: true,
      is: #"""
        HOOKS
        """#)
  }

  @Test("A key that the class announces by hand needs no source")
  func announcedByHand() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        class Sensor: NSObject {
          var degrees: Int { hardware.degrees }
          func tick() {
            willChangeValue(forKey: "degrees")
            didChangeValue(forKey: "degrees")
          }
        }
        """#,
      inheriting: true, cocoa: true,
      is: #"""
        HAND
        """#)
  }

  @Test("A class without keys has the member by which the audit knows it")
  func empty() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Witness: NSObject {
          func look() {}
        }
        """#,
      inheriting: true, cocoa: true,
      is: #"""
        EMPTY
        """#)
  }

  @Test("What can't be dynamic is refused")
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
        REFUSED
        """#)
  }
}
