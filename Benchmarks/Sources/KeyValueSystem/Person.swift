import BenchmarkSupport
import KeyValueObserving

// W7: a full name with sources that the macro infers from its getter.

@KeyValueObservable
final class Person {
  var firstName: String
  var lastName: String
  var fullName: String { "\(firstName) \(lastName)" }

  init(_ firstName: String, _ lastName: String) {
    self.firstName = firstName
    self.lastName = lastName
  }
}

@inline(never) private func set(firstName: String, of person: Person) {
  person.firstName = firstName
}
@inline(never) private func set(lastName: String, of person: Person) { person.lastName = lastName }

let dependentContenders: [Contender] = [
  Contender(.dependentKey, System.keyValue) { operations, tally in
    let texts = texts
    let person = Person(texts[0], texts[0])
    let token = person.observe(\.fullName, options: .new) { _, change in
      tally.notifications &+= 1
      tally.checksum &+= change.newValue?.utf8.count ?? 0
    }
    let time = nanoseconds {
      for step in 1...operations {
        if step & 1 == 1 {
          set(firstName: text(texts, step), of: person)
        } else {
          set(lastName: text(texts, step), of: person)
        }
      }
    }
    token.invalidate()
    return time
  }
]
