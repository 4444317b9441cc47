import SwiftParser
import SwiftSyntax
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

@Suite("Members emitted for Codable")
struct CodingGenerationTests {
  @Test("L3 coding keys have the properties' names as raw values; the compiler writes the rest")
  func keys() {
    expect(
      """
      class Person: Codable {
        var name = "Ada"
        var `default` = 1
        let id: Int
        @KeyValueIgnored var cache = 2
        @NotifiesManually lazy var later = 3
        static var count = 0
        var initial: Character { name.first! }
      #if DEBUG
        var trace = ""
      #endif
      }
      """,
      """
      private enum CodingKeys: Swift.String, Swift.CodingKey {
        case _$name = "name"
        case _$default = "default"
        case id
        case cache
      #if DEBUG
        case _$trace = "trace"
      #endif
        static var name: Self { ._$name }
        static var `default`: Self { ._$default }
      #if DEBUG
        static var trace: Self { ._$trace }
      #endif
      }
      """)
  }

  @Test("L3 the coding keys also have the properties' names, for a half that the class writes")
  func aliases() {
    expect(
      """
      final class Person: Swift.Decodable, Encodable {
        var name = "Ada"
        init(from decoder: any Decoder) throws {
          name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        }
      }
      """,
      """
      private enum CodingKeys: Swift.String, Swift.CodingKey {
        case _$name = "name"
        static var name: Self { ._$name }
      }
      """)
  }

  @Test("L3 with declared coding keys, the methods are emitted, as visible as the class")
  func methods() {
    expect(
      """
      open class Person: Codable & Sendable {
        var name: String
        let kind = 1
        var left = 0
        enum CodingKeys: String, CodingKey {
          case kind
          case name = "full_name"
        }
        init(name: String) { self.name = name }
      }
      """,
      """
      public required init(from decoder: any Swift.Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self._$name = try KeyValueCore._KeyValueCoder.decode(.name, from: container)
      }
      open func encode(to encoder: any Swift.Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try KeyValueCore._KeyValueCoder.encode(self.kind, .kind, to: &container)
        try KeyValueCore._KeyValueCoder.encode(self.name, .name, to: &container)
      }
      """)
  }

  @Test("L3 with declared coding keys, a deprecated property is encoded from its storage")
  func deprecated() {
    expect(
      """
      final class Person: Encodable {
        @available(*, deprecated) var title = ""
        @available(*, deprecated) let rank = 1
        var name = ""
        enum CodingKeys: CodingKey { case title, rank, name }
      }
      """,
      """
      func encode(to encoder: any Swift.Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try KeyValueCore._KeyValueCoder.encode(self._$title, .title, to: &container)
        try KeyValueCore._KeyValueCoder.encode(self.rank, .rank, to: &container)
        try KeyValueCore._KeyValueCoder.encode(self.name, .name, to: &container)
      }
      """)
  }

  @Test("L3 CodingKeys under #if are followed where they're compiled, and written elsewhere")
  func conditional() {
    expect(
      """
      final class Person: Encodable {
        var name = 1
        #if A
        enum CodingKeys: CodingKey { case name }
        #elseif B
        enum CodingKeys: CodingKey {}
        #endif
      }
      """,
      """
      #if A
      func encode(to encoder: any Swift.Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try KeyValueCore._KeyValueCoder.encode(self.name, .name, to: &container)
      }
      #endif
      #if !(A) && B
      func encode(to encoder: any Swift.Encoder) throws {
        _ = encoder.container(keyedBy: CodingKeys.self)
      }
      #endif
      #if (!(A)) && (!(!(A) && B))
      private enum CodingKeys: Swift.String, Swift.CodingKey {
        case _$name = "name"
        static var name: Self { ._$name }
      }
      #endif
      """)
  }

  @Test("L3 a class keeps the initialiser that Swift would synthesize")
  func initializer() {
    expect(
      """
      class Person: Decodable, Hashable {
        enum CodingKeys: CodingKey {}
      }
      """,
      """
      required init(from decoder: any Swift.Decoder) throws {
        _ = try decoder.container(keyedBy: CodingKeys.self)
      }
      init() {}
      """)
    // What the clause names is known not to be a superclass.
    expect(
      """
      class Person: ObservableObject, AnyObject, Swift.Error, KeyValueObserver, Decodable {
        var name: String?
        enum CodingKeys: CodingKey {}
      }
      """,
      """
      required init(from decoder: any Swift.Decoder) throws {
        _ = try decoder.container(keyedBy: CodingKeys.self)
      }
      init() {}
      """)
  }

  @Test("L3 no initialiser is written where Swift would synthesize none: a property has no value")
  func noInitializer() {
    expect(
      """
      class Person: Decodable {
        var name: String
        enum CodingKeys: CodingKey { case name }
      }
      """,
      """
      required init(from decoder: any Swift.Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self._$name = try KeyValueCore._KeyValueCoder.decode(.name, from: container)
      }
      """)
  }

