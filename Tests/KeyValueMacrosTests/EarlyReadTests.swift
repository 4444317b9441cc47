import SwiftParser
import SwiftSyntax
import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

/// Swift lets no getter run before all of an object's properties have values.
@Suite("Initialisers that read a property before the object is complete")
struct EarlyReadTests {
  @Test("N1 what is read or changed in place before the last property has its value is renamed")
  func root() {
    expect(
      """
      init(_ items: [Int], extra: Int) {
        self.items = items.sorted()
        self.items.append(extra)
        if let first = self.items.first { print(first) }
        total = self.items.reduce(0, +)
        (name, lines) = ("", [total])
        print(name, lines)
        self.items = []
      }
      """, inherits: "",
      #"""
      @_KeyValueInitializer([], stored: ["items", "lines", "name", "total"], \#
      early: ["items", "total", "name", "lines"])
      """#,
      """
        self._$items = items.sorted()
        self._$items.append(extra)
        if let first = self._$items.first { print(first) }
        _$total = self._$items.reduce(0, +)
        (_$name, _$lines) = ("", [_$total])
        print(_$name, _$lines)
        self._$items = []
      """)
  }

  @Test("N1 what is read before the superclass's initialiser, or for it, is renamed until then")
  func subclass() {
    expect(
      """
      init(lines: [Int]) {
        self.lines = lines
        count = self.lines.count
        if let name { print(name) }
        super.init(count, lines.count)
        count += 1
        self.count = lines.count
        items = [count]
      }
      """, inherits: ": Basket",
      #"""
      @_KeyValueInitializer([], stored: ["count", "items", "lines", "name"], \#
      early: ["name", "lines", "count"])
      """#,
      """
        self._$lines = lines
        _$count = self._$lines.count
        if let name = _$name { print(name) }
        super.init(_$count, lines.count)
        count += 1
        self.count = lines.count
        items = [count]
      """)
  }

  @Test("N1 a property with observers that's only read is renamed, too, and announces as before")
  func observed() {
    expect(
      """
      init() {
        total = level
        mark = total
        super.init()
        total = level
        mark = 2
      }
      """, inherits: ": Basket",
      #"""
      @_KeyValueInitializer(["mark"], stored: ["level", "mark", "total"], \#
      early: ["total", "level"])
      """#,
      """
        _$total = _$level
        _$mark = _$total
        super.init()
        total = level
        do {
          var _$kvoChange = KeyValueCore._KeyValueInitialChange()
          defer { _$kvoChange.finish() }
          _$mark = _$kvoChange.announcing(2, of: self, "mark")
        }
      """)
  }

  @Test(
    "N1 an initialiser that reads no property too early isn't rewritten",
    arguments: [
      "init(items: [Int]) { self.items = items; total = items.count; lines = items; print(total) }",
      "init() { items = []; self.total = 1; lines = []; print(self.items, total) }",
      "init() { let total = 1; items = [total]; self.total = total; lines = [total] }",
      "init() throws { try items = load(); total = 1; print(\\Box.items); lines = [] }",
    ])
  func untouched(_ source: String) throws {
    let declaration = try #require(box(source, inherits: ""))
    let member = try #require(declaration.memberBlock.members.last?.decl)
    let generation = InitializerGeneration(member, in: ObservableClass(declaration))
    #expect(generation == nil, "\(generation?.attribute.description ?? "")")
  }

  /// A class whose last member is the initialiser.
  private func box(_ source: String, inherits: String) -> ClassDeclSyntax? {
    let file = Parser.parse(
      source: """
        class Box\(inherits) {
          var items: [Int]
          var total: Int
          var name: String?
          var lines: [Int]
          var count = 0
          var level = 1 { didSet {} }
          var mark = 1 { didSet {} }
          \(source)
        }
        """)
    return file.statements.first?.item.as(ClassDeclSyntax.self)
  }

  private func expect(
    _ source: String, inherits: String, _ attribute: String, _ body: String,
    at place: Testing.SourceLocation = #_sourceLocation
  ) {
    guard let declaration = box(source, inherits: inherits),
      let member = declaration.memberBlock.members.last?.decl,
      let generation = InitializerGeneration(member, in: ObservableClass(declaration))
    else {
      Issue.record("nothing to rewrite", sourceLocation: place)
      return
    }
    #expect(generation.attribute.description == attribute, sourceLocation: place)
    let (properties, known) = InitializerGeneration.read(
      generation.attribute, on: member, in: declaration)
    var statements = generation.statements
    for property in properties + known.early {
      let rewriting = InitializerRewriting(property: property, in: known)
      statements = rewriting.rewrite(statements.detached)
    }
    let text = statements.description.drop(while: \.isNewline)
    #expect(String(text) == body, sourceLocation: place)
  }
}
