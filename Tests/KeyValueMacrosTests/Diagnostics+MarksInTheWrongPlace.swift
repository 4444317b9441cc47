/// Each source, and its diagnostics: line, severity and message, with fix-its indented below.
let marksInTheWrongPlaceCases = [
  DiagnosticCase(
    "Under a condition that the macro can't evaluate",
    #"""
    @KeyValueObservable
    class A {
      #if canImport(Something)
      @NotifiesManually
      #endif
      var a = 1
      #if canImport(Something)
      @available(*, deprecated)
      @KeyValueIgnored var b = 1
      #else
      var b = 1
      #endif
      #if canImport(Something)
      @KeyValueIgnored
      #endif
      func c() -> Int { 1 }
    }
    """#,
    #"""
    4: warning: the macro can't evaluate the condition of '@NotifiesManually', and takes the mark \#
    to be there; put the whole declaration under '#if', once with the mark and once without
    14: warning: the macro can't evaluate the condition of '@KeyValueIgnored', and takes the mark \#
    to be there; put the whole declaration under '#if', once with the mark and once without
    """#),
  DiagnosticCase(
    "@DependsOn on what is no computed key",
    #"""
    @KeyValueObservable
    class A {
      @DependsOn("b") func f() {}
      @DependsOn("b") static var g: Int { 1 }
      @DependsOn("b") let h = 1
      var b = 1
    }
    """#,
    #"""
    3: error: '@DependsOn' belongs on a property
      remove '@DependsOn'
      -   @DependsOn("b") func f() {}
      +   func f() {}
    4: error: '@DependsOn' belongs on an instance property; static and class properties \#
    are no keys
      remove '@DependsOn'
      -   @DependsOn("b") static var g: Int { 1 }
      +   static var g: Int { 1 }
    5: warning: a constant never changes and depends on nothing; '@DependsOn' has no \#
    effect
      remove '@DependsOn'
      -   @DependsOn("b") let h = 1
      +   let h = 1
    """#),
  DiagnosticCase(
    "@NotifiesManually on what is never assigned",
    #"""
    @KeyValueObservable
    class A {
      @NotifiesManually let a = 1
      @NotifiesManually var b: Int { 1 }
      @NotifiesManually
      func c() {}
      @NotifiesManually static var d = 1
    }
    """#,
    #"""
    3: error: a constant never changes; '@NotifiesManually' has no meaning here
      remove '@NotifiesManually'
      -   @NotifiesManually let a = 1
      +   let a = 1
    4: error: a computed property without a setter has no assignment to keep silent; \#
    '@NotifiesManually' has no meaning here
      remove '@NotifiesManually'
      -   @NotifiesManually var b: Int { 1 }
      +   var b: Int { 1 }
    5: error: '@NotifiesManually' belongs on a property
      remove '@NotifiesManually'
      -   @NotifiesManually
      +
    7: error: '@NotifiesManually' belongs on an instance property; static and class \#
    properties are no keys
      remove '@NotifiesManually'
      -   @NotifiesManually static var d = 1
      +   static var d = 1
    """#),
  DiagnosticCase(
    "@KeyValueIgnored beside another mark",
    #"""
    @KeyValueObservable
    class A {
      @KeyValueIgnored @NotifiesManually var a = 1
      @DependsOn("c") @KeyValueIgnored var b: Int { 1 }
      var c = 1
    }
    """#,
    #"""
    3: warning: '@KeyValueIgnored' makes this mark meaningless
      remove '@NotifiesManually'
      -   @KeyValueIgnored @NotifiesManually var a = 1
      +   @KeyValueIgnored var a = 1
    4: warning: '@KeyValueIgnored' makes this mark meaningless
      remove '@DependsOn'
      -   @DependsOn("c") @KeyValueIgnored var b: Int { 1 }
      +   @KeyValueIgnored var b: Int { 1 }
    """#),
  DiagnosticCase(
    "@KeyValueIgnored on what is no key",
    #"""
    @KeyValueObservable
    class A {
      @KeyValueIgnored static var a = 1
      @KeyValueIgnored init() {}
      @KeyValueIgnored func value(forUndefinedKey key: String) throws -> Any? { nil }
      @KeyValueIgnored func setNilValue(forKey key: String) throws {}
      @KeyValueIgnored func b() {}
    }
    """#,
    #"""
    3: warning: '@KeyValueIgnored' belongs on an instance property; static and class \#
    properties are no keys
      remove '@KeyValueIgnored'
      -   @KeyValueIgnored static var a = 1
      +   static var a = 1
    4: error: '@KeyValueIgnored' belongs on a property or a method
      remove '@KeyValueIgnored'
      -   @KeyValueIgnored init() {}
      +   init() {}
    5: error: '@KeyValueIgnored' has no meaning for 'value(forUndefinedKey:)', which the library \#
    calls for every key
      remove '@KeyValueIgnored'
      -   @KeyValueIgnored func value(forUndefinedKey key: String) throws -> Any? { nil }
      +   func value(forUndefinedKey key: String) throws -> Any? { nil }
    6: error: '@KeyValueIgnored' has no meaning for 'setNilValue(forKey:)', which the library \#
    calls for every key
      remove '@KeyValueIgnored'
      -   @KeyValueIgnored func setNilValue(forKey key: String) throws {}
      +   func setNilValue(forKey key: String) throws {}
    """#),
  DiagnosticCase(
    "@KeyValueRedacted on what is no key",
    #"""
    @KeyValueObservable
    class A {
      @KeyValueRedacted func a() {}
      @KeyValueRedacted @KeyValueIgnored var b = 1
    }
    """#,
    #"""
    3: error: '@KeyValueRedacted' belongs on a property
      remove '@KeyValueRedacted'
      -   @KeyValueRedacted func a() {}
      +   func a() {}
    4: warning: '@KeyValueIgnored' makes this mark meaningless
      remove '@KeyValueRedacted'
      -   @KeyValueRedacted @KeyValueIgnored var b = 1
      +   @KeyValueIgnored var b = 1
    """#),
  DiagnosticCase(
    "A mark in a class without the macro",
    #"""
    class A {
      @NotifiesManually var a = 1
    }
    """#,
    #"""
    2: error: '@NotifiesManually' has no meaning here, because the enclosing type is \#
    not '@KeyValueObservable'
      remove '@NotifiesManually'
      -   @NotifiesManually var a = 1
      +   var a = 1
    """#),
  DiagnosticCase(
    "A mark in an extension",
    #"""
    extension A {
      @KeyValueIgnored var b: Int { 1 }
    }
    """#,
    #"""
    2: error: '@KeyValueIgnored' has no meaning in an extension, whose properties are \#
    no keys
      remove '@KeyValueIgnored'
      -   @KeyValueIgnored var b: Int { 1 }
      +   var b: Int { 1 }
    """#),
  DiagnosticCase(
    "A mark outside of any type",
    #"""
    @NotifiesManually var a = 1
    @KeyValueIgnored func b() {}
    """#,
    #"""
    1: error: '@NotifiesManually' belongs on a property
      remove '@NotifiesManually'
      - @NotifiesManually var a = 1
      + var a = 1
    2: error: '@KeyValueIgnored' belongs on a property or a method
      remove '@KeyValueIgnored'
      - @KeyValueIgnored func b() {}
      + func b() {}
    """#),
  DiagnosticCase(
    "A mark on a local variable",
    #"""
    func f() {
      @DependsOn("a") var b = 1
    }
    """#,
    #"""
    2: error: '@DependsOn' belongs on a property of a class, not on a local variable
      remove '@DependsOn'
      -   @DependsOn("a") var b = 1
      +   var b = 1
    """#),
]
