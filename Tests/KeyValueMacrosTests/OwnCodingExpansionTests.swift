import Testing

@Suite("Expansions of a class's own coding")
struct OwnCodingExpansionTests {
  @Test("A class's own value(forKey:) and setValue(_:forKey:) are entered in the schema")
  func ownCoding() {
    expectExpansion(
      of: #"""
        @KeyValueObservable
        final class Party: Base {
          func value(forKey key: String) -> Any? { nil }
          func setValue(_ value: Any?, forKey key: String) throws {}
          func value(forKey key: Int) -> Any? { nil }
          static func value(forKey key: String) -> Any? { nil }
        }
        """#,
      inheriting: true,
      is: #"""
        final class Party: Base {
          func value(forKey key: String) -> Any? { nil }
          func setValue(_ value: Any?, forKey key: String) throws {}
          func value(forKey key: Int) -> Any? { nil }
          static func value(forKey key: String) -> Any? { nil }

          @available(*, deprecated) override class func _$kvoDefineKeys(
            in schema: KeyValueCore.KeyValueSchemaBuilder
          ) {
            super._$kvoDefineKeys(in: schema)
            schema.annotated(Party.self, isFinal: true)
            schema.ownValue { (object: Party, key) in object.value(forKey: key) }
            schema.ownSetValue { (object: Party, value, key) in
              try object.setValue(value, forKey: key)
            }
          }
        }
        """#)
  }
}
