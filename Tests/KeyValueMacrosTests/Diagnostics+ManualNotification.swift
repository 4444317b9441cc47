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
