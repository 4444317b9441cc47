import KeyValueObserving
import KeyValueTesting
import Testing

@Suite("E1, E2. Expected changes of paths")
struct ChangeExpectationTests {
  private let company = Company()
  private let ada = Employee()

  // MARK: E1

  @Test("E1 The described changes pass, in their order across paths")
  func inOrder() throws {
    expectChanges(of: company.kvo.totalSalary, company.kvo.employees) {
      company.employees.append(ada)
      ada.salary += 10
    } are: {
      change(company.kvo.totalSalary, old: 0, new: 100)
      insertion(company.kvo.employees, at: 0)
      change(company.kvo.totalSalary, old: 100, new: 110)
    }
  }

  @Test("E1 Another order is a failure that shows both lists, with the places of the descriptions")
  func anotherOrder() {
    let line = #line + 2
    let found = failures {
      expectChanges(of: company.kvo.totalSalary, company.kvo.employees) {
        company.employees.append(ada)
        ada.salary += 10
      } are: {
        insertion(company.kvo.employees, at: 0)
        change(company.kvo.totalSalary, old: 0, new: 100)
        change(company.kvo.totalSalary, old: 100, new: 110)
      }
    }
    let message = """
      The changes aren't the ones described (- described, + announced):
      - insertion(Company.employees, at: 0)  // ChangeExpectationTests.swift:\(line + 4)
        change(Company.totalSalary, old: 0, new: 100)
      + insertion(Company.employees, at: 0, of: [Employee])
        change(Company.totalSalary, old: 100, new: 110)
      """
    #expect(found == failure(message, at: line))
  }

