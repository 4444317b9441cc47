import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

/// A getter of `Person`, and the first part of each of the macro's messages for it.
struct UnseenRead: CustomTestStringConvertible {
  let getter: String
  let words: [String]

  init(_ getter: String, _ words: String...) {
    self.getter = getter
    self.words = words
  }

  var testDescription: String { getter }
}

private func person(_ getter: String, inherits: String) -> String {
  """
  @KeyValueObservable
  class Person\(inherits) {
    var first = ""
    var last = ""
    var account: Account?
    var parent: Person?
    var children: [Person] = []
    var list: [Account] = []
    var format: (Person) -> String
    weak var delegate: Delegate?
    let engine: Engine
    let kind: Kind
    let title = "x"
    let provider: () -> Int
    let state = Mutex(0)
    let shape: any Shape
    let started: Date
    let formatter = NumberFormatter()
    let defaults: UserDefaults
    @KeyValueIgnored var cache: [String: Int] = [:]
    @KeyValueIgnored var trimmed: String { first.trimmed }
    @KeyValueIgnored var remote: String { extra }
    static var counter = 0
    static let limit = 3
    static let shared = Person()
    static let sharedOffice: Office = Registry.office
    static let office: Office = Registry.office
    static var isDebug: Bool { counter > 0 }
    static func == (a: Person, b: Person) -> Bool { a.first == b.first }
    static func join(_ person: Person) -> String { person.first + person.last }
    static func send(_ person: Person) -> String { Wire.send(person) }
    func weight() -> Int { first.count + (account?.balance ?? 0) }
    func total() -> Int { children.reduce(1) { $0 + $1.total() } }
    enum Kind { case a, b }
    final class Engine { var rpm = 0 }
    var result: Any { \(getter) }
  }
  """
}

private func messages(_ getter: String, inherits: String = "", inheriting: Bool = false)
  -> [String]
{
  warnings(on: person(getter, inherits: inherits), inheriting: inheriting)
    .map { String($0.prefix { $0 != "," }) }
}

private func check(_ read: UnseenRead, inherits: String = "", inheriting: Bool = false) {
  let found = messages(read.getter, inherits: inherits, inheriting: inheriting)
  #expect(found == read.words.map { "'result' \($0)" })
}

/// The macro's messages for the only class of a source, without expanding it.
func warnings(on source: String, inheriting: Bool = false) -> [String] {
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
  let declaration = file.statements.first!.item.cast(ClassDeclSyntax.self)
  let model = ObservableClass(declaration)
  ClassDiagnostics(model: model, context: context, isRoot: !inheriting).run()
  return context.diagnostics.map(\.message)
}

func inferredPaths(of name: String, in source: String) -> [String] {
  let declaration = Parser.parse(source: source).statements.first!.item.cast(ClassDeclSyntax.self)
  let model = ObservableClass(declaration)
  return DependencyInference(model: model).dependencies(of: model.property(name)!).paths
}

@Suite("Reads that the macro can't see")
struct UnseenReadsTests {
  @Test(
    "L3 passing self to other code is reported",
    arguments: [
      UnseenRead("Helper.join(self)", "hands 'self' to 'Helper.join'"),
      UnseenRead("Helper.Sub.join(self)", "hands 'self' to 'Helper.Sub.join'"),
      UnseenRead("first + Helper(self).text", "hands 'self' to 'Helper'"),
      UnseenRead("Helper<Int>(self).text", "hands 'self' to 'a function'"),
      UnseenRead("make(.init(self))", "calls 'make(…)'", "hands 'self' to '.init'"),
      UnseenRead("format(self)", "hands 'self' to 'format'"),
      UnseenRead("self.format(self)", "hands 'self' to 'format'"),
      UnseenRead("delegate?.title(for: self)", "hands 'self' to 'delegate.title'"),
      UnseenRead("let f = format; return f(self)", "hands 'self' to 'f'"),
      UnseenRead("self < account", "hands 'self' to '<'"),
      UnseenRead("self <> first", "hands 'self' to '<>'"),
      UnseenRead("!self", "hands 'self' to '!'"),
      UnseenRead("\"\\(self)\"", "hands 'self' to 'a string'"),
      UnseenRead("String(describing: self)", "hands 'self' to 'String'"),
      UnseenRead("table[self]", "reads 'table'", "hands 'self' to 'a subscript'"),
      UnseenRead("[self].map(Wire.send)", "hands 'self' to 'map'"),
      UnseenRead("sequence(first: self) { $0.parent }.count", "hands 'self' to 'sequence'"),
      UnseenRead("Self.send(self)", "hands 'self' to 'Wire.send'"),
      UnseenRead("list.map { Helper.join(self, $0) }", "hands 'self' to 'Helper.join'"),
      UnseenRead("[1, 2].map { [self] n in Helper.join(self) }", "hands 'self' to 'Helper.join'"),
    ])
  func handingSelf(_ read: UnseenRead) { check(read) }

