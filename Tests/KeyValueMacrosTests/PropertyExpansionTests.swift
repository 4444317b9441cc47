import Testing

@Suite("Expansions of properties")
struct PropertyExpansionTests {
  @Test("Property observers move to the storage and use its name")
  func observers() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Person {
          var age = 1 {
            willSet(next) {
              print(age, next)
            }
            didSet {
              if age < 0 { self.age = 0 }
              let log = { (age: Int) in print(age) }
              log(oldValue)
            }
          }
        }
        """#,
      is: #"""
        final class Person {
          var age {
            willSet(next) {
              print(age, next)
            }
            didSet {
              if age < 0 { self.age = 0 }
              let log = { (age: Int) in print(age) }
              log(oldValue)
            }
            @storageRestrictions(initializes: _$age)
            init(initialValue) {
              _$age = initialValue
            }

            get {
              _$kvoRegistrar.access(_$kvoID(.age), of: self)
              return _$age
            }

            set {
              if _$kvoRegistrar.storesDirectly {
                _$age = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.age), of: self)
              }
            }

            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.age), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$age
            }
          }

          @safe @exclusivity(unchecked) private final var _$age = 1 {
            willSet(next) {
              guard _$kvoRegistrar.beginObserver(_$kvoID(.age)) else { return }
              print(_$age, next)
            }
            didSet {
              guard _$kvoRegistrar.beginObserver(_$kvoID(.age)) else { return }
              if _$age < 0 { self._$age = 0 }
              let log = { (age: Int) in print(age) }
              log(oldValue)
            }
          }

          let _$kvoRegistrar = KeyValueCore.KeyValueRegistrar()

          func _$kvoWithRegistrar<_$Result>(
            _ body: (borrowing KeyValueCore.KeyValueRegistrar) -> _$Result
          ) -> _$Result {
            body(_$kvoRegistrar)
          }

          private enum _$KVOKey: Swift.Int {
            case age
          }

          private func _$kvoID(_ key: _$KVOKey) -> Swift.Int {
            key.rawValue
          }

          var _$kvoStoredCount: Swift.Int {
            1
          }

          static func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            schema.annotated(Person.self, isFinal: true)
            schema.stored("age", \Person.age, get: { $0.age }, store: { $0._$age = $1 })
            schema.mayAdjust("age")
            schema.initializer(of: Person.self) { Person() }
          }

          static func keyPathsForValuesAffectingValue(
            forKey key: Swift.String
          ) -> Swift.Set<Swift.String> {
            KeyValueCore.KeyValueSchema.keyPathsForValuesAffectingValue(forKey: key, of: self)
          }

          static func automaticallyNotifiesObservers(
            forKey key: Swift.String
          ) -> Swift.Bool {
            KeyValueCore.KeyValueSchema.automaticallyNotifiesObservers(forKey: key, of: self)
          }

          func value(forUndefinedKey key: Swift.String) throws -> Any? {
            throw KeyValueCore.KeyValueCodingError.undefinedKey(key, of: self)
          }

          func setValue(_ value: Any?, forUndefinedKey key: Swift.String) throws {
            throw KeyValueCore.KeyValueCodingError.undefinedKey(key, of: self)
          }

          func setNilValue(forKey key: Swift.String) throws {
            throw KeyValueCore.KeyValueCodingError.nilValue(key, of: self)
          }
        }

        extension Person: KeyValueCore.KeyValueObservable {}
        """#)
  }

  @Test("A name in backticks is a key without backticks")
  func backticks() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Rule: Base {
          var `default`: Int?
        }
        """#,
      inheriting: true,
      is: #"""
        final class Rule: Base {
          var `default`: Int? {
            @storageRestrictions(initializes: _$default)
            init(initialValue) {
              _$default = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.`default`), of: self)
              return _$default
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$default = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.`default`), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.`default`), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$default
            }
          }

          @safe @exclusivity(unchecked) private final var _$default: Int?

          private enum _$KVOKey: Swift.Int {
            case `default`
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
            schema.annotated(Rule.self, isFinal: true)
            schema.stored(
              "default", \Rule.`default`,
              get: { $0.`default` }, store: { $0._$default = $1 })
          }
        }
        """#)
  }

  @Test("A to-many property gives proxies access to its storage")
  func toMany() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Library: Base {
          var books: [Book]
        }
        """#,
      inheriting: true,
      is: #"""
        final class Library: Base {
          var books: [Book] {
            @storageRestrictions(initializes: _$books)
            init(initialValue) {
              _$books = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.books), of: self)
              return _$books
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$books = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.books), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.books), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$books
            }
          }

          @safe @exclusivity(unchecked) private final var _$books: [Book]

          private enum _$KVOKey: Swift.Int {
            case books
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
            schema.annotated(Library.self, isFinal: true)
            schema.stored(
              "books", \Library.books,
              get: { $0.books }, store: { $0._$books = $1 }, modify: { $1(&$0._$books) })
          }
        }
        """#)
  }

  @Test("Ownership is kept on the storage and recorded in the schema")
  func ownership() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Child: Base {
          unowned(unsafe) var parent: Base
        }
        """#,
      inheriting: true,
      is: #"""
        final class Child: Base {
          unowned(unsafe) var parent: Base {
            @storageRestrictions(initializes: _$parent)
            init(initialValue) {
              _$parent = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.parent), of: self)
              return _$parent
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$parent = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.parent), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.parent), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$parent
            }
          }

          @safe @exclusivity(unchecked) private final unowned(unsafe) var _$parent: Base

          private enum _$KVOKey: Swift.Int {
            case parent
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
            schema.annotated(Child.self, isFinal: true)
            schema.stored(
              "parent", \Child.parent, ownership: .unowned,
              get: { $0.parent }, store: { $0._$parent = $1 })
          }
        }
        """#)
  }

  @Test("A constant's ownership is recorded in the schema, too")
  func ownershipOfConstants() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Child: Base {
          unowned let parent: Base
          weak let friend: Base?
          let name: String
        }
        """#,
      inheriting: true,
      is: #"""
        final class Child: Base {
          unowned let parent: Base
          weak let friend: Base?
          let name: String

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Child.self, isFinal: true)
            schema.constant("parent", \Child.parent, ownership: .unowned, get: { $0.parent })
            schema.constant("friend", \Child.friend, ownership: .weak, get: { $0.friend })
            schema.constant("name", \Child.name, get: { $0.name })
          }
        }
        """#)
  }

  @Test("Properties in conditional compilation keep their conditions")
  func conditional() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Platform: Base {
          var always: Int { 1 }
          #if os(Linux)
          let linux = 1
          #else
          let other = 2
          #endif
        }
        """#,
      inheriting: true,
      is: #"""
        final class Platform: Base {
          var always: Int { 1 }
          #if os(Linux)
          let linux = 1
          #else
          let other = 2
          #endif

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Platform.self, isFinal: true)
            schema.computed("always", \Platform.always, get: { $0.always })
            schema.completeDependencies(of: "always")
            #if os(Linux)
            schema.constant("linux", \Platform.linux, get: { $0.linux })
            #endif
            #if !(os(Linux))
            schema.constant("other", \Platform.other, get: { $0.other })
            #endif
          }
        }
        """#)
  }

  @Test("A restricted setter is recorded in the schema with its access level")
  func readOnly() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Account: Base {
          @NotifiesManually private(set) var balance = 0
          @NotifiesManually private var secret = 0
          @NotifiesManually public internal(set) var shown = 0
        }
        """#,
      inheriting: true,
      is: #"""
        final class Account: Base {
          private(set) var balance {
            @storageRestrictions(initializes: _$balance)
            init(initialValue) {
              _$balance = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.balance), of: self)
              return _$balance
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$balance = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.balance), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.balance), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$balance
            }
          }

          @safe @exclusivity(unchecked) private final var _$balance = 0
          private var secret {
            @storageRestrictions(initializes: _$secret)
            init(initialValue) {
              _$secret = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.secret), of: self)
              return _$secret
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$secret = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.secret), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.secret), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$secret
            }
          }

          @safe @exclusivity(unchecked) private final var _$secret = 0
          public internal(set) var shown {
            @storageRestrictions(initializes: _$shown)
            init(initialValue) {
              _$shown = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.shown), of: self)
              return _$shown
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$shown = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.shown), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.shown), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$shown
            }
          }

          @safe @exclusivity(unchecked) private final var _$shown = 0

          private enum _$KVOKey: Swift.Int {
            case balance, secret, shown
          }

          private func _$kvoID(_ key: _$KVOKey) -> Swift.Int {
            super._$kvoStoredCount + key.rawValue
          }

          override var _$kvoStoredCount: Swift.Int {
            super._$kvoStoredCount + 3
          }

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Account.self, isFinal: true)
            schema.stored(
              "balance", \Account.balance,
              get: { $0.balance }, store: { $0._$balance = $1 })
            schema.notifiesManually("balance")
            schema.restrictedSetter("balance", to: "private")
            schema.stored("secret", \Account.secret, get: { $0.secret }, store: { $0._$secret = $1 })
            schema.notifiesManually("secret")
            schema.restrictedAccess("secret", to: "private")
            schema.stored("shown", \Account.shown, get: { $0.shown }, store: { $0._$shown = $1 })
            schema.notifiesManually("shown")
            schema.restrictedSetter("shown", to: "internal")
          }
        }
        """#)
  }

  @Test("Dependencies may be declared as strings, checked key paths, or both")
  func declared() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Report: Base {
          @DependsOn("account.balance", "books.@count")
          var summary: String { "" }
          @DependsOn(\Report.account?.owner!.name)
          @DependsOn("summary")
          var title: String { summary }
          @DependsOn()
          var quiet: Int { 1 }
          @NotifiesManually var silent: String {
            get { summary }
            set { }
          }
        }
        """#,
      inheriting: true,
      is: #"""
        final class Report: Base {
          var summary: String { "" }
          var title: String { summary }
          var quiet: Int { 1 }
          var silent: String {
            get { summary }
            set { }
          }

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Report.self, isFinal: true)
            schema.computed(
              "summary", \Report.summary, declared: ["account.balance", "books.@count"],
              get: { $0.summary })
            schema.computed(
              "title", \Report.title,
              inferred: ["summary"], declared: ["summary"], checked: ["account.owner.name"],
              get: { $0.title })
            schema.computed("quiet", \Report.quiet, get: { $0.quiet })
            schema.completeDependencies(of: "quiet")
            schema.computed(
              "silent", \Report.silent, inferred: ["summary"], notifiesManually: true,
              get: { $0.silent }, set: { $0.silent = $1 })
          }
        }
        """#)
  }

  @Test("L3 Under Operation, a pair by name is Foundation's and doesn't make a key complete")
  func foundationsPair() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Download: Operation {
          @KeyValueIgnored private let state = Mutex(0)
          override var isFinished: Bool { state.withLock { $0 > 1 } }
          override var isExecuting: Bool { state.withLock { $0 == 1 } }
          override var isReady: Bool { state.withLock { $0 == 0 } }
          func finish() {
            willChangeValue(forKey: "isFinished")
            withChange(of: "isExecuting") { state.withLock { $0 = 2 } }
            didChangeValue(forKey: "isFinished")
            (self as any KeyValueObservable).didChangeValue(forKey: "isReady")
          }
        }
        """#,
      inheriting: true,
      is: #"""
        final class Download: Operation {
          private let state = Mutex(0)
          override var isFinished: Bool { state.withLock { $0 > 1 } }
          override var isExecuting: Bool { state.withLock { $0 == 1 } }
          override var isReady: Bool { state.withLock { $0 == 0 } }
          func finish() {
            willChangeValue(forKey: "isFinished")
            withChange(of: "isExecuting") { state.withLock { $0 = 2 } }
            didChangeValue(forKey: "isFinished")
            (self as any KeyValueObservable).didChangeValue(forKey: "isReady")
          }

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Download.self, isFinal: true)
            schema.override("isFinished", \Download.isFinished, get: { $0.isFinished })
            schema.override("isExecuting", \Download.isExecuting, get: { $0.isExecuting })
            schema.completeDependencies(of: "isExecuting")
            schema.override("isReady", \Download.isReady, get: { $0.isReady })
            schema.completeDependencies(of: "isReady")
          }
        }
        """#)
  }
}
