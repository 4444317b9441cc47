/// Each source, and its diagnostics: line, severity and message, with fix-its indented below.
let dependenciesCases = [
  DiagnosticCase(
    "A misspelt operator, in any class",
    #"""
    @KeyValueObservable
    class A: Base {
      var items: [B] = []
      @DependsOn("items.@cout") var a: Int { items.count }
      @DependsOn("items.@summ.price") var b: Int { total() }
      @DependsOn("items.@median.price") var c: Int { total() }
      @DependsOn("items.@count", "items.@sum.price", "items.@avg.price", "items.@min.price")
      var d: Int { total() }
      @DependsOn("items.@max.price", "items.@unionOfObjects.tags", "items.@unionOfSets.tags")
      var e: Int { total() }
      @DependsOn("items.@distinctUnionOfObjects.price", "items.@distinctUnionOfSets.tags")
      var f: Int { total() }
      @DependsOn("items.@unionOfArrays.tags", "items.@distinctUnionOfArrays.tags")
      var g: Int { total() }
    }
    """#,
    #"""
    4: error: there is no collection operator '@cout'; did you mean '@count'?
      replace '@cout' by '@count'
      -   @DependsOn("items.@cout") var a: Int { items.count }
      +   @DependsOn("items.@count") var a: Int { items.count }
    5: error: there is no collection operator '@summ'; did you mean '@sum'?
      replace '@summ' by '@sum'
      -   @DependsOn("items.@summ.price") var b: Int { total() }
      +   @DependsOn("items.@sum.price") var b: Int { total() }
    6: error: there is no collection operator '@median'
    """#),
  DiagnosticCase(
    "A misspelt key",
    #"""
    @KeyValueObservable
    class A {
      var firstName = 1
      @DependsOn("frstName.count") var b: Int { 1 }
    }
    """#,
    #"""
    4: error: 'A' has no property 'frstName' to depend on; did you mean 'firstName'?
      replace 'frstName' by 'firstName'
      -   @DependsOn("frstName.count") var b: Int { 1 }
      +   @DependsOn("firstName.count") var b: Int { 1 }
    """#),
  DiagnosticCase(
    "An unknown key with nothing near",
    #"""
    @KeyValueObservable
    class A {
      @DependsOn("zebra") var b: Int { 1 }
    }
    """#,
    #"""
    3: error: 'A' has no property 'zebra' to depend on
    """#),
  DiagnosticCase(
    "A key that the object may answer is left to the runtime, unless it looks misspelt",
    #"""
    @KeyValueObservable
    class A {
      var firstName = 1
      @KeyValueIgnored var cache = 1
      @DependsOn("zebra") @DependsOn(\A.cache) var b: Int { 1 }
      @DependsOn("frstName.count") var c: Int { 1 }
      func value(forUndefinedKey key: String) throws -> Any? { nil }
    }
    @KeyValueObservable
    class B {
      @DependsOn("zebra") var b: Int { 1 }
      func value(forKey key: String) throws -> Any? { nil }
    }
    @KeyValueObservable
    class C {
      @DependsOn("zebra") var b: Int { 1 }
      func value(forKey key: Int) -> Any? { nil }
    }
    """#,
    #"""
    6: warning: 'A' has no property 'frstName' to depend on; did you mean 'firstName'?
      replace 'frstName' by 'firstName'
      -   @DependsOn("frstName.count") var c: Int { 1 }
      +   @DependsOn("firstName.count") var c: Int { 1 }
    16: error: 'C' has no property 'zebra' to depend on
    """#),
  DiagnosticCase(
    "A key that may be inherited is left to the runtime",
    #"""
    @KeyValueObservable
    class A: B {
      @DependsOn("zebra") var b: Int { 1 }
    }
    """#,
    ""),
  DiagnosticCase(
    "Keys made by accessor methods are known",
    #"""
    @KeyValueObservable
    class A {
      @DependsOn("items.@count", "wealth", "rich") var b: Int { 1 }
      func countOfItems() -> Int { 1 }
      func wealth() -> Int { 1 }
      func isRich() -> Bool { true }
    }
    """#,
    ""),
  DiagnosticCase(
    "An ignored property is no key",
    #"""
    @KeyValueObservable
    class A {
      @KeyValueIgnored var cache = 1
      @DependsOn("cache") var b: Int { 1 }
    }
    """#,
    #"""
    4: error: 'A' has no property 'cache' to depend on
    """#),
  DiagnosticCase(
    "A key path to what is no key",
    #"""
    @KeyValueObservable
    class A {
      @KeyValueIgnored var cache = [1]
      var frame = Frame()
      @DependsOn(\A.cache.count, \A.frame.width) var b: Int { 1 }
    }
    """#,
    #"""
    5: error: 'A' has no property 'cache' to depend on
    """#),
  DiagnosticCase(
    "A key path with a misspelt key",
    #"""
    @KeyValueObservable
    class A {
      var price = 1
      var account: Account?
      @DependsOn(\A.pirce) var b: Int { 1 }
      @DependsOn(\.acount?.balance, \A.price) var c: Int { 1 }
      @DependsOn(\A.zebra.stripes) var d: Int { 1 }
    }
    """#,
    #"""
    5: error: 'A' has no property 'pirce' to depend on; did you mean 'price'?
      replace 'pirce' by 'price'
      -   @DependsOn(\A.pirce) var b: Int { 1 }
      +   @DependsOn(\A.price) var b: Int { 1 }
    6: error: 'A' has no property 'acount' to depend on; did you mean 'account'?
      replace 'acount' by 'account'
      -   @DependsOn(\.acount?.balance, \A.price) var c: Int { 1 }
      +   @DependsOn(\.account?.balance, \A.price) var c: Int { 1 }
    7: error: 'A' has no property 'zebra' to depend on
    """#),
  DiagnosticCase(
    "A key path to what may be inherited is left to the runtime",
    #"""
    @KeyValueObservable
    class A: B {
      @DependsOn(\A.zebra) var b: Int { 1 }
    }
    """#,
    ""),
  DiagnosticCase(
    "Malformed key paths",
    #"""
    @KeyValueObservable
    class A {
      @DependsOn("b..c", ".b", "", "@count") var b: Int { 1 }
    }
    """#,
    #"""
    3: error: "b..c" is not a key path; write keys separated by single dots, such as \#
    "account.balance"
    3: error: ".b" is not a key path; write keys separated by single dots, such as \#
    "account.balance"
    3: error: "" is not a key path; write keys separated by single dots, such as \#
    "account.balance"
    3: error: "@count" is not a key path; write keys separated by single dots, such as \#
    "account.balance"
    """#),
  DiagnosticCase(
    "A dependency on itself",
    #"""
    @KeyValueObservable
    class A {
      @DependsOn("b") var b: Int { 1 }
      @DependsOn(\A.c) var c: Int { 1 }
    }
    """#,
    #"""
    3: error: 'b' cannot depend on itself
    4: error: 'c' cannot depend on itself
    """#),
  DiagnosticCase(
    "A dependency that is no literal",
    #"""
    @KeyValueObservable
    class A {
      @DependsOn(name) var b: Int { 1 }
    }
    """#,
    #"""
    3: error: '@DependsOn' takes string literals or key path literals: the macro reads \#
    them at compile time
    """#),
  DiagnosticCase(
    "A dependency on more than properties",
    #"""
    @KeyValueObservable
    class A {
      var books: [Book] = []
      @DependsOn(\A.books[0].title, \A.books.first?.title) var b: Int { 1 }
    }
    """#,
    #"""
    4: error: '@DependsOn' takes a key path of properties only; a string such as \#
    "employees.salary" leads through the elements of a collection
    """#),
  DiagnosticCase(
    "A settable property that nothing is known to affect",
    #"""
    @KeyValueObservable
    class A {
      @KeyValueIgnored var a = 1
      var b: Int {
        get { a }
        set { a = newValue }
      }
    }
    """#,
    #"""
    4: warning: nothing is known to affect 'b', so setting it notifies no observer; name \#
    what it depends on with @DependsOn(…), or write @DependsOn() if nothing does
      add '@DependsOn(<#"key"#>)'
      -   var b: Int {
      +   @DependsOn(<#"key"#>) var b: Int {
      add '@DependsOn()'
      -   var b: Int {
      +   @DependsOn() var b: Int {
    """#),
  DiagnosticCase(
    "A settable property with a declaration is fine",
    #"""
    @KeyValueObservable
    class A {
      @DependsOn() var b: Int { get { 1 } set {} }
      var c: Int { get { 1 } set {} }
      class func keyPathsForValuesAffectingC() -> Set<String> { [] }
    }
    """#,
    ""),
  DiagnosticCase(
    "A call that cannot be seen into",
    #"""
    @KeyValueObservable
    class A {
      var isRich: Bool { wealth() > 1 }
    }
    """#,
    #"""
    3: warning: 'isRich' calls 'wealth()', which the macro cannot see into, so changes of \#
    what it reads do not notify 'isRich'; name that with @DependsOn(…), or write @DependsOn() if \#
    it reads nothing more
      add '@DependsOn(<#"key"#>)'
      -   var isRich: Bool { wealth() > 1 }
      +   @DependsOn(<#"key"#>) var isRich: Bool { wealth() > 1 }
      add '@DependsOn()'
      -   var isRich: Bool { wealth() > 1 }
      +   @DependsOn() var isRich: Bool { wealth() > 1 }
    """#),
  DiagnosticCase(
    "A call seen into, declared, or known is fine",
    #"""
    @KeyValueObservable
    class A {
      var a = 1
      var b: Int { own() }
      @DependsOn("a") var c: Int { other() }
      @DependsOn() var d: Int { other() }
      var e: Int { max(a, 2) }
      func own() -> Int { a }
    }
    """#,
    ""),
  DiagnosticCase(
    "A key whose own class function names what it reads is fine",
    #"""
    @KeyValueObservable
    class A {
      var b: Int { other() + self.elsewhere + Report(self).lines }
      class func keyPathsForValuesAffectingB() -> Set<String> { ["c"] }
    }
    """#,
    ""),
  DiagnosticCase(
    "A class function that answers for all keys is trusted",
    #"""
    @KeyValueObservable
    class A {
      var b: Int { other() + self.elsewhere + Report(self).lines }
      class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "b" ? ["c"] : []
      }
    }
    """#,
    ""),
  DiagnosticCase(
    "Another key's class function and an instance method say nothing",
    #"""
    @KeyValueObservable
    class A {
      @DependsOn() var isRich: Bool { wealth() > 1 }
      var b: Int { other() }
      class func keyPathsForValuesAffectingIsRich() -> Set<String> { [] }
      func keyPathsForValuesAffectingB() -> Set<String> { [] }
    }
    """#,
    #"""
    4: warning: 'b' calls 'other()', which the macro cannot see into, so changes of \#
    what it reads do not notify 'b'; name that with @DependsOn(…), or write @DependsOn() if \#
    it reads nothing more
      add '@DependsOn(<#"key"#>)'
      -   var b: Int { other() }
      +   @DependsOn(<#"key"#>) var b: Int { other() }
      add '@DependsOn()'
      -   var b: Int { other() }
      +   @DependsOn() var b: Int { other() }
    6: warning: 'keyPathsForValuesAffectingB()' is not taken for a customisation point, \#
    because it is an instance method; declare it 'class' or 'static'
      add 'class'
      -   func keyPathsForValuesAffectingB() -> Set<String> { [] }
      +   class func keyPathsForValuesAffectingB() -> Set<String> { [] }
    """#),
  DiagnosticCase(
    "A member declared elsewhere",
    #"""
    @KeyValueObservable
    class A {
      var b: Int { self.c }
    }
    """#,
    #"""
    3: warning: 'b' reads 'c', which is not declared in the class's body, so changes \#
    of it do not notify 'b'; name what it reads with @DependsOn(…), or write @DependsOn() if it \#
    does not change
      add '@DependsOn(<#"key"#>)'
      -   var b: Int { self.c }
      +   @DependsOn(<#"key"#>) var b: Int { self.c }
      add '@DependsOn()'
      -   var b: Int { self.c }
      +   @DependsOn() var b: Int { self.c }
    """#),
  DiagnosticCase(
    "The object handed to other code",
    #"""
    @KeyValueObservable
    class A {
      var b: Int { Report(self).lines }
    }
    """#,
    #"""
    3: warning: 'b' hands 'self' to 'Report', which the macro cannot see into, so changes of \#
    what it reads do not notify 'b'; name that with @DependsOn(…), or write @DependsOn() if it \#
    reads nothing
      add '@DependsOn(<#"key"#>)'
      -   var b: Int { Report(self).lines }
      +   @DependsOn(<#"key"#>) var b: Int { Report(self).lines }
      add '@DependsOn()'
      -   var b: Int { Report(self).lines }
      +   @DependsOn() var b: Int { Report(self).lines }
    """#),
  DiagnosticCase(
    "L3 The time is no key",
    #"""
    @KeyValueObservable
    class A {
      var due = Date()
      let clock = ContinuousClock()
      var watch: Watch?
      var a: Bool { due < Date() }
      var b: Bool { due < .now }
      var c: Date { Date.now }
      var d: Bool { Calendar.current.isDateInToday(due) }
      var e: Double { due.timeIntervalSinceNow }
      var f: ContinuousClock.Instant { clock.now }
      var g: Int { Int(time(nil)) }
      var h: Bool { late() }
      func late() -> Bool { DispatchTime.now() > .init(due) }
      var i: Date? { watch?.now }
      @DependsOn("due") var j: Bool { due < Date() }
      var k: Date { Date(timeInterval: 1, since: due) }
      var l: Bool { scale(due) < Date() }
      var m: Bool { watch?.offset == 1 && due == .now }
    }
    """#,
    #"""
    6: warning: 'a' reads the time, 'Date()', which is no key, so nothing notifies 'a' as time \#
    passes; keep the time in a property that a timer sets, or write @DependsOn("due") if that is meant
      add '@DependsOn("due")'
      -   var a: Bool { due < Date() }
      +   @DependsOn("due") var a: Bool { due < Date() }
    7: warning: 'b' reads the time, '.now', which is no key, so nothing notifies 'b' as time \#
    passes; keep the time in a property that a timer sets, or write @DependsOn("due") if that is meant
      add '@DependsOn("due")'
      -   var b: Bool { due < .now }
      +   @DependsOn("due") var b: Bool { due < .now }
    8: warning: 'c' reads the time, 'Date.now', which is no key, so nothing notifies 'c' as time \#
    passes; keep the time in a property that a timer sets, or write @DependsOn() if that is meant
      add '@DependsOn()'
      -   var c: Date { Date.now }
      +   @DependsOn() var c: Date { Date.now }
    9: warning: 'd' reads the time, 'Calendar.current.isDateInToday(…)', which is no key, so nothing notifies 'd' \#
    as time passes; keep the time in a property that a timer sets, or write @DependsOn("due") if that is meant
      add '@DependsOn("due")'
      -   var d: Bool { Calendar.current.isDateInToday(due) }
      +   @DependsOn("due") var d: Bool { Calendar.current.isDateInToday(due) }
    10: warning: 'e' reads the time, 'due.timeIntervalSinceNow', which is no key, so nothing notifies 'e' \#
    as time passes; keep the time in a property that a timer sets, or write @DependsOn("due") if that is meant
      add '@DependsOn("due")'
      -   var e: Double { due.timeIntervalSinceNow }
      +   @DependsOn("due") var e: Double { due.timeIntervalSinceNow }
    11: warning: 'f' reads the time, 'clock.now', which is no key, so nothing notifies 'f' \#
    as time passes; keep the time in a property that a timer sets, or write @DependsOn() if that is meant
      add '@DependsOn()'
      -   var f: ContinuousClock.Instant { clock.now }
      +   @DependsOn() var f: ContinuousClock.Instant { clock.now }
    12: warning: 'g' reads the time, 'time(…)', which is no key, so nothing notifies 'g' \#
    as time passes; keep the time in a property that a timer sets, or write @DependsOn() if that is meant
      add '@DependsOn()'
      -   var g: Int { Int(time(nil)) }
      +   @DependsOn() var g: Int { Int(time(nil)) }
    14: warning: 'h' reads the time, 'DispatchTime.now()', which is no key, so nothing notifies 'h' \#
    as time passes; keep the time in a property that a timer sets, or write @DependsOn("due") if that is meant
      add '@DependsOn("due")'
      -   var h: Bool { late() }
      +   @DependsOn("due") var h: Bool { late() }
    18: warning: 'l' calls 'scale(…)', which the macro cannot see into, so changes of what it reads do not \#
    notify 'l'; name that with @DependsOn(…), or write @DependsOn() if it reads nothing more
      add '@DependsOn(<#"key"#>)'
      -   var l: Bool { scale(due) < Date() }
      +   @DependsOn(<#"key"#>) var l: Bool { scale(due) < Date() }
      add '@DependsOn()'
      -   var l: Bool { scale(due) < Date() }
      +   @DependsOn() var l: Bool { scale(due) < Date() }
    18: warning: 'l' reads the time, 'Date()', which is no key, so nothing notifies 'l' \#
    as time passes; keep the time in a property that a timer sets, or write @DependsOn(…) if that is meant
      add '@DependsOn(<#"key"#>)'
      -   var l: Bool { scale(due) < Date() }
      +   @DependsOn(<#"key"#>) var l: Bool { scale(due) < Date() }
    19: warning: 'm' reads the time, '.now', which is no key, so nothing notifies 'm' \#
    as time passes; keep the time in a property that a timer sets, or write @DependsOn(…) if that is meant
      add '@DependsOn(<#"key"#>)'
      -   var m: Bool { watch?.offset == 1 && due == .now }
      +   @DependsOn(<#"key"#>) var m: Bool { watch?.offset == 1 && due == .now }
    """#),
  DiagnosticCase(
    "L3 A property called kvo hides the paths",
    #"""
    @KeyValueObservable
    class A {
      var kvo = 1
      var a: Int { 1 }
    }
    @KeyValueObservable
    class B {
      @KeyValueIgnored var kvo: Int { 1 }
      static let kvo = 1
      func kvo(_ a: Int) {}
    }
    """#,
    #"""
    3: error: a property called 'kvo' hides the one that begins the paths to the keys of 'A'; rename it
    8: error: a property called 'kvo' hides the one that begins the paths to the keys of 'B'; rename it
    """#),
]
