import FoundationKVO

private var salaryContext = 0

@KeyValueObservable
class Department: NSObject {
  dynamic var name: String
  dynamic weak var company: Company?
  dynamic private(set) var totalSalary = 0.0
  dynamic var head: Manager? {
    didSet { head?.title = "Head of \(name)" }
  }

  private var staff: [Employee] = []

  init(name: String) {
    self.name = name
    super.init()
  }

  deinit {
    for employee in staff { stopObserving(employee) }
  }

  // MARK: Employees

  var employees: [Employee] { staff }

  func countOfEmployees() -> Int { staff.count }

  func objectInEmployeesAtIndex(_ index: Int) -> Employee { staff[index] }

  dynamic func insertObject(_ employee: Employee, inEmployeesAtIndex index: Int) {
    staff.insert(employee, at: index)
    employee.department = self
    employee.addObserver(
      self, forKeyPath: "salary", options: [], context: &salaryContext)
    updateTotalSalary()
  }

  dynamic func removeObjectFromEmployeesAtIndex(_ index: Int) {
    let employee = staff.remove(at: index)
    employee.department = nil
    stopObserving(employee)
    updateTotalSalary()
  }

  func add(_ employee: Employee) {
    insertObject(employee, inEmployeesAtIndex: staff.count)
  }

  func remove(_ employee: Employee) {
    guard let index = staff.firstIndex(of: employee) else { return }
    removeObjectFromEmployeesAtIndex(index)
  }

  private func stopObserving(_ employee: Employee) {
    employee.removeObserver(
      self, forKeyPath: "salary", context: &salaryContext)
  }

  // MARK: Total salary

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard context == &salaryContext else {
      return super.observeValue(
        forKeyPath: keyPath, of: object, change: change, context: context)
    }
    updateTotalSalary()
  }

  private func updateTotalSalary() {
    totalSalary = (value(forKeyPath: "employees.@sum.salary") as! NSNumber).doubleValue
  }
}

@KeyValueObservable
class Company: NSObject {
  dynamic var name: String
  dynamic var headquarters: Address?
  dynamic var departments = NSOrderedSet()
  dynamic var catalog: [Book] = []
  dynamic var customers: [Customer] = []

  init(name: String) {
    self.name = name
    super.init()
  }

  var letterhead: String {
    [name, headquarters?.label].compactMap { $0 }.joined(separator: " * ")
  }

  class func keyPathsForValuesAffectingLetterhead() -> Set<String> {
    ["name", "headquarters.label"]
  }

  func add(_ department: Department) {
    mutableOrderedSetValue(forKey: "departments").add(department)
    department.company = self
  }

  func department(named name: String) -> Department? {
    departments.first { ($0 as? Department)?.name == name } as? Department
  }
}
