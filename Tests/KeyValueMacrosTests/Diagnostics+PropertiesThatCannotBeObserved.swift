/// Each source, and its diagnostics: line, severity and message, with fix-its indented below.
let propertiesThatCannotBeObservedCases = [
  DiagnosticCase(
    "Several bindings in one var",
    #"""
    @KeyValueObservable
    class A {
      /// Sizes.
      public var a = 1, b: Int, c: Int
    }
    """#,
    #"""
    4: error: 'a', 'b' and 'c' share one 'var', which cannot be observed; declare each \#
    property by itself
      declare each property by itself
      -   public var a = 1, b: Int, c: Int
      +   public var a = 1
      +   public var b: Int
      +   public var c: Int
    """#),
  DiagnosticCase(
    "Several bindings with comments",
    #"""
    @KeyValueObservable
    class A {
      var a = 1, // first
        b /* more */, c: Int // last
    }
    """#,
    #"""
    3: error: 'a', 'b' and 'c' share one 'var', which cannot be observed; declare each property by itself
      declare each property by itself
      -     b /* more */, c: Int // last
      -   var a = 1, // first
      +   var a = 1 // first
      +   var b: Int /* more */
      +   var c: Int // last
    """#),
  DiagnosticCase(
    "Several bindings in one let are fine",
    #"""
    @KeyValueObservable
    class A {
      let a = 1, b = 2
    }
    """#,
    ""),
  DiagnosticCase(
    "A tuple pattern",
    #"""
    @KeyValueObservable
    class A {
      var (a, b) = (1, 2)
    }
    """#,
    #"""
    3: error: 'a' and 'b' are declared by a tuple pattern, which cannot be observed; \#
    declare each property by itself, and set them in 'init' if they come from one tuple
    """#),
  DiagnosticCase(
    "A lazy property",
    #"""
    @KeyValueObservable
    class A {
      /// Slow.
      lazy var a = 1
    }
    """#,
    #"""
    4: error: lazy property 'a' cannot announce its changes; mark it @NotifiesManually \#
    and announce them yourself, or @KeyValueIgnored, after which no observer is told of them, or make \#
    it computed over a stored optional
      add '@NotifiesManually'
      -   lazy var a = 1
      +   @NotifiesManually lazy var a = 1
      add '@KeyValueIgnored'
      -   lazy var a = 1
      +   @KeyValueIgnored lazy var a = 1
    """#),
  DiagnosticCase(
    "A marked lazy property is fine",
    #"""
    @KeyValueObservable
    class A {
      @NotifiesManually lazy var a = 1
      @KeyValueIgnored lazy var b = 1
    }
    """#,
    ""),
  DiagnosticCase(
    "A property wrapper",
    #"""
    @KeyValueObservable
    class A {
      @Published var a = 1
    }
    """#,
    #"""
    3: error: property 'a' with wrapper '@Published' cannot announce its changes; mark \#
    it @NotifiesManually and announce them yourself, or @KeyValueIgnored, after which no observer is \#
    told of them, or drop the wrapper
      add '@NotifiesManually'
      -   @Published var a = 1
      +   @NotifiesManually @Published var a = 1
      add '@KeyValueIgnored'
      -   @Published var a = 1
      +   @KeyValueIgnored @Published var a = 1
    """#),
  DiagnosticCase(
    "A property that copies what it's set to",
    cocoa: true,
    #"""
    @KeyValueObservable
    class A: NSObject {
      @NSCopying dynamic var a: NSString = ""
      @NSCopying var b: NSString = ""
      @NotifiesManually @NSCopying dynamic var c: NSString = ""
    }
    """#,
    #"""
    3: error: property 'a' would not copy what it is set to, because '@NSCopying' has no effect on \#
    accessors that announce changes; make it computed over a stored property that its setter sets to \#
    'newValue.copy()', or mark it @NotifiesManually and announce its changes yourself, or \#
    @KeyValueIgnored, after which no observer is told of them
      add '@NotifiesManually'
      -   @NSCopying dynamic var a: NSString = ""
      +   @NotifiesManually @NSCopying dynamic var a: NSString = ""
      add '@KeyValueIgnored'
      -   @NSCopying dynamic var a: NSString = ""
      +   @KeyValueIgnored @NSCopying dynamic var a: NSString = ""
    """#),
  DiagnosticCase(
    "Observation's mark",
    #"""
    @KeyValueObservable(tracking: true)
    class A {
      @ObservationIgnored var a = 1
      @KeyValueIgnored @ObservationIgnored var b = 1
    }
    """#,
    #"""
    3: error: '@ObservationIgnored' has no meaning for 'a', because '@KeyValueObservable' doesn't \#
    read it; write @KeyValueIgnored instead
      replace it by '@KeyValueIgnored'
      -   @ObservationIgnored var a = 1
      +   @KeyValueIgnored var a = 1
    """#),
  DiagnosticCase(
    "An opaque type",
    #"""
    @KeyValueObservable
    class A {
      var a: some Equatable = 1
      @NotifiesManually var b: some Equatable = 1
      @KeyValueIgnored var c: some Equatable = 1
      let d: some Equatable = 1
      var e: some Equatable { 1 }
    }
    """#,
    #"""
    3: error: property 'a' of opaque type 'some Equatable' cannot announce its changes, because \#
    its hidden storage would have another type; write the type itself, or mark it \#
    @NotifiesManually or @KeyValueIgnored
      add '@NotifiesManually'
      -   var a: some Equatable = 1
      +   @NotifiesManually var a: some Equatable = 1
      add '@KeyValueIgnored'
      -   var a: some Equatable = 1
      +   @KeyValueIgnored var a: some Equatable = 1
    """#),
  DiagnosticCase(
    "Names that need their backticks",
    #"""
    @KeyValueObservable
    class A {
      var `default` = 1
      var `first name` = ""
      let `a.b` = 1
      @KeyValueIgnored var `2` = 1
    }
    """#,
    #"""
    4: error: 'first name' cannot be a key, because it is a name only in backticks; choose a \#
    plain name, or mark it @KeyValueIgnored
      add '@KeyValueIgnored'
      -   var `first name` = ""
      +   @KeyValueIgnored var `first name` = ""
    5: error: 'a.b' cannot be a key, because it is a name only in backticks; choose a plain \#
    name, or mark it @KeyValueIgnored
      add '@KeyValueIgnored'
      -   let `a.b` = 1
      +   @KeyValueIgnored let `a.b` = 1
    """#),
  DiagnosticCase(
    "Known attributes are no wrappers",
    #"""
    @KeyValueObservable
    @MainActor
    class A {
      @available(*, message: "a") @usableFromInline @MainActor var a = 1
    }
    """#,
    ""),
  DiagnosticCase(
    "A getter that suspends",
    #"""
    @KeyValueObservable
    class A {
      var a: Int { get async { 1 } }
    }
    """#,
    #"""
    3: warning: 'a' is no key, because its getter can throw or suspend; mark it \#
    @KeyValueIgnored
      add '@KeyValueIgnored'
      -   var a: Int { get async { 1 } }
      +   @KeyValueIgnored var a: Int { get async { 1 } }
    """#),
  DiagnosticCase(
    "A getter that throws",
    #"""
    @KeyValueObservable
    class A {
      var a: Int { get throws { 1 } }
    }
    """#,
    #"""
    3: warning: 'a' is no key, because its getter can throw or suspend; mark it \#
    @KeyValueIgnored
      add '@KeyValueIgnored'
      -   var a: Int { get throws { 1 } }
      +   @KeyValueIgnored var a: Int { get throws { 1 } }
    """#),
  DiagnosticCase(
    "A property isolated by itself",
    #"""
    @KeyValueObservable
    class A {
      @MainActor var a = 1
    }
    """#,
    #"""
    3: error: 'a' is isolated to '@MainActor' and its class is not marked so; mark both, or neither \#
    if the class's module or superclass isolates it, or mark the property @KeyValueIgnored
      remove '@MainActor'
      -   @MainActor var a = 1
      +   var a = 1
      add '@KeyValueIgnored'
      -   @MainActor var a = 1
      +   @KeyValueIgnored @MainActor var a = 1
    """#),
  DiagnosticCase(
    "A property isolated to another actor than its class",
    #"""
    @MainActor @KeyValueObservable
    class A {
      @StoreActor var a = 1
      @MainActor var b = 1
      @StoreActor @KeyValueIgnored var c = 1
    }
    """#,
    #"""
    3: error: 'a' is isolated to '@StoreActor' and its class is not marked so; mark both, or neither \#
    if the class's module or superclass isolates it, or mark the property @KeyValueIgnored
      remove '@StoreActor'
      -   @StoreActor var a = 1
      +   var a = 1
      add '@KeyValueIgnored'
      -   @StoreActor var a = 1
      +   @KeyValueIgnored @StoreActor var a = 1
    """#),
  DiagnosticCase(
    "The attributes of memory safety are no wrappers",
    #"""
    @KeyValueObservable
    class A {
      @unsafe var a = 1
      @safe var b = 1
    }
    """#, ""),
  DiagnosticCase(
    "A property out of isolation",
    #"""
    @KeyValueObservable
    class A {
      nonisolated(unsafe) var a = 1
    }
    """#,
    #"""
    3: error: 'nonisolated(unsafe)' cannot be kept on observed property 'a': its \#
    accessors use the object; drop it (a class that does its own locking is '@unchecked \#
    Sendable'), or mark the property @NotifiesManually or @KeyValueIgnored
      remove 'nonisolated(unsafe)'
      -   nonisolated(unsafe) var a = 1
      +   var a = 1
      add '@NotifiesManually'
      -   nonisolated(unsafe) var a = 1
      +   @NotifiesManually nonisolated(unsafe) var a = 1
      add '@KeyValueIgnored'
      -   nonisolated(unsafe) var a = 1
      +   @KeyValueIgnored nonisolated(unsafe) var a = 1
    """#),
  DiagnosticCase(
    "A property out of isolation, with an attribute on the line before",
    #"""
    @KeyValueObservable
    class A {
      @usableFromInline
      nonisolated(unsafe) var a = 1
    }
    """#,
    #"""
    3: error: 'nonisolated(unsafe)' cannot be kept on observed property 'a': its \#
    accessors use the object; drop it (a class that does its own locking is '@unchecked \#
    Sendable'), or mark the property @NotifiesManually or @KeyValueIgnored
      remove 'nonisolated(unsafe)'
      -   nonisolated(unsafe) var a = 1
      +   var a = 1
      add '@NotifiesManually'
      -   @usableFromInline
      +   @NotifiesManually @usableFromInline
      add '@KeyValueIgnored'
      -   @usableFromInline
      +   @KeyValueIgnored @usableFromInline
    """#),
  DiagnosticCase(
    "A property out of its class's isolation",
    #"""
    @KeyValueObservable @MainActor
    class A {
      nonisolated public var a = 1
    }
    """#,
    #"""
    3: error: 'nonisolated' cannot be kept on observed property 'a': its accessors use \#
    the object; drop it (a class that does its own locking is '@unchecked Sendable'), \#
    or mark the property @NotifiesManually or @KeyValueIgnored
      remove 'nonisolated'
      -   nonisolated public var a = 1
      +   public var a = 1
      add '@NotifiesManually'
      -   nonisolated public var a = 1
      +   @NotifiesManually nonisolated public var a = 1
      add '@KeyValueIgnored'
      -   nonisolated public var a = 1
      +   @KeyValueIgnored nonisolated public var a = 1
    """#),
  DiagnosticCase(
    "An init accessor that names observed properties",
    #"""
    @KeyValueObservable
    class A {
      var degrees: Double
      @NotifiesManually var turns: Double
      @KeyValueIgnored var plain: Double
      let fixed: Double
      var radians: Double {
        @storageRestrictions(initializes: degrees, plain, accesses: turns, fixed)
        init { degrees = newValue }
        get { degrees }
        set { degrees = newValue }
      }
      var both: Double {
        @storageRestrictions(initializes: plain)
        init { plain = newValue }
        get { plain + degrees }
      }
    }
    """#,
    #"""
    8: error: the 'init' accessor of 'radians' names 'degrees', which is observed, so Swift does not \#
    take it for a stored property; mark 'degrees' @KeyValueIgnored, or drop the accessor and set \#
    'degrees' in 'init'
      add '@KeyValueIgnored'
      -   var degrees: Double
      +   @KeyValueIgnored var degrees: Double
    8: error: the 'init' accessor of 'radians' names 'turns', which is observed, so Swift does not \#
    take it for a stored property; mark 'turns' @KeyValueIgnored, or drop the accessor and set \#
    'turns' in 'init'
      add '@KeyValueIgnored'
      -   @NotifiesManually var turns: Double
      +   @KeyValueIgnored @NotifiesManually var turns: Double
    """#),
  DiagnosticCase(
    "A name that no key path can contain",
    #"""
    @KeyValueObservable
    class A {
      var `Type` = ""
      let `Protocol` = ""
      var `self` = 1
      var `class` = ""
      var `init` = ""
    }
    """#,
    #"""
    3: error: 'Type' cannot be a key, because it is a name only in backticks; choose a plain name, \#
    or mark it @KeyValueIgnored
      add '@KeyValueIgnored'
      -   var `Type` = ""
      +   @KeyValueIgnored var `Type` = ""
    4: error: 'Protocol' cannot be a key, because it is a name only in backticks; choose a plain \#
    name, or mark it @KeyValueIgnored
      add '@KeyValueIgnored'
      -   let `Protocol` = ""
      +   @KeyValueIgnored let `Protocol` = ""
    """#),
  DiagnosticCase(
    "A type inside a property observer",
    #"""
    @KeyValueObservable
    class A {
      var a = 1 {
        willSet {
          func f() {}
          typealias Number = Int
        }
        didSet {
          struct Change { enum Kind {} }
          log { enum Level { case high } }
        }
      }
      @NotifiesManually var b = 1 { didSet { struct Change {} } }
      let c = { struct Change {} }
    }
    """#,
    #"""
    9: error: 'Change' is declared inside an observer of 'a', which the macro rewrites, and Swift \#
    compiles no type in code that a macro writes there; move the type out of the observer
    10: error: 'Level' is declared inside an observer of 'a', which the macro rewrites, and Swift \#
    compiles no type in code that a macro writes there; move the type out of the observer
    """#),
]
