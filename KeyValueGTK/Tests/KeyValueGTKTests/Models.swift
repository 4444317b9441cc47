import KeyValueGTK
import KeyValueObserving

struct Refusal: Error, CustomStringConvertible {
  let description: String
}

enum Priority: Int { case low, normal, high }

enum Colour: String { case red, green }

@MainActor @KeyValueObservable
class Person {
  var name: String
  var age: Int
  var balance = 0.0
  var isMember = false
  var nickname: String?
  var children: Int?
  var priority = Priority.normal
  var colour: Colour?
  var manager: Person?
  var friends: [Person] = []
  var summary: String { "\(name) (\(age))" }

  init(_ name: String, _ age: Int = 30) {
    self.name = name
    self.age = age
  }

  func validateAge(_ value: inout Int) throws {
    if value < 0 || value > 150 { throw Refusal(description: "An age is from 0 to 150.") }
  }

  func validateName(_ value: inout String) throws {
    if value == "nobody" { throw Refusal(description: "A person has a name.") }
    if value.hasPrefix("!") { value = value.dropFirst().uppercased() }
  }
}

@MainActor @KeyValueObservable
final class Register {
  var people: [Person] = []
  var selected: Person?

  init(_ people: [Person] = []) { self.people = people }
}

extension Person: Hashable {
  nonisolated static func == (left: Person, right: Person) -> Bool { left === right }
  nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Has collections that aren't arrays of objects.
@MainActor @KeyValueObservable
final class Club {
  var members: Set<Person> = []
  var guests: Set<Person>?
  var queue: ContiguousArray<Person> = []
  var reserve: ContiguousArray<Person>?
  var tags: [String] = []
  var scores: [Int]?
  var colours: [Colour] = []
}

extension Colour: GValueConvertible {}
