import Testing

@Suite("Expansions of subclasses")
struct SubclassExpansionTests {
  @Test("A subclass overrides members, counts on from its superclass, and has no registrar")
  func subclass() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Manager: Person {
          var level = 1
          override var fullName: String { "\(super.fullName) \(level)" }
          override var age: Int { didSet { level = age } }
        }
        """#,
      inheriting: true,
      is: #"""
        final class Manager: Person {
          var level {
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
          override var fullName: String { "\(super.fullName) \(level)" }
          override var age: Int { didSet { level = age } }

          private enum _$KVOKey: Swift.Int {
            case level
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
            schema.annotated(Manager.self, isFinal: true)
            schema.stored("level", \Manager.level, get: { $0.level }, store: { $0._$level = $1 })
            schema.override("fullName", \Manager.fullName, inferred: ["level"], get: { $0.fullName })
            schema.override("age", \Manager.age)
          }
        }
        """#)
  }

  @Test("An ignored override isn't a key, and the schema knows that there is one")
  func ignoredOverride() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Guest: Person {
          @KeyValueIgnored override var age: Int { didSet { print(age) } }
          @KeyValueIgnored var cache = 1
        }
        """#,
      inheriting: true,
      is: #"""
        final class Guest: Person {
          override var age: Int { didSet { print(age) } }
          var cache = 1

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Guest.self, isFinal: true)
            schema.ignoredOverride("age")
          }
        }
        """#)
  }

  @Test("A subclass without keys of its own says only that it has the macro")
  func nothingAdded() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        public class Guest: Person {
        }
        """#,
      inheriting: true,
      is: #"""
        public class Guest: Person {

          @available(*, deprecated) public override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Guest.self)
          }
        }
        """#)
  }

  @Test("A class that states the conformance itself is a root class")
  func statedConformance() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Person: KeyValueObservable {
        }
        """#,
      inheriting: true,
      is: #"""
        final class Person: KeyValueObservable {

          let _$kvoRegistrar = KeyValueCore.KeyValueRegistrar()

          func _$kvoWithRegistrar<_$Result>(
            _ body: (borrowing KeyValueCore.KeyValueRegistrar) -> _$Result
          ) -> _$Result {
            body(_$kvoRegistrar)
          }

          var _$kvoStoredCount: Swift.Int {
            0
          }

          static func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            schema.annotated(Person.self, isFinal: true)
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
        """#)
  }
}