  @Test(
    "L3 a name without a visible declaration is reported",
    arguments: [
      UnseenRead("extra", "reads 'extra'"),
      UnseenRead("first + self.extra", "reads 'extra'"),
      UnseenRead("extra.name.count", "reads 'extra'"),
      UnseenRead("extra?.join(self)", "reads 'extra'"),
      UnseenRead("list.map(shorten)", "reads 'shorten'"),
      UnseenRead("Dictionary(grouping: list, by: shorten)", "reads 'shorten'"),
      UnseenRead("self[keyPath: \\.extra]", "reads 'extra'"),
      UnseenRead("self[keyPath: path]", "reads 'path'", "calls 'self[keyPath: …]'"),
      UnseenRead("remote", "reads 'extra'"),
      UnseenRead("weigh() + weight()", "calls 'weigh()'"),
    ])
  func unknownNames(_ read: UnseenRead) { check(read) }

  @Test(
    "L3 an inherited member is reported if no superclass is observable",
    arguments: [
      UnseenRead("title2", "reads 'title2'"), UnseenRead("self.title2", "reads 'title2'"),
      UnseenRead("super.isReady", "reads 'isReady'"),
      UnseenRead("super.isReady()", "calls 'super.isReady()'"),
    ])
  func inheritedFromPlainClasses(_ read: UnseenRead) { check(read, inherits: ": Base") }

