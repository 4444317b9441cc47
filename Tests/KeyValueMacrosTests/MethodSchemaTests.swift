import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

@Suite("The statements for methods that are found by name")
struct MethodSchemaTests {
  private func statements(of members: String) throws -> [String] {
    MethodSchemaGeneration(model: try model(of: "class Box {\n\(members)\n}")).statements
  }

  @Test("K1 a method that a call without arguments certainly means is an accessor")
  func certain() throws {
    let members = """
      func getValue() -> Int { 1 }
      func getValue(at index: Int) -> Int { index }
      func getValue() async -> Int { 1 }
      static func getValue() -> String { "" }
      func getValue<T>() -> T? { nil }
      @available(*, unavailable) func getValue() -> Double { 1 }
      func isOn() -> Bool { true }
      """
    #expect(
      try statements(of: members) == [
        #"schema.accessor("value", get: { (object: Box) in object.getValue() })"#,
        #"schema.accessor("on", is: { (object: Box) in object.isOn() })"#,
      ])
  }

  @Test("K1 methods that only their results distinguish are no accessors")
  func ambiguous() throws {
    for name in ["getValue", "isValue", "value"] {
      let members = """
        func \(name)() -> Int { 1 }
        func \(name)() -> String { "" }
        """
      #expect(try statements(of: members) == [])
    }
  }

  @Test("K1 methods of which one is compiled are accessors")
  func alternatives() throws {
    let members = """
      #if A
        func getValue() -> Int { 1 }
      #else
        func getValue() -> String { "" }
      #endif
      """
    let statement = #"schema.accessor("value", get: { (object: Box) in object.getValue() })"#
    #expect(
      try statements(of: members)
        == ["A", "!(A)"].map { "#if \($0)\n\(statement)\n#endif" })
  }

  @Test("A method that's isolated, in a class that isn't, is no accessor")
  func isolated() throws {
    #expect(try statements(of: "@MainActor func getValue() -> Int { 1 }") == [])
  }

  @Test("A method is no accessor if no closure in its place can take or return its values")
  func unusable() throws {
    let members = """
      struct Lease: ~Copyable {}
      enum Ticket: Sendable, ~Copyable { case single }
      struct Key {}
      func lease() -> Lease { Lease() }
      func getTicket() -> Ticket? { nil }
      func lock() -> Mutex<Int> { Mutex(1) }
      func objectInLeases(at index: Int) -> Lease { Lease() }
      func key() -> Key { Key() }
      func addItemsObject(_ item: sending Item) {}
      func insertObject(_ item: inout Item, inItemsAt index: Int) {}
      func removeItemsObject(_ item: Item) {}
      """
    #expect(
      try statements(of: members) == [
        #"schema.accessor("key", key: { (object: Box) in object.key() })"#,
        """
        schema.accessor("items", removeObject: { (object: Box, first: Item) in
          object.removeItemsObject(first)
        })
        """,
      ])
  }

  @Test("K2 only methods that replace the library's coding are its replacements")
  func ownCoding() throws {
    let members = """
      func value(forKey key: String) throws -> Any? { nil }
      func value(forKey key: Int) -> Any? { nil }
      func setValue(_ value: Any?, forKey key: String) {}
      func setValue(_ value: Int, forKey key: String) {}
      """
    #expect(
      try statements(of: members) == [
        "schema.ownValue { (object: Box, key) in try object.value(forKey: key) }",
        """
        schema.ownSetValue { (object: Box, value, key) in
          object.setValue(value, forKey: key)
        }
        """,
      ])
  }
}
