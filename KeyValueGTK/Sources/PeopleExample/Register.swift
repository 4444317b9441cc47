import KeyValueObserving

/// A person, with an account.
@MainActor @KeyValueObservable
package final class Person {
  package var name: String
  package var age: Int
  package var balance: Double
  /// The balance as the table shows it.
  package var amount: String { "\(balance)" }

  package init(_ name: String, _ age: Int, _ balance: Double) {
    (self.name, self.age, self.balance) = (name, age, balance)
  }

  func validateAge(_ age: inout Int) throws {
    if age < 0 || age > 150 { throw Refusal(description: "An age is from 0 to 150.") }
  }
}

/// The people in the window, and which of them is in the form.
@MainActor @KeyValueObservable
package final class Register {
  package var people: [Person] = []
  package var selected: Person?

  package init() {}
}

struct Refusal: Error, CustomStringConvertible {
  let description: String
}
