import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

@Suite("Members emitted for Observation")
struct TrackingExpansionTests {
  @Test("Accessors notify both registrars; the class conforms to both protocols")
  func root() {
    expectExpansion(
      of: #"""
        @KeyValueObservable(tracking: true)
        @MainActor final class Person {
          var books: [String] = []
        }
        """#,
      is: #"""
        @MainActor final class Person {
          var books: [String] {
            @storageRestrictions(initializes: _$books)
            init(initialValue) {
              _$books = initialValue
            }
            get {
              _$kvoTrackingPerson.access(self, \.books)
              _$kvoRegistrar.access(_$kvoID(.books), of: self)
              return _$books
            }
            set {
              _$kvoTrackingPerson.willSet(self, \.books)
              defer { _$kvoTrackingPerson.didSet(self, \.books) }
              if _$kvoRegistrar.storesDirectly {
                _$books = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.books), of: self)
              }
            }
            _modify {
              _$kvoTrackingPerson.access(self, \.books)
              _$kvoTrackingPerson.willSet(self, \.books)
              defer { _$kvoTrackingPerson.didSet(self, \.books) }
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.books), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$books
            }
          }

          @safe @exclusivity(unchecked) private final var _$books: [String] = []

          nonisolated let _$kvoRegistrar = KeyValueCore.KeyValueRegistrar()

          nonisolated func _$kvoWithRegistrar<_$Result>(
            _ body: (borrowing KeyValueCore.KeyValueRegistrar) -> _$Result
          ) -> _$Result {
            body(_$kvoRegistrar)
          }

          private nonisolated let _$kvoTrackingPerson = KeyValueObserving._KeyValueTracking()

          private enum _$KVOKey: Swift.Int {
            case books
          }

          private nonisolated func _$kvoID(_ key: _$KVOKey) -> Swift.Int {
            key.rawValue
          }

          nonisolated var _$kvoStoredCount: Swift.Int {
            1
          }

          static func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            schema.annotated(Person.self, isFinal: true)
            schema.stored(
              "books", \Person.books,
              get: { $0.books }, set: { $0.books = $1 }, store: { $0._$books = $1 })
            schema.tracking(of: "books", in: Person.self) {
              $0._$kvoTrackingPerson.willSet($0, \.books)
              $1()
              $0._$kvoTrackingPerson.didSet($0, \.books)
            }
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

        extension Person: @MainActor KeyValueCore.KeyValueObservable {}

        extension Person: nonisolated KeyValueObserving._KeyValueTracked {}
        """#)
  }

  @Test("Stores that bypass the accessors notify Observation where the accessors do")
  func stores() throws {
    let source = """
      final class Person {
        private(set) var `default` = 0
        @NotifiesManually var mark = 0
        let age = 1
        var next: Int { age + 1 }
      }
      """
    let statements = SchemaGeneration(model: try model(of: source), isTracking: true).statements
    #expect(
      statements.filter { $0.hasPrefix("schema.tracking(") } == [
        #"""
        schema.tracking(of: "default", in: Person.self) {
          $0._$kvoTrackingPerson.willSet($0, \.`default`)
          $1()
          $0._$kvoTrackingPerson.didSet($0, \.`default`)
        }
        """#
      ])
  }
}
