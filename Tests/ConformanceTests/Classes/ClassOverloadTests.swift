import KeyValueObserving
import Testing

/// Classes in which a call without arguments is ambiguous, or means a member that throws.
@Suite("Overloads that a call without arguments doesn't tell apart")
struct ClassOverloadTests {
  @Test("K1 methods that only their results distinguish answer no key")
  func accessors() throws {
    let filter = Filter(text: "a")
    let title: String = filter.getTitle()
    #expect(title == "a")
    #expect(throws: KeyValueCodingError.self) { try filter.value(forKey: "title") }
    #expect(try filter.value(forKey: "text") as? String == "a")
  }

  @Test("L3 a class has a throwing init() next to one whose arguments have defaults")
  func initializers() throws {
    #expect(try Store().name == "stored")
    #expect(try Store(name: "a").value(forKey: "name") as? String == "a")
  }
}

@KeyValueObservable
private final class Filter {
  var text = ""
  var tag = 0

  init(text: String = "") { self.text = text }
  init(tag: Int = 0) { self.tag = tag }

  func getTitle() -> String { text }
  func getTitle() -> Int { tag }
}

@KeyValueObservable
private final class Store {
  var name: String

  init(name: String = "") { self.name = name }
  init() throws { name = "stored" }
}