  @Test("L3 a property isn't a dependency of its own override if no superclass is observable")
  func overridden() {
    let source = """
      @KeyValueObservable
      class Download: Operation {
        var count = 1
        override var isReady: Bool { super.isReady && count > 0 }
      }
      """
    #expect(
      warnings(on: source) == [
        "'isReady' reads 'super.isReady', which is declared neither in the class's body nor in an "
          + "observable superclass, so changes of it do not notify 'isReady'; name what it reads with "
          + "@DependsOn(…), or write @DependsOn() if it does not change"
      ])
    #expect(warnings(on: source, inheriting: true) == [])
  }

  @Test("L3 a possible key of an observable superclass is left to the runtime")
  func inheritedKeys() {
    for getter in ["title2", "self.title2", "super.isReady"] {
      check(UnseenRead(getter), inherits: ": Base", inheriting: true)
    }
  }

  @Test(
    "L3 objects that no key leads to are reported",
    arguments: [
      UnseenRead("Settings.shared.theme", "reads 'Settings.shared'"),
      UnseenRead("first + Session.current!.user.name", "reads 'Session.current'"),
      UnseenRead("Store.sharedStore.items(first)", "reads 'Store.sharedStore'"),
      UnseenRead("Person.shared.first", "reads 'Person.shared'"),
      UnseenRead("Self.shared.weight()", "reads 'Self.shared'"),
      // With an unknown type, only the name shows that the object is shared.
      UnseenRead("first + Self.sharedOffice.name", "reads 'Self.sharedOffice'"),
      UnseenRead("first + Self.office.name"),
      UnseenRead("parent?.total()", "calls 'parent.total()'"),
      UnseenRead("children.map { $0.notThere(1) }", "calls '$0.notThere(…)'"),
    ])
  func objects(_ read: UnseenRead) { check(read) }

  @Test(
    "L3 a getter that reads only values that can't notify is reported",
    arguments: [
      UnseenRead("cache.count", "reads 'cache'"),
      UnseenRead("provider()", "reads 'provider()'"),
      UnseenRead("state.withLock { $0 }", "reads 'state.withLock'"),
      UnseenRead("Theme.current", "reads 'Theme.current'"),
      UnseenRead("Self.counter", "reads 'Person.counter'"),
      UnseenRead("Person.isDebug", "reads 'Person.counter'"),
      UnseenRead("shape.area()", "reads 'shape.area()'"),
      UnseenRead("engine.start(1)", "reads 'engine.start(…)'"),
      UnseenRead("defaults.string(forKey: \"x\")", "reads 'defaults.string(…)'"),
      UnseenRead("UserDefaults.standard.bool(forKey: \"x\")", "reads 'UserDefaults.standard'"),
    ])
  func nothingThatNotifies(_ read: UnseenRead) { check(read) }

  @Test(
    "D1 code that can be followed is followed and not reported",
    arguments: [
      InferenceCase("Self.join(self)", "first", "last"),
      InferenceCase("Person.join(parent!)", "parent.first", "parent.last"),
      InferenceCase("self == parent", "parent", "first", "parent.first"),
      InferenceCase("self != parent", "parent", "first", "parent.first"),
      InferenceCase("parent === self", "parent"),
      InferenceCase(
        "children.contains { $0 === self && first.isEmpty }", "children", "first.isEmpty"),
      InferenceCase("parent?.weight()", "parent", "parent.first.count", "parent.account.balance"),
      InferenceCase(
        "children.map { $0.weight() }", "children", "children.first.count",
        "children.account.balance"),
      InferenceCase("trimmed", "first.trimmed"),
      InferenceCase("[self, parent!].map(\\.last)", "parent.last", "last"),
      InferenceCase("{ (p: Person) in p.first }(self)", "first"),
      InferenceCase("ObjectIdentifier(self).hashValue", []),
      InferenceCase("type(of: self).limit", []),
      InferenceCase("Self.limit + Person.limit", []),
    ])
  func followed(_ example: InferenceCase) {
    #expect(messages(example.getter) == [])
    #expect(inferredPaths(of: "result", in: person(example.getter, inherits: "")) == example.paths)
  }

  @Test("D1 methods of other objects that call each other twice are followed once")
  func manyCalls() {
    let methods = (0..<40).map {
      "func m\($0)() -> Int { parent!.m\($0 + 1)() + parent!.m\($0 + 1)() }"
    }
    let source = """
      @KeyValueObservable
      class Node {
        var index = 0
        var parent: Node?
        \(methods.joined(separator: "\n"))
        func m40() -> Int { index }
        var result: Int { m38() + parent!.m0() }
      }
      """
    let paths = inferredPaths(of: "result", in: source)
    #expect(paths.prefix(3) == ["parent", "parent.parent", "parent.parent.index"])
    #expect(paths.count == 43)
  }

  @Test("L3 @DependsOn() silences each report, as does the key's class function")
  func silenced() {
    let getters = ["Helper.join(self)", "extra", "Settings.shared.theme", "cache.count"]
    for (index, getter) in getters.enumerated() {
      let source = """
        @KeyValueObservable
        class Person {
          @KeyValueIgnored var cache: [String: Int] = [:]
          @DependsOn() var a: Any { \(getter) }
          var key\(index): Any { \(getter) }
          class func keyPathsForValuesAffectingKey\(index)() -> Set<String> { [] }
          @NotifiesManually var c: Any { get { \(getter) } set {} }
          var d\(index): Any { \(getter) }
          class func automaticallyNotifiesObserversOfD\(index)() -> Bool { false }
        }
        """
      #expect(reports(on: source) == "", "\(getter)")
    }
  }

  @Test("D1 a dependency that the getter visibly reads is added to those in @DependsOn")
  func declaredAndInferred() {
    let source = """
      @KeyValueObservable
      class A {
        var a = 1
        var b = 1
        @DependsOn("a") var x: Int { a + b }
      }
      """
    #expect(reports(on: source) == "")
    #expect(inferredPaths(of: "x", in: source) == ["a", "b"])
  }
}
