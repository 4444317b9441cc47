import KeyValueObserving
import Testing

#if OpenCombine
  import OpenCombineKVO
#endif

@Suite("Streams.md", .printing)
struct StreamsSnippets {
  @KeyValueObservable
  final class Person {
    var name = "Ada"
    var age = 36
  }

  /// Lets a test wait until its text was set.
  @MainActor
  final class Label {
    var text = "" {
      didSet { continuation?.resume(returning: text) }
    }
    private var continuation: CheckedContinuation<String, Never>?

    func nextText() async -> String {
      await withCheckedContinuation { continuation = $0 }
    }
  }

  @MainActor
  @Test("On the main actor")
  func mainActor() async throws {
    let person = Person()
    let ageLabel = Label()
    // snippet Streams 1
    let observation = person.kvo.age.observe(options: [.old, .new], on: .mainActor) { change in
      ageLabel.text = "\(change)"  // setting, old: 36, new: 37
    }
    person.age = 37
    // end
    print(await ageLabel.nextText())
    try expectPrinted("Streams", 1)
    withExtendedLifetime(observation) {}
  }

  @Test("Sequences")
  func sequences() async throws {
    do {
      let person = Person()
      // snippet Streams 2
      for await age in person.kvo.age.values() {
        print(age)  // 36, then 37
        // end
        if age == 37 { break }
        person.age = 37
        // snippet Streams 2
      }
      // end
    }
    let person = Person()
    // snippet Streams 2
    for await change in person.kvo.age.changes(options: [.initial, .new]) {
      print(change)  // setting, new: 36, then setting, new: 37
      // end
      if change.newValue == 37 { break }
      person.age = 37
      // snippet Streams 2
    }
    // end
    try expectPrinted("Streams", 2)
  }

  @Test("A sequence that a task iterates over")
  func sequenceInATask() async throws {
    func begin(_ person: Person) {
      // snippet Streams 3
      let ages = person.kvo.age.values()
      Task { for await age in ages { print(age) } }
      // end
    }
    begin(Person())

    let person = Person()
    let ages = person.kvo.age.values(bufferingPolicy: .unbounded)
    person.age = 37
    person.age = 38
    let told = Task {
      var told: [Int] = []
      for await age in ages {
        told.append(age)
        if age == 38 { break }
      }
      return told
    }
    #expect(await told.value == [36, 37, 38])
  }

  #if OpenCombine
    @Test("Publishers")
    func publishers() throws {
      let person = Person()
      // snippet Streams 4
      let subscription = person.kvo.age.publisher().sink { print($0) }
      let changes = person.kvo.age.publisher(changes: [.old, .new]).sink { print($0) }
      // end
      person.age = 37
      #expect(Printed.current?.take() == ["36", "37", "setting, old: 36, new: 37"])
      withExtendedLifetime((subscription, changes)) {}
    }
  #endif
}
