import SwiftParser
import SwiftSyntax
import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

/// The body of the `didSet` of `var age: Int?`, and the rewritten body.
struct ObserverCase: CustomTestStringConvertible {
  let body: String
  let expected: String

  init(_ body: String, _ expected: String) {
    self.body = body
    self.expected = expected
  }

  /// A body that isn't rewritten.
  init(kept body: String) { self.init(body, body) }

  var testDescription: String { body }
}

@Suite("A property observer's uses of its own property")
struct ObserverRewritingTests {
  private func check(_ example: ObserverCase) throws {
    let source = "class Person {\n  var age: Int? { didSet { \(example.body) } }\n}"
    let file = Parser.parse(source: source)
    let model = ObservableClass(try #require(file.statements.first).item.cast(ClassDeclSyntax.self))
    let generation = try #require(AccessorGeneration(model.properties[0].declaration))
    #expect(
      generation.storage.description == """
        @safe @exclusivity(unchecked) private final var _$age: Int? {
          didSet {
            guard _$kvoRegistrar.beginObserver(_$kvoID(.age)) else { return }
            \(example.expected)
          }
        }
        """)
  }

  @Test(
    "A local variable hides the property in its scope, and nowhere else",
    arguments: [
      ObserverCase(
        "if let age, age >= 0 { use(age) } else { age = nil }",
        "if let age = _$age, age >= 0 { use(age) } else { _$age = nil }"),
      ObserverCase(
        "if let age { use(age) } else if age == nil { age = 1 } else { self.age = 2 }",
        "if let age = _$age { use(age) } else if _$age == nil { _$age = 1 } else { self._$age = 2 }"
      ),
      ObserverCase(
        "if let age = age { self.age = age }; age = 3",
        "if let age = _$age { self._$age = age }; _$age = 3"),
      ObserverCase(
        "if case let age? = age, age > 1 { use(age) } else { age = 1 }",
        "if case let age? = _$age, age > 1 { use(age) } else { _$age = 1 }"),
      ObserverCase(
        "guard let age else { age = 1; return }; use(age)",
        "guard let age = _$age else { _$age = 1; return }; use(age)"),
      ObserverCase(
        "guard let age = age, age > 0 else { age = 1; return }; use(age)",
        "guard let age = _$age, age > 0 else { _$age = 1; return }; use(age)"),
      ObserverCase(
        "while let age, age < 4 { self.age = age + 1 }; age = 4",
        "while let age = _$age, age < 4 { self._$age = age + 1 }; _$age = 4"),
      ObserverCase(
        "for age in 0..<age! where age > 0 { use(age) }; age = 4",
        "for age in 0..<_$age! where age > 0 { use(age) }; _$age = 4"),
      ObserverCase(
        "repeat { let age = age; use(age) } while age == 5",
        "repeat { let age = _$age; use(age) } while _$age == 5"),
      ObserverCase(
        "switch age { case let age? where age < 0: self.age = age; default: age = 1 }",
        "switch _$age { case let age? where age < 0: self._$age = age; default: _$age = 1 }"),
      ObserverCase(
        "do { let age = try f(age); use(age) } catch let age as E { use(age) } catch { age = 1 }",
        "do { let age = try f(_$age); use(age) } catch let age as E { use(age) } catch { _$age = 1 }"
      ),
      ObserverCase(
        "let (age, old) = (age, age); use(age, old)",
        "let (age, old) = (_$age, _$age); use(age, old)"),
      ObserverCase(
        "let years = if let age { age } else { self.age ?? 0 }; defer { age = years }",
        "let years = if let age = _$age { age } else { self._$age ?? 0 }; defer { _$age = years }"),
    ])
  func shadowing(example: ObserverCase) throws { try check(example) }

