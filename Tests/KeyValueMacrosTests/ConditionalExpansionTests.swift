import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

@Suite("Members emitted for members under #if, and with availability")
struct ConditionalExpansionTests {
  private func declaration(in source: String) throws -> ClassDeclSyntax {
    try #require(Parser.parse(source: source).statements.last).item.cast(ClassDeclSyntax.self)
  }

  /// The emitted members that contain a name, in order.
  private func members(_ name: String, of source: String, isRoot: Bool = true) throws -> String {
    let model = ObservableClass(try declaration(in: source))
    return MemberGeneration(model: model, isRoot: isRoot, isTracking: false).members
      .map(\.trimmedDescription).filter { $0.contains(name) }.joined(separator: "\n\n")
  }

  @Test("A customisation point under #if has its default if it isn't compiled")
  func hook() throws {
    let source = """
      class A {
        #if DEBUG
        func setNilValue(forKey key: String) throws {}
        #endif
      }
      """
    #expect(
      try members("setNilValue", of: source) == """
        #if !(DEBUG)
        func setNilValue(forKey key: Swift.String) throws {
          throw KeyValueCore.KeyValueCodingError.nilValue(key, of: self)
        }
        #endif
        """)
  }

  @Test("A customisation point in two branches has its default if neither is compiled")
  func branches() throws {
    let source = """
      class A {
        #if os(Linux)
        class func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }
        #elseif DEBUG
        #if RARE
        class func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }
        #endif
        #endif
      }
      """
    #expect(
      try members("automaticallyNotifiesObservers", of: source) == """
        #if (!(os(Linux))) && (!((!(os(Linux)) && DEBUG) && (RARE)))
        class func automaticallyNotifiesObservers(
          forKey key: Swift.String
        ) -> Swift.Bool {
          KeyValueCore.KeyValueSchema.automaticallyNotifiesObservers(forKey: key, of: self)
        }
        #endif
        """)
    let always = "class A { func setNilValue(forKey key: String) throws {} }"
    #expect(try members("setNilValue", of: always) == "")
  }

  @Test("Keys under #if are counted by a case after the last one, even if it's the only case")
  func keys() throws {
    let source = """
      class A: B {
        #if DEBUG
        var a = 1
        #endif
      }
      """
    #expect(
      try members("_$KVOKey", of: source, isRoot: false) == """
        private enum _$KVOKey: Swift.Int {
        #if DEBUG
          case a
        #endif
          case _$end
        }

        private func _$kvoID(_ key: _$KVOKey) -> Swift.Int {
          super._$kvoStoredCount + key.rawValue
        }

        override var _$kvoStoredCount: Swift.Int {
          super._$kvoStoredCount + _$KVOKey._$end.rawValue
        }
        """)
  }

  @Test("With a parameter pack, keys after a condition begin where the condition's keys end")
  func packed() throws {
    let source = """
      class A<each T> {
        var a = 1
        #if DEBUG
        var b = 1
        #endif
        var c = 1
      }
      """
    #expect(
      try members("struct _$KVOKey", of: source) == """
        private struct _$KVOKey {
          let rawValue: Swift.Int
          static var a: Self { Self(rawValue: 0) }
        #if DEBUG
          static var b: Self { Self(rawValue: 1) }
          private static var _$end1: Swift.Int { 2 }
        #else
          private static var _$end1: Swift.Int { 1 }
        #endif
          static var c: Self { Self(rawValue: _$end1 + 0) }
          static var _$end: Self { Self(rawValue: _$end1 + 1) }
        }
        """)
    #expect(try members("_$kvoStoredCount", of: source).contains("_$KVOKey._$end.rawValue"))
  }

  @Test("The conformances have the availability of the class and its enclosing types")
  func availability() throws {
    let source = """
      @available(macOS 15, *)
      @available(*, deprecated, message: "gone")
      @KeyValueObservable(tracking: true)
      class A {}
      """
    let outer: [DeclSyntax] = [
      "@available(*, deprecated) enum B {}",
      "@MainActor @available(macOS 15, *) struct C {}",
    ]
    let declaration = try declaration(in: source)
    let node = try #require(
      declaration.attributes.all(in: .unknown).first(named: "KeyValueObservable"))
    let extensions = try KeyValueObservableMacro.expansion(
      of: node, attachedTo: declaration, providingExtensionsOf: TypeSyntax("C.B.A"),
      conformingTo: ["KeyValueObservable", "_KeyValueTracked"],
      in: BasicMacroExpansionContext(lexicalContext: outer.map { Syntax($0) }))
    let attributes = """
      @available(macOS 15, *)
      @available(*, deprecated)
      @available(*, deprecated, message: "gone")
      """
    #expect(
      extensions.map(\.description) == [
        "\(attributes)\nextension C.B.A: KeyValueCore.KeyValueObservable {}",
        "\(attributes)\nextension C.B.A: KeyValueObserving._KeyValueTracked {}",
      ])
  }

  @Test("A property that a system of the class's own availability has needs no condition")
  func sameAvailability() throws {
    let source = """
      @available(macOS 26, *)
      final class A {
        @available(macOS 26, *) var a: Int { b }
        var b = 1
      }
      """
    #expect(
      try members("schema", of: source) == #"""
        static func _$kvoDefineKeys(
          in schema: KeyValueCore.KeyValueSchemaBuilder
        ) {
          schema.annotated(A.self, isFinal: true)
          schema.computed("a", \A.a, inferred: ["b"], get: { $0.a })
          schema.stored("b", \A.b, get: { $0.b }, store: { $0._$b = $1 })
          schema.initializer(of: A.self) { A() }
        }
        """#)
  }

  @Test("Availability leaves out only what code can't use; a deprecated method is called")
  func unavailable() throws {
    let source = """
      class A {
        @available(*, unavailable) var a: Int { 1 }
        @available(*, deprecated, message: "unavailable on tvOS") var b: Int { 1 }
        @available(tvOS, unavailable) var c: Int { 1 }
        #if DEBUG
        @available(iOS, unavailable) @available(tvOS, unavailable) var d: Int { 1 }
        #endif
        @available(*, deprecated) func countOfE() -> Int { 1 }
        @available(*, noasync) func objectInE(at index: Int) -> Int { 1 }
        @available(*, unavailable) func validateB(_ b: inout Int) {}
        @available(macOS 99, *) func validateC(_ c: inout Int) {}
        @available(macOS, introduced: 99, deprecated: 100) func validateD(_ d: inout Int) {}
        @available(tvOSApplicationExtension, unavailable) var f: Int { 1 }
        @available(macOS 26, iOS 26.1, *) var g: Int { 1 }
        @available(macOS, introduced: 26.0, deprecated: 27) @available(iOS, introduced: 26)
        @available(tvOS, unavailable) @DependsOn("g") var h: Int { 1 }
        @available(swift 5.9) @available(*, noasync) var i: Int { 1 }
        #if DEBUG
        @available(tvOS, unavailable) func validateF(_ f: inout Int) {}
        #endif
        @available(*, unavailable) class func keyPathsForValuesAffectingC() -> Set<String> { [] }
        @available(tvOS, unavailable) class func keyPathsForValuesAffectingF() -> Set<String> { [] }
      }
      """
    #expect(
      try members("schema", of: source) == #"""
        @available(*, deprecated) class func _$kvoDefineKeys(
          in schema: KeyValueCore.KeyValueSchemaBuilder
        ) {
          schema.computed("b", \A.b, get: { $0.b })
          schema.completeDependencies(of: "b")
          #if !os(tvOS)
          schema.computed("c", \A.c, get: { $0.c })
          #endif
          #if !os(tvOS)
          schema.completeDependencies(of: "c")
          #endif
          #if (DEBUG) && (!os(iOS) && !os(visionOS)) && (!os(tvOS))
          schema.computed("d", \A.d, get: { $0.d })
          #endif
          #if (DEBUG) && (!os(iOS) && !os(visionOS)) && (!os(tvOS))
          schema.completeDependencies(of: "d")
          #endif
          #if !os(tvOS)
          schema.computed("f", \A.f, get: { $0.f })
          #endif
          if #available(macOS 26, iOS 26.1, *) {
            schema.computed("g", \A.g, get: { $0.g })
          }
          schema.completeDependencies(of: "g")
          #if !os(tvOS)
          if #available(macOS 26.0, *), #available(iOS 26, *) {
            schema.computed("h", \A.h, declared: ["g"], get: { $0.h })
          }
          #endif
          schema.computed("i", \A.i, get: { $0.i })
          schema.completeDependencies(of: "i")
          #if !os(tvOS)
          schema.dependencies(of: "f", in: A.self) {
            $0.keyPathsForValuesAffectingF()
          }
          #endif
          schema.accessor("e", count: { (object: A) in object.countOfE() })
          schema.accessor("e", objectAt: { (object: A, first: Int) in object.objectInE(at: first) })
          #if (DEBUG) && (!os(tvOS))
          schema.validator("f") { (object: A, value: inout Int) in
            object.validateF(&value)
          }
          #endif
          schema.initializer(of: A.self) { A() }
        }
        """#)
  }
}
