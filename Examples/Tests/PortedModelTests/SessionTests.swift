import FoundationKVO
import Testing

@testable import PortedModel

@Suite("A session in the ported model")
struct SessionTests {
  private let company = Company(name: "Plover Press")
  private let research = Department(name: "Research")

  @Test("monitors with contexts, super and tokens write down the session")
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
    #expect(monitor?.log == [])
    #expect(company.observationInfo != nil)
    monitor = nil
    #expect(company.observationInfo == nil)
    #expect(research.observationInfo == nil)
  }

  @Test("figures by collection operators")
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
    let summary = report.summary()
    #expect(summary["revenue"] as? Int == 110)
    #expect(summary["averagePrice"] as? Double == 20)
    #expect(summary["cities"] as? [String] == ["Oslo", "Rome"])
  }

  @Test("undo and redo by observing, for every kind of key")
  func undo() {
    let history = EditHistory()
    let witness = Witness()
    let manager = Manager(firstName: "Joan", lastName: "Clarke")
    let (ada, alan) = (
      Employee(firstName: "Ada", lastName: "King"), Employee(firstName: "Alan", lastName: "Turing")
    )
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
      research.mutableArrayValue(forKey: "employees").exchangeObject(at: 0, withObjectAt: 1)
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
    #expect(undone == [])
    var redone: [[String]] = []
    while undoManager.canRedo { redone.append(take(undoManager.redo)) }
    #expect(redone == [])
    #expect(research.employees == [alan, ada])
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
