import Foundation
import KeyValueObserving
import KeyValueReplica

@MainActor @KeyValueObservable
final class Company {
  var name = "Engines"
  var employees: [Person] = []
  var past: [Person] = []
  var rooms: [String] = []
  var tags: Set<String> = []
  var budget: [String: Int] = [:]
  weak var chief: Person?

  init() {}

  var total: Int { employees.reduce(0) { $0 + $1.salary } }
}

@MainActor @KeyValueObservable
final class Person {
  var name: String
  var salary: Int

  init(_ name: String, salary: Int = 0) {
    self.name = name
    self.salary = salary
  }
}

/// Records of the next version's program have other names here.
@MainActor let classes = [
  KeyValueLogClass(Company.self, formerly: "KeyValueReplicaTests.NewCompany"),
  KeyValueLogClass(Person.self, formerly: "KeyValueReplicaTests.NewPerson") { values in
    let (name, salary): (String, Int) = (try values.value("name"), try values.value("salary"))
    return MainActor.assumeIsolated { Person(name, salary: salary) }
  },
]

@MainActor let newClasses = [
  KeyValueLogClass(NewCompany.self, formerly: "KeyValueReplicaTests.Company"),
  KeyValueLogClass(NewPerson.self, formerly: "KeyValueReplicaTests.Person") { values in
    let (name, salary): (String, Int) = (try values.value("name"), try values.value("salary"))
    return MainActor.assumeIsolated { NewPerson(name, salary: salary) }
  },
]

/// The company of the next version, which is the same in records.
@MainActor @KeyValueObservable
final class NewCompany {
  var name = "Engines"
  var motto = ""
  var employees: [NewPerson] = []
  var past: [NewPerson] = []
  var rooms: [String] = []
  var tags: Set<String> = []
  var budget: [String: Int] = [:]
  weak var chief: NewPerson?

  init() {}
}

/// The company of a version whose new keys begin with elements.
@MainActor @KeyValueObservable
final class FurnishedCompany {
  var name = "Engines"
  var employees: [Person] = []
  var past: [Person] = []
  var rooms: [String] = []
  var tags: Set<String> = []
  var budget: [String: Int] = [:]
  weak var chief: Person?
  var offices = ["hq"]
  var limits = ["seats": 4]
  var colors: Set = ["red"]

  init() {}
}

/// The company of a version whose new keys begin with objects, and with a value that differs each time.
@MainActor @KeyValueObservable
final class EquippedCompany {
  var name = "Engines"
  var employees: [Person] = []
  var past: [Person] = []
  var rooms: [String] = []
  var tags: Set<String> = []
  var budget: [String: Int] = [:]
  weak var chief: Person?
  var desk = Desk()
  var desks = [Desk()]
  let fixed = Desk()
  var token = UUID()

  init() {}
}

/// The company of a version whose employees have desks.
@MainActor @KeyValueObservable
final class SeatedCompany {
  var name = "Engines"
  var employees: [SeatedPerson] = []
  var past: [SeatedPerson] = []
  var rooms: [String] = []
  var tags: Set<String> = []
  var budget: [String: Int] = [:]
  weak var chief: SeatedPerson?

  init() {}
}

@MainActor @KeyValueObservable
final class SeatedPerson {
  var name: String
  var salary: Int
  var desk = Desk()

  init(_ name: String, salary: Int = 0) {
    self.name = name
    self.salary = salary
  }
}

@MainActor @KeyValueObservable
final class Desk {
  var label = ""
  var drawer = Drawer()

  init() {}
}

@MainActor @KeyValueObservable
final class Drawer {
  var label = ""

  init() {}
}

@MainActor @KeyValueObservable
final class NewPerson {
  var name: String
  var salary: Int
  var badge = 0

  init(_ name: String, salary: Int = 0) {
    self.name = name
    self.salary = salary
  }
}
