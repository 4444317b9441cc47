import KeyValueObserving
import Testing

@Suite("README.md", .printing)
struct ReadmeSnippets {
  // snippet README 1
  @KeyValueObservable
  final class Account {
    var balance = 100.0
  }

  @KeyValueObservable
  final class Person {
    var firstName = "Ada"
    var lastName = "Lovelace"
    var account: Account?

    var fullName: String { "\(firstName) \(lastName)" }
  }
  // end

  // snippet README 2
  @KeyValueObservable
  final class Employee {
    var name: String
    var salary: Int

    init(name: String, salary: Int) {
      self.name = name
      self.salary = salary
    }
  }

  @KeyValueObservable
  final class Department {
    var employees: [Employee] = []
    var projects = ["Compiler"]
  }
  // end

  /// What is said to be needed daily, with its own person.
  enum Daily {
    @KeyValueObservable
    final class Person {
      var firstName = "Ada"
      var lastName = "Lovelace"
      var age = 36
      var fullName: String { "\(firstName) \(lastName)" }
    }

    @KeyValueObservable
    final class Field {
      var text = ""
    }

    // snippet README 3
    final class Badge {
      lazy var observers = KeyValueObserverController(owner: self)

      func show(_ person: Person) {
        observers.observe(person.kvo.fullName, options: [.initial, .new]) { badge, _, change in
          print("badge:", change.newValue ?? "")
        }
      }
    }
    // end
  }

  @Test("A first example")
  func first() throws {
    // snippet README 1
    let person = Person()

    let balances = person.kvo.account.balance.observe(options: [.initial, .old, .new]) {
      _, change in
      print("balance:", change)
    }
    let names = person.kvo.fullName.observe(options: [.old, .new]) { _, change in
      print("full name:", change)
    }

    person.firstName = "Grace"
    person.account = Account()
    person.account?.balance += 20
    try person.setValue("Hopper", forKey: "lastName")

    print(try person.value(forKeyPath: "account.balance") ?? "no account")
    do {
      _ = try person.value(forKeyPath: "acount.balance")
    } catch {
      print(error)
    }
    // end
    try expectPrinted("README", 1)
    withExtendedLifetime((names, balances)) {}
  }

  @Test("The same with a collection")
  func collection() throws {
    // snippet README 2
    let department = Department()
    let ada = Employee(name: "Ada", salary: 100)

    let total = department.kvo.employees[sum: \.salary].observe(options: [.old, .new]) {
      _, change in
      print("total:", change)
    }
    let projects = department.kvo.projects.observe(options: [.old, .new]) { _, change in
      print("projects:", change)
    }

    department.employees = [ada, Employee(name: "Grace", salary: 120)]
    ada.salary = 130

    let list = department.mutableArrayValue(for: \.projects)
    list.append("Debugger")
    list[0] = "Linker"
    list.remove(at: 0)

    print(try department.value(forKeyPath: "employees.@max.salary") ?? "nobody")
    // end
    try expectPrinted("README", 2)
    withExtendedLifetime((total, projects)) {}
  }

  @Test("Needed daily: an owner and a binding")
  func ownerAndBinding() throws {
    typealias Badge = Daily.Badge
    let person = Daily.Person()
    // snippet README 3
    let badge = Badge()
    badge.show(person)  // badge: Ada Lovelace
    // end
    try expectPrinted("README", 3)
    badge.observers.unobserveAll()

    typealias Field = Daily.Field
    // snippet README 4
    struct NotANumber: Error {}

    let ages = KeyValueTransformer<Int, String>(
      forward: { String($0) },
      backward: { text in
        guard let age = Int(text) else { throw NotANumber() }
        return age
      })
    let field = Field()
    let binding = person.kvo.age.bindTwoWay(to: field.kvo.text, transformer: ages)
    field.text = "37"  // person.age is 37
    // end
    #expect(person.age == 37)
    // snippet README 4
    person.age = 38  // field.text is "38"
    // end
    #expect(field.text == "38")
    try expectPrinted("README", 4, remarks: ["person.age is 37", "field.text is \"38\""])
    withExtendedLifetime(binding) {}
  }

  @Test("Needed daily: a transaction, undoing, values")
  func transactionUndoingValues() async throws {
    let person = Daily.Person()
    // snippet README 5
    let told = person.kvo.fullName.observe(options: [.old, .new]) { _, change in print(change) }
    person.performChanges {
      $0.firstName = "Katherine"
      $0.lastName = "Johnson"
    }  // setting, old: "Ada Lovelace", new: "Katherine Johnson"
    // end
    try expectPrinted("README", 5)
    told.invalidate()

    // snippet README 6
    let recorder = KeyValueChangeRecorder()
    try recorder.record(person.kvo.firstName, person.kvo.lastName)
    person.lastName = "Goble"
    try recorder.undo()  // "Katherine Johnson" again
    // end
    #expect(person.fullName == "Katherine Johnson")
    // snippet README 6
    for await name in person.kvo.fullName.values() {
      print("name:", name)  // name: Katherine Johnson
      break
    }
    // end
    try expectPrinted("README", 6, remarks: ["\"Katherine Johnson\" again"])
  }
}
