import FoundationKVO
import Testing

@testable import PortedModel

@Suite("The ported model notifies its observers as Cocoa's would")
struct PortedModelTests {
  private let witness = Witness()

  @Test("Dependent keys notify, through super and across relationships")
  func dependents() {
    let ada = Employee(firstName: "Ada", lastName: "King")
    witness.watch(ada, "fullName", "badge")
    ada.lastName = "Lovelace"
    let address = Address(street: "High St 1", city: "London", postalCode: "12345")
    witness.watch(address, "label")
    ada.address = address
    address.city = "Paris"
    ada.fullName = "Grace Brewster Hopper"
    let department = Department(name: "Research")
    department.add(ada)
    department.name = "Analysis"
    ada.address = nil
    address.street = "Low St 2"
    #expect(
      witness.take() == [
        "fullName, old Ada King, new Ada Lovelace",
        "badge, old Ada King, new Ada Lovelace",
        "badge, old Ada Lovelace, new Ada Lovelace (London)",
        "badge, old Ada Lovelace (London), new Ada Lovelace (Paris)",
        "label, old High St 1, 12345 London, new High St 1, 12345 Paris",
        "fullName, old Ada Lovelace, new Grace Lovelace",
        "badge, old Ada Lovelace (Paris), new Grace Lovelace (Paris)",
        "fullName, old Grace Lovelace, new Grace Brewster Hopper",
        "badge, old Grace Lovelace (Paris), new Grace Brewster Hopper (Paris)",
        "badge, old Grace Brewster Hopper (Paris), new Grace Brewster Hopper (Paris), Research",
        "badge, old Grace Brewster Hopper (Paris), Research, new Grace Brewster Hopper (Paris), Analysis",
        "badge, old Grace Brewster Hopper (Paris), Analysis, new Grace Brewster Hopper, Analysis",
        "label, old High St 1, 12345 Paris, new Low St 2, 12345 Paris",
      ])
  }

  @Test("Collection accessors notify, keep the inverse, and update a sum")
  func departments() {
    let research = Department(name: "Research")
    let (ada, alan) = (
      Employee(firstName: "Ada", lastName: "King"), Employee(firstName: "Alan", lastName: "Turing")
    )
    witness.watch(research, "employees", "totalSalary", "employees.@count", "head.title")
    witness.watch(ada, "department.name")
    ada.salary = 100
    research.add(ada)
    research.mutableArrayValue(forKey: "employees").insert(alan, at: 0)
    alan.salary = 50
    ada.setValue(nil, forKey: "salary")
    let manager = Manager(firstName: "Joan", lastName: "Clarke")
    research.head = manager
    research.remove(ada)
    ada.salary = 7
    research.mutableArrayValue(forKey: "employees").removeAllObjects()
    #expect(alan.department == nil)
    #expect(
      witness.take() == [
        "department.name, old nil, new Research",
        "totalSalary, old 0, new 100",
        "employees insertion [0], new (Ada King)",
        "employees.@count, old 0, new 1",
        "totalSalary, old 100, new 100",
        "employees insertion [0], new (Alan Turing)",
        "employees.@count, old 1, new 2",
        "totalSalary, old 100, new 150",
        "totalSalary, old 150, new 50",
        "head.title, old nil, new Head of Research",
        "department.name, old Research, new nil",
        "totalSalary, old 50, new 50",
        "employees removal [1], old (Ada King)",
        "employees.@count, old 2, new 1",
        "totalSalary, old 50, new 0",
        "employees removal [0], old (Alan Turing)",
        "employees.@count, old 1, new 0",
      ])
  }

  @Test("An unordered relationship notifies, keeps its inverse, and updates an average")
  func reports() {
    let manager = Manager(firstName: "Joan", lastName: "Clarke")
    let (ada, alan) = (
      Employee(firstName: "Ada", lastName: "King"), Employee(firstName: "Alan", lastName: "Turing")
    )
    (ada.salary, alan.salary) = (10, 30)
    witness.watch(manager, "reports", "averageSalary")
    witness.watch(ada, "manager.lastName")
    manager.addReportsObject(ada)
    manager.mutableSetValue(forKey: "reports").add(alan)
    manager.lastName = "Murray"
    manager.removeReportsObject(ada)
    manager.mutableSetValue(forKey: "reports").remove(alan)
    #expect(
      witness.take() == [
        "manager.lastName, old nil, new Clarke",
        "reports insertion, new {Ada King}",
        "averageSalary, old 0, new 10",
        "reports insertion, new {Alan Turing}",
        "averageSalary, old 10, new 20",
        "manager.lastName, old Clarke, new Murray",
        "manager.lastName, old Murray, new nil",
        "reports removal, old {Ada King}",
        "averageSalary, old 20, new 30",
        "reports removal, old {Alan Turing}",
        "averageSalary, old 30, new 0",
      ])
  }

  @Test("Books and authors keep both sides of their relationship; a rate notifies manually")
  func books() {
    let author = Author(firstName: "Mary", lastName: "Shelley")
    let book = Book(title: "Frankenstein", price: 20)
    witness.watch(author, "books", "royaltyRate")
    witness.watch(book, "author.lastName", "royalty", "isAvailable", "keywords", "status")
    book.author = author
    author.royaltyRate = 0.1
    author.royaltyRate = 0.25
    book.status = .printed
    book.setValue(3, forKey: "copiesInStock")
    book.keywords.insert("gothic")
    book.mutableSetValue(forKey: "keywords").add("science")
    book.setValue(1, forKey: "status")
    book.author = nil
    #expect(author.books == [])
    #expect(
      witness.take() == [
        "books insertion [0], new (Frankenstein)",
        "author.lastName, old nil, new Shelley",
        "royalty, old 0, new 2",
        "royaltyRate, old 0.1, new 0.25",
        "royalty, old 2, new 5",
        "isAvailable, old 0, new 0",
        "status, old 0, new 2",
        "isAvailable, old 0, new 1",
        "keywords, old {}, new {gothic}",
        "keywords insertion, new {science}",
        "isAvailable, old 1, new 0",
        "status, old 2, new 1",
        "books removal [0], old (Frankenstein)",
        "author.lastName, old Shelley, new nil",
        "royalty, old 5, new 0",
      ])
  }

  @Test("Invoices notify through accessors with index sets, tokens, and manually")
  func invoices() {
    let invoice = Invoice(number: 7)
    let customer = Customer(firstName: "Percy", lastName: "Shelley")
    let (first, second) = (Book(title: "A", price: 10), Book(title: "B", price: 5))
    witness.watch(invoice, "lines", "subtotal", "discount", "total")
    witness.watch(customer, "invoices", "invoices.@sum.total")
    customer.add(invoice)
    invoice.add(first, quantity: 2)
    invoice.mutableArrayValue(forKey: "lines").insert(
      [InvoiceLine(book: second), InvoiceLine(book: first)], at: [0, 2])
    invoice.lines[0].quantity = 4
    let gone = invoice.lines[2]
    invoice.removeLinesAtIndexes([2])
    gone.quantity = 9
    invoice.discount = 80
    invoice.discount = 60
    invoice.setValue(-3, forKey: "discount")
    #expect(customer.balance == 40)
    #expect(invoice.value(forKey: "reference") as? String == "R-0007")
    #expect(
      witness.take() == [
        "invoices insertion [0], new (no. 7)",
        "invoices.@sum.total, old 0, new 0",
        "subtotal, old 0, new 20",
        "total, old 0, new 20",
        "invoices.@sum.total, old 0, new 20",
        "lines insertion [0], new (2 A)",
        "subtotal, old 20, new 35",
        "total, old 20, new 35",
        "invoices.@sum.total, old 20, new 35",
        "lines insertion [0, 2], new (1 B, 1 A)",
        "subtotal, old 35, new 50",
        "total, old 35, new 50",
        "invoices.@sum.total, old 35, new 50",
        "subtotal, old 50, new 40",
        "total, old 50, new 40",
        "invoices.@sum.total, old 50, new 40",
        "lines removal [2], old (1 A)",
        "discount, old 0, new 50",
        "total, old 40, new 20",
        "invoices.@sum.total, old 40, new 20",
        "discount, old 50, new 0",
        "total, old 20, new 40",
        "invoices.@sum.total, old 20, new 40",
      ])
  }

  @Test("A value is validated by key and by key path")
  func validation() throws {
    let employee = Employee(firstName: "Ada", lastName: "King")
    employee.address = Address(street: "High St 1", city: "London", postalCode: "12345")
    func validate(_ value: Any?, _ keyPath: String) -> String {
      var value = value as AnyObject?
      do {
        try employee.validateValue(&value, forKeyPath: keyPath)
        return value.map { "\($0)" } ?? "nil"
      } catch {
        return "\(error)"
      }
    }
    #expect(validate(" 54321 ", "address.postalCode") == "54321")
    #expect(
      validate("5432", "address.postalCode")
        == #"invalid(key: "postalCode", reason: "five digits")"#)
    #expect(validate("Ada@Example.COM", "email") == "ada@example.com")
    #expect(validate(nil, "email") == "nil")
    #expect(validate("none", "email") == #"invalid(key: "email", reason: "no @")"#)
    #expect(validate(-1, "salary") == #"invalid(key: "salary", reason: "not negative")"#)
    #expect(validate(900, "salary") == "900")
    let manager = Manager(firstName: "Joan", lastName: "Clarke")
    manager.salary = 800
    manager.addReportsObject(employee)
    #expect(validate(900, "salary") == "800.0")
    #expect(validate("anything", "title") == "anything")
  }
}
