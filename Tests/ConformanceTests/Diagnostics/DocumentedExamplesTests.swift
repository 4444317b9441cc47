import KeyValueObserving
import KeyValueTestSupport
import Testing

/// The view in the controller's documentation.
private final class TitleView {
  private var observer: KeyValueObserverController<TitleView>?
  var title = ""

  init(_ person: Person, _ log: ChangeLog) {
    let observer = KeyValueObserverController(owner: self)
    self.observer = observer
    observer.observe(person.kvo.fullName, options: [.initial, .new]) { view, _, change in
      view.title = change.newValue ?? ""
    }
    observer.observe(person.kvo.age) { view, person, _ in
      log.note("\(view.title) is \(person.age)")
    }
  }
}

@Suite("Documentation examples: controllers, bindings and undo")
struct DocumentedExamplesTests {
  private let log = ChangeLog()
  private let person = Person()

  @Test("KeyValueObserverController")
  func controller() {
    let view = TitleView(person, log)
    person.age += 1
    #expect(log.take() == ["Ada Lovelace is 37"])
    withExtendedLifetime(view) {}
  }

  @Test("KeyValueChangeRecorder")
  func recorder() throws {
    let recorder = KeyValueChangeRecorder()
    try recorder.record(person, "firstName", "books")
    person.firstName = "Grace"
    person.mutableArrayValue(for: \.books).append("Notes")
    try recorder.undo()
    #expect(person.firstName == "Grace" && person.books == [])
    try recorder.undo()
    #expect(person.firstName == "Ada")
    try recorder.redo()
    #expect(person.firstName == "Grace")
    recorder.group {
      person.firstName = "Mary"
      person.books = ["Milk"]
    }
    try recorder.undo()
    #expect(person.firstName == "Grace" && person.books == [])
  }

  @Test("KeyValueBinding and KeyValueTransformer")
  func bindings() throws {
    let label = PlainLabel()
    var binding: KeyValueBinding? = person.kvo.fullName.bind(to: label.kvo.text)
    #expect(label.text == "Ada Lovelace" && binding != nil)
    binding = nil
    person.firstName = "Grace"
    #expect(label.text == "Ada Lovelace")
    let digits = KeyValueTransformer<Int, String>(
      forward: { String($0) }, backward: { try parse($0) })
    #expect(try digits.backward("42") == 42)
  }
}
