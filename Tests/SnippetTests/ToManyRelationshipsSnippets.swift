import KeyValueObserving
import Testing

#if OrderedCollections
  import OrderedCollections
#endif

@Suite("ToManyRelationships.md", .printing)
struct ToManyRelationshipsSnippets {
  // snippet ToManyRelationships 1
  @KeyValueObservable
  final class Employee {
    var name: String
    var salary: Int
    var bonus: Int?

    init(_ name: String, salary: Int) {
      self.name = name
      self.salary = salary
    }
  }

  @KeyValueObservable
  final class Department {
    var employees: [Employee] = []
    var tags: Set<String> = []
    var books = ["Emma", "Ulysses"]
    var guests: [String]?

    var totalSalary: Int { employees.reduce(0) { $0 + $1.salary } }
  }

  @KeyValueObservable
  final class Company {
    var departments: [Department] = []
  }
  // end

  // snippet ToManyRelationships 6
  @KeyValueObservable
  final class Shelf {
    @KeyValueIgnored private var stored: [String] = []

    func countOfBooks() -> Int { stored.count }
    func objectInBooks(at index: Int) -> Any { stored[index] }
    func insertObject(_ book: Any, inBooksAt index: Int) { stored.insert("\(book)", at: index) }
    func removeObject(fromBooksAt index: Int) { stored.remove(at: index) }
  }
  // end

  #if OrderedCollections
    // snippet ToManyRelationships 5
    @KeyValueObservable
    final class Book {
      var chapters: OrderedSet<String> = []
    }
    // end

    @Test("Ordered sets")
    func orderedSets() throws {
      // snippet ToManyRelationships 5
      let book = Book()
      let inBook = book.kvo.chapters.observe(options: [.old, .new]) { _, change in print(change) }
      let chapters = book.mutableOrderedSetValue(for: \.chapters)
      chapters.append("One")
      chapters.insert("Preface", at: 0)
      print(chapters.append("One"))
      chapters.move(from: 1, to: 0)
      // end
      try expectPrinted("ToManyRelationships", 5)
      withExtendedLifetime(inBook) {}
    }
  #endif

  @Test("Proxies of arrays and sets")
  func proxies() throws {
    do {
      // snippet ToManyRelationships 2
      let department = Department()
      let observation = department.kvo.books.observe(options: [.old, .new]) { _, change in
        print(change)
      }

      let books = department.mutableArrayValue(for: \.books)
      books.append("Dune")
      books[0] = "Persuasion"
      books.insert(contentsOf: ["Middlemarch", "Solaris"], at: RangeSet([0..<1, 4..<5]))
      books.remove(at: 1)
      books.replaceSubrange(0..<2, with: ["Ubik"])
      books.sort()
      print(books)
      // end
      try expectPrinted("ToManyRelationships", 2)
      withExtendedLifetime(observation) {}
    }
    do {
      // snippet ToManyRelationships 3
      let department = Department()
      let observation = department.kvo.tags.observe(options: [.old, .new]) { _, change in
        print(change)
      }

      let tags = department.mutableSetValue(for: \.tags)
      tags.insert("new")
      tags.formUnion(["new", "urgent"])
      tags.insert("urgent")
      tags.subtract(["new", "old"])
      tags.replaceAll(with: ["done"])
      // end
      try expectPrinted("ToManyRelationships", 3)
      withExtendedLifetime(observation) {}
    }
    do {
      // snippet ToManyRelationships 4
      let department = Department()
      let observation = department.kvo.guests.observe(options: [.old, .new]) { _, change in
        print(change)
      }
      let guests = try department.mutableArrayValue(forKey: "guests")
      print(guests.count)
      guests.append("Grace")
      // end
      withExtendedLifetime(observation) {}
      // On the page the plain block comes after the error.
      let printed = try #require(Printed.current).take()
      expectThrown {
        // snippet ToManyRelationships 4
        _ = try department.mutableArrayValue(forKey: "totalSalary")
        // throws: Department.totalSalary is not a collection: it holds Int, and the class has no countOf and objectIn methods for it.
        // end
      }
      printed.forEach { print($0) }
      try expectPrinted("ToManyRelationships", 4)
    }
  }

  @Test("Collection accessors")
  func accessors() throws {
    // snippet ToManyRelationships 6
    let shelf = Shelf()
    let onShelf = try shelf.observe("books", options: [.old, .new]) { _, change in print(change) }
    let shelved = try shelf.mutableArrayValue(forKey: "books")
    shelved.append("Emma")
    shelved[0] = "Ubik"
    // end
    try expectPrinted("ToManyRelationships", 6)
    withExtendedLifetime(onShelf) {}
  }