  @Test("E1 A change that isn't described, and one that doesn't happen, are failures")
  func moreAndLess() {
    let line = #line + 2
    let more = failures {
      expectChanges(of: company.kvo.name) {
        company.name = "A"
      } are: {
      }
    }
    #expect(
      more
        == failure(
          """
          The changes aren't the ones described (- described, + announced):
          + change(Company.name, old: "Engines", new: "A")
          """, at: line))
    let next = #line + 2
    let less = failures {
      expectChanges(of: company.kvo.name) {
      } are: {
        change(company.kvo.name, new: "B")
      }
    }
    #expect(
      less
        == failure(
          """
          The changes aren't the ones described (- described, + announced):
          - change(Company.name, new: "B")  // ChangeExpectationTests.swift:\(next + 2)
          """, at: next))
  }

  @Test("E1 What a description leaves out may be anything, and what it has must be right")
  func partial() {
    expectChanges(of: company.kvo.name) {
      company.name = "A"
      company.name = "B"
      company.name = "C"
    } are: {
      change(company.kvo.name)
      change(company.kvo.name, old: "A")
      change(company.kvo.name, new: "C")
    }
    let line = #line + 2
    let found = failures {
      expectChanges(of: company.kvo.name) {
        company.name = "D"
      } are: {
        change(company.kvo.name, old: "D")
      }
    }
    let message = """
      The changes aren't the ones described (- described, + announced):
      - change(Company.name, old: "D")  // ChangeExpectationTests.swift:\(line + 3)
      + change(Company.name, old: "C", new: "D")
      """
    #expect(found == failure(message, at: line))
  }

  @Test("E1 A change of a collection is told by its elements; with other options, as a setting")
  func elements() {
    let grace = Employee("Grace")
    expectChanges(of: company.kvo.employees, company.kvo.tags) {
      company.employees = [ada, grace]
      company.mutableArrayValue(for: \.employees).swapAt(0, 1)
      company.employees[0] = ada
      company.employees = []
      company.employees = [ada, grace, ada]
      company.mutableArrayValue(for: \.employees).remove(at: RangeSet([0..<1, 2..<3]))
      company.employees = []
      company.tags = ["a", "b"]
      company.tags = ["b"]
    } are: {
      insertion(company.kvo.employees, at: 0..<2, of: [ada, grace])
      replacement(company.kvo.employees, at: 0...1, old: [ada, grace], new: [grace, ada])
      replacement(company.kvo.employees, at: 0, old: [grace], new: [ada])
      removal(company.kvo.employees, at: RangeSet(0..<2), of: [ada, ada])
      insertion(company.kvo.employees, at: 0..<3)
      removal(company.kvo.employees, at: [2, 0], of: [ada, ada])
      removal(company.kvo.employees, at: 0)
      insertion(company.kvo.tags, of: ["b", "a"])
      removal(company.kvo.tags, of: ["a"])
    }
    expectChanges(of: company.kvo.employees, options: [.old, .new]) {
      company.employees = [ada]
    } are: {
      change(company.kvo.employees, old: [], new: [ada])
    }
  }

  @Test("E1 Objects are compared by identity, and named by class and number")
  func objects() {
    let other = Employee()
    let line = #line + 2
    let found = failures {
      expectChanges(of: company.kvo.head, ada.kvo.salary, other.kvo.salary) {
        company.head = ada
        other.salary = 1
      } are: {
        change(company.kvo.head, old: nil, new: other)
        change(ada.kvo.salary, new: 1)
      }
    }
    let message = """
      The changes aren't the ones described (- described, + announced):
      - change(Company.head, old: nil, new: Employee 2)  // ChangeExpectationTests.swift:\(line + 4)
      - change(Employee.salary, new: 1)  // ChangeExpectationTests.swift:\(line + 5)
      + change(Company.head, old: nil, new: Employee)
      + change(Employee 2.salary, old: 100, new: 1)
      """
    #expect(found == failure(message, at: line))
  }

  @Test("E1 Dictionaries, optionals, values that aren't Equatable, and paths through objects")
  func values() throws {
    company.head = ada
    expectChanges(
      of: company.kvo.prices, company.kvo.motto, company.kvo.place, company.kvo.place.number,
      company.kvo.head.salary
    ) {
      company.prices["tea"] = 2
      company.motto = "Think"
      company.motto = nil
      company.place.number = 2
      company.head = nil
    } are: {
      change(company.kvo.prices, old: [:], new: ["tea": 2])
      change(company.kvo.motto, old: nil, new: "Think")
      change(company.kvo.motto, old: "Think", new: nil)
      change(
        company.kvo.place, old: Place(street: "Dorset Street", number: 1),
        new: Place(street: "Dorset Street", number: 2))
      change(company.kvo.place.number, old: 1, new: 2)
      change(company.kvo.head.salary, old: 100, new: nil)
    }
    let line = #line + 2
    let found = failures {
      expectChanges(of: company.kvo.place) {
        company.place.number = 3
      } are: {
        change(company.kvo.place, new: Place(street: "Dorset Street", number: 4))
      }
    }
    let message = """
      The changes aren't the ones described (- described, + announced):
      - change(Company.place, new: Place(street: "Dorset Street", number: 4))  \
      // ChangeExpectationTests.swift:\(line + 3)
      + change(Company.place, old: Place(street: "Dorset Street", number: 2), \
      new: Place(street: "Dorset Street", number: 3))
      """
    #expect(found == failure(message, at: line))
  }

  @Test("E1 A path as a string is the same path")
  func strings() throws {
    try expectChanges(of: company.kvo("employees.@sum.salary"), company.kvo("name")) {
      company.employees = [ada]
      company.name = "A"
    } are: {
      change(company.kvo.employees[sum: \.salary], old: 0, new: 100)
      change(try company.kvo("name"), old: "Engines", new: "A")
    }
  }

  @Test("E1 Priors and initial values, where the options ask for them")
  func priors() {
    expectChanges(of: company.kvo.name, options: [.old, .new, .prior, .initial]) {
      company.name = "A"
    } are: {
      change(company.kvo.name, new: "Engines")
      prior(change(company.kvo.name, old: "Engines"))
      change(company.kvo.name, old: "Engines", new: "A")
    }
    let line = #line + 2
    let found = failures {
      expectChanges(of: company.kvo.name, options: [.old, .prior]) {
        company.name = "B"
      } are: {
        change(company.kvo.name, old: "A")
      }
    }
    let message = """
      The changes aren't the ones described (- described, + announced):
      + prior(change(Company.name, old: "A"))
        change(Company.name, old: "A")
      """
    #expect(found == failure(message, at: line))
  }

  @Test("E1 A description of a value that the options leave out isn't met")
  func leftOut() {
    let line = #line + 2
    let found = failures {
      expectChanges(of: company.kvo.name, options: .new) {
        company.name = "A"
      } are: {
        change(company.kvo.name, old: "Engines", new: "A")
      }
    }
    let message = """
      The changes aren't the ones described (- described, + announced):
      - change(Company.name, old: "Engines", new: "A")  // ChangeExpectationTests.swift:\(line + 3)
      + change(Company.name, new: "A")
      """
    #expect(found == failure(message, at: line))
  }

  @Test("E1 A description of a path that isn't observed says so")
  func unobserved() {
    let line = #line + 2
    let found = failures {
      expectChanges(of: company.kvo.name) {
        company.motto = "Think"
      } are: {
        change(company.kvo.motto, new: "Think")
      }
    }
    let message = """
      The changes aren't the ones described (- described, + announced):
      - change(Company.motto, new: "Think")  // ChangeExpectationTests.swift:\(line + 3)
      Company.motto is described, but not observed here.
      """
    #expect(found == failure(message, at: line))
  }

  @Test("E1 Two members of a value are two paths, even if they print alike")
  func membersOfValues() {
    let (count, isEmpty) = (company.kvo.name.count, company.kvo.name.isEmpty)
    expectChanges(of: count, isEmpty) {
      company.name = ""
    } are: {
      change(company.kvo.name.count, old: 7, new: 0)
      change(company.kvo.name.isEmpty, old: false, new: true)
    }
    let found = failures {
      expectChanges(of: count, isEmpty) {
        company.name = "A"
      } are: {
        change(isEmpty)
        change(isEmpty)
      }
    }
    #expect(!found.isEmpty)
  }

  @Test("E1 Conditions and loops choose what's described, and errors of the closures are thrown")
  func builder() throws {
    for withMotto in [true, false] {
      let company = Company()
      expectChanges(of: company.kvo.name, company.kvo.motto) {
        for name in ["A", "B"] { company.name = name }
        if withMotto { company.motto = "Think" }
      } are: {
        for name in ["A", "B"] { change(company.kvo.name, new: name) }
        if withMotto { change(company.kvo.motto, new: "Think") }
      }
    }
    #expect(throws: KeyValueCodingError.self) {
      try expectChanges(of: company.kvo.name) {
        try company.setValue(1, forKey: "nam")
      } are: {
        change(company.kvo.name)
      }
    }
    #expect(company.observationInfo.isEmpty)
  }

  @Test("E1 What's announced isn't retained by the expectation")
  func lifetimes() {
    var other: Employee? = Employee("Grace")
    ada.mentor = other
    company.head = other
    expectChanges(of: company.kvo.head, ada.kvo.mentor) {
      other = nil
      company.head = nil
    } are: {
      change(company.kvo.head, new: nil)
      change(ada.kvo.mentor, new: nil)
    }
  }

  @MainActor
  @Test("E1 A class of the main actor is tested on the main actor")
  func mainActor() {
    let window = Window()
    expectChanges(of: window.kvo.title) {
      window.title = "Engines"
    } are: {
      change(window.kvo.title, old: "Untitled", new: "Engines")
    }
  }

  @Test("E1 Every key of an object, dependent ones too")
  func wholeObject() {
    expectChanges(of: company) {
      company.name = "A"
      company.tags.insert("old")
    } are: {
      change(company.kvo.name, old: "Engines", new: "A")
      change(company.kvo.title, old: "Engines Ltd.", new: "A Ltd.")
      insertion(company.kvo.tags, of: ["old"])
    }
    let line = #line + 2
    let found = failures {
      expectChanges(of: company) {
        company.name = "B"
      } are: {
        change(company.kvo.name, old: "A", new: "B")
      }
    }
    let message = """
      The changes aren't the ones described (- described, + announced):
        change(Company.name, old: "A", new: "B")
      + change(Company.title, old: "A Ltd.", new: "B Ltd.")
      """
    #expect(found == failure(message, at: line))
  }

  @Test("E1 A key of the object that can't be observed is a failure")
  func unobservableKey() {
    let order = Order()
    let line = #line + 2
    let found = failures {
      expectChanges(of: order) {
        order.number = 2
      } are: {
        change(order.kvo.number, old: 1, new: 2)
      }
    }
    let message = """
      Order.label can't be observed: Company has no key 'nmae' (component 2 of 'company.nmae'). Did \
      you mean 'name'?
      """
    #expect(found == failure(message, at: line))
  }

  // MARK: E2

  @Test("E2 Among changes in any order the order doesn't count; before and after them it does")
  func anyOrder() {
    expectChanges(of: company.kvo.name, company.kvo.motto, company.kvo.tags) {
      company.name = "A"
      company.motto = "1"
      company.name = "B"
      company.tags.insert("a")
    } are: {
      change(company.kvo.name, new: "A")
      inAnyOrder {
        // The first description fits both changes of the name; only one assignment fits all.
        change(company.kvo.name)
        change(company.kvo.motto, new: "1")
      }
      insertion(company.kvo.tags)
    }
    let line = #line + 2
    let found = failures {
      expectChanges(of: company.kvo.name, company.kvo.motto, company.kvo.tags) {
        company.tags.insert("b")
        company.name = "C"
        company.motto = "2"
      } are: {
        inAnyOrder {
          change(company.kvo.motto, new: "3")
          change(company.kvo.name, new: "C")
        }
        insertion(company.kvo.tags)
      }
    }
    let message = """
      The changes aren't the ones described (- described, + announced):
      - change(Company.motto, new: "3")  // ChangeExpectationTests.swift:\(line + 6)
      - change(Company.name, new: "C")  // ChangeExpectationTests.swift:\(line + 7)
        insertion(Company.tags, of: ["b"])
      + change(Company.name, old: "B", new: "C")
      + change(Company.motto, old: "1", new: "2")
      """
    #expect(found == failure(message, at: line))
  }

  @Test("E2 Descriptions that fit several changes are assigned so that all fit")
  func assignment() {
    expectChanges(of: company.kvo.name) {
      company.name = "A"
      company.name = "B"
      company.name = "C"
    } are: {
      inAnyOrder {
        change(company.kvo.name)
        change(company.kvo.name, old: "A")
        change(company.kvo.name, new: "A")
      }
    }
  }

  @Test("E1 A path by a requirement is the same before and after it's observed")
  func requirement() {
    func check<Item: Headed & KeyValueObservable>(_ item: Item) {
      expectChanges(of: item.kvo.heading) {
        item.heading = "b"
      } are: {
        change(item.kvo.heading, new: "b")
      }
    }
    check(Chapter())
  }

  @Test("E1 A path by string is the same in each spelling")
  func spelling() throws {
    let path = try company.kvo("self.name")
    expectChanges(of: path) {
      company.name = "A"
    } are: {
      change(company.kvo.name, new: "A")
    }
  }
}

private protocol Headed: AnyObject {
  var heading: String { get set }
}

@KeyValueObservable
private final class Chapter: Headed {
  var heading = "a"
}

@KeyValueObservable
private final class Order {
  var number = 1
  var company: Company?
  @DependsOn("company.nmae")
  var label: String { company.map { "\($0.name) \(number)" } ?? "" }
}
