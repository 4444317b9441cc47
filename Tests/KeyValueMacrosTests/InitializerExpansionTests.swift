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
          var _$kvoChange = KeyValueCore._KeyValueInitialChange()
          defer { _$kvoChange.finish() }
          _$age = _$kvoChange.announcing(3, of: self, "age")
        }
        if _$kvoRegistrar.isIdle {
          _$tags.append("x")
        } else {
          tags.append("x")
        }
        print(age)
      """)
  }

  @Test(
    "N1 an assigned value is computed before its change is announced, whatever marks the statement",
    arguments: [
      ("age = load(age)", "_$age = _$kvoChange.announcing(load(_$age), of: self, \"age\")"),
      ("age = 1 + 2 * 3", "_$age = _$kvoChange.announcing(1 + 2 * 3, of: self, \"age\")"),
      ("try age = load()", "try _$age = _$kvoChange.announcing(load(), of: self, \"age\")"),
      ("try? age = load()", "try? _$age = _$kvoChange.announcing(load(), of: self, \"age\")"),
      ("age = try load()", "_$age = _$kvoChange.announcing(try load(), of: self, \"age\")"),
      ("unsafe age = load()", "unsafe _$age = _$kvoChange.announcing(load(), of: self, \"age\")"),
      (
        "age = 1\n    #if DEBUG\n      .advanced(by: 1)\n    #endif",
        "_$age = _$kvoChange.announcing(1\n    #if DEBUG\n      .advanced(by: 1)\n    #endif\n    , of: self, \"age\")"
      ),
      (
        "try await self.age +=\n    songs.map { $0.age }.max()!",
        "try await self._$age +=\n    _$kvoChange.announcing(songs.map { $0.age }.max()!, of: self, \"age\")"
      ),
    ])
  func computedFirst(statement: String, rewritten: String) {
    expect(
      "init() async throws {\n  super.init()\n  \(statement)\n}",
      #"@_KeyValueInitializer(["age"], stored: ["age"])"#,
      """
        super.init()
        do {
          var _$kvoChange = KeyValueCore._KeyValueInitialChange()
          defer { _$kvoChange.finish() }
          \(rewritten)
        }
      """)
  }

  @Test(
    "N1 a value that can't be an argument, or runs nothing, is assigned after the announcement has begun",
    arguments: [
      "if flag { 1 } else { 2 }", "switch flag { case true: 1; default: 2 }", "{ print($0) }",
    ])
  func noArgument(value: String) {
    expect(
      "init(_ flag: Bool) {\n  super.init()\n  age = \(value)\n}",
      #"@_KeyValueInitializer(["age"], stored: ["age"])"#,
      """
        super.init()
        do {
          var _$kvoChange = KeyValueCore._KeyValueInitialChange()
          defer { _$kvoChange.finish() }
          _$kvoChange.announcing((), of: self, "age")
          _$age = \(value)
        }
      """)
  }

  @Test("N1 a value may be what first uses self")
  func firstUse() {
    expect(
      """
      init() {
        age = register(self)
      }
      """,
      #"@_KeyValueInitializer(["age"], stored: ["age"])"#,
      """
        do {
          var _$kvoChange = KeyValueCore._KeyValueInitialChange()
          defer { _$kvoChange.finish() }
          _$age = _$kvoChange.announcing(register(self), of: self, "age")
        }
      """)
  }

  @Test("N1 in a tracking class, Observation is told of what goes to the storage")
  func tracking() {
    expect(
      """
      init() {
        super.init()
        age = 3
        tags.append("x")
        `default` = 1
        mark = if ready { 2 } else { 3 }
      }
      """,
      isTracking: true,
      #"""
      @_KeyValueInitializer(["age", "tags", "default", "mark"], \#
      stored: ["age", "default", "mark", "tags"], tracking: ["age", "default", "tags"])
      """#,
      #"""
        super.init()
        do {
          var _$kvoChange = KeyValueCore._KeyValueInitialChange()
          defer { _$kvoChange.finish() }
          _$age = _$kvoChange.announcing(3, of: self, "age", after: _$kvoTrackingPerson.willSet(self, \.age))
          _$kvoTrackingPerson.didSet(self, \.age)
        }
        if _$kvoRegistrar.isIdle {
          _$kvoTrackingPerson.willSet(self, \.tags)
          defer { _$kvoTrackingPerson.didSet(self, \.tags) }
          _$tags.append("x")
        } else {
          tags.append("x")
        }
        do {
          var _$kvoChange = KeyValueCore._KeyValueInitialChange()
          defer { _$kvoChange.finish() }
          _$default = _$kvoChange.announcing(1, of: self, "default", after: _$kvoTrackingPerson.willSet(self, \.`default`))
          _$kvoTrackingPerson.didSet(self, \.`default`)
        }
        do {
          var _$kvoChange = KeyValueCore._KeyValueInitialChange()
          defer { _$kvoChange.finish() }
          _$kvoChange.announcing((), of: self, "mark")
          _$mark = if ready { 2 } else { 3 }
        }
      """#)
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
        var _$kvoChange = KeyValueCore._KeyValueInitialChange()
        defer { _$kvoChange.finish() }
        _$age = _$kvoChange.announcing(3, of: self, "age")
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

  @Test("N1 a use of self in a condition, a subject or a sequence precedes the code behind it")
  func conditions() {
    for head in [
      "if register(self) {", "if flag, register(self) {", "while register(self) {",
      "for _ in items(of: self) {",
    ] {
      expect(
        """
        init(_ flag: Bool) {
          \(head)
            age = 2
          }
        }
        """,
        #"@_KeyValueInitializer(["age"], stored: ["age"])"#,
        """
          \(head)
            do {
              var _$kvoChange = KeyValueCore._KeyValueInitialChange()
              defer { _$kvoChange.finish() }
              _$age = _$kvoChange.announcing(2, of: self, "age")
            }
          }
        """)
    }
    for guarding in [
      "guard register(self) else { return }", "if flag { addObserver(self) } else { return }",
      "switch register(self) { default: break }",
      "do { try register(self); return } catch { print(error) }",
      "for _ in 0..<1 { if flag { return }; register(self) }",
      "later { if flag { self.grow {}; return } }",
      "do { let grow = 1; print(grow) }; grow {}",
      "if let grow = load() { print(grow) } else { grow {} }", "later { grow in }; grow {}",
    ] {
      expect(
        """
        init(_ flag: Bool) {
          \(guarding)
          age = 2
        }
        """,
        guarding.contains("grow")
          ? #"@_KeyValueInitializer(["age"], stored: ["age"], members: ["grow"])"#
          : #"@_KeyValueInitializer(["age"], stored: ["age"])"#,
        """
          \(guarding)
          do {
            var _$kvoChange = KeyValueCore._KeyValueInitialChange()
            defer { _$kvoChange.finish() }
            _$age = _$kvoChange.announcing(2, of: self, "age")
          }
        """)
    }
  }

  @Test("N1 a branch that uses self and leaves precedes no other code, whatever leaves it")
  func otherBranchesThatLeave() {
    for branch in [
      "if flag { register(self); throw error }", "do { if flag { register(self); return } }",
      "switch flag { case true: register(self); return; default: break }",
      "do { try name = load() } catch { register(self); throw error }",
    ] {
      expect(
        "init(_ flag: Bool) throws {\n  \(branch)\n  age = 1\n}",
        branch.contains("name")
          ? #"@_KeyValueInitializer(["age"], stored: ["age", "name"])"#
          : #"@_KeyValueInitializer(["age"], stored: ["age"])"#,
        "  \(branch)\n  _$age = 1")
    }
  }

  @Test(
    "N1 a local's name, another value's member and the object's type don't use self",
    arguments: [
      "let grow = songs; print(grow)", "songs.map { grow in print(grow) }",
      "songs.map { (grow: Song) in print(grow) }", "songs.map { [grow = 1] in print(grow) }",
      "for grow in songs where grow.isNew { print(grow) }", "func grow() {}; grow()",
      "guard let grow = songs.first, grow.isNew else { return }; print(grow)",
      "if case .some(let grow) = songs.first { print(grow) }",
      "switch songs.first { case let grow? where grow.isNew: print(grow); default: break }",
      "do { try play() } catch let grow as Failure { print(grow) }",
      "func play(_ grow: Song) { print(grow) }", "print(songs.map(\\.grow))",
      "print(songs.map(\\Song.title.grow))", "print(songs.map(\\.self), Song.self)",
      "print(type(of: self))", "class Player { func stop() { self.end() } }",
    ])
  func foreignNames(_ statement: String) {
    let members = statement.contains("grow") ? #", members: ["grow"]"# : ""
    expect(
      "init(_ songs: [Song]) {\n  \(statement)\n  age = 1\n}",
      #"@_KeyValueInitializer(["age"], stored: ["age"]\#(members))"#,
      "  \(statement)\n  _$age = 1")
  }

  @Test("N1 a loop's body uses self before it runs again, unless it may give the first value")
  func loops() {
    let announced = """
        do {
          var _$kvoChange = KeyValueCore._KeyValueInitialChange()
          defer { _$kvoChange.finish() }
          _$age = _$kvoChange.announcing(3, of: self, "age")
        }
      """
    func check(_ start: String, _ end: String, inherits: String = "Party", is first: String) {
      let complete = inherits == "Party" ? "" : ", isComplete: true"
      expect(
        "init() {\n  \(start)\n    age = 3\n    register(self)\n  \(end)\n}", inherits: inherits,
        #"@_KeyValueInitializer(["age"], stored: ["age"]\#(complete))"#,
        "  \(start)\n\(first)\n    register(self)\n  \(end)")
    }
    check("for _ in 0..<2 {", "}", is: announced.indented(by: "  "))
    check("while hasNext {", "}", is: announced.indented(by: "  "))
    check("while true {", "}", is: "    _$age = 3")
    check("repeat {", "} while hasNext", is: "    _$age = 3")
    // Here everything has its first value before.
    check("repeat {", "} while hasNext", inherits: "Hashable", is: announced.indented(by: "  "))
    check("while true {", "}", inherits: "Hashable", is: announced.indented(by: "  "))
    // The same is true of what may have been left by an error.
    check("do { try register(self) } catch {", "}", is: "    _$age = 3")
    check(
      "do { try register(self) } catch {", "}", inherits: "Hashable",
      is: announced.indented(by: "  "))
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
          var _$kvoChange = KeyValueCore._KeyValueInitialChange()
          defer { _$kvoChange.finish() }
          _$age = _$kvoChange.announcing(4, of: self, "age")
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
        var _$kvoChange = KeyValueCore._KeyValueInitialChange()
        defer { _$kvoChange.finish() }
        _$age = _$kvoChange.announcing(1, of: self, "age")
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
  func untouched(_ source: String) throws {
    let declaration = try #require(party(source))
    let member = try #require(declaration.memberBlock.members.last?.decl)
    #expect(InitializerGeneration(member, in: ObservableClass(declaration)) == nil)
  }

  /// A class whose last member is the initialiser.
  private func party(_ source: String, inherits: String = "Party") -> ClassDeclSyntax? {
    let file = Parser.parse(
      source: """
        class Person: \(inherits) {
          var age = 1 { didSet {} }
          var tags: [String] = [] { willSet {} }
          var name = ""
          var `default` = 0 { didSet {} }
          @NotifiesManually var mark = 0 { didSet {} }
          func grow(_ body: () -> Void) {}
          \(source)
        }
        """)
    return file.statements.first?.item.as(ClassDeclSyntax.self)
  }

  private func expect(
    _ source: String, inherits: String = "Party", isTracking: Bool = false,
    _ attribute: String, _ body: String,
    at place: Testing.SourceLocation = #_sourceLocation
  ) {
    guard let declaration = party(source, inherits: inherits),
      let member = declaration.memberBlock.members.last?.decl,
      let generation = InitializerGeneration(
        member, in: ObservableClass(declaration), isTracking: isTracking)
    else {
      Issue.record("nothing to rewrite", sourceLocation: place)
      return
    }
    #expect(generation.attribute.description == attribute, sourceLocation: place)
    // The attribute and the class's head are all that the macro that rewrites the initialiser knows of the class.
    let (properties, known) = InitializerGeneration.read(
      generation.attribute, on: member, in: declaration)
    var statements = generation.statements
    for property in properties {
      let rewriting = InitializerRewriting(property: property, in: known)
      statements = rewriting.rewrite(statements.detached)
    }
    let text = statements.description.drop(while: \.isNewline)
    #expect(String(text) == body, sourceLocation: place)
  }
}
