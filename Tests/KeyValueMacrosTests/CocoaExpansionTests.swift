import Testing

@Suite("Expansions of Cocoa's classes")
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
}
