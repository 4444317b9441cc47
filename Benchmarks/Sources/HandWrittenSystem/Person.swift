import BenchmarkSupport

// W7: a full name; setting either of its sources notifies. Unsupported: removing observers, reporting old
// values, and skipping the name if it is not observed.

final class Person {
  var firstName: String {
    didSet { announce() }
  }
  var lastName: String {
    didSet { announce() }
  }
  var fullName: String { "\(firstName) \(lastName)" }
  private var observers: [(String) -> Void] = []

  init(_ firstName: String, _ lastName: String) {
    self.firstName = firstName
    self.lastName = lastName
  }

  func observe(_ observer: @escaping (String) -> Void) { observers.append(observer) }

  private func announce() {
    let name = fullName
    for observer in observers { observer(name) }
  }
}

@inline(never) private func set(firstName: String, of person: Person) {
  person.firstName = firstName
}
@inline(never) private func set(lastName: String, of person: Person) { person.lastName = lastName }

let dependentContenders: [Contender] = [
  Contender(.dependentKey, System.handWritten) { operations, tally in
    let texts = texts
    let person = Person(texts[0], texts[0])
    person.observe { name in
      tally.notifications &+= 1
      tally.checksum &+= name.utf8.count
    }
    return nanoseconds {
      for step in 1...operations {
        if step & 1 == 1 {
          set(firstName: text(texts, step), of: person)
        } else {
          set(lastName: text(texts, step), of: person)
        }
      }
    }
  }
]
