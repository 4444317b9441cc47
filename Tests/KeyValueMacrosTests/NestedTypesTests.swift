import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

@Suite("Announcements in a nested type are the nested type's")
struct NestedTypesTests {
  @Test("M4 a nested class's pair is no pair of the outer class's key")
  func pair() {
    #expect(
      reports(
        on: """
          @KeyValueObservable
          class Library {
            var title = ""
            @KeyValueObservable
            class Book {
              @NotifiesManually var title = ""
              func rename(_ text: String) {
                willChangeValue(forKey: "title")
                title = text
                didChangeValue(forKey: "title")
              }
            }
          }
          """) == "")
  }

  @Test("M1 a nested class's pair is not Foundation's because the outer class is an Operation")
  func operation() {
    #expect(
      reports(
        on: """
          @KeyValueObservable
          final class Download: Operation, @unchecked Sendable {
            var progress = 0.0
            @KeyValueObservable
            final class Part {
              @NotifiesManually var progress = 0.0
              func advance() {
                willChangeValue(forKey: "progress")
                progress += 0.1
                didChangeValue(forKey: "progress")
              }
            }
          }
          """) == "")
  }

  @Test("L3 a nested class's didChangeValue doesn't end the outer class's change")
  func forgotten() {
    #expect(
      reports(
        on: """
          @KeyValueObservable
          class Library {
            @NotifiesManually var title = ""
            func rename(_ text: String) {
              willChangeValue(forKey: "title")
              title = text
            }
            @KeyValueObservable
            class Book {
              @NotifiesManually var title = ""
              func rename(_ text: String) {
                willChangeValue(forKey: "title")
                title = text
                didChangeValue(forKey: "title")
              }
            }
          }
          """
      ).hasPrefix("5: warning: nothing in the class calls 'didChangeValue(forKey: \"title\")'"))
  }

  @Test("L3 a nested type may announce a change of an object of the outer class")
  func helper() {
    #expect(
      reports(
        on: """
          @KeyValueObservable
          class Library {
            @NotifiesManually var title = ""
            func rename(_ text: String) { title = text }
            struct Renaming {
              let library: Library
              func end() { library.didChangeValue(forKey: "title") }
            }
          }
          """) == "")
  }

  @Test("A key that only a nested class announces is no key of the outer class")
  func names() throws {
    let outer = try model(
      of: """
        class Outer: NSObject {
          dynamic var a = 1
          class Inner: NSObject {
            dynamic var b = 1
            func tell() {
              willChangeValue(forKey: "b")
              didChangeValue(forKey: "b")
            }
          }
        }
        """)
    #expect(outer.namedKeys == [])
    #expect(!outer.announces("b"))
  }
}
