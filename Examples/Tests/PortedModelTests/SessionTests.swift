import FoundationKVO
import Testing

@testable import PortedModel

@Suite("A session in the ported model")
struct SessionTests {
  private let company = Company(name: "Plover Press")
  private let research = Department(name: "Research")

  @Test("Monitors with contexts, super and tokens record the session")
  func monitors() {
    var monitor: PayrollMonitor? = PayrollMonitor(company: company, department: research)
    company.headquarters = Address(street: "Strand 80", city: "London", postalCode: "10000")
    company.add(research)
    company.add(Department(name: "Sales"))
    company.setValue("Leipzig", forKeyPath: "headquarters.city")
    let manager = Manager(firstName: "Joan", lastName: "Clarke")
    manager.salary = 1000
    let employee = Employee(firstName: "Ada", lastName: "King")
    employee.salary = 950
    research.add(manager)
    research.add(employee)
    manager.addReportsObject(employee)
    SalesReport(company: company).raise(["Research"])
    let catalog = company.mutableArrayValue(forKey: "catalog")
    catalog.add(Book(title: "Emma"))
    catalog.insert(Book(title: "Persuasion"), at: 0)
    catalog.removeObject(at: 1)
    company.catalog = []
    company.mutableOrderedSetValue(forKey: "departments").removeObject(at: 1)
    company.headquarters = nil
    #expect(
      monitor?.log == [
        "city: none",
        "letterhead: Plover Press * Strand 80, 10000 London",
        "city: London",
        "departments: Research",
        "departments: Sales",
        "letterhead: Plover Press * Strand 80, 10000 Leipzig",
        "city: Leipzig",
        "totalSalary: 0.0 -> 1000.0",
        "employees.@max.salary: 0.0 -> 1000.0",
        "totalSalary: 1000.0 -> 1950.0",
        "employees.@max.salary: 1000.0 -> 1000.0",
        "employees.@max.salary: 1000.0 -> 1100.0",
        "totalSalary: 1950.0 -> 2050.0",
        "employees.@max.salary: 1100.0 -> 1100.0",
        "totalSalary: 2050.0 -> 2145.0",
        "added [Emma] at [0], 1 books",
        "added [Persuasion] at [0], 2 books",
        "removed [Emma], 1 books",
        "catalog replaced, 0 books",
        "departments: ",
        "letterhead: Plover Press",
        "city: none",
      ])
    #expect(company.observationInfo != nil)
    monitor = nil
    #expect(company.observationInfo == nil)
    #expect(research.observationInfo == nil)
  }

  @Test("Collection operators compute the figures of a report")
  func report() {
    let report = SalesReport(company: company)
    #expect(report.revenue == 0)
    #expect(report.firstPublication == nil)
    for (index, city) in ["Rome", "Oslo", "Rome"].enumerated() {
      let customer = Customer(firstName: "C", lastName: "\(index)")
      customer.address = Address(street: "S", city: city, postalCode: "00000")
      let book = Book(title: "B\(index)", price: Double(10 * (index + 1)))
      book.published = Date(timeIntervalSince1970: Double(1000 - index))
      company.catalog.append(book)
      let invoice = Invoice(number: index)
      invoice.add(book, quantity: 2)
      customer.add(invoice)
      company.mutableArrayValue(forKey: "customers").add(customer)
    }
    company.customers[0].invoices[0].discount = 50
    #expect(report.revenue == 110)
    #expect(report.cities == ["Oslo", "Rome"])
    #expect(report.averagePrice == 20)
    #expect(report.dearest == 30)
    #expect(report.firstPublication == Date(timeIntervalSince1970: 998))
    #expect(report.titles == ["B0", "B1", "B2"])
    #expect(report.titlesByPrice == ["B2", "B1", "B0"])
    let summary = report.summary()
    #expect(summary["revenue"] as? Int == 110)
    #expect(summary["averagePrice"] as? Double == 20)
    #expect(summary["cities"] as? [String] == ["Oslo", "Rome"])
  }

  @Test("An observing history undoes and redoes changes of every kind of key")
  func undo() {
    let history = EditHistory()
    let witness = Witness()
    let manager = Manager(firstName: "Joan", lastName: "Clarke")
    let (ada, alan) = (
      Employee(firstName: "Ada", lastName: "King"), Employee(firstName: "Alan", lastName: "Turing")
    )
    (ada.salary, alan.salary) = (10, 20)
    let book = Book(title: "Emma", price: 10)
    history.startObserving(company, keys: ["name", "headquarters", "departments", "catalog"])
    history.startObserving(research, keys: ["name", "employees"])
    history.startObserving(manager, keys: ["reports"])
    history.startObserving(book, keys: ["title", "price", "status", "keywords", "author"])

    history.group("Rename") {
      company.name = "Plover House"
      company.headquarters = Address(street: "Ring 1", city: "Bonn", postalCode: "53111")
    }
    history.group("Hire") {
      company.add(research)
      research.add(ada)
      research.add(alan)
      research.mutableArrayValue(forKey: "employees").removeObject(at: 0)
      research.add(ada)
    }
    history.group("Delegate") {
      manager.addReportsObject(ada)
      manager.addReportsObject(alan)
      manager.removeReportsObject(ada)
    }
    history.group("Edit") {
      book.title = "Emma, annotated"
      book.status = .printed
      book.keywords = ["novel"]
      book.mutableSetValue(forKey: "keywords").add("annotated")
      company.mutableArrayValue(forKey: "catalog").add(book)
    }
    witness.watch(company, "name", "headquarters.city", "departments", "catalog")
    witness.watch(research, "employees", "totalSalary")
    witness.watch(manager, "reports")
    witness.watch(book, "title", "status", "isAvailable", "keywords")

    let undoManager = history.undoManager
    func take(_ change: () -> Void) -> [String] {
      change()
      return ["undo \(undoManager.undoActionName), redo \(undoManager.redoActionName)"]
        + witness.take()
    }
    var undone: [[String]] = []
    while undoManager.canUndo { undone.append(take(undoManager.undo)) }
    #expect(
      undone == [
        [
          "undo Delegate, redo Edit",
          "catalog removal [0], old (Emma, annotated)",
          "keywords removal, old {annotated}",
          "keywords, old {novel}, new {}",
          "status, old 2, new 0",
          "isAvailable, old 0, new 0",
          "title, old Emma, annotated, new Emma",
        ],
        [
          "undo Hire, redo Delegate",
          "reports insertion, new {Ada King}",
          "reports removal, old {Alan Turing}",
          "reports removal, old {Ada King}",
        ],
        [
          "undo Rename, redo Hire",
          "totalSalary, old 30, new 20",
          "employees removal [1], old (Ada King)",
          "totalSalary, old 20, new 30",
          "employees insertion [0], new (Ada King)",
          "totalSalary, old 30, new 10",
          "employees removal [1], old (Alan Turing)",
          "totalSalary, old 10, new 0",
          "employees removal [0], old (Ada King)",
          "departments removal [0], old (Research)",
        ],
        [
          "undo , redo Rename",
          "headquarters.city, old Bonn, new nil",
          "name, old Plover House, new Plover Press",
        ],
      ])
    var redone: [[String]] = []
    while undoManager.canRedo { redone.append(take(undoManager.redo)) }
    #expect(
      redone == [
        [
          "undo Rename, redo Hire",
          "name, old Plover Press, new Plover House",
          "headquarters.city, old nil, new Bonn",
        ],
        [
          "undo Hire, redo Delegate",
          "departments insertion [0], new (Research)",
          "totalSalary, old 0, new 10",
          "employees insertion [0], new (Ada King)",
          "totalSalary, old 10, new 30",
          "employees insertion [1], new (Alan Turing)",
          "totalSalary, old 30, new 20",
          "employees removal [0], old (Ada King)",
          "totalSalary, old 20, new 30",
          "employees insertion [1], new (Ada King)",
        ],
        [
          "undo Delegate, redo Edit",
          "reports insertion, new {Ada King}",
          "reports insertion, new {Alan Turing}",
          "reports removal, old {Ada King}",
        ],
        [
          "undo Edit, redo ",
          "title, old Emma, new Emma, annotated",
          "status, old 0, new 2",
          "isAvailable, old 0, new 0",
          "keywords, old {}, new {novel}",
          "keywords insertion, new {annotated}",
          "catalog insertion [0], new (Emma, annotated)",
        ],
      ])
    #expect(research.employees == [alan, ada])
    #expect(ada.department === research)
    #expect(manager.reports == [alan])
    #expect(book.keywords == ["novel", "annotated"])
    var again: [[String]] = []
    while undoManager.canUndo { again.append(take(undoManager.undo)) }
    #expect(again == undone)
    history.stopObserving(company)
    company.name = "Alone"
    #expect(!undoManager.canUndo)
  }
}
