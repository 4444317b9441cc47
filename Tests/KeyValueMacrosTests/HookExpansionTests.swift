import Testing

@Suite("Expansions of customisation points")
struct HookExpansionTests {
  @Test("Declared class functions are wrapped, and declared methods are unchanged")
  func wrapped() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Person {
          static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "name" ? ["first"] : []
          }
          static func automaticallyNotifiesObservers(forKey theKey: String) -> Bool {
            theKey != "age" && !#function.isEmpty
          }
          func value(forUndefinedKey key: String) throws -> Any? { nil }
          func setValue(_ value: Any?, forUndefinedKey key: String) throws {}
          func setNilValue(forKey key: String) throws {}
        }
        """#,
      is: #"""
        final class Person {
          static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            func _$kvoDeclared() -> Set<String> {
              key == "name" ? ["first"] : []
            }
            return KeyValueCore.KeyValueSchema.keyPathsForValuesAffectingValue(
              forKey: key, of: self, adding: _$kvoDeclared())
          }
          static func automaticallyNotifiesObservers(forKey theKey: String) -> Bool {
            func _$kvoDeclared() -> Bool {
              theKey != "age" && !"automaticallyNotifiesObservers(forKey:)".isEmpty
            }
            return KeyValueCore.KeyValueSchema.automaticallyNotifiesObservers(
              forKey: theKey, of: self, and: _$kvoDeclared())
          }
          func value(forUndefinedKey key: String) throws -> Any? { nil }
          func setValue(_ value: Any?, forUndefinedKey key: String) throws {}
          func setNilValue(forKey key: String) throws {}

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
            schema.answerUndefinedKeys()
            schema.initializer(of: Person.self) { Person() }
          }
        }

        extension Person: KeyValueCore.KeyValueObservable {}
        """#)
  }

  @Test("Functions named after a key are found")
  func perKey() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        class Person: Base {
          class func keyPathsForValuesAffectingFullName() -> Set<String> { ["firstName"] }
          static func automaticallyNotifiesObserversOfURL() -> Bool { false }
          let URL = ""
          func validateAge(_ value: inout Int) throws {}
          func validateName(_ value: inout Any?) {}
        }
        """#,
      inheriting: true,
      is: #"""
        class Person: Base {
          class func keyPathsForValuesAffectingFullName() -> Set<String> { ["firstName"] }
          static func automaticallyNotifiesObserversOfURL() -> Bool { false }
          let URL = ""
          func validateAge(_ value: inout Int) throws {}
          func validateName(_ value: inout Any?) {}

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.constant("URL", \Person.URL, get: { $0.URL })
            schema.dependencies(of: "fullName", in: Person.self) {
              $0.keyPathsForValuesAffectingFullName()
            }
            schema.automaticNotification(of: "URL", in: Person.self) {
              $0.automaticallyNotifiesObserversOfURL()
            }
            schema.validator("age") { (object: Person, value: inout Int) in
              try object.validateAge(&value)
            }
            schema.validator("name") { (object: Person, value: inout Any?) in
              object.validateName(&value)
            }
          }
        }
        """#)
  }

  @Test("Accessors are found by name")
  func accessors() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        class Ledger: Base {
          func countOfItems() -> Int { 0 }
          func objectInItems(at index: Int) -> String { "" }
          func insertObject(_ item: String, inItemsAt index: Int) {}
          func removeObject(fromItemsAt index: Int) {}
          func replaceObject(inItemsAt index: Int, with item: String) {}
          func insertItems(_ items: [String], at indexes: RangeSet<Int>) {}
          func removeItems(at indexes: RangeSet<Int>) {}
          func replaceItems(at indexes: RangeSet<Int>, with items: [String]) {}
          func addTagsObject(_ tag: String) {}
          func removeTagsObject(_ tag: String) {}
          func addTags(_ tags: Set<String>) {}
          func removeTags(_ tags: Set<String>) {}
          func intersectTags(_ tags: Set<String>) {}
          func setTags(_ tags: Set<String>) {}
          func getTags() -> Set<String> { [] }
          func wealth() -> Double { 0 }
          func isRich() -> Bool { false }
        }
        """#,
      inheriting: true,
      is: #"""
        class Ledger: Base {
          func countOfItems() -> Int { 0 }
          func objectInItems(at index: Int) -> String { "" }
          func insertObject(_ item: String, inItemsAt index: Int) {}
          func removeObject(fromItemsAt index: Int) {}
          func replaceObject(inItemsAt index: Int, with item: String) {}
          func insertItems(_ items: [String], at indexes: RangeSet<Int>) {}
          func removeItems(at indexes: RangeSet<Int>) {}
          func replaceItems(at indexes: RangeSet<Int>, with items: [String]) {}
          func addTagsObject(_ tag: String) {}
          func removeTagsObject(_ tag: String) {}
          func addTags(_ tags: Set<String>) {}
          func removeTags(_ tags: Set<String>) {}
          func intersectTags(_ tags: Set<String>) {}
          func setTags(_ tags: Set<String>) {}
          func getTags() -> Set<String> { [] }
          func wealth() -> Double { 0 }
          func isRich() -> Bool { false }

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Ledger.self)
            schema.accessor("items", count: { (object: Ledger) in object.countOfItems() })
            schema.accessor("items", objectAt: { (object: Ledger, first: Int) in
              object.objectInItems(at: first)
            })
            schema.accessor("items", insertAt: { (object: Ledger, first: String, second: Int) in
              object.insertObject(first, inItemsAt: second)
            })
            schema.accessor("items", removeAt: { (object: Ledger, first: Int) in
              object.removeObject(fromItemsAt: first)
            })
            schema.accessor("items", replaceAt: { (object: Ledger, first: Int, second: String) in
              object.replaceObject(inItemsAt: first, with: second)
            })
            schema.accessor("items", insertAtIndexes: { (object: Ledger, first: [String], second: RangeSet<Int>) in
              object.insertItems(first, at: second)
            })
            schema.accessor("items", removeAtIndexes: { (object: Ledger, first: RangeSet<Int>) in
              object.removeItems(at: first)
            })
            schema.accessor("items", replaceAtIndexes: { (object: Ledger, first: RangeSet<Int>, second: [String]) in
              object.replaceItems(at: first, with: second)
            })
            schema.accessor("tags", addObject: { (object: Ledger, first: String) in
              object.addTagsObject(first)
            })
            schema.accessor("tags", removeObject: { (object: Ledger, first: String) in
              object.removeTagsObject(first)
            })
            schema.accessor("tags", addSet: { (object: Ledger, first: Set<String>) in
              object.addTags(first)
            })
            schema.accessor("tags", removeSet: { (object: Ledger, first: Set<String>) in
              object.removeTags(first)
            })
            schema.accessor("tags", intersectSet: { (object: Ledger, first: Set<String>) in
              object.intersectTags(first)
            })
            schema.accessor("tags", setSet: { (object: Ledger, first: Set<String>) in
              object.setTags(first)
            })
            schema.accessor("tags", get: { (object: Ledger) in object.getTags() })
            schema.accessor("wealth", key: { (object: Ledger) in object.wealth() })
            schema.accessor("rich", is: { (object: Ledger) in object.isRich() })
          }
        }
        """#)
  }

  @Test("Methods that only resemble accessors aren't used")
  func lookAlikes() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        class Ledger: Base {
          func removeItem(at index: Int) {}
          func setName(_ name: String) {}
          func addTarget(_ target: AnyObject) {}
          func generic<T>() -> T? { nil }
          func objectInParts(at index: Int) -> Int where Part: Hashable { 1 }
          func validatePart(_ part: inout Part) where Part: Hashable {}
          func throwing() throws -> Int { 1 }
          func nothing() {}
          private func secret() -> Int { 1 }
          static func countOfAll() -> Int { 0 }
          override func inherited() -> Int { 1 }
          @KeyValueIgnored func countOfRows() -> Int { 0 }
          @KeyValueIgnored func validateRow(_ row: inout Int) throws {}
          @KeyValueIgnored func total() -> Int { 0 }
          @KeyValueIgnored static func keyPathsForValuesAffectingRow() -> Set<String> { [] }
        }
        """#,
      inheriting: true,
      is: #"""
        class Ledger: Base {
          func removeItem(at index: Int) {}
          func setName(_ name: String) {}
          func addTarget(_ target: AnyObject) {}
          func generic<T>() -> T? { nil }
          func objectInParts(at index: Int) -> Int where Part: Hashable { 1 }
          func validatePart(_ part: inout Part) where Part: Hashable {}
          func throwing() throws -> Int { 1 }
          func nothing() {}
          private func secret() -> Int { 1 }
          static func countOfAll() -> Int { 0 }
          override func inherited() -> Int { 1 }
          func countOfRows() -> Int { 0 }
          func validateRow(_ row: inout Int) throws {}
          func total() -> Int { 0 }
          static func keyPathsForValuesAffectingRow() -> Set<String> { [] }

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Ledger.self)
          }
        }
        """#)
  }
}