  @Test(
    "L3 nothing is emitted for members that the class declares, or without a stated conformance",
    arguments: [
      "class Person { var name = 1 }", "class Person: Party { var name = 1 }",
      """
      class Person: Codable {
        var name = 1
        required init(from decoder: Decoder) throws {}
        func encode(to encoder: any Encoder) throws {}
      }
      """,
    ])
  func nothing(_ source: String) { expect(source, "") }

  @Test("L3 Codable in an extension gets methods whose message says what to write")
  func elsewhere() throws {
    func written(_ source: String, missing: [TypeSyntax] = []) throws -> String {
      let statement = try #require(Parser.parse(source: source).statements.first)
      let model = ObservableClass(try #require(statement.item.as(ClassDeclSyntax.self)))
      return CodingElsewhere(model, missing: missing).refusals.joined(separator: "\n")
    }
    let halves: [TypeSyntax] = ["Encodable", "Swift.Decodable"]
    #expect(
      try written("public final class Desk: Hashable { var drawers = 1 }") == """
        @available(*, unavailable, message: "write 'Codable' in the declaration of Desk itself: the macro \
        codes its properties there, and sees no extension")
        nonisolated public func encode<_$Coder>(to encoder: _$Coder) throws {
          Swift.fatalError()
        }
        @available(*, unavailable, message: "write 'Codable' in the declaration of Desk itself: the macro \
        codes its properties there, and sees no extension")
        nonisolated public convenience init<_$Coder>(from decoder: _$Coder) throws {
          Swift.fatalError()
        }
        """)
    // Swift says of a class that isn't final that decoding belongs into it.
    #expect(
      try written("class Desk { var drawers = 1 }", missing: [halves[1]]) == """
        @available(*, unavailable, message: "write 'Encodable' in the declaration of Desk itself: the macro \
        codes its properties there, and sees no extension")
        nonisolated func encode<_$Coder>(to encoder: _$Coder) throws {
          Swift.fatalError()
        }
        """)
    let both = """
      required init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws {}
      """
    for source in [
      "class Desk: Codable { var drawers = 1 }", "class Desk { \(both) }",
      "final class Desk: Furniture { var drawers = 1 }",
      "final class Desk { var drawers = 1; enum CodingKeys: CodingKey {} }",
    ] {
      #expect(try written(source) == "", "\(source)")
    }
    #expect(try written("final class Desk { var drawers = 1 }", missing: halves) == "")
    #expect(try written("class Desk { var drawers = 1 }", missing: [halves[0]]) == "")
  }

  #if KVO_TOOLCHAIN_SYNTAX || canImport(SwiftSyntax603)
    @Test("L3 a conformance that can't read isolated variables gets an encoding with a message")
    func isolation() throws {
      func written(_ source: String, features: Set<String> = []) throws -> String {
        let statement = try #require(Parser.parse(source: source).statements.first)
        let context = BasicMacroExpansionContext(
          buildConfiguration: StaticBuildConfiguration(
            features: features, languageVersion: VersionTuple(6),
            compilerVersion: VersionTuple(6, 3)))
        let model = ObservableClass(
          try #require(statement.item.as(ClassDeclSyntax.self)), in: context)
        return CodingGeneration(model: model).members.dropFirst().joined(separator: "\n")
      }
      let plain = "@Store.StoreActor open class Desk: Codable & Sendable { var drawers = 1 }"
      #expect(
        try written(plain) == """
          @available(*, unavailable, message: "Desk is isolated, and its conformance is not; write \
          '@Store.StoreActor Codable'")
          nonisolated public func encode<_$Coder>(to encoder: _$Coder) throws {
            Swift.fatalError()
          }
          """)
      #expect(try written(plain, features: ["InferIsolatedConformances"]) == "")
      for source in [
        "final class Desk: Codable { var drawers = 1 }",
        "@MainActor final class Desk: Decodable { var drawers = 1 }",
        "@MainActor final class Desk: @MainActor Codable { var drawers = 1 }",
        "@MainActor final class Desk: Codable { let drawers = 1 }",
        "@MainActor final class Desk: Codable { nonisolated(unsafe) var drawers = 1 }",
      ] {
        #expect(try written(source) == "", "\(source)")
      }
    }
  #endif

  private func expect(
    _ source: String, _ members: String, at place: Testing.SourceLocation = #_sourceLocation
  ) {
    let declaration = Parser.parse(source: source).statements.first?.item
    guard let declaration = declaration?.as(ClassDeclSyntax.self) else {
      Issue.record("no class", sourceLocation: place)
      return
    }
    let generation = CodingGeneration(model: ObservableClass(declaration))
    let written = generation.members.map(\.description).joined(separator: "\n")
    #expect(written == members, sourceLocation: place)
  }
}
