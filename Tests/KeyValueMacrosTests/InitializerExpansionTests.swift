import SwiftParser
import SwiftSyntax
import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

@Suite("Expansions of initialisers")
struct InitializerExpansionTests {
  @Test("N1 before self is used, only names change; parameters hide properties")
  func renamed() {
    expect(
      """
      init(age: Int, name: String) {
        self.age = age
        self.name = name
        if age > 3 { self.age = self.age - 1 }
      }
      """,
      #"@_KeyValueInitializer(["age"], stored: ["age", "name"])"#,
      """
        self._$age = age
        self.name = name
        if age > 3 { self._$age = self._$age - 1 }
      """)
  }

  @Test("N1 setting one property through self doesn't use self for the next")
  func several() {
    expect(
      """
      init(age: Int, tags: [String]) {
        self.age = age
        self.tags = tags
        self.age += self.tags.count
      }
      """,
      #"@_KeyValueInitializer(["age", "tags"], stored: ["age", "tags"])"#,
      """
        self._$age = age
        self._$tags = tags
        self._$age += self._$tags.count
      """)
  }

  @Test("N1 after self is used, an assignment announces, and a change in place chooses at run time")
  func announced() {
    expect(
      """
      init() {
        super.init()
        age = 3
        tags.append("x")
        print(age)
      }
      """,
      #"@_KeyValueInitializer(["age", "tags"], stored: ["age", "tags"])"#,
      """
        super.init()
        do {
          let _$kvoChange = _$kvoRegistrar.isIdle
            ? nil : KeyValueCore._KeyValueInitialChange(of: self, "age")
          defer { _$kvoChange?.finish() }
          _$age = 3
        }
        if _$kvoRegistrar.isIdle {
          _$tags.append("x")
        } else {
          tags.append("x")
        }
        print(age)
      """)
  }

  @Test("N1 calling a method uses self, also in a branch that continues; closures are unchanged")
  func branches() {
    expect(
      """
      init(_ flag: Bool) {
        if flag { return }
        age = 1
        grow { age = 2 }
        for _ in 0..<2 { age = 3 }
      }
      """,
      #"@_KeyValueInitializer(["age"], stored: ["age"], members: ["grow"])"#,
      """
        if flag { return }
        _$age = 1
        grow { age = 2 }
        for _ in 0..<2 { do {
        let _$kvoChange = _$kvoRegistrar.isIdle
          ? nil : KeyValueCore._KeyValueInitialChange(of: self, "age")
        defer { _$kvoChange?.finish() }
        _$age = 3
      } }
      """)
  }

  @Test("N1 a branch that uses self and exits doesn't affect the statements after it")
  func branchesThatLeave() {
    expect(
      """
      init(_ flag: Bool) {
        guard flag else {
          grow {}
          return
        }
        age = 1
      }
      """,
      #"@_KeyValueInitializer(["age"], stored: ["age"], members: ["grow"])"#,
      """
        guard flag else {
          grow {}
          return
        }
        _$age = 1
      """)
  }

  @Test("N1 after self is used, a local with the property's name isn't the property")
  func shadowed() {
    expect(
      """
      init() {
        age = 1
        super.init()
        do {
          var age = 2
          age = 3
          age += 1
          print(age)
        }
        age = 4
      }
      """,
      #"@_KeyValueInitializer(["age"], stored: ["age"])"#,
      """
        _$age = 1
        super.init()
        do {
          var age = 2
          age = 3
          age += 1
          print(age)
        }
        do {
          let _$kvoChange = _$kvoRegistrar.isIdle
            ? nil : KeyValueCore._KeyValueInitialChange(of: self, "age")
          defer { _$kvoChange?.finish() }
          _$age = 4
        }
      """)
  }

  @Test("N1 statements on one line stay separated")
  func oneLine() {
    expect(
      """
      init(_ flag: Bool) {
        super.init()
        if flag { age = 1; tags.append("x"); print(age) }
      }
      """,
      #"@_KeyValueInitializer(["age", "tags"], stored: ["age", "tags"])"#,
      """
        super.init()
        if flag { do {
        let _$kvoChange = _$kvoRegistrar.isIdle
          ? nil : KeyValueCore._KeyValueInitialChange(of: self, "age")
        defer { _$kvoChange?.finish() }
        _$age = 1
      }; if _$kvoRegistrar.isIdle {
        _$tags.append("x")
      } else {
        tags.append("x")
      }; print(age) }
      """)
  }

  @Test(
    "N1 code that changes no observed property isn't rewritten",
    arguments: [
      "init() { name = \"Ada\" }", "init() { print(age) }", "init() { let f = { age = 3 }; f() }",
      "func grow() { age = 3 }",
    ])
  func untouched(_ source: String) {
    #expect(generation(source) == nil)
  }

  private func generation(_ source: String) -> InitializerGeneration? {
    let file = Parser.parse(
      source: """
        class Person: Party {
          var age = 1 { didSet {} }
          var tags: [String] = [] { willSet {} }
          var name = ""
          func grow(_ body: () -> Void) {}
          \(source)
        }
        """)
    guard let declaration = file.statements.first?.item.as(ClassDeclSyntax.self),
      let member = declaration.memberBlock.members.last?.decl
    else { return nil }
    return InitializerGeneration(member, in: ObservableClass(declaration))
  }

  private func expect(
    _ source: String, _ attribute: String, _ body: String,
    at place: Testing.SourceLocation = #_sourceLocation
  ) {
    guard let generation = generation(source) else {
      Issue.record("nothing to rewrite", sourceLocation: place)
      return
    }
    #expect(generation.attribute.description == attribute, sourceLocation: place)
    var statements = generation.statements
    for property in generation.properties {
      let rewriting = InitializerRewriting(property: property, in: generation.body)
      statements = rewriting.rewrite(statements.detached)
    }
    let text = statements.description.drop(while: \.isNewline)
    #expect(String(text) == body, sourceLocation: place)
  }
}
