import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

@Suite("Access levels of emitted members")
struct AccessExpansionTests {
  @Test("A private class at file scope gets accessors and fileprivate members")
  func privateClass() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        private final class Person {
          var age = 1
        }
        """#,
      is: #"""
        private final class Person {
          var age {
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

          @safe @exclusivity(unchecked) private final var _$age = 1

          fileprivate let _$kvoRegistrar = KeyValueCore.KeyValueRegistrar()

          fileprivate func _$kvoWithRegistrar<_$Result>(
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

          fileprivate var _$kvoStoredCount: Swift.Int {
            1
          }

          fileprivate static func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            schema.annotated(Person.self, isFinal: true)
            schema.stored("age", \Person.age, get: { $0.age }, store: { $0._$age = $1 })
            schema.initializer(of: Person.self) { Person() }
          }

          fileprivate static func keyPathsForValuesAffectingValue(
            forKey key: Swift.String
          ) -> Swift.Set<Swift.String> {
            KeyValueCore.KeyValueSchema.keyPathsForValuesAffectingValue(forKey: key, of: self)
          }

          fileprivate static func automaticallyNotifiesObservers(
            forKey key: Swift.String
          ) -> Swift.Bool {
            KeyValueCore.KeyValueSchema.automaticallyNotifiesObservers(forKey: key, of: self)
          }

          fileprivate func value(forUndefinedKey key: Swift.String) throws -> Any? {
            throw KeyValueCore.KeyValueCodingError.undefinedKey(key, of: self)
          }

          fileprivate func setValue(_ value: Any?, forUndefinedKey key: Swift.String) throws {
            throw KeyValueCore.KeyValueCodingError.undefinedKey(key, of: self)
          }

          fileprivate func setNilValue(forKey key: Swift.String) throws {
            throw KeyValueCore.KeyValueCodingError.nilValue(key, of: self)
          }
        }

        extension Person: KeyValueCore.KeyValueObservable {}
        """#)
  }

  @Test("A package class gets package members")
  func packageClass() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        package class Person {
          class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }
          class func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }
        }
        """#,
      is: #"""
        package class Person {
          class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            func _$kvoDeclared() -> Set<String> {
              []
            }
            return KeyValueCore.KeyValueSchema.keyPathsForValuesAffectingValue(
              forKey: key, of: self, adding: _$kvoDeclared())
          }
          class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
            func _$kvoDeclared() -> Bool {
              true
            }
            return KeyValueCore.KeyValueSchema.automaticallyNotifiesObservers(
              forKey: key, of: self, and: _$kvoDeclared())
          }

          package final let _$kvoRegistrar = KeyValueCore.KeyValueRegistrar()

          package func _$kvoWithRegistrar<_$Result>(
            _ body: (borrowing KeyValueCore.KeyValueRegistrar) -> _$Result
          ) -> _$Result {
            body(_$kvoRegistrar)
          }

          package var _$kvoStoredCount: Swift.Int {
            0
          }

          package class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            schema.annotated(Person.self)
            schema.initializer(of: Person.self) { Person() }
          }

          package func value(forUndefinedKey key: Swift.String) throws -> Any? {
            throw KeyValueCore.KeyValueCodingError.undefinedKey(key, of: self)
          }

          package func setValue(_ value: Any?, forUndefinedKey key: Swift.String) throws {
            throw KeyValueCore.KeyValueCodingError.undefinedKey(key, of: self)
          }

          package func setNilValue(forKey key: Swift.String) throws {
            throw KeyValueCore.KeyValueCodingError.nilValue(key, of: self)
          }
        }

        extension Person: KeyValueCore.KeyValueObservable {}
        """#)
  }

  @Test("A public subclass overrides publicly")
  func publicSubclass() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        public final class Manager: Person {
          public final var level = 1
        }
        """#,
      inheriting: true,
      is: #"""
        public final class Manager: Person {
          public final var level {
            @storageRestrictions(initializes: _$level)
            init(initialValue) {
              _$level = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.level), of: self)
              return _$level
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$level = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.level), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.level), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$level
            }
          }

          @safe @exclusivity(unchecked) private final var _$level = 1

          private enum _$KVOKey: Swift.Int {
            case level
          }

          private func _$kvoID(_ key: _$KVOKey) -> Swift.Int {
            super._$kvoStoredCount + key.rawValue
          }

          public override var _$kvoStoredCount: Swift.Int {
            super._$kvoStoredCount + 1
          }

          @available(*, deprecated) public override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Manager.self, isFinal: true)
            schema.stored("level", \Manager.level, get: { $0.level }, store: { $0._$level = $1 })
          }
        }
        """#)
  }

  @Test(
    "A class in an extension has the extension's access level, unless it has one of its own",
    arguments: [
      (["public extension Company {}"], "class A {}", "public func"),
      (["package extension Company {}"], "class A {}", "package func"),
      (["private extension Company {}"], "class A {}", "fileprivate func"),
      (["extension Company {}"], "class A {}", "func"),
      (["public extension Company {}"], "internal class A {}", "func"),
      (["enum Party {}", "public extension Company {}"], "class A {}", "func"),
      // For a member, the innermost declaration is the class itself.
      (["class A {}", "public extension Company {}"], "class A {}", "public func"),
      (
        ["package extension Company {}"], "@usableFromInline class A {}",
        "@usableFromInline package func"
      ),
      ([], "@usableFromInline class A {}", "@usableFromInline func"),
    ])
  func surroundings(_ outer: [String], _ source: String, _ expected: String) throws {
    let surroundings = outer.map { Syntax(DeclSyntax("\(raw: $0)")) }
    let model = ObservableClass(
      try #require(DeclSyntax("\(raw: source)").as(ClassDeclSyntax.self)),
      in: BasicMacroExpansionContext(lexicalContext: surroundings))
    let members = MemberGeneration(model: model, isRoot: true, isTracking: false).members
    let member = members.map(\.trimmedDescription).first { $0.contains("_$kvoWithRegistrar") }
    #expect(member.map { String($0.prefix { $0 != "_" }) } == expected + " ")
  }
}
