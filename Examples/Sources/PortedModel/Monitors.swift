import FoundationKVO

/// Records the changes in a company.
@KeyValueObservable
class CompanyMonitor: NSObject {
  private static var companyContext = 0

  let company: Company
  private(set) var log: [String] = []
  private var tokens: [NSKeyValueObservation] = []

  init(company: Company) {
    self.company = company
    super.init()
    company.addObserver(
      self, forKeyPath: "letterhead", options: [.new],
      context: &CompanyMonitor.companyContext)
    company.addObserver(
      self, forKeyPath: "departments", options: [.new, .old],
      context: &CompanyMonitor.companyContext)
    tokens.append(
      company.observe(\.headquarters?.city, options: [.initial, .new]) { [weak self] _, change in
        self?.write("city: \((change.newValue ?? nil) ?? "none")")
      })
    tokens.append(
      company.observe(\.catalog, options: [.old, .new]) { [weak self] company, change in
        self?.catalogDidChange(company, change)
      })
  }

  deinit {
    company.removeObserver(
      self, forKeyPath: "letterhead", context: &CompanyMonitor.companyContext)
    company.removeObserver(
      self, forKeyPath: "departments", context: &CompanyMonitor.companyContext)
  }

  func write(_ line: String) {
    log.append(line)
  }

  private func catalogDidChange(_ company: Company, _ change: NSKeyValueObservedChange<[Book]>) {
    let books = company.catalog.count
    switch change.kind {
    case .insertion:
      let indexes = change.indexes.map(Array.init) ?? []
      write("added \(change.newValue ?? []) at \(indexes), \(books) books")
    case .removal:
      write("removed \(change.oldValue ?? []), \(books) books")
    default:
      write("catalog replaced, \(books) books")
    }
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard context == &CompanyMonitor.companyContext else {
      return super.observeValue(
        forKeyPath: keyPath, of: object, change: change, context: context)
    }
    switch keyPath {
    case "letterhead":
      write("letterhead: \(change?[.newKey] as? String ?? "")")
    case "departments":
      let departments = change?[.newKey] as? [Department] ?? []
      write("departments: \(departments.map(\.name).joined(separator: ", "))")
    default:
      break
    }
  }
}

/// Also records a department's salaries.
@KeyValueObservable
class PayrollMonitor: CompanyMonitor {
  private static var payrollContext = 0

  private let department: Department

  init(company: Company, department: Department) {
    self.department = department
    super.init(company: company)
    for keyPath in ["totalSalary", "employees.@max.salary"] {
      department.addObserver(
        self, forKeyPath: keyPath, options: [.new, .old, .prior],
        context: &PayrollMonitor.payrollContext)
    }
  }

  deinit {
    for keyPath in ["totalSalary", "employees.@max.salary"] {
      department.removeObserver(self, forKeyPath: keyPath)
    }
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    if context == &PayrollMonitor.payrollContext {
      if change?[.notificationIsPriorKey] as? Bool == true { return }
      let old = change?[.oldKey] as? Double ?? 0
      let new = change?[.newKey] as? Double ?? 0
      write("\(keyPath!): \(old) -> \(new)")
    } else {
      super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
  }
}

/// A company's figures, computed by collection operators.
@KeyValueObservable
class SalesReport: NSObject {
  private let company: Company

  init(company: Company) {
    self.company = company
  }

  var revenue: Double {
    let invoices = company.value(forKeyPath: "customers.@unionOfArrays.invoices") as! NSArray
    return invoices.value(forKeyPath: "@sum.total") as! Double
  }

  var cities: [String] {
    let cities = company.value(forKeyPath: "customers.@distinctUnionOfObjects.address.city")
    return (cities as? [String] ?? []).sorted()
  }

  var averagePrice: Double {
    (company.catalog as NSArray).value(forKeyPath: "@avg.price") as? Double ?? 0
  }

  var dearest: Double { company.value(forKeyPath: "catalog.@max.price") as? Double ?? 0 }

  var firstPublication: Date? {
    company.value(forKeyPath: "catalog.@min.published") as? Date
  }

  var titles: [String] { company.value(forKeyPath: "catalog.title") as? [String] ?? [] }

  var titlesByPrice: [String] {
    let byPrice = NSSortDescriptor(key: "price", ascending: false)
    let books = (company.catalog as NSArray).sortedArray(using: [byPrice])
    return books.compactMap { ($0 as? Book)?.title }
  }

  func raise(_ names: [String]) {
    for name in names {
      for employee in company.department(named: name)?.employees ?? [] {
        var salary: AnyObject? = NSNumber(value: employee.salary * 1.1)
        do {
          try employee.validateValue(&salary, forKey: "salary")
          employee.setValue(salary, forKey: "salary")
        } catch {
          NSLog("%@ stays: %@", employee, "\(error)")
        }
      }
    }
  }

  func summary() -> [String: Any] {
    dictionaryWithValues(forKeys: ["revenue", "averagePrice", "cities"])
  }
}
