import Testing

@Suite("Expansions of root classes")
struct RootExpansionTests {
  @Test("A public class: storage, keys, schema, customisation points")
  func publicClass() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        public class Person {
          public var firstName: String = "Ada"
          public private(set) weak var manager: Person?
          let id: Int
          @NotifiesManually var openingBalance = 0.0
          @KeyValueIgnored var cache: [String: Int] = [:]
          static var count = 0
          var fullName: String { "\(firstName) \(id)" }
        }
        """#,
      is: #"""
        public class Person {
          public var firstName: String {
            @storageRestrictions(initializes: _$firstName)
            init(initialValue) {
              _$firstName = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.firstName), of: self)
              return _$firstName
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$firstName = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.firstName), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.firstName), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$firstName
            }
          }

          @safe @exclusivity(unchecked) private final var _$firstName: String = "Ada"
          public private(set) weak var manager: Person? {
            @storageRestrictions(initializes: _$manager)
            init(initialValue) {
              _$manager = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.manager), of: self)
              return _$manager
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$manager = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.manager), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.manager), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$manager
            }
          }

          @safe @exclusivity(unchecked) private final weak var _$manager: Person?
          let id: Int
          var openingBalance {
            @storageRestrictions(initializes: _$openingBalance)
            init(initialValue) {
              _$openingBalance = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.openingBalance), of: self)
              return _$openingBalance
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$openingBalance = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.openingBalance), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.openingBalance), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$openingBalance
            }
          }

          @safe @exclusivity(unchecked) private final var _$openingBalance = 0.0
          var cache: [String: Int] = [:]
          static var count = 0
          var fullName: String { "\(firstName) \(id)" }

          public final let _$kvoRegistrar = KeyValueCore.KeyValueRegistrar()

          public func _$kvoWithRegistrar<_$Result>(
            _ body: (borrowing KeyValueCore.KeyValueRegistrar) -> _$Result
          ) -> _$Result {
            body(_$kvoRegistrar)
          }

          private enum _$KVOKey: Swift.Int {
            case firstName, manager, openingBalance
          }

          private func _$kvoID(_ key: _$KVOKey) -> Swift.Int {
            key.rawValue
          }

          public var _$kvoStoredCount: Swift.Int {
            3
          }

          public class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            schema.stored(
              "firstName", \Person.firstName,
              get: { $0.firstName }, set: { $0.firstName = $1 },
              load: { $0._$firstName }, store: { $0._$firstName = $1 })
            schema.stored(
              "manager", \Person.manager, ownership: .weak,
              get: { $0.manager }, set: { $0.manager = $1 },
              load: { $0._$manager }, store: { $0._$manager = $1 })
            schema.restrictedSetter("manager", to: "private")
            schema.constant("id", \Person.id, get: { $0.id })
            schema.stored(
              "openingBalance", \Person.openingBalance,
              get: { $0.openingBalance }, set: { $0.openingBalance = $1 },
              load: { $0._$openingBalance }, store: { $0._$openingBalance = $1 })
            schema.notifiesManually("openingBalance")
            schema.computed("fullName", \Person.fullName, inferred: ["firstName"], get: { $0.fullName })
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

        extension Person: KeyValueCore.KeyValueObservable {}
        """#)
  }

  @Test("A class without properties gets only the registrar")
  func empty() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Empty {
        }
        """#,
      is: #"""
        final class Empty {

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
            schema.annotated(Empty.self, isFinal: true)
            schema.initializer(of: Empty.self) { Empty() }
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

        extension Empty: KeyValueCore.KeyValueObservable {}
        """#)
  }

  @Test("In an open generic class, overridable members are open, and key paths omit arguments")
  func openGeneric() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        open class Box<Value> {
          open var value: Value
          public var isNew: Bool { true }
        }
        """#,
      is: #"""
        open class Box<Value> {
          open var value: Value {
            @storageRestrictions(initializes: _$value)
            init(initialValue) {
              _$value = initialValue
            }
            get {
              _$kvoRegistrar.access(_$kvoID(.value), of: self)
              return _$value
            }
            set {
              if _$kvoRegistrar.storesDirectly {
                _$value = newValue
              } else {
                _$kvoRegistrar.assign(newValue, to: _$kvoID(.value), of: self)
              }
            }
            _modify {
              var modification = _$kvoRegistrar.beginModify(_$kvoID(.value), of: self)
              defer { _$kvoRegistrar.endModify(&modification, of: self) }
              yield &_$value
            }
          }

          @safe @exclusivity(unchecked) private final var _$value: Value
          public var isNew: Bool { true }

          public final let _$kvoRegistrar = KeyValueCore.KeyValueRegistrar()

          public func _$kvoWithRegistrar<_$Result>(
            _ body: (borrowing KeyValueCore.KeyValueRegistrar) -> _$Result
          ) -> _$Result {
            body(_$kvoRegistrar)
          }

          private enum _$KVOKey: Swift.Int {
            case value
          }

          private func _$kvoID(_ key: _$KVOKey) -> Swift.Int {
            key.rawValue
          }

          open var _$kvoStoredCount: Swift.Int {
            1
          }

          open class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            schema.stored(
              "value", \Box.value,
              get: { $0.value }, set: { $0.value = $1 }, load: { $0._$value }, store: { $0._$value = $1 })
            schema.computed("isNew", \Box.isNew, get: { $0.isNew })
            schema.completeDependencies(of: "isNew")
          }

          open class func keyPathsForValuesAffectingValue(
            forKey key: Swift.String
          ) -> Swift.Set<Swift.String> {
            KeyValueCore.KeyValueSchema.keyPathsForValuesAffectingValue(forKey: key, of: self)
          }

          open class func automaticallyNotifiesObservers(
            forKey key: Swift.String
          ) -> Swift.Bool {
            KeyValueCore.KeyValueSchema.automaticallyNotifiesObservers(forKey: key, of: self)
          }

          open func value(forUndefinedKey key: Swift.String) throws -> Any? {
            throw KeyValueCore.KeyValueCodingError.undefinedKey(key, of: self)
          }

          open func setValue(_ value: Any?, forUndefinedKey key: Swift.String) throws {
            throw KeyValueCore.KeyValueCodingError.undefinedKey(key, of: self)
          }

          open func setNilValue(forKey key: Swift.String) throws {
            throw KeyValueCore.KeyValueCodingError.nilValue(key, of: self)
          }
        }

        extension Box: KeyValueCore.KeyValueObservable {}
        """#)
  }
}