  @Test(
    "Uses that Swift routes through the accessors still do",
    arguments: [
      ObserverCase(
        kept: "later { [weak self] in guard let self else { return }; self.age = nil }"),
      ObserverCase("later { self.age = nil }; age = 1", "later { self.age = nil }; _$age = 1"),
      ObserverCase(kept: "{ self.age = nil }()"),
      ObserverCase(kept: "use([1].map { $0 + self.age! })"),
      ObserverCase(kept: "func reset() { age = nil }; reset()"),
      ObserverCase(
        "func age(_ years: Int) {}; age(1); self.age = 1",
        "func age(_ years: Int) {}; age(1); self._$age = 1"),
      ObserverCase(kept: "lazy var years = age; use(years)"),
      ObserverCase(kept: "var years: Int { get { age! } set { age = newValue } }; years = 1"),
      ObserverCase(
        "var years = age { didSet { age = years } }; years = 1",
        "var years = _$age { didSet { age = years } }; years = 1"),
      ObserverCase(kept: "struct Years { var age = 1; func next() -> Int { age + 1 } }"),
      ObserverCase(kept: "let me = self; me.age = 1"),
    ])
  func indirect(example: ObserverCase) throws { try check(example) }

  @Test(
    "#function is the property's name, also in a closure",
    arguments: [
      ObserverCase("log(#function)", #"log("age")"#),
      ObserverCase("later { log(#function) }; age = 1", #"later { log("age") }; _$age = 1"#),
      ObserverCase(kept: "func reset() { log(#function) }; reset()"),
      ObserverCase(kept: "var years: Int { log(#function) }; log(#line)"),
    ])
  func functionName(example: ObserverCase) throws { try check(example) }

  @Test(
    "A captured value is read directly from the storage where the closure is created",
    arguments: [
      ObserverCase(
        "later { [weak self, age, old = age] in self?.age = age ?? old }",
        "later { [weak self, age = _$age, old = _$age] in self?.age = age ?? old }"),
      ObserverCase(
        "later { [years = self.age] in use(years, self.age) }",
        "later { [years = self._$age] in use(years, self.age) }"),
      ObserverCase("use { [ weak age ] in age }", "use { [ weak age = _$age ] in age }"),
    ])
  func captured(example: ObserverCase) throws { try check(example) }

  @Test(
    "The object in parentheses is the same object; another object's member isn't rewritten",
    arguments: [
      ObserverCase("(self).age = 1", "(self)._$age = 1"),
      ObserverCase("friend.age = age; use(age?.age)", "friend.age = _$age; use(_$age?.age)"),
      ObserverCase(kept: "use(\\.age)"),
    ])
  func members(example: ObserverCase) throws { try check(example) }

  @Test("A line of spaces doesn't keep the other lines' indentation")
  func blankLines() throws {
    let source = """
      class Person {
        var age = 1 {
          didSet {
            log(1)
      \u{20}

            log(2)
          }
        }
      }
      """
    let file = Parser.parse(source: source)
    let model = ObservableClass(try #require(file.statements.first).item.cast(ClassDeclSyntax.self))
    let generation = try #require(AccessorGeneration(model.properties[0].declaration))
    #expect(
      generation.storage.description == """
        @safe @exclusivity(unchecked) private final var _$age = 1 {
          didSet {
            guard _$kvoRegistrar.beginObserver(_$kvoID(.age)) else { return }
            log(1)
        \u{20}\u{20}\u{20}

            log(2)
          }
        }
        """)
  }

  @Test("A string literal keeps its lines, wherever they begin")
  func strings() throws {
    let source = #"""
      class Person {
        var age = 1 {
          didSet {
            log("""
        Age:
            \(age)

      """)
          }
        }
      }
      """#
    let file = Parser.parse(source: source)
    let model = ObservableClass(try #require(file.statements.first).item.cast(ClassDeclSyntax.self))
    let generation = try #require(AccessorGeneration(model.properties[0].declaration))
    #expect(
      generation.storage.description == #"""
        @safe @exclusivity(unchecked) private final var _$age = 1 {
          didSet {
                guard _$kvoRegistrar.beginObserver(_$kvoID(.age)) else { return }
                log("""
            Age:
                \(_$age)

          """)
              }
        }
        """#)
  }
}
