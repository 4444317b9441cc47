import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

/// A property, and its expansion.
struct StorageCase: CustomTestStringConvertible {
  let property: String
  let expected: String

  init(_ property: String, _ expected: String) {
    self.property = property
    self.expected = expected
  }

  var testDescription: String { property }
}

@Suite("Hidden storage and its schema line")
struct StorageTests {
  @Test(
    "Property observers in every spelling first end the access",
    arguments: [
      StorageCase(
        "var age = 1 { didSet { print(age) } }",
        """
        private final var _$age = 1 {
          didSet {
            guard _$kvoRegistrar.beginObserver(_$kvoID(.age)) else { return }
            print(_$age)
          }
        }
        """),
      StorageCase(
        """
        var age: Int {
            willSet { print(1); print(2) }  // once
            didSet(before) {  // twice
              // Not for the same value.
              if before == age { return }

              print(age) }
          }
        """,
        """
        private final var _$age: Int {
          willSet {
            guard _$kvoRegistrar.beginObserver(_$kvoID(.age)) else { return }
            print(1); print(2)
          }
          didSet(before) {  // twice
            guard _$kvoRegistrar.beginObserver(_$kvoID(.age)) else { return }
            // Not for the same value.
            if before == _$age { return }

            print(_$age)
          }
        }
        """),
      StorageCase(
        "var oldValue = 0 { didSet { print(oldValue, self.oldValue) } }",
        """
        private final var _$oldValue = 0 {
          didSet {
            guard _$kvoRegistrar.beginObserver(_$kvoID(.oldValue)) else { return }
            print(oldValue, self._$oldValue)
          }
        }
        """),
      StorageCase(
        "var newValue = 0 { willSet { print(newValue) } didSet { print(newValue, oldValue) } }",
        """
        private final var _$newValue = 0 {
          willSet {
            guard _$kvoRegistrar.beginObserver(_$kvoID(.newValue)) else { return }
            print(newValue)
          }
          didSet {
            guard _$kvoRegistrar.beginObserver(_$kvoID(.newValue)) else { return }
            print(_$newValue, oldValue)
          }
        }
        """),
      StorageCase(
        "var age = 1 { didSet(age) { self.age = age } }",
        """
        private final var _$age = 1 {
          didSet(age) {
            guard _$kvoRegistrar.beginObserver(_$kvoID(.age)) else { return }
            self._$age = age
          }
        }
        """),
      StorageCase(
        "var oldValue = 0 { didSet(before) { print(oldValue) } }",
        """
        private final var _$oldValue = 0 {
          didSet(before) {
            guard _$kvoRegistrar.beginObserver(_$kvoID(.oldValue)) else { return }
            print(_$oldValue)
          }
        }
        """),
      StorageCase(
        "var `default` = 1 { didSet {} }",
        """
        private final var _$default = 1 {
          didSet {
            guard _$kvoRegistrar.beginObserver(_$kvoID(.`default`)) else { return }
          }
        }
        """),
    ])
  func observers(example: StorageCase) throws {
    let file = Parser.parse(source: "class Person {\n  \(example.property)\n}")
    let model = ObservableClass(try #require(file.statements.first).item.cast(ClassDeclSyntax.self))
    let generation = try #require(AccessorGeneration(model.properties[0].declaration))
    #expect(generation.storage.description == "@safe @exclusivity(unchecked) \(example.expected)")
  }

  @Test(
    "A property that is visibly an array or a set gives access to its storage",
    arguments: [
      "var books: [Book]", "var books: [Book]?", "var books: [Book]! = []",
      "public var books: Array<Book> = load()", "var books: Set<Book>?",
      "var books: OrderedSet<Book>", "var books: Collections.OrderedSet<Book>",
      "var books: Swift.Optional<[Book]>", "var books: Optional<Set<Book>> = nil",
      "var books = [1, 2]", "var books = [Book]()", "var books = Set<Book>()",
      "var books = Swift.Set<Book>()", "var books = Array<Book>(repeating: book, count: 2)",
      "var books = [Book](repeating: book, count: 2)", "var books = [] as [Book]",
      "var books = load() as Set<Book>?", "private var books: [Book]",
      "var books: [Book] = [] { didSet {} }",
    ])
  func collections(property: String) throws {
    #expect(try schemaLine(of: property).hasSuffix("modify: { $1(&$0._$books) })"))
  }

  @Test(
    "Other properties don't give access, nor do those that can't be set by name",
    arguments: [
      "var books: [String: Book]", "var books = [String: Book]()", "var books = [:]",
      "var books: Shelf", "var books: ([Book], Int)", "var books: () -> [Book]",
      "var books = load()", "var books = load() as? [Book]", "var books = [1].map(load)",
      "var books: any Collection<Book>", "var books: Optional<Book>", "let books = [1]",
      "private(set) var books: [Book]", "public internal(set) var books: [Book]",
      "var books: [Book] { [] }",
      "var books: [Book] { get { [] } set {} }",
    ])
  func others(property: String) throws {
    #expect(try !schemaLine(of: property).contains("modify:"))
  }

  @Test("A long schema line has the storage access on a line of its own")
  func longLine() throws {
    let property = "var volumesBorrowedByMembers: [Volume]"
    #expect(
      try schemaLine(of: property) == #"""
        schema.stored(
          "volumesBorrowedByMembers", \Library.volumesBorrowedByMembers,
          get: { $0.volumesBorrowedByMembers }, set: { $0.volumesBorrowedByMembers = $1 },
          load: { $0._$volumesBorrowedByMembers },
          store: { $0._$volumesBorrowedByMembers = $1 },
          modify: { $1(&$0._$volumesBorrowedByMembers) })
        """#)
  }

  @Test("A deprecated property's storage is deprecated, unless methods of Codable may use it")
  func deprecated() throws {
    func storage(in head: String) throws -> [String] {
      let file = Parser.parse(
        source: "\(head) {\n  @available(*, deprecated) var style = Style()\n}")
      let declaration = try #require(file.statements.first).item.cast(ClassDeclSyntax.self)
      return try KeyValueStoredMacro.expansion(
        of: .verbatim("_KeyValueStored"),
        providingPeersOf: ObservableClass(declaration).properties[0].declaration,
        in: BasicMacroExpansionContext(lexicalContext: [Syntax(declaration)])
      ).map(\.description)
    }
    let text = "@safe @exclusivity(unchecked) private final var _$style = Style()"
    let deprecated = text.replacing("private", with: "@available(*, deprecated) private")
    #expect(try storage(in: "class Room: Hashable") == [deprecated])
    for coding in ["Codable", "Decodable", "Swift.Encodable & Sendable"] {
      #expect(try storage(in: "class Room: \(coding)") == [text])
    }
  }

  @Test("A redacted key is stored like any other, and named on a line of its own")
  func redacted() throws {
    let file = Parser.parse(source: "class Login {\n  @KeyValueRedacted var password: String\n}")
    let model = ObservableClass(try #require(file.statements.first).item.cast(ClassDeclSyntax.self))
    #expect(
      SchemaGeneration(model: model).statements == [
        #"""
        schema.stored(
          "password", \Login.password,
          get: { $0.password }, set: { $0.password = $1 },
          load: { $0._$password }, store: { $0._$password = $1 })
        """#,
        #"schema.redacted("password")"#,
      ])
  }

  private func schemaLine(of property: String) throws -> String {
    let file = Parser.parse(source: "class Library {\n  \(property)\n}")
    let model = ObservableClass(try #require(file.statements.first).item.cast(ClassDeclSyntax.self))
    let statements = SchemaGeneration(model: model).statements
    let others = [
      "schema.restrictedSetter(", "schema.restrictedAccess(", "schema.completeDependencies(",
      "schema.mayAdjust(",
    ]
    #expect(statements.dropFirst().allSatisfy { line in others.contains { line.hasPrefix($0) } })
    return try #require(statements.first)
  }
}
