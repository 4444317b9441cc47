import KeyValueObserving
import Testing

@Suite("Tracing.md", .printing, .serialized)
struct TracingSnippets {
  // snippet Tracing 1
  @KeyValueObservable
  final class Person {
    var firstName = "Ada"
    var lastName = "Lovelace"
    var fullName: String { "\(firstName) \(lastName)" }
  }

  @KeyValueObservable
  final class Caption {
    var text = ""
  }
  // end

  /// What the page shows, in a process of its own: its closure hears what all threads do.
  static func page() throws {
    // snippet Tracing 1
    let person = Person()
    let caption = Caption()
    let binding = person.kvo.fullName.bind(to: caption.kvo.text)
    // end

    // snippet Tracing 2
    let trace = KeyValueTrace.recording { person.firstName = "Grace" }
    print(trace.deliveries(to: \Person.fullName).count)  // 1
    print(trace.deliveries(to: caption.kvo.text).count)  // 0
    print(trace.events.map(\.kind.rawValue))
    // ["changeBegan", "delivered", "returned", "changeEnded"]
    print(trace.findings.isEmpty)  // true
    // end
    try expectPrinted("Tracing", 2)

    // The page names the lines of this file: 25 for the binding, 41, 65, 84 and 85 for observers.

    // snippet Tracing 3
    let observation = caption.kvo.text.observe { _, _ in print(KeyValueTrace.cause) }
    _ = KeyValueTrace.recording { person.lastName = "Hopper" }
    // end
    try expectPrinted("Tracing", 3)

    // snippet Tracing 4
    let token = KeyValueTrace.observe { event in
      if event.kind == .delivered, event.subject == "Caption.text" {
        print(event.depth, event.keyPath)
      }
    }
    person.lastName = "Murray"
    // 3 text
    // Person.lastName is set, was "Hopper"
    //   Person.fullName through lastName
    //     binding to Caption.text bound at TracingSnippets.swift:25
    //       Caption.text is set, was "Grace Hopper"
    //         closure of Caption.text registered at TracingSnippets.swift:41
    token.invalidate()
    // end
    try expectPrinted("Tracing", 4)

    // snippet Tracing 5
    let loud = Person()
    let shouting = loud.kvo.lastName.observe { person, _ in
      if !person.lastName.hasSuffix("!!") { person.lastName += "!" }
    }
    let findings = KeyValueTrace.recording { loud.lastName = "Kay" }.findings
    print(findings.cycles[0])
    // end
    try expectPrinted("Tracing", 5)

    // snippet Tracing 6
    func show<Object, Value>(
      _ path: KeyValueBoundPath<Object, Value>, fileID: StaticString = #fileID,
      line: UInt = #line, _ take: @escaping (Value) -> Void
    ) -> KeyValueObservation {
      path.observe(options: [.initial, .new], fileID: fileID, line: line) { _, change in
        if let value = change.newValue { take(value) }
      }
    }
    var shown: [KeyValueObservation] = []
    let registering = KeyValueTrace.recording {
      shown.append(show(person.kvo.firstName) { _ in })
      shown.append(show(person.kvo.lastName) { _ in })
    }
    for event in registering.events where event.kind == .registered { print(event) }
    // end
    try expectPrinted("Tracing", 6)

    // snippet Tracing 7
    print(Person.keyValueGraph.mermaid)
    // end
    try expectPrinted("Tracing", 7)
    withExtendedLifetime((binding, observation, shouting, shown)) {}
  }

  @Test("Tracing")
  func process() async {
    await #expect(processExitsWith: .success) {
      try Printed.$current.withValue(Printed()) { try TracingSnippets.page() }
    }
  }
}
