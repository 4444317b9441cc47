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
}
