import KeyValueObserving

@KeyValueObservable
final class Person {
  var firstName: String
  var lastName: String
  var salary = 100
  @KeyValueRedacted var badge = ""

  init(_ firstName: String, _ lastName: String) {
    self.firstName = firstName
    self.lastName = lastName
  }

  var fullName: String { "\(firstName) \(lastName)" }
}

@KeyValueObservable
final class Department {
  var name = "Tools"
  var people: [Person] = []

  @DependsOn("people.@sum.salary")
  var totalSalary: Int { people.reduce(0) { $0 + $1.salary } }
}

/// Its two observers set each other's key, until it's warm enough.
@KeyValueObservable
final class Thermostat {
  var target = 18
  var reading = 18
}

/// One change of its rate changes the price of all items.
@KeyValueObservable
final class Catalog {
  var rate = 1.0
}

@KeyValueObservable
final class Item {
  let catalog: Catalog
  var base: Double

  init(of catalog: Catalog, base: Double) {
    self.catalog = catalog
    self.base = base
  }

  @DependsOn("catalog.rate", "base")
  var price: Double { catalog.rate * base }
}
