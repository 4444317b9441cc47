import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import Testing

#if KVO_TOOLCHAIN_SYNTAX
  import SwiftIfConfig
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
  #if canImport(SwiftSyntax603)
    import SwiftIfConfig
  #endif
#endif

@Suite("Clauses of #if that are compiled")
struct ActiveClausesTests {
  private static let list = """
    @Always
    #if ON
    @First
    #if OFF
    @Never
    #endif
    #elseif canImport(Something)
    @Second
    #else
    @Third
    #endif
    #if canImport(Something)
    @Perhaps
    #endif

    """

  private let attributes: AttributeListSyntax

  init() throws {
    let variable = DeclSyntax("\(raw: Self.list)var a = 1")
    attributes = try #require(variable.as(VariableDeclSyntax.self)).attributes
  }

  @Test("L3 without the build's configuration, all attributes count, and none is certain")
  func unknown() {
    let active = ActiveClauses(in: BasicMacroExpansionContext())
    #expect(
      attributes.all(in: active).map(\.plainName)
        == ["Always", "First", "Never", "Second", "Third", "Perhaps"])
    #expect(
      attributes.undecided(in: active).map(\.plainName)
        == ["First", "Never", "Second", "Third", "Perhaps"])
  }

  #if KVO_TOOLCHAIN_SYNTAX || canImport(SwiftSyntax603)
    @Test("L3 with it, the attributes of the active clauses count")
    func known() {
      let active = ActiveClauses(in: context("ON"))
      #expect(attributes.all(in: active).map(\.plainName) == ["Always", "First", "Perhaps"])
      #expect(attributes.undecided(in: active).map(\.plainName) == ["Perhaps"])
    }

    @Test("L3 a condition before the active clause that can't be evaluated leaves all in doubt")
    func doubtful() {
      let active = ActiveClauses(in: context("OFF"))
      #expect(
        attributes.all(in: active).map(\.plainName)
          == ["Always", "First", "Never", "Second", "Third", "Perhaps"])
      #expect(
        attributes.undecided(in: active).map(\.plainName)
          == ["First", "Never", "Second", "Third", "Perhaps"])
    }

    @Test("L3 members and statements of other clauses don't count")
    func members() throws {
      let source: DeclSyntax = """
        class A: Codable {
          #if OFF
          lazy var a = 1
          enum CodingKeys: CodingKey { case a }
          init(from decoder: any Decoder) throws {}
          #else
          var a = 1
          #endif
          var b = 1
          #if OFF
          @DependsOn("a")
          #endif
          var c: Int {
            #if OFF
            return missing
            #else
            return b
            #endif
          }
        }
        """
      let model = ObservableClass(
        try #require(source.as(ClassDeclSyntax.self)), in: context("ON"))
      #expect(model.properties.map(\.name) == ["a", "b", "c"])
      #expect(model.tracked.map(\.name) == ["a", "b"])
      #expect(model.codingKeys.isEmpty)
      #expect(model.initializers.isEmpty)
      #expect(
        SchemaGeneration(model: model).statements.last
          == #"schema.computed("c", \A.c, inferred: ["b"], get: { $0.c })"#)
    }

    private func context(_ condition: String) -> BasicMacroExpansionContext {
      BasicMacroExpansionContext(
        buildConfiguration: StaticBuildConfiguration(
          customConditions: [condition], languageVersion: VersionTuple(6),
          compilerVersion: VersionTuple(6, 3)))
    }
  #endif
}
