import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

@Suite("The schema's statements")
struct SchemaGenerationTests {
  @Test("A wrapped property has a setter by key only if its wrapper has one")
  func wrapper() throws {
    let statements = SchemaGeneration(
      model: try model(
        of: #"""
          class Room {
            @NotifiesManually @Wrapped var page = 1
            @NotifiesManually lazy var lines = 1
          }
          """#)
    ).statements
    #expect(
      statements == [
        #"schema.manual("page", \Room.page, get: { $0.page }, set: schema.setter(of: \Room.page))"#,
        #"schema.manual("lines", \Room.lines, get: { $0.lines }, set: { $0.lines = $1 })"#,
        #"schema.unreflected("lines")"#,
      ])
  }

  @Test("An obsoleted property is a key in the versions of Swift that still have it")
  func obsoleted() throws {
    let statements = SchemaGeneration(
      model: try model(
        of: #"""
          class Room {
            @KeyValueIgnored var name = ""
            @available(swift, obsoleted: 5.0, renamed: "name") var title: String { name }
            @available(swift, introduced: 5.9) var label: String { name }
            @available(swift, obsoleted: 4.2.1) func getNumber() -> Int { 1 }
          }
          """#)
    ).statements
    #expect(
      statements == [
        "#if !swift(>=5.0)\nschema.computed(\"title\", \\Room.title, get: { $0.title })\n#endif",
        #"schema.computed("label", \Room.label, get: { $0.label })"#,
        "#if !swift(>=4.2.1)\n"
          + "schema.accessor(\"number\", get: { (object: Room) in object.getNumber() })\n#endif",
      ])
  }
}
