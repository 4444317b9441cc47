/// Each source, and its diagnostics: line, severity and message, with fix-its indented below.
let manualNotificationCases = [
  DiagnosticCase(
    "An assignment inside a pair of its key",
    #"""
    @KeyValueObservable
    class A {
      var a = 1
      func f() {
        willChangeValue(forKey: "a")
        if true { self.a += 1 }
        didChangeValue(forKey: "a")
      }
    }
    """#,
    #"""
    6: warning: this change of 'a' notifies twice: by itself and by the pair around it; \#
    mark 'a' @NotifiesManually or drop the pair
      add '@NotifiesManually'
      -   var a = 1
      +   @NotifiesManually var a = 1
    """#),
  DiagnosticCase(
    "A pair in a class that switches keys off itself",
    #"""
    @KeyValueObservable
    class A {
      var a = 1
      var b = 1 {
        willSet { willChangeValue(forKey: "b") }
        didSet { didChangeValue(forKey: "b") }
      }
      class func automaticallyNotifiesObservers(forKey key: String) -> Bool { key == "c" }
      func f() {
        willChangeValue(forKey: "a")
        a = 2
        didChangeValue(forKey: "a")
      }
    }
    """#,
    ""),
  DiagnosticCase(
    "A pair of a key that its own class function switches off, or may switch off",
    #"""
    @KeyValueObservable
    class A {
      var a = 1
      var b = 1 {
        willSet { willChangeValue(forKey: "b") }
        didSet { didChangeValue(forKey: "b") }
      }
      var c = 1
      var d: Set<Int> = []
      class func automaticallyNotifiesObserversOfA() -> Bool { return false }
      static func automaticallyNotifiesObserversOfB() -> Bool { false }
      class func automaticallyNotifiesObserversOfC() -> Bool { !isLoading }
      class func automaticallyNotifiesObserversOfD() -> Bool {
        if isLoading { return false }
        return true
      }
      func f() {
        willChangeValue(forKey: "a")
        a = 2
        didChangeValue(forKey: "a")
        withChange(of: \.c) { c = 2 }
        willChangeValue(forKey: "d", withSetMutation: .union, using: [1])
        d.formUnion([1])
        didChangeValue(forKey: "d", withSetMutation: .union, using: [1])
      }
    }
    """#,
    ""),
  DiagnosticCase(
    "A pair of a key that its own class function leaves on, or that no class function names",
    #"""
    @KeyValueObservable
    class A {
      var a = 1
      var b: Set<Int> = []
      class func automaticallyNotifiesObserversOfA() -> Bool { return true }
      @KeyValueIgnored class func automaticallyNotifiesObserversOfB() -> Bool { false }
      func f() {
        willChangeValue(forKey: "a")
        a = 2
        didChangeValue(forKey: "a")
        willChangeValue(forKey: "b", withSetMutation: .union, using: [1])
        b.formUnion([1])
        didChangeValue(forKey: "b", withSetMutation: .union, using: [1])
      }
    }
    """#,
    #"""
    9: warning: this change of 'a' notifies twice: by itself and by the pair around it; \#
    mark 'a' @NotifiesManually or drop the pair
      add '@NotifiesManually'
      -   var a = 1
      +   @NotifiesManually var a = 1
    12: warning: this change of 'b' notifies twice: by itself and by the pair around it; \#
    mark 'b' @NotifiesManually or drop the pair
      add '@NotifiesManually'
      -   var b: Set<Int> = []
      +   @NotifiesManually var b: Set<Int> = []
    """#),
  DiagnosticCase(
    "A pair of a key of NSObject's subclass that a class property switches off", cocoa: true,
    #"""
    @KeyValueObservable
    class A: NSObject {
      dynamic var a = 1
      dynamic var b = 1
      dynamic var c = 1
      dynamic var d = 1
      dynamic var e = 1
      class var automaticallyNotifiesObserversOfA: Bool { return false }
      static var automaticallyNotifiesObserversOfB: Bool { get { false } }
      static let automaticallyNotifiesObserversOfC = false
      static var automaticallyNotifiesObserversOfD = true
      class func automaticallyNotifiesObserversOfE() -> Bool { return false }
      func f() {
        willChangeValue(forKey: "a")
        a = 2
        didChangeValue(forKey: "a")
        willChangeValue(forKey: "b")
        b = 2
        didChangeValue(forKey: "b")
        willChangeValue(forKey: "c")
        c = 2
        didChangeValue(forKey: "c")
        willChangeValue(forKey: "d")
        d = 2
        didChangeValue(forKey: "d")
        willChangeValue(forKey: "e")
        e = 2
        didChangeValue(forKey: "e")
      }
    }
    """#,
    ""),
  DiagnosticCase(
    "A pair of a key of NSObject's subclass that a class property leaves on", cocoa: true,
    #"""
    @KeyValueObservable
    class A: NSObject {
      dynamic var a = 1
      dynamic var b = 1
      class var automaticallyNotifiesObserversOfA: Bool { true }
      static let automaticallyNotifiesObserversOfB = true
      func f() {
        willChangeValue(forKey: "a")
        a = 2
        didChangeValue(forKey: "a")
        willChangeValue(forKey: "b")
        b = 2
        didChangeValue(forKey: "b")
      }
    }
    """#,
    #"""
    9: warning: this change of 'a' notifies twice: by itself and by the pair around it; \#
    mark 'a' @NotifiesManually or drop the pair
      add '@NotifiesManually'
      -   dynamic var a = 1
      +   @NotifiesManually dynamic var a = 1
    12: warning: this change of 'b' notifies twice: by itself and by the pair around it; \#
    mark 'b' @NotifiesManually or drop the pair
      add '@NotifiesManually'
      -   dynamic var b = 1
      +   @NotifiesManually dynamic var b = 1
    """#),
  DiagnosticCase(
    "A pair in a class that switches keys off with a key path", cocoa: true,
    #"""
    @KeyValueObservable
    class A: NSObject, NSKeyValueObservingCustomization {
      dynamic var a = 1
      static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> { [] }
      static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool { key != \A.a }
      func f() {
        willChangeValue(for: \.a)
        willChangeValue(forKey: "a")
        a = 2
        didChangeValue(forKey: "a")
        didChangeValue(for: \.a)
      }
    }
    """#,
    ""),
  DiagnosticCase(
    "A mutation inside a deferred pair",
    #"""
    @KeyValueObservable
    class A {
      var a = [1]
      func f() {
        self.willChangeValue(forKey: "a")
        defer { self.didChangeValue(forKey: "a") }
        a.append(1)
      }
    }
    """#,
    #"""
    7: warning: this change of 'a' notifies twice: by itself and by the pair around it; \#
    mark 'a' @NotifiesManually or drop the pair
      add '@NotifiesManually'
      -   var a = [1]
      +   @NotifiesManually var a = [1]
    """#),
  DiagnosticCase(
    "An assignment inside withChange(of:)",
    #"""
    @KeyValueObservable
    class A {
      var a = 1
      func f() {
        withChange(of: \.a) { a = 2 }
        self.withChange(of: "a") { self.a = 3 }
        willChange(.setting, valuesAt: i, forKey: "a")
        a = 4
        didChange(.setting, valuesAt: i, forKey: "a")
      }
    }
    """#,
    #"""
    5: warning: this change of 'a' notifies twice: by itself and by the pair around it; \#
    mark 'a' @NotifiesManually or drop the pair
      add '@NotifiesManually'
      -   var a = 1
      +   @NotifiesManually var a = 1
    6: warning: this change of 'a' notifies twice: by itself and by the pair around it; \#
    mark 'a' @NotifiesManually or drop the pair
      add '@NotifiesManually'
      -   var a = 1
      +   @NotifiesManually var a = 1
    8: warning: this change of 'a' notifies twice: by itself and by the pair around it; \#
    mark 'a' @NotifiesManually or drop the pair
      add '@NotifiesManually'
      -   var a = 1
      +   @NotifiesManually var a = 1
    """#),
  DiagnosticCase(
    "A pair in the property's own observers",
    #"""
    @KeyValueObservable
    class A {
      var a = 1 {
        willSet { willChangeValue(forKey: "a") }
        didSet { didChangeValue(forKey: "a") }
      }
    }
    """#,
    #"""
    5: warning: this change of 'a' notifies twice: by itself and by the pair around it; \#
    mark 'a' @NotifiesManually or drop the pair
      add '@NotifiesManually'
      -   var a = 1 {
      +   @NotifiesManually var a = 1 {
    """#),
  DiagnosticCase(
    "A pair of another key, of a manual key, or without an assignment is fine",
    #"""
    @KeyValueObservable
    class A {
      var a = 1
      @NotifiesManually var b = 1
      func f() {
        willChangeValue(forKey: "b")
        a = 2
        b = 2
        didChangeValue(forKey: "b")
        willChangeValue(forKey: "a")
        _ = a == 1
        didChangeValue(forKey: "a")
        a = 3
      }
    }
    """#,
    ""),
]
