// snippet WindowsWithGTK 1
import KeyValueObserving

@MainActor @KeyValueObservable
final class Person {
  var name: String
  var age: Int

  init(_ name: String, _ age: Int) {
    self.name = name
    self.age = age
  }

  func validateAge(_ age: inout Int) throws {
    if age < 0 || age > 150 { throw Refusal(description: "An age is from 0 to 150.") }
  }
}

@MainActor @KeyValueObservable
final class Register {
  var people: [Person] = []
  var selected: Person?
}

struct Refusal: Error, CustomStringConvertible {
  let description: String
}
// end
