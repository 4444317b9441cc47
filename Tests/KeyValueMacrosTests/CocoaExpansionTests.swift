import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

@Suite("Expansions of Cocoa's classes, whose dynamic members announce themselves")
struct CocoaExpansionTests {
  @Test("dynamic stored properties get accessors; other stored properties announce changes by key")
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
        class Person: NSObject {
          dynamic var name {
            @storageRestrictions(initializes: _$name)
            init(initialValue) {
              _$name = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.name), of: self)
              return _$name
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$name = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.name), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.name), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$name
            }
          }

          @safe @exclusivity(unchecked) private final var _$name = ""
          var age = 0
          let id = 1
          lazy var cache = [1]
          var scratch = 0

          private enum _$KVOKey: Swift.Int {
            case name
          }

          private func _$kvoID(_ key: _$KVOKey) -> Swift.Int {
            super._$kvoStoredCount + key.rawValue
          }

          override var _$kvoStoredCount: Swift.Int {
            super._$kvoStoredCount + 1
          }

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.stored(
              "name", \Person.name,
              get: { $0.name }, set: { $0.name = $1 }, load: { $0._$name }, store: { $0._$name = $1 })
            schema.silent("age", \Person.age, get: { $0.age }, set: { $0.age = $1 })
            schema.constant("id", \Person.id, get: { $0.id })
            schema.silent("cache", \Person.cache, get: { $0.cache }, set: { $0.cache = $1 })
            schema.unreflected("cache")
          }
        }
        """#)
  }

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
            schema.computed("note", \Account.note, get: { $0.note }, set: { $0.note = $1 })
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

  @Test("Class functions and class properties for a key, and validators with pointers")
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
        class Circle: NSObject {
          dynamic var radius {
            @storageRestrictions(initializes: _$radius)
            init(initialValue) {
              _$radius = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.radius), of: self)
              return _$radius
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$radius = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.radius), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.radius), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$radius
            }
          }

          @safe @exclusivity(unchecked) private final var _$radius = 1.0
          var area: Double { radius * radius }
          class var keyPathsForValuesAffectingArea: Set<String> { ["radius"] }
          class func automaticallyNotifiesObserversOfRadius() -> Bool { false }
          func validateRadius(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}

          private enum _$KVOKey: Swift.Int {
            case radius
          }

          private func _$kvoID(_ key: _$KVOKey) -> Swift.Int {
            super._$kvoStoredCount + key.rawValue
          }

          override var _$kvoStoredCount: Swift.Int {
            super._$kvoStoredCount + 1
          }

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.stored(
              "radius", \Circle.radius,
              get: { $0.radius }, set: { $0.radius = $1 },
              load: { $0._$radius }, store: { $0._$radius = $1 })
            schema.computed("area", \Circle.area, inferred: ["radius"], get: { $0.area })
            schema.automaticNotification(of: "radius", in: Circle.self) {
              $0.automaticallyNotifiesObserversOfRadius()
            }
            schema.dependencies(of: "area", in: Circle.self) {
              $0.keyPathsForValuesAffectingArea
            }
            schema.pointerValidator("radius") { (object: Circle, value: AutoreleasingUnsafeMutablePointer<AnyObject?>) in
              try object.validateRadius(value)
            }
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
            schema.computed("width", \Line.width, get: { $0.width }, set: { $0.width = $1 })
            schema.announceByKey("width", setter: .eachSet)
            schema.completeDependencies(of: "width")
            schema.computed("height", \Line.height, get: { $0.height }, set: { $0.height = $1 })
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

  @Test("A key that the class announces manually has no inferred dependencies")
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
        class Sensor: NSObject {
          var degrees: Int { hardware.degrees }
          func tick() {
            willChangeValue(forKey: "degrees")
            didChangeValue(forKey: "degrees")
          }

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.computed("degrees", \Sensor.degrees, get: { $0.degrees })
            schema.completeDependencies(of: "degrees")
          }
        }
        """#)
  }

  @Test("A class that announces a key by a name from elsewhere names any key")
  func announcedUnseen() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        class Task: NSObject {
          var priority: Int { 1 }
          func cancel() {
            willChangeValue(forKey: TaskKeys.cancelled)
            didChangeValue(forKey: TaskKeys.cancelled)
          }
        }
        """#,
      inheriting: true, cocoa: true,
      is: #"""
        class Task: NSObject {
          var priority: Int { 1 }
          func cancel() {
            willChangeValue(forKey: TaskKeys.cancelled)
            didChangeValue(forKey: TaskKeys.cancelled)
          }

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.computed("priority", \Task.priority, get: { $0.priority })
            schema.completeDependencies(of: "priority")
            schema.namesAnyKey()
          }
        }
        """#)
  }

  @Test("A class without keys gets the member that identifies it to the audit")
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
        final class Witness: NSObject {
          func look() {}

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Witness.self, isFinal: true)
          }
        }
        """#)
  }

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