  @Test("Element changes of plain Swift")
  func elementChanges() throws {
    // snippet ToManyRelationships 7
    let department = Department()
    let observation = department.kvo.books.observe(options: [.old, .new, .elementChanges]) {
      _, change in
      print(change)
    }
    department.books.append("Dune")
    department.books[1] = "Ubik"
    department.books.removeAll { $0 != "Ubik" }
    department.books = ["Solaris", "Ubik", "Emma"]
    department.books = department.books
    // end
    try expectPrinted("ToManyRelationships", 7)
    withExtendedLifetime(observation) {}
  }

  @Test("Through the elements")
  func elements() throws {
    // snippet ToManyRelationships 8
    let department = Department()
    let ada = Employee("Ada", salary: 100)
    department.employees = [ada, Employee("Grace", salary: 120)]

    let names = department.kvo.employees[each: \.name].observe(options: [.old, .new]) { _, change in
      print(change)
    }
    let salaries = try department.observe("employees.salary", options: .new) { _, change in
      print("salaries:", change)
    }
    ada.name = "Augusta"
    ada.salary = 110
    department.mutableArrayValue(for: \.employees).remove(at: 0)
    ada.salary = 130  // (nothing: she left)
    // end
    try expectPrinted("ToManyRelationships", 8)
    withExtendedLifetime((names, salaries)) {}
  }

  @Test("Which elements changed")
  func changedElements() throws {
    // snippet ToManyRelationships 9
    let department = Department()
    let ada = Employee("Ada", salary: 100)
    department.employees = [ada, Employee("Grace", salary: 120)]

    let salary = department.kvo.employees[each: \.salary]
    let raises = salary.observe(options: .elementChanges) { _, change in
      if let elements = change.elements {
        for case let employee as Employee in elements { print(employee.name, employee.salary) }
      } else {
        print("all may differ")
      }
    }
    ada.salary = 110
    department.employees.removeLast()
    // end
    try expectPrinted("ToManyRelationships", 9)
    withExtendedLifetime(raises) {}
  }

  @Test("Operators")
  func operators() throws {
    do {
      // snippet ToManyRelationships 10
      let department = Department()
      let ada = Employee("Ada", salary: 100)
      let total = department.kvo.employees[sum: \.salary].observe(options: [.old, .new]) {
        _, change in
        print("sum:", change)
      }
      let largest = try department.observe("employees.@max.salary", options: .new) { _, change in
        print("max:", change)
      }
      department.employees = [ada, Employee("Grace", salary: 120)]
      ada.salary = 130
      department.mutableArrayValue(for: \.employees).append(ada)
      // end
      try expectPrinted("ToManyRelationships", 10)
      withExtendedLifetime((total, largest)) {}
    }
    // snippet ToManyRelationships 11
    let company = Company()
    let payroll = try company.observe(
      "departments.@sum.employees.@sum.salary", options: .new
    ) { _, change in print("payroll:", change) }
    let people = company.kvo.departments[sum: \.employees.count].observe(options: .new) {
      _, change in
      print("people:", change)
    }
    let department = Department()
    company.departments.append(department)
    department.employees.append(Employee("Ada", salary: 100))
    // end
    try expectPrinted("ToManyRelationships", 11)
    withExtendedLifetime((payroll, people)) {}
  }

  @Test("In dependent keys")
  func dependentKeys() throws {
    // snippet ToManyRelationships 12
    print(Department.keyPathsForValuesAffectingValue(forKey: "totalSalary"))
    // ["employees.salary"]

    let department = Department()
    let ada = Employee("Ada", salary: 100)
    department.employees = [ada]
    let observation = department.kvo.totalSalary.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    ada.salary = 130
    department.employees.append(Employee("Grace", salary: 120))
    // end
    try expectPrinted("ToManyRelationships", 12)
    withExtendedLifetime(observation) {}
  }

  @Test("Coding")
  func coding() throws {
    // snippet ToManyRelationships 13
    let department = Department()
    department.employees = [Employee("Ada", salary: 100), Employee("Grace", salary: 120)]
    print(try department.value(forKeyPath: "employees.name") ?? "none")
    print(try department.value(forKeyPath: "employees.@avg.salary") ?? "none")
    print(try department.employees.value(forKeyPath: "@max.salary") ?? "none")
    try department.setValue(5, forKeyPath: "employees.bonus")
    print(try department.employees.value(forKey: "bonus") ?? "none")

    let rows: [[String: Any]] = [
      ["payee": "Rent", "amount": 900], ["payee": "Power", "amount": 60],
    ]
    print(try rows.value(forKeyPath: "@sum.amount") ?? "none")
    // end
    let printed = try #require(Printed.current).take()
    expectThrown {
      // snippet ToManyRelationships 13
      _ = try department.value(forKeyPath: "employees.@summ.salary")
      // throws: There is no collection operator '@summ' (component 2 of 'employees.@summ.salary'). Did you mean '@sum'?
      // end
    }
    printed.forEach { print($0) }
    try expectPrinted("ToManyRelationships", 13)
  }
}
