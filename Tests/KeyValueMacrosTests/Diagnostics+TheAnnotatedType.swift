/// Each source, and its diagnostics: line, severity and message, with fix-its indented below.
let theAnnotatedTypeCases = [
  DiagnosticCase(
    "Tracking is either asked for or not mentioned",
    #"""
    @KeyValueObservable(tracking: false)
    final class Person {
      var age = 1
    }
    """#,
    #"""
    1: error: 'tracking:' is read while the class is compiled, and 'true' is all that it can be: \#
    write it, or leave the argument out
    """#),
  DiagnosticCase(
    "A struct has no identity",
    #"""
    @KeyValueObservable
    struct Point {
      var x = 1
    }
    """#,
    #"""
    1: error: '@KeyValueObservable' needs a class: observers hold on to an object's \#
    identity, which a struct does not have
      make it a final class
      - struct Point {
      + final class Point {
      remove '@KeyValueObservable'
      - @KeyValueObservable
      +
    """#),
  DiagnosticCase(
    "A public struct keeps its access level",
    #"""
    @KeyValueObservable public struct Point {}
    """#,
    #"""
    1: error: '@KeyValueObservable' needs a class: observers hold on to an object's \#
    identity, which a struct does not have
      make it a final class
      - @KeyValueObservable public struct Point {}
      + @KeyValueObservable public final class Point {}
      remove '@KeyValueObservable'
      - @KeyValueObservable public struct Point {}
      + public struct Point {}
    """#),
  DiagnosticCase(
    "An enum has no identity",
    #"""
    @KeyValueObservable
    enum Suit {}
    """#,
    #"""
    1: error: '@KeyValueObservable' needs a class: observers hold on to an object's \#
    identity, which an enum does not have
      remove '@KeyValueObservable'
      - @KeyValueObservable
      +
    """#),
  DiagnosticCase(
    "A protocol has no identity",
    #"""
    @KeyValueObservable
    protocol Named {}
    """#,
    #"""
    1: error: '@KeyValueObservable' needs a class: observers hold on to an object's \#
    identity, which a protocol does not have
      remove '@KeyValueObservable'
      - @KeyValueObservable
      +
    """#),
  DiagnosticCase(
    "An actor's state cannot be observed synchronously",
    #"""
    @KeyValueObservable
    actor Store {
      var x = 1
    }
    """#,
    #"""
    1: error: '@KeyValueObservable' needs a class: an actor's state cannot be observed \#
    synchronously; use a class isolated to a global actor, such as '@MainActor'
      remove '@KeyValueObservable'
      - @KeyValueObservable
      +
    """#),
  DiagnosticCase(
    "A local class cannot be given a conformance",
    #"""
    func f() {
      @KeyValueObservable
      class Local {}
    }
    """#,
    #"""
    2: error: '@KeyValueObservable' cannot be applied to 'Local' inside a function, \#
    because Swift allows no conformance to be added to a local type; move the class out \#
    of the function
    """#),
  DiagnosticCase(
    "A private nested class cannot be reached from file scope",
    #"""
    enum Outer {
      @KeyValueObservable
      private class Nested {}
    }
    """#,
    #"""
    3: error: 'Nested' is private to the enclosing type, where the conformance, an \#
    extension at file scope, cannot reach it; make it fileprivate
      replace 'private' by 'fileprivate'
      -   private class Nested {}
      +   fileprivate class Nested {}
    """#),
  DiagnosticCase(
    "Nor can a class inside a private nested type, but one inside a type that is private at file scope",
    #"""
    enum Outer {
      private enum Middle {
        struct Inner {
          @KeyValueObservable
          class Nested {}
        }
      }
    }
    private enum Other {
      fileprivate enum Inner {
        @KeyValueObservable
        class Nested {}
      }
    }
    """#,
    #"""
    4: error: 'Nested' is inside 'Middle', which is private to its enclosing type, where the \#
    conformance, an extension at file scope, cannot reach it; make 'Middle' fileprivate
    """#),
  DiagnosticCase(
    "A class has the attribute once",
    #"""
    @KeyValueObservable
    @KeyValueObservable
    final class Twice {
      var age = 1
      init() { age = 2 }
      class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }
    }
    @KeyValueObserving.KeyValueObservable
    @available(*, deprecated)
    @KeyValueObservable(tracking: true) class Qualified {
      var age = 1
    }
    @KeyValueObservable
    #if canImport(Something)
    @KeyValueObservable
    #endif
    class Perhaps {
      var age = 1
    }
    """#,
    #"""
    2: error: 'Twice' already has '@KeyValueObservable'; remove one of the two attributes
      remove '@KeyValueObservable'
      - @KeyValueObservable
      +
    10: error: 'Qualified' already has '@KeyValueObservable'; remove one of the two attributes
      remove '@KeyValueObservable'
      - @KeyValueObservable(tracking: true) class Qualified {
      + class Qualified {
    """#),
]
