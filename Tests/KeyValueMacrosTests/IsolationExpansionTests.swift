import Testing

@Suite("Expansions of isolated classes")
struct IsolationExpansionTests {
  @Test("A main-actor class's conformance is isolated; its registrar is accessible from anywhere")
  func mainActor() {
    expectExpansion(
      of: #"""
        @MainActor
        @KeyValueObservable
        public class ViewModel {
          public var text = ""
        }
        """#,
      is: #"""
        @MainActor
        public class ViewModel {
          public var text {
            @storageRestrictions(initializes: _$text)
            init(initialValue) {
              _$text = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.text), of: self)
              return _$text
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$text = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.text), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.text), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$text
            }
          }

          @safe @exclusivity(unchecked) private final var _$text = ""

          public nonisolated final let _$kvoRegistrar = KeyValueCore.KeyValueRegistrar()

          public nonisolated func _$kvoWithRegistrar<_$Result>(
            _ body: (borrowing KeyValueCore.KeyValueRegistrar) -> _$Result
          ) -> _$Result {
            body(_$kvoRegistrar)
          }

          private enum _$KVOKey: Swift.Int {
            case text
          }

          private nonisolated func _$kvoID(_ key: _$KVOKey) -> Swift.Int {
            key.rawValue
          }

          public nonisolated var _$kvoStoredCount: Swift.Int {
            1
          }

          public class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            schema.stored(
              "text", \ViewModel.text,
              get: { $0.text }, set: { $0.text = $1 }, load: { $0._$text }, store: { $0._$text = $1 })
            schema.initializer(of: ViewModel.self) { ViewModel() }
          }

          public class func keyPathsForValuesAffectingValue(
            forKey key: Swift.String
          ) -> Swift.Set<Swift.String> {
            KeyValueCore.KeyValueSchema.keyPathsForValuesAffectingValue(forKey: key, of: self)
          }

          public class func automaticallyNotifiesObservers(
            forKey key: Swift.String
          ) -> Swift.Bool {
            KeyValueCore.KeyValueSchema.automaticallyNotifiesObservers(forKey: key, of: self)
          }

          public func value(forUndefinedKey key: Swift.String) throws -> Any? {
            throw KeyValueCore.KeyValueCodingError.undefinedKey(key, of: self)
          }

          public func setValue(_ value: Any?, forUndefinedKey key: Swift.String) throws {
            throw KeyValueCore.KeyValueCodingError.undefinedKey(key, of: self)
          }

          public func setNilValue(forKey key: Swift.String) throws {
            throw KeyValueCore.KeyValueCodingError.nilValue(key, of: self)
          }
        }

        extension ViewModel: @MainActor KeyValueCore.KeyValueObservable {}
        """#)
  }

  @Test("A nonisolated class's conformance is nonisolated")
  func nonisolatedClass() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        nonisolated final class Store {
        }
        """#,
      is: #"""
        nonisolated final class Store {

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
            schema.annotated(Store.self, isFinal: true)
            schema.initializer(of: Store.self) { Store() }
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

        extension Store: nonisolated KeyValueCore.KeyValueObservable {}
        """#)
  }
}
