import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

@Suite("Replacements of dynamic members of Cocoa's classes, which announce themselves")
struct CocoaReplacementTests {
  @Test("A dynamic computed property with a setter gets a setter that announces")
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

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Account.self, isFinal: true)
            schema.silent("cents", \Account.cents, get: { $0.cents }, set: { $0.cents = $1 })
            schema.computed("balance", \Account.balance, get: { $0.balance }, set: { $0.balance = $1 })
            schema.announceByKey("balance", setter: .eachSet)
            schema.computed("isEmpty", \Account.isEmpty, inferred: ["balance"], get: { $0.isEmpty })
            schema.computed(
              "limit", \Account.limit, inferred: ["cents"],
              get: { $0.limit }, set: { $0.limit = $1 })
            schema.announceByKey("limit")
            schema.override("note", \Account.note, get: { $0.note }, set: { $0.note = $1 })
            schema.announceByKey("note", setter: .superclass)
          }
        }

        extension Account {
        @_dynamicReplacement(for: balance)
        private var _$kvoAnnounced_balance: Int {
          get { balance }
          set {
            let _$kvoAnnouncement = _$kvoAnnounce("balance")
            defer { _$kvoAnnouncement?.end() }
            balance = newValue
          }
        }
        }
        """#)
  }

  @Test("dynamic collection accessors are replaced, with index sets; others are found by name")
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
        class Library: NSObject {
          func countOfBooks() -> Int { 0 }
          dynamic func insertObject(_ book: Book, inBooksAtIndex index: Int) {}
          dynamic func removeBooks(at indexes: IndexSet) {}
          func replaceBooks(at indexes: IndexSet, withBooks books: [Book]) {}
          func enumeratorOfTags() -> NSEnumerator { tags.objectEnumerator() }
          dynamic func addTagsObject(_ tag: String) {}
          dynamic func open() {}

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Library.self)
            schema.accessor("books", count: { (object: Library) in object.countOfBooks() })
            schema.accessor("books", insertAt: { (object: Library, first: Book, second: Int) in
              object.insertObject(first, inBooksAtIndex: second)
            })
            schema.accessor("books", removeAtIndexes: { (object: Library, first: IndexSet) in
              object.removeBooks(at: first)
            })
            schema.accessor("books", replaceAtIndexes: { (object: Library, first: IndexSet, second: [Book]) in
              object.replaceBooks(at: first, withBooks: second)
            })
            schema.accessor("tags", enumerator: { (object: Library) in object.enumeratorOfTags() })
            schema.accessor("tags", addObject: { (object: Library, first: String) in
              object.addTagsObject(first)
            })
          }
        }

        extension Library {
        @_dynamicReplacement(for: insertObject(_:inBooksAtIndex:))
        private func _$kvoAnnounced_insertObject(_ book: Book, inBooksAtIndex index: Int) {
          let _$kvoAnnouncement = _$kvoAnnounce(.insertion, at: index, "books")
          defer { _$kvoAnnouncement?.end() }
          return insertObject(book, inBooksAtIndex: index)
        }
        @_dynamicReplacement(for: removeBooks(at:))
        private func _$kvoAnnounced_removeBooks(at indexes: IndexSet) {
          let _$kvoAnnouncement = _$kvoAnnounce(.removal, at: indexes, "books")
          defer { _$kvoAnnouncement?.end() }
          return removeBooks(at: indexes)
        }
        @_dynamicReplacement(for: addTagsObject(_:))
        private func _$kvoAnnounced_addTagsObject(_ tag: String) {
          let _$kvoAnnouncement = _$kvoAnnounce(.union, object: tag, "tags")
          defer { _$kvoAnnouncement?.end() }
          return addTagsObject(tag)
        }
        }
        """#)
  }

  @Test("An override that keeps the value is replaced; a constant names a key like a literal")
  func overridesAndConstants() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        class Line: Graphic {
          override dynamic var width: Int {
            get { own }
            set { own = newValue }
          }
          override dynamic var height: Int {
            get { super.height }
            set { super.height = newValue }
          }
          var length: Int { height }
          func tick() { didChangeValue(forKey: Keys.length) }
          func tell() { announce("any") }
          func announce(_ key: String) { didChangeValue(forKey: key) }
          private enum Keys {
            static let length = "length"
          }
        }
        """#,
      inheriting: true, cocoa: true,
      is: #"""
        class Line: Graphic {
          override dynamic var width: Int {
            get { own }
            set { own = newValue }
          }
          override dynamic var height: Int {
            get { super.height }
            set { super.height = newValue }
          }
          var length: Int { height }
          func tick() { didChangeValue(forKey: Keys.length) }
          func tell() { announce("any") }
          func announce(_ key: String) { didChangeValue(forKey: key) }
          private enum Keys {
            static let length = "length"
          }

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.override("width", \Line.width, get: { $0.width }, set: { $0.width = $1 })
            schema.announceByKey("width", setter: .eachSet)
            schema.completeDependencies(of: "width")
            schema.override("height", \Line.height, get: { $0.height }, set: { $0.height = $1 })
            schema.announceByKey("height", setter: .superclass)
            schema.completeDependencies(of: "height")
            schema.computed("length", \Line.length, get: { $0.length })
            schema.completeDependencies(of: "length")
            schema.named(["any"])
          }
        }

        extension Line {
        @_dynamicReplacement(for: width)
        private var _$kvoAnnounced_width: Int {
          get { width }
          set {
            let _$kvoAnnouncement = _$kvoAnnounce("width")
            defer { _$kvoAnnouncement?.end() }
            width = newValue
          }
        }
        }
        """#)
  }

  @Test("The replacements of a nested class name their types by a member of its body")
  func nestedClasses() throws {
    let source: DeclSyntax = """
      class Node: NSObject {
        dynamic var kind: Kind { get { stored } set { stored = newValue } }
        dynamic var owner: Node! { get { nil } set {} }
        private dynamic var part: Part { get { Part() } set {} }
        dynamic func insertObject(_ node: Node, inNodesAt index: Int) -> Bool { true }
        #if DEBUG
        dynamic func removeNodes(at indexes: IndexSet) {}
        #endif
      }
      """
    let declaration = try #require(source.as(ClassDeclSyntax.self))
    let outer: DeclSyntax = "enum Document {}"
    let model = ObservableClass(
      declaration, .cocoa, in: BasicMacroExpansionContext(lexicalContext: [Syntax(outer)]))
    let types = """
      fileprivate struct _$kvoTypes {
        typealias _$kvoType0 = Kind
        typealias _$kvoType1 = Node
        typealias _$kvoType2 = Node
        typealias _$kvoType3 = Int
        typealias _$kvoType4 = Bool
      #if DEBUG
        typealias _$kvoType5 = IndexSet
      #endif
      }
      """
    let members = MemberGeneration(model: model, isRoot: false, isTracking: false).members
    #expect(
      members.map(\.trimmedDescription).filter { $0.contains("_$kvoTypes") } == [types])
    let replacements = AnnouncingReplacements(model: model).members.compactMap { member in
      member.split(separator: "\n").map(String.init).first { $0.contains("_$kvoAnnounced") }
    }
    #expect(
      replacements == [
        "private var _$kvoAnnounced_kind: _$kvoTypes._$kvoType0 {",
        "private var _$kvoAnnounced_owner: _$kvoTypes._$kvoType1! {",
        "private func _$kvoAnnounced_insertObject(_ node: _$kvoTypes._$kvoType2, "
          + "inNodesAt index: _$kvoTypes._$kvoType3) -> _$kvoTypes._$kvoType4 {",
        "private func _$kvoAnnounced_removeNodes(at indexes: _$kvoTypes._$kvoType5) {",
      ])
    #expect(AnnouncingReplacements(model: ObservableClass(declaration, .cocoa)).typeNames == nil)
  }
}
