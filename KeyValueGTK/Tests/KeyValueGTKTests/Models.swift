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
