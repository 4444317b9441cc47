import Testing

@Suite("Expansions of root classes")
struct ExpansionTests {
  @Test("A public class gets registrar, keys, schema and hooks")
  func publicClass() {
    expectExpansion(
      of: """
        @KeyValueObservable
        public class Person {
          public var firstName: String = "Ada"
          public weak var manager: Person?
          let id: Int
          @NotifiesManually var openingBalance = 0.0
          var age = 1 {
            didSet {
              if age < 0 { age = 0 }
            }
          }
          var fullName: String { "\\(firstName) \\(age)" }
        }
        """,
      is: "")
  }
  @Test("hook")
  func hooks() {
    expectExpansion(
      of: """
        @KeyValueObservable
        open class Person<T> {
          open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            if key == "a" {
              return ["b"]
            }
            return []
          }
        }
        """,
      is: "")
  }
  @Test("hook")
  func sub() {
    expectExpansion(
      of: """
        @KeyValueObservable
        @MainActor
        final class Manager: Person {
          var `default` = 1
        #if DEBUG
          var reports: [Person] = []
        #endif
        }
        """, inheriting: true,
      is: "")
  }
}
