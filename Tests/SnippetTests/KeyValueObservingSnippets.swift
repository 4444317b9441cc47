import KeyValueObserving
import Observation
import Testing

@Suite("KeyValueObserving.md", .printing)
struct KeyValueObservingSnippets {
  // snippet KeyValueObserving 1
  @KeyValueObservable
  final class Person {
    var firstName = "Ada"
    var lastName = "Lovelace"

    var fullName: String { "\(firstName) \(lastName)" }
  }
  // end

  // snippet KeyValueObserving 2
  @KeyValueObservable(tracking: true)
  final class Counter {
    var count = 0
  }
  // end

  @Test("A first example")
  func first() throws {
    // snippet KeyValueObserving 1
    let person = Person()
    let observation = person.kvo.fullName.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    person.firstName = "Grace"
    // setting, old: "Ada Lovelace", new: "Grace Lovelace"
    // end
    try expectPrinted("KeyValueObserving", 1)
    withExtendedLifetime(observation) {}
  }

  @Test("With Observation")
  func tracked() {
    let counter = Counter()
    withObservationTracking {
      print(counter.count)
    } onChange: {
      print("about to change")
    }
    counter.count = 1
    #expect(Printed.current?.take() == ["0", "about to change"])
  }
}
